"""Skeletons on disk: what they hold, where they go, and what is refused."""

import json

import pytest

from linkworth import _engine
from linkworth.catalog import apps
from linkworth.errors import UsageError
from linkworth.skeleton import parse, record_skeleton
from linkworth.skeleton.program import check, operations
from linkworth.trace.read import open_trace

NAS = [name for name in _engine.skeleton_programs() if f"npb:{name}" in apps.names()]


def test_a_skeleton_says_what_it_is(tmp_path, flat_rates):
    rates = flat_rates("ft")
    summary = record_skeleton(parse(["npb:ft.S"]), 4, rates, tmp_path / "ft.lwt")
    assert (summary.state, summary.verified, summary.rates) == ("complete", None, rates)
    trace = open_trace(tmp_path / "ft.lwt")
    assert (trace.engine.events, trace.engine.file_bytes) == (summary.events, summary.bytes)
    metadata = trace.metadata
    assert (metadata.workload, metadata.source, metadata.rates) == ("npb:ft.S", "skeleton", rates)
    assert not trace.incomplete
    assert [path.name for path in tmp_path.iterdir()] == ["ft.lwt"]


def test_computation_is_the_work_at_the_given_rates(tmp_path, flat_rates):
    """In the timed region: operations at a nanosecond each, to the rounding of half a nanosecond a call."""
    program = parse(["npb:cg.S"])
    record_skeleton(program, 4, flat_rates("cg"), tmp_path / "cg.lwt")
    trace = _engine.Trace(str(tmp_path / "cg.lwt"))
    for rank in range(4):
        inside, total, events = False, 0.0, 0
        for event in trace.iterate(rank):
            if inside:
                total += event["gap_seconds"]
                events += 1
            assert event["duration_seconds"] == 0
            assert event["cpu_seconds"] in (-1.0, event["gap_seconds"])
            if event["name"] == "MPI_Pcontrol":
                inside = event["fields"]["code"] == 1
        counted = sum(operations(program, 4, rank).values()) * 1e-9
        assert total == pytest.approx(counted, abs=0.5e-9 * events)


@pytest.mark.parametrize("name", NAS)
def test_work_grows_with_the_class_and_shrinks_with_the_ranks(name):
    def work(letter, ranks):
        return sum(operations(parse([f"npb:{name}.{letter}"]), ranks).values())

    sizes = [work(letter, 16) for letter in "SWABC"]
    assert sizes == sorted(sizes)
    assert sizes[0] > 0
    assert 1 / 4.2 < work("C", 16) / work("C", 4) < 1 / 3


def test_a_name_that_is_taken_gets_a_number(tmp_path, flat_rates):
    program, rates = parse(["npb:ep.S"]), flat_rates("ep")
    paths = [record_skeleton(program, 2, rates, tmp_path / "ep.lwt").path for _ in range(2)]
    assert paths == [str(tmp_path / "ep.lwt"), str(tmp_path / "ep-2.lwt")]
    replaced = record_skeleton(program, 3, rates, tmp_path / "ep.lwt", replace=True)
    assert (replaced.path, open_trace(tmp_path / "ep.lwt").engine.ranks) == (str(tmp_path / "ep.lwt"), 3)


def test_threads_record_the_same_as_one(tmp_path, flat_rates):
    program, rates = parse(["npb:mg.S"]), flat_rates("mg")
    found = []
    for threads in (1, 3):
        path = str(tmp_path / f"{threads}.lwt")
        _engine.record_skeleton(
            program.name,
            program.arguments,
            8,
            list(rates.seconds_per_operation.values()),
            path,
            "{}",
            threads,
        )
        trace = _engine.Trace(path)
        found.append([list(trace.iterate(rank)) for rank in range(8)])
    assert found[0] == found[1]


def test_progress_is_told_rank_by_rank_and_may_stop_it(tmp_path):
    told = []
    arguments = ("ep", ["S"], 5, [0.0, 0.0], str(tmp_path / "ep.lwt"), "{}", 2)
    _engine.record_skeleton(*arguments, told.append)
    assert told == [1, 2, 3, 4, 5]

    def stop(_):
        raise KeyboardInterrupt

    (tmp_path / "ep.lwt").unlink()
    with pytest.raises(KeyboardInterrupt):
        _engine.record_skeleton(*arguments, stop)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("command", "ranks", "sentence"),
    [
        (["npb:cg.C"], 6, r"npb:cg.C: cg class C runs on powers of two .*, not on 6"),
        (["npb:is.D"], 2, "is class D runs on powers of two from 4 to 1024 ranks, not on 2"),
        (["npb:ft.S"], 3, "ft class S runs on powers of two from 1 to 4096 ranks, not on 3"),
        (["npb:mg.S"], 3, "mg class S runs on powers of two from 1 to 4096 ranks, not on 3"),
        (["npb:lu.S"], 5, "numbers from 1 to 4, so that each rank has 3 or more lines in x and y, not on 5"),
        (["npb:bt.S"], 3, r"bt class S runs on square numbers \(1, 4, 9, 16, .*\) up to 16 ranks, not on 3"),
        (["npb:sp.S"], 3, "sp class S runs on square numbers"),
        (["npb:cg.C"], 0, "the number of ranks must be at least 1"),
        (["npb:cg.C"], None, "npb:cg.C: give `ranks`, the number of its ranks"),
        (["npb:cg.C"], 10**12, "no program has that many ranks"),
        (["npb:cg.C"], 2**30, "a run has 1 to 16777216 ranks|runs on powers of two"),
        (["npb:cg.F"], 4, "cg takes one class, S, W, A, B, C, D, E, not 'F'"),
        (["npb:cg.A", "--fast"], 4, "cg takes one class, .*, not 'A --fast'"),
    ],
)
def test_what_cannot_run_is_refused(command, ranks, sentence):
    with pytest.raises(UsageError, match=sentence):
        check(parse(command), ranks)


def test_an_unknown_program_is_refused():
    with pytest.raises(UsageError, match=r"there is no skeleton of npb:zz\.S; there are those of"):
        parse(["npb:zz.S"])


@pytest.mark.parametrize("rates", [[1.0], [float("nan"), 0.0], [-1.0, 0.0], [float("inf"), 0.0]])
def test_rates_that_are_no_times_are_refused(rates, tmp_path):
    with pytest.raises(_engine.SkeletonError):
        _engine.record_skeleton("ep", ["S"], 2, rates, str(tmp_path / "ep.lwt"), "{}")
    assert list(tmp_path.iterdir()) == []


def test_a_time_that_no_trace_can_hold_is_refused(tmp_path):
    with pytest.raises(_engine.TraceError, match="up to 1e9"):
        _engine.record_skeleton("ep", ["E"], 1, [1.0, 0.0], str(tmp_path / "ep.lwt"), "{}")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("letter", ["D", "E"])
@pytest.mark.parametrize("name", ["ep", "ft"])
def test_the_largest_classes_need_no_memory(name, letter, tmp_path, flat_rates):
    summary = record_skeleton(parse([f"npb:{name}.{letter}"]), 1024, flat_rates(name), tmp_path / "t.lwt")
    assert summary.ranks == 1024
    assert json.loads(_engine.Trace(summary.path).metadata_json)["source"] == "skeleton"
