"""Endings of programs, and the states of their parts."""

import os
import statistics
import subprocess
from pathlib import Path

import pytest
from part_reader import read_part

from linkworth.model.trace import TraceMetadata
from linkworth.trace.merge import merge
from linkworth.trace.read import Allowance, open_trace

ONE_ABI = True

PROBES = 30_000  # calls of MPI_Iprobe that programs/endings.c makes before it ends


@pytest.mark.parametrize("ending", ["kill", "exit"])
def test_a_rank_that_is_killed_or_exits_leaves_all_that_it_recorded(bench, record_property, ending):
    run = bench.record_until_it_dies(bench.compile("endings.c"), ending, ranks=1, note=record_property)
    assert run.returncode != 0
    (part,) = run.parts
    assert part.flags & 15 == 1
    assert len(part.named("MPI_Iprobe")) == PROBES
    assert part.blocks > 1


def test_a_rank_that_dies_in_finalize_has_recorded_all_calls(bench, record_property):
    run = bench.record_until_it_dies(bench.compile("endings.c"), "in finalize", ranks=1, note=record_property)
    assert run.returncode != 0
    (part,) = run.parts
    assert part.flags & 15 == 3
    assert (part.events[-1].name, len(part.named("MPI_Iprobe"))) == ("MPI_Finalize", PROBES)


def test_abort_is_the_last_event_and_flagged(bench, record_property):
    program = bench.compile("endings.c")
    run = bench.record_until_it_dies(program, "abort", ranks=2, note=record_property)
    assert run.returncode != 0
    first = run.parts[0]
    assert first.flags & 15 == 1 + 8
    assert (first.events[-1].kind, first.events[-1].fields) == ("abort", {"code": 5})
    assert run.parts[1].flags & 2 == 0


def test_children_that_fork_or_become_another_program_leave_the_recording_alone(bench):
    program = bench.compile("endings.c")
    run = bench.record(program, "fork", ranks=1)
    assert (run.returncode, run.stdout) == (0, "all right\n"), run.stderr
    assert run.parts[0].flags & 15 == 3
    assert run.parts[0].named("MPI_Initialized") == []
    run = bench.record(program, "system", ranks=1)
    assert (run.returncode, run.stdout) == (0, "all right\n"), run.stderr
    (part,) = run.parts
    assert part.flags & 15 == 3
    assert len(part.named("MPI_Iprobe")) == PROBES + 1000


def test_a_program_that_becomes_another_one_leaves_all_that_it_recorded(bench, record_property):
    program = bench.compile("endings.c")
    run = bench.record_until_it_dies(program, "exec", ranks=1, note=record_property)
    assert "another image" in run.stdout
    (part,) = run.parts
    assert part.flags & 15 == 1
    assert (part.rank, part.size) == (0, 1)
    assert len(part.named("MPI_Iprobe")) == PROBES
    assert part.events[-1].name == "MPI_Iprobe"
    merged = part.path.parent / "merged.lwt"
    merge(part.path.parent, merged, TraceMetadata(workload="exec"))
    opened = open_trace(merged, Allowance())
    assert [rank.state for rank in opened.metadata.ranks] == ["cut"]
    assert sum(1 for _ in opened.engine.iterate(0)) == len(part.events)


def test_an_image_that_replaces_the_first_one_before_mpi_begins_is_recorded(bench):
    """Wrapper scripts set variables and then exec the program."""
    run = bench.record(bench.compile("endings.c"), "exec before", ranks=2)
    assert (run.returncode, run.stdout) == (0, "all right\n"), run.stderr
    assert [(part.rank, part.flags & 15) for part in run.parts] == [(0, 3), (1, 3)]
    assert all(len(part.named("MPI_Iprobe")) == PROBES for part in run.parts)


def test_a_payload_longer_than_a_block(bench):
    run = bench.record(bench.compile("endings.c"), "many", ranks=1)
    assert (run.returncode, run.stdout) == (0, "all right\n"), run.stderr
    (wait,) = run.parts[0].named("MPI_Waitall")
    assert len(wait.fields["completed"]) == 20_000
    assert {actual for _, actual in wait.fields["completed"]} == {(0, 7)}
    assert run.parts[0].events[-1].kind == "finalize"


def test_a_long_gap_carries_cpu_time(bench):
    run = bench.record(bench.compile("endings.c"), "compute", ranks=1)
    (part,) = run.parts
    first = max(part.events[1:], key=lambda event: event.gap)
    assert first.cpu is not None
    assert 0 < first.cpu <= first.gap / part.rate * 1e9
    assert all(event.cpu is None for event in part.events if event.gap / part.rate < 49e-6)
    elapsed = sum(event.gap + event.duration for event in part.events) / part.rate
    assert elapsed <= (part.latest[1] - part.start[1]) / 1e9
    assert part.cpu > 0


def test_where_ranks_share_cores_every_gap_worth_a_reading_carries_cpu_time(bench):
    run = bench.record(bench.compile("endings.c"), "compute", ranks=2, LINKWORTH_CROWDED="1")
    for part in run.parts:
        gaps = part.events[1:]
        assert any(event.cpu is not None for event in gaps)
        for event in gaps:
            seconds = event.gap / part.rate
            # The rate that the threshold of 5 us was made with is an estimate.
            if not 4.9e-6 < seconds < 5.1e-6:
                assert (event.cpu is not None) == (seconds > 5e-6)
        elapsed = sum(event.gap + event.duration for event in part.events) / part.rate
        assert elapsed <= (part.latest[1] - part.start[1]) / 1e9


def test_where_ranks_share_cores_a_slow_reading_is_not_computation(bench):
    run = bench.record(bench.compile("slow_clock.c", "-rdynamic"), ranks=1, LINKWORTH_CROWDED="1")
    assert run.returncode == 0, run.stderr
    (part,) = run.parts
    calls = part.named("MPI_Iprobe")[500:]
    assert sum(event.duration for event in calls) / part.rate > len(calls) * 300e-6
    assert statistics.median(event.gap for event in calls) / part.rate < 100e-6


def test_where_ranks_share_cores_calls_in_a_row_share_a_reading(bench):
    run = bench.record(bench.compile("slow_clock.c", "-rdynamic"), "quick", ranks=1, LINKWORTH_CROWDED="1")
    assert run.returncode == 0, run.stderr
    assert len(run.parts[0].named("MPI_Pack")) == 100_000
    assert int(run.stdout) < 50_000


@pytest.mark.parametrize("yielding", [False, True], ids=["fast way", "other way"])
def test_a_call_left_by_siglongjmp_is_missing_and_those_after_it_are_not(bench, yielding):
    run = bench.record(bench.compile("endings.c"), "jump", ranks=1, yielding=yielding)
    assert (run.returncode, run.stdout) == (0, "all right\n"), run.stderr
    (part,) = run.parts
    assert part.flags & 15 == 1 + 2
    assert len(part.named("MPI_Iprobe")) == 2 * 1000
    assert not part.named("MPI_Send")


def test_a_full_disk_stops_the_recording_and_not_the_program(bench):
    """RLIMIT_FSIZE stands for the disk: past it a write would end the program with SIGXFSZ."""
    # Open MPI 5 lends its core to others in each of 200,000 calls, which takes minutes on a busy machine.
    program = bench.compile("endings.c")
    run = bench.record(program, "limit", ranks=1, OMPI_MCA_mpi_yield_when_idle="0")
    assert (run.returncode, run.stdout) == (0, "all right\n"), run.stderr
    (part,) = run.parts
    assert part.flags & 15 == 1 + 2 + 4
    assert part.path.stat().st_size <= 1_300_000
    assert part.dropped > 0
    own = ("MPI_Init", "MPI_Comm_rank", "MPI_Barrier", "MPI_Finalize")
    assert len(part.events) + part.dropped == 200_000 + len(own)


def test_a_folder_that_does_not_exist_is_one_sentence(bench):
    run = bench.launch(
        bench.compile("endings.c"), ranks=1, environment={"LINKWORTH_TRACE_DIR": str(bench.folder / "none")}
    )
    assert (run.returncode, run.stdout) == (0, "all right\n")
    assert run.stderr.count("this rank is not recorded") == 1


def test_without_a_folder_nothing_is_written(bench):
    program = bench.compile("endings.c")
    before = sorted(bench.folder.iterdir())
    run = bench.launch(program, ranks=2, environment={"LINKWORTH_YIELD": "1"})
    assert (run.returncode, run.stdout) == (0, "all right\n"), run.stderr
    assert sorted(bench.folder.iterdir()) == before


def test_ranks_that_settle_leave_no_calls_of_that_in_the_trace(bench):
    run = bench.record(bench.compile("endings.c"), ranks=3, LINKWORTH_SETTLE="1")
    assert (run.returncode, run.stdout) == (0, "all right\n"), run.stderr
    of_settling = {"MPI_Comm_split", "MPI_Ibarrier", "MPI_Irecv", "MPI_Isend"}
    for part in run.parts:
        assert part.events[-1].name == "MPI_Finalize"
        assert not of_settling & {event.name for event in part.events}


def test_a_program_that_opens_its_mpi_late(bench):
    plugin = bench.compile("plugin.c", "-shared", "-fPIC", output="plugin.so")
    run = bench.record(bench.compile("host.c", "-ldl", output="host"), plugin, ranks=2)
    assert run.returncode == 0, run.stderr
    assert [part.rank for part in run.parts] == [0, 1]
    assert len(run.parts[0].named("MPI_Allreduce")) == 1


@pytest.mark.parametrize("yielding", [False, True], ids=["spinning", "yielding"])
def test_large_counts_have_the_class_of_their_small_twins(bench, yielding):
    if b"PMPI_Send_c\0" not in Path(bench.mpi.library).read_bytes():
        pytest.skip(f"{bench.mpi.name} has no large-count procedures")
    run = bench.record(bench.compile("large_counts.c"), ranks=2, yielding=yielding)
    assert run.returncode == 0, run.stderr
    first, second = run.parts
    (send,) = first.named("MPI_Send_c")
    assert (send.kind, send.fields) == ("send", {"comm": 0, "peer": 1, "tag": 1, "bytes": 4})
    assert second.named("MPI_Recv_c")[0].fields["bytes"] == 8
    assert first.named("MPI_Sendrecv_replace_c")[0].kind == "sendrecv"
    assert first.named("MPI_Allreduce_c")[0].fields["sent"] == 4
    assert first.named("MPI_Alltoallv_c")[0].fields["received_list"] == [4, 4]
    for part in run.parts:
        other = 1 - part.rank
        (made,), (put,), (get,) = (part.of_kind(kind) for kind in ("win_new", "rma", "irma"))
        assert (made.name, made.fields["bytes"]) == ("MPI_Win_create_c", 16)
        assert (put.name, put.fields["target"], put.fields["to"]) == ("MPI_Put_c", other, 8)
        assert (get.name, get.fields["target"], get.fields["from"]) == ("MPI_Rget_c", other, 8)
        # A send and a receive that complete together, the second time from whoever sends.
        exchanges = [(event.name, event.fields) for event in part.of_kind("isendrecv")]
        sides = [{"peer": peer, "tag": tag, "bytes": 4} for peer, tag in ((other, 3), (other, 4), (-1, 4))]
        assert exchanges == [
            ("MPI_Isendrecv", {"comm": 0, "send": sides[0], "receive": sides[0]}),
            ("MPI_Isendrecv_replace_c", {"comm": 0, "send": sides[1], "receive": sides[2]}),
        ]
        waits = [event.fields["completed"] for event in part.named("MPI_Wait")]
        # MPICH does not report the source of the second one's message.
        actual = (other, 4) if bench.mpi.kind == "openmpi" else None
        assert waits == [[(1, None)], [(1, None)], [(1, actual)]]


def test_shells_under_the_preload_leave_nothing(bench):
    folder = bench.folder / "parts"
    folder.mkdir()
    environment = {**os.environ, "LD_PRELOAD": str(bench.tracer), "LINKWORTH_TRACE_DIR": str(folder)}
    done = subprocess.run(
        ["sh", "-c", "echo fine"], env=environment, capture_output=True, text=True, check=True
    )
    assert (done.stdout, done.stderr) == ("fine\n", "")
    assert [read_part(path) for path in folder.iterdir()] == []
