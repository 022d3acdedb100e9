"""`linkworth profile` as a person and as a program read it."""

import io
import re
from pathlib import Path

import communication_patterns as patterns
import pytest
import synthetic
from click.testing import CliRunner
from golden import check_golden
from rich.console import Console
from synthetic import collective

from linkworth.cli.profile import command
from linkworth.cli.profile_screen import show
from linkworth.profile import build_profile

GOLDEN = Path(__file__).parent / "golden"


def run(*arguments, code=0):
    result = CliRunner().invoke(
        command, [str(argument) for argument in arguments], env={"COLUMNS": "100"}, standalone_mode=False
    )
    assert result.exception is None, result.output
    assert result.return_value == code, result.output
    return result.stdout


def on_a_terminal(profile, width, height):
    """Return what a terminal of this size shows."""
    shown = Console(file=io.StringIO(), width=width, height=height, force_terminal=True, no_color=True)
    show(profile, shown)
    return re.sub(r"\x1b\[[0-9;]*m", "", shown.file.getvalue())


def unequally_slow(programs):
    for rank, calls in enumerate(programs):
        for call in calls:
            call.lasting(1e-3 * (1 + rank % 3))
    return programs


def write_crowded(path, programs, workload):
    """Write a trace of ranks that shared four cores."""
    ranks = [
        {
            "rank": rank,
            "host": "node",
            "state": "complete",
            "cores": 4,
            "elapsed_seconds": 1.75,
            "cpu_seconds": 0.5,
        }
        for rank in range(len(programs))
    ]
    return synthetic.write_trace(path, programs, ranks=ranks, workload=workload, verified=True)


@pytest.fixture
def crowded(tmp_path):
    """A trace of twelve ranks on four cores, with a call that is not modelled."""
    programs = unequally_slow(patterns.halo(12, 78_000, 1.1e-3))
    programs[0].append(synthetic.Call("MPI_Put", "local"))
    return write_crowded(tmp_path / "t.lwt", programs, "halo [12]")


def test_a_screen_fits_the_terminal(crowded):
    profile = build_profile(crowded)
    check_golden(GOLDEN / "screen-80x40.txt", on_a_terminal(profile, 80, 40))
    for width, height in ((80, 40), (100, 40), (120, 50)):
        lines = on_a_terminal(profile, width, height).splitlines()
        assert len(lines) < height  # the shell's next line
        assert max(map(len, lines)) <= width


def test_a_crowded_program_of_many_phases_calls_and_sizes_fits_a_screen(tmp_path):
    parts = [patterns.sparse_solver(16, size, 1e-4) for size in (60, 500, 4_000, 30_000)]
    parts += [patterns.halo(16, 78_000, 1e-4), patterns.transposes(16, 78_000, 1e-4)]
    programs = [[call for part in parts for call in part[rank]] for rank in range(16)]
    path = write_crowded(tmp_path / "t.lwt", unequally_slow(programs), "solver")
    lines = on_a_terminal(build_profile(path), 80, 40).splitlines()
    assert len(lines) < 40  # the shell's next line
    assert max(map(len, lines)) <= 80


def test_the_short_and_the_long_form_where_there_is_no_terminal(crowded):
    shown = run(crowded)
    lines = shown.splitlines()
    assert len(lines) <= 40
    assert max(map(len, lines)) <= 100
    check_golden(GOLDEN / "full.txt", run(crowded, "--full"))
    # The ranks shared cores. No recorded MPI_Init is among the shares of a replay: computation is the parallel efficiency.
    computation, parallel = (
        re.search(rf"{name} +([0-9.]+) %", shown)[1] for name in ("computation", "parallel")
    )
    assert computation == parallel
    assert "500 ms a rank: MPI_Init, Finalize" in shown


def test_waiting_for_a_core_on_a_machine_that_others_use_is_said(tmp_path):
    programs = patterns.independent(2, 0.01)
    for calls in programs:
        calls[0].after(0.5, cpu=0.1)
    shown = run(synthetic.write_trace(tmp_path / "t.lwt", programs))
    assert "! the ranks waited 800 ms for a core or a device between calls" in shown


@pytest.mark.parametrize(("gap", "warned"), [(0.3, False), (1.0, True)])
def test_waits_between_calls_that_shared_cores_do_not_explain_are_named(tmp_path, gap, warned):
    calls = [[collective("MPI_Barrier", 0), collective("MPI_Barrier", 0).after(gap, cpu=0.1)]] * 2
    ranks = [{"rank": rank, "host": "a", "state": "complete", "cores": 1, "first_core": 0} for rank in (0, 1)]
    shown = run(synthetic.write_trace(tmp_path / "t.lwt", calls, ranks=ranks))
    assert ("exchange without MPI (sockets)" in " ".join(shown.split())) == warned


def test_calls_of_a_program_that_was_not_run_are_those_that_carry_most(tmp_path):
    rates = {
        "method": "machine",
        "description": "as fast as a core of X",
        "seconds_per_operation": {"solve": 1e-9},
    }
    programs = patterns.halo(4, 78_000, 1.1e-3)
    for calls in programs:
        calls.append(synthetic.collective("MPI_Allreduce", 8))
    path = synthetic.write_trace(tmp_path / "t.lwt", programs, source="skeleton", timed=False, rates=rates)
    lines = run(path).splitlines()
    top = next(at for at, line in enumerate(lines) if line.startswith("MPI call, by data"))
    assert [line.split()[0] for line in lines[top + 1 : top + 4]] == [
        "MPI_Irecv",
        "MPI_Isend",
        "MPI_Allreduce",
    ]
    assert "time" not in lines[top]


def test_the_screen_of_many_ranks_of_a_damaged_trace(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = synthetic.write_trace(
        Path("t.lwt"), patterns.transposes(70, 70 * 70 * 100, 1e-3, steps=2), verified=False,
        damage=["rank 3 (process 9 on node) did not reach MPI_Finalize: its record is cut after 5 calls"],
    )  # fmt: skip
    lines = run(path, "--allow-damaged", code=4).splitlines()
    assert "FAILED its verification" in lines[0]
    assert " ranks per row." in " ".join(" ".join(lines).split())


@pytest.mark.parametrize("content", [None, b"", b"no trace at all"])
def test_bad_input_is_one_sentence_and_exit_code_2(tmp_path, refused, content):
    path = tmp_path / "x.lwt"
    if content is not None:
        path.write_bytes(content)
    assert str(path) in refused("profile", path)


def test_files_are_reported_and_no_table_of_no_messages(tmp_path):
    write = synthetic.Call("MPI_File_write_at_all", "local").lasting(3.0)
    path = synthetic.write_trace(
        tmp_path / "t.lwt", [[synthetic.collective("MPI_Barrier").after(1.0), write]] * 2
    )
    assert "calls to files took 6.00 s of all ranks together" in " ".join(run(path).split())
    path = synthetic.write_trace(tmp_path / "t.lwt", [[synthetic.collective("MPI_Barrier").after(1.0)]])
    shown = run(path)
    assert "No messages between ranks" in shown
    assert "size  messages" not in shown
