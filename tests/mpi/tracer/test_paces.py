"""Calls that a profile times at their end only: what it says of their time holds, whatever the program's pattern."""

import subprocess
from pathlib import Path

import pytest

from linkworth.measure import call_profile_file
from linkworth.mpi import find, sources

ONE_ABI = True

SOURCE = Path(__file__).parent / "programs/paces.c"
LARGEST_UNCLEAR_PART = 0.01
"""Limit as a part of the elapsed time (native/mpi/tracer/pace.c)."""


@pytest.fixture(scope="session")
def paces(tmp_path_factory):
    """The program, with the tracer's own code under AddressSanitizer and UndefinedBehaviorSanitizer."""
    mpi = next((mpi for mpi in find.find_all() if mpi.mpicc), None)
    if mpi is None:
        pytest.skip("no MPI was found, and the tracer's headers need its mpi.h")
    folder = sources.folder("tracer")
    program = tmp_path_factory.mktemp("paces") / "paces"
    subprocess.run(
        [mpi.mpicc, "-O1", "-g1", "-std=gnu11", "-w", "-fsanitize=address,undefined", "-fno-sanitize-recover=all",
         f"-I{folder}", str(SOURCE), str(folder / "pace.c"), str(folder / "profile.c"), "-o", str(program)],
        check=True,
    )  # fmt: skip

    def run(pattern, calls, path):
        done = subprocess.run(
            [program, pattern, str(calls), path], capture_output=True, text=True, check=True, timeout=600,
            env={"ASAN_OPTIONS": "detect_leaks=0"},
        )  # fmt: skip
        lines = [line.split() for line in done.stdout.splitlines()]
        truth = {name: (int(calls), int(inside) * 1e-9) for name, calls, inside in lines if calls != "0"}
        return truth, call_profile_file.read(path)

    return run


def shares(process):
    """Part of the calls that was timed at the end only, and long intervals of such calls over the elapsed time."""
    halves = [tally.half_timed for tally in process.tallies.values()]
    calls = sum(tally.calls for tally in process.tallies.values())
    return sum(half.calls for half in halves) / calls, sum(
        half.long_intervals for half in halves
    ) / process.elapsed


@pytest.mark.parametrize(
    ("pattern", "calls"),
    [("short", 200_000), ("rare-waits", 200_000), ("rare-computation", 200_000), ("one-wait", 200_000), ("rhythm", 200_000),
     ("drift", 200_000), ("bursts", 3_000), ("polling", 2_000)],
)  # fmt: skip
def test_what_is_shown_is_within_what_is_stated(paces, tmp_path, pattern, calls):
    truth, process = paces(pattern, calls, tmp_path / "x.profile")
    assert process.tallies.keys() == truth.keys()
    for name, (count, inside) in truth.items():
        tally = process.tallies[name]
        assert tally.calls == count
        assert abs(tally.seconds - inside) <= tally.half_timed.error + 1e-12
        assert tally.inside <= inside + 1e-12
        assert inside <= tally.inside + tally.half_timed.all_intervals + 1e-12
    whole = sum(tally.seconds + tally.computation_seconds for tally in process.tallies.values())
    assert whole == pytest.approx(process.elapsed)


def test_short_calls_in_a_row_are_timed_once_in_some_and_known_to_a_percent(paces, tmp_path):
    _, process = paces("short", 200_000, tmp_path / "x.profile")
    tally = process.tallies["MPI_Iprobe"]
    assert shares(process)[0] == pytest.approx(1 - 1 / 16.5, abs=0.005)
    assert tally.half_timed.long_calls == 0
    assert tally.half_timed.error < 0.01 * tally.seconds


@pytest.mark.parametrize("pattern", ["rare-waits", "rare-computation"])
def test_long_intervals_among_short_ones_end_it_before_much_is_unclear(paces, tmp_path, pattern):
    _, process = paces(pattern, 200_000, tmp_path / "x.profile")
    half, unclear = shares(process)
    assert 0 < unclear <= LARGEST_UNCLEAR_PART + 100_000e-9 / process.elapsed
    assert half > 0


def test_one_long_wait_is_stated_as_what_may_be_wrong(paces, tmp_path):
    _, process = paces("one-wait", 200_000, tmp_path / "x.profile")
    tally = process.tallies["MPI_Wait"]
    assert tally.seconds > 1
    # The generator's state is fixed: this one fell on a half-timed call.
    assert tally.half_timed.long_calls == 1
    assert tally.half_timed.error > 1


def test_bursts_after_computation_are_timed_at_both_ends_where_it_matters(paces, tmp_path):
    truth, process = paces("bursts", 3_000, tmp_path / "x.profile")
    _, unclear = shares(process)
    assert unclear <= LARGEST_UNCLEAR_PART
    assert process.tallies["MPI_Wait"].seconds == pytest.approx(truth["MPI_Wait"][1], rel=0.02)


@pytest.mark.parametrize(
    "environment", [{}, {"LINKWORTH_TIME_EVERY_CALL": "1"}], ids=["default", "every call"]
)
def test_the_time_of_rare_waits_in_a_real_program(bench, environment):
    program = bench.compile("rare_waits.c")
    folder = bench.folder / "profiles"
    folder.mkdir()
    run = bench.launch(
        program,
        ranks=2,
        environment={"LINKWORTH_TRACE_DIR": str(folder), "LINKWORTH_PROFILE": "1", **environment},
    )
    assert run.returncode == 0, run.stderr
    profiles = {process.rank: process for process in map(call_profile_file.read, folder.glob("*.profile"))}
    messages, waited = run.stdout.split()
    tallies = profiles[0].tallies
    assert {tallies[name].calls for name in ("MPI_Irecv", "MPI_Send", "MPI_Wait")} == {int(messages)}
    assert tallies["MPI_Send"].bytes_sent == 4 * int(messages)
    # The program's own readings are around the tracer's. Half of it leaves room for what lies between them.
    wait = tallies["MPI_Wait"]
    assert wait.inside <= float(waited)
    assert 0.5 * float(waited) <= wait.inside + wait.half_timed.all_intervals
    assert (shares(profiles[0])[0] > 0) != bool(environment)
