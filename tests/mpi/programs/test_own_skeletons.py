"""Imbalance and stencil recorded without running: the calls of the traced run, the work of each rank, the refusals."""

from itertools import pairwise

import msgspec
import pytest

from linkworth import _engine
from linkworth.measure.plan import plan
from linkworth.model.trace import RankInfo, TraceMetadata
from linkworth.model.workload import Workload
from linkworth.profile import build_profile
from linkworth.skeleton.program import operations, parse
from linkworth.trace.record import record

UNTIMED = {"name", "call_class", "fields"}
STENCIL = ["--iterations", "10", "--radiation-every", "3", "--output-every", "4"]


def metadata(program, ranks):
    of_ranks = [RankInfo(rank=rank, host="") for rank in range(ranks)]
    return msgspec.json.encode(TraceMetadata(workload=program, ranks=of_ranks, source="skeleton")).decode()


def skeleton(path, program, arguments, ranks, seconds=1e-6):
    phases = _engine.skeleton_programs()[program]
    _engine.record_skeleton(
        program, arguments, ranks, [seconds] * len(phases), str(path), metadata(program, ranks)
    )
    return _engine.Trace(str(path))


def calls(trace, rank):
    """Everything but the times."""
    return [{key: event[key] for key in UNTIMED} for event in trace.iterate(rank)]


@pytest.mark.requires("openmpi")
@pytest.mark.parametrize(
    ("app", "options", "ranks"),
    [
        ("imbalance:3", ["--operations", "1e6"], 4),
        ("stencil:24x17x5", STENCIL, 1),
        ("stencil:24x17x5", STENCIL, 2),
        ("stencil:24x17x5", [*STENCIL, "--dynamics-steps", "3", "--physics-steps", "2"], 6),
        ("stencil:24x17x5", STENCIL, 9),
    ],
)
def test_a_skeleton_makes_the_calls_of_the_real_run(tmp_path, open_mpi, app, options, ranks):
    workload = Workload(name=app, command=[app, *options], ranks=ranks)
    record(plan(workload, mpi=open_mpi.name), output=tmp_path / "real.lwt")
    real = _engine.Trace(str(tmp_path / "real.lwt"))
    program, argument = app.split(":")
    recorded = skeleton(tmp_path / "skeleton.lwt", program, [argument, *options], ranks)
    for rank in range(ranks):
        assert calls(recorded, rank) == calls(real, rank)


def halo_bytes(trace, rank):
    return [event["fields"]["bytes"] for event in trace.iterate(rank) if event["name"] == "MPI_Isend"]


@pytest.mark.parametrize("ranks", [4, 6, 9, 16, 64])
def test_halos_are_10_to_100_kb_at_the_default_size(tmp_path, ranks):
    trace = skeleton(tmp_path / "s.lwt", "stencil", ["default", "--iterations", "2"], ranks)
    for rank in range(ranks):
        sizes = halo_bytes(trace, rank)
        assert len(sizes) == 8
        assert min(sizes) >= 10_000 and max(sizes) <= 100_000


def test_the_default_run_has_its_periods(tmp_path):
    trace = skeleton(tmp_path / "s.lwt", "stencil", ["default"], 1)
    names = [event["name"] for event in trace.iterate(0)]
    assert names.count("MPI_Gatherv") == 5 * (3456 // 145)
    work = operations(parse(["stencil:default"]))
    points = 100 * 126 * 37
    assert work["dynamics"] == 3456 * points
    assert work["radiation"] == 288 * points * 32
    assert work["output copies"] == 2 * 5 * 23 * points


def test_wrf_has_the_costs_of_a_forecast(tmp_path):
    """7 exchanges of halos of 10 to 100 KB, 50 steps of physics, 8 s an output, and computation for most of the time."""
    command = ["wrf", "--iterations", "12", "--output-every", "12"]
    trace = skeleton(tmp_path / "s.lwt", "stencil", command, 48, seconds=0.0)
    sizes = halo_bytes(trace, 0)
    assert len(sizes) == 12 * 7 * 4
    assert min(sizes) >= 10_000 and max(sizes) <= 100_000
    assert max(event["gap_seconds"] for event in trace.iterate(0)) == pytest.approx(8.0)
    work = operations(parse(["stencil:wrf", *command[1:]]))
    points = 100 * 126 * 37
    assert work["column physics"] == 12 * 50 * points
    assert work["dynamics"] == 12 * 7 * points
    assert work["radiation"] == 256 * points


@pytest.mark.parametrize("level", [1, 2, 4, 7, 8])
def test_shares_fall_from_rank_to_rank_and_add_up(level):
    total = 10**9
    for ranks in (1, 2, 8, 64, 1000):
        shares = [
            _engine.skeleton_work("imbalance", [str(level), "--operations", str(total)], ranks, rank)[0]
            for rank in range(ranks)
        ]
        assert sum(shares) == total
        assert all(after <= before + 1 for before, after in pairwise(shares))
        assert total / ranks / shares[0] == pytest.approx(1 - (level - 1) / 7 * (1 - 1 / ranks), rel=1e-6)
        if level == 1:
            assert shares[0] - shares[-1] <= 1
        if level == 8:
            assert shares[0] == total


@pytest.mark.parametrize("level", range(1, 9))
def test_the_profile_finds_the_load_balance_of_the_level(tmp_path, level):
    skeleton(tmp_path / "i.lwt", "imbalance", [str(level), "--operations", "1e9"], 6, seconds=1e-9)
    found = build_profile(tmp_path / "i.lwt").pop.load_balance
    assert found == pytest.approx(1 - (level - 1) / 7 * (1 - 1 / 6), rel=1e-3)


@pytest.mark.parametrize(
    ("program", "arguments", "ranks", "sentence"),
    [
        ("imbalance", ["9"], 2, "the level is a whole number from 1"),
        ("imbalance", [], 2, "imbalance takes one argument, not 0"),
        ("stencil", ["3x3x3"], 2, "at least 4x4x1"),
        ("stencil", ["12x12x5"], 5, "cannot be cut into 5 pieces"),
        ("stencil", ["default", "--timers"], 4, "leave --timers and --output out"),
        ("stencil", ["default", "--output", "x"], 4, "leave --timers and --output out"),
        ("stencil", ["default", "--iterations"], 4, "give a value after --iterations"),
        ("stencil", ["default", "--operations", "4"], 4, "unknown option '--operations'"),
    ],
)
def test_refuses_what_the_program_refuses(program, arguments, ranks, sentence):
    with pytest.raises(_engine.SkeletonError, match=sentence):
        _engine.check_skeleton(program, arguments, ranks)
