"""`linkworth run --profile`: counts and times that ranks add up, also of a rank that is killed."""

import io
import json
import re
from functools import partial
from types import SimpleNamespace

import pytest
from mpi_programs import ALLREDUCES, compiled, each_mpi, until_it_dies
from rich.console import Console

from linkworth.cli import call_profile_screen, main
from linkworth.errors import IncompleteError, UsageError
from linkworth.measure import call_profile, call_profile_file, plan
from linkworth.measure.call_profile_file import ProcessProfile, Tally
from linkworth.model.run import RunResult


def run_result(**fields):
    defaults = {"workload": "w", "command": [], "ranks": 2, "mpi": "m", "launcher": "local"}
    return RunResult(**{**defaults, "state": "complete", "exit_code": 0, "seconds": 1.0, **fields})


def process(rank, computation, send, **fields):
    tallies = {
        "MPI_Init": Tally(1, 0.5, 0.25, 0),
        "MPI_Send": Tally(4, send, computation, 4000),
        "MPI_Finalize": Tally(1, 0.5, 0.0, 0),
    }
    sizes = [(0, 0)] * 10 + [(4, 4000)] + [(0, 0)] * 54
    defaults = {"rank": rank, "size": 2, "pid": 10 + rank, "host": "h", "state": "complete", "restarted": False,
                "elapsed": 4.0, "cpu": 3.0, "threads": 1, "tallies": tallies, "sizes": sizes}  # fmt: skip
    return ProcessProfile(**{**defaults, **fields})


def test_shares_calls_and_imbalance_of_ranks():
    profile = call_profile.summarise(run_result(), [process(1, 0.75, 2.0), process(0, 1.75, 1.0)])
    assert profile.computation_share == profile.mpi_share == pytest.approx(3.0 / 6.0)
    assert profile.init_seconds == pytest.approx(1.0)
    # MPI_Init and MPI_Finalize are apart, in the shares of calls as well.
    assert {call.name: call.share for call in profile.calls} == {
        "MPI_Send": pytest.approx(0.5),
        "MPI_Init": 0.0,
        "MPI_Finalize": 0.0,
    }
    assert profile.imbalance == pytest.approx(2.0 / 1.5 - 1)
    first = profile.calls[0]
    assert (first.name, first.calls, first.seconds, first.bytes_sent) == ("MPI_Send", 8, 3.0, 8000)
    assert (first.least_seconds, first.most_seconds, first.most_rank) == (1.0, 2.0, 1)
    (size,) = profile.sizes
    assert (size.least_bytes, size.most_bytes, size.calls, size.bytes_sent) == (512, 1023, 8, 8000)
    assert profile.damage == []


def test_the_screen_says_of_which_calls_no_time_is_known():
    lookups = {"MPI_Send": Tally(4, 1.0, 1.0, 4000), "MPI_Comm_rank": Tally(7, 0.0, 0.0, 0)}
    profile = call_profile.summarise(
        run_result(), [process(rank, 1.0, 1.0, tallies=lookups) for rank in (0, 1)]
    )
    console = Console(width=120, record=True, file=io.StringIO())
    console.print(call_profile_screen.screen(profile))
    (row,) = (line for line in console.export_text().splitlines() if "MPI_Comm_rank" in line)
    assert re.split("  +", row.strip())[:3] == ["MPI_Comm_rank", "14", "not timed"]
    assert " 0 s" not in row


@pytest.mark.parametrize(("polls", "remarks"), [(1_000_000, 1), (1_000, 0)])
def test_a_loop_of_polls_may_be_waiting(polls, remarks):
    tallies = {"MPI_Recv": Tally(1, 0.1, 1.0, 0), "MPI_Test": Tally(polls, 0.1, 2.0, 0)}
    profile = call_profile.summarise(run_result(), [process(0, 1.0, 1.0, tallies=tallies)])
    assert len(profile.remarks) == remarks
    assert all("2.00 s of the computation is between polls (MPI_Test)" in each for each in profile.remarks)


def test_what_is_missing_is_said():
    twice = [process(1, 1.0, 1.0, size=3, state="cut", cpu=None), process(1, 1.0, 1.0, size=3, pid=99)]
    profile = call_profile.summarise(run_result(), twice)
    assert len(profile.ranks) == 1
    text = "\n".join(profile.damage)
    assert "process 99" in text
    assert "nothing is known of rank 0, 2 of 3" in text
    assert "rank 1 did not reach MPI_Finalize" in text
    both = [process(0, 1.0, 1.0), process(1, 1.0, 1.0)]
    again = call_profile.summarise(run_result(), [*both, process(-1, 0.0, 0.0, restarted=True)])
    assert len(again.ranks) == 2
    assert len(again.damage) == 1 and "began MPI again after its last session" in again.damage[0]


def test_a_file_of_another_kind_is_refused(tmp_path):
    path = tmp_path / "x.profile"
    path.write_bytes(b"LWPART1\0" + b"\0" * 2000)
    with pytest.raises(UsageError, match="not the profile of a process"):
        call_profile_file.read(path)
    path.write_bytes(b"LWPROF1\0\3" + b"\0" * 2000)
    with pytest.raises(UsageError, match="has a damaged header"):
        call_profile_file.read(path)


def test_a_rank_without_space_does_not_take_the_others_with_it(tmp_path, monkeypatch):
    decided = SimpleNamespace(workload=SimpleNamespace(name="w"))
    (tmp_path / "h.10.profile").write_bytes(b"")
    with pytest.raises(IncompleteError, match="w: what its ranks counted cannot be read: is"):
        call_profile.found_processes(decided, run_result(), tmp_path)
    (tmp_path / "h.11.profile").write_bytes(b"whole")
    real = call_profile_file.read
    monkeypatch.setattr(
        call_profile, "read", lambda path: process(1, 0.75, 2.0) if path.stat().st_size else real(path)
    )
    found = call_profile.found_processes(decided, run_result(), tmp_path)
    assert call_profile.summarise(run_result(), found).damage == ["nothing is known of rank 0 of 2"]


@pytest.mark.parametrize("mpi", each_mpi())
def test_a_program_is_counted(mpi, tmp_path):
    folder = tmp_path / "out"
    workload = plan.workload([str(compiled(mpi, tmp_path)), "put"], 2)
    profile = call_profile.profile(plan.plan(workload, mpi=mpi.name), folder=folder)
    by_name = {call.name: call for call in profile.calls}
    assert by_name["MPI_Allreduce"].calls == 2 * ALLREDUCES
    assert by_name["MPI_Allreduce"].bytes_sent == 2 * ALLREDUCES * 8
    assert by_name["MPI_Put"].bytes_sent == 2 * 80
    assert sum(size.bytes_sent for size in profile.sizes) == 2 * (ALLREDUCES * 8 + 80)
    assert by_name["MPI_Barrier"].calls == by_name["MPI_Finalize"].calls == 2
    assert [rank.state for rank in profile.ranks] == ["complete", "complete"]
    assert profile.computation_share + profile.mpi_share == pytest.approx(1)
    for rank in profile.ranks:
        added = rank.computation_seconds + rank.mpi_seconds + rank.init_seconds
        assert added == pytest.approx(rank.elapsed_seconds, rel=1e-6)
    assert profile.damage == []
    assert sorted(path.name for path in folder.iterdir()) == ["output.txt", "profile.json"]


@pytest.mark.parametrize("yielding", [False, True], ids=["spinning", "yielding"])
@pytest.mark.parametrize("mpi", each_mpi())
def test_a_persistent_request_sends_at_each_start(mpi, yielding, tmp_path, monkeypatch):
    monkeypatch.setattr(call_profile, "must_yield", lambda _: yielding)
    workload = plan.workload([str(compiled(mpi, tmp_path)), "persistent"], 2)
    profile = call_profile.profile(plan.plan(workload, mpi=mpi.name), folder=tmp_path / "out")
    by_name = {call.name: call for call in profile.calls}
    assert (by_name["MPI_Start"].calls, by_name["MPI_Start"].bytes_sent) == (2 * 6, 2 * 3 * 100)
    assert by_name["MPI_Send_init"].bytes_sent == 0
    assert [(size.calls, size.bytes_sent) for size in profile.sizes if size.least_bytes == 64] == [(6, 600)]


@pytest.mark.parametrize("mpi", each_mpi())
def test_a_killed_rank_is_counted_up_to_its_last_call(mpi, tmp_path, record_property):
    program = compiled(mpi, tmp_path)
    workload = plan.workload([str(program), "kill"], 2)
    counted = partial(call_profile.profile, plan.plan(workload, mpi.name), folder=tmp_path / "out")
    profile = until_it_dies(counted, program, "kill", record_property, state=lambda found: found.run.state)
    assert profile.run.state != "complete"
    killed = profile.ranks[1]
    assert (killed.rank, killed.state, killed.cpu_seconds) == (1, "cut", None)
    assert killed.calls >= ALLREDUCES + 3
    assert "rank 1 did not reach MPI_Finalize" in profile.damage


@pytest.mark.requires("mpi")
def test_the_verb_prints_one_document(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    assert main.main(["run", "--profile", "--json", "-n", "2", "npb:ep.S"]) == 0
    document = json.loads(capfd.readouterr().out)
    assert document["schema"] == "linkworth.call-profile/1"
    assert document["run"]["verified"] is True
    assert {call["name"] for call in document["calls"]} >= {"MPI_Init", "MPI_Finalize"}
    assert main.main(["run", "--profile", "-n", "2", "npb:ep.S"]) == 0
    assert "Calls that take most time" in capfd.readouterr().out
    assert list(tmp_path.iterdir()) == []
