"""Time-independent traces: what each call becomes, what cannot be said, and that SimGrid replays it as it was meant."""

from pathlib import Path

import pytest
import smpi
from message_traces import split, wait
from synthetic import (
    ANY,
    PROC_NULL,
    Call,
    collective,
    irecv,
    isend,
    pcontrol,
    recv,
    send,
    sendrecv,
    waitall,
    write_trace,
)
from synthetic_calls import neighbourhood, partitioned, pready, start, win_new, with_neighbours

from linkworth.convert import convert
from linkworth.errors import UsageError
from linkworth.model.conversion import ConversionOptions


def written(tmp_path, programs, **options):
    """Return the summary, and each rank's actions without its number."""
    tmp_path.mkdir(exist_ok=True)
    trace = write_trace(tmp_path / "case.lwt", programs, mpi={"library": "MPICH", "version": "4.0"})
    summary = convert(trace, "ti", options=ConversionOptions(**options))
    folder = Path(summary.path)
    names = Path(summary.entry).read_text(encoding="utf-8").split()
    actions = []
    for rank, name in enumerate(names):
        lines = (folder / name).read_text(encoding="utf-8").splitlines()
        assert all(line.startswith(f"{rank} ") for line in lines)
        assert lines[0] == f"{rank} init" and lines[-1] == f"{rank} finalize"
        actions.append([line.removeprefix(f"{rank} ") for line in lines[1:-1]])
    assert summary.records == sum(len(rank) + 2 for rank in actions)
    assert summary.bytes == sum((folder / name).stat().st_size for name in names)
    return summary, actions


def pair(name, mine, theirs):
    return {
        "name": name,
        "size": sum(mine),
        "received": sum(theirs),
        "send_counts": mine,
        "recv_counts": theirs,
    }


def test_messages_and_sendrecvs_are_sends_receives_and_waits(tmp_path):
    zero = [send(1, 1000, tag=7).after(2e-3), recv(1, 500, tag=8).after(1e-3, cpu=0.25e-3)]
    one = [recv(0, 4000, tag=7), send(0, 500, tag=8)]
    summary, actions = written(tmp_path, [zero, one], flops_per_second=1e6)
    # The time before MPI_Init (a second in these traces) is no computation of the program.
    assert actions[0] == ["compute 2000", "send 1 7 1000", "compute 250", "recv 1 8 500"]
    assert actions[1] == ["recv 0 7 4000", "send 0 8 500"]
    assert (summary.unmatched, summary.marked_region, summary.as_messages) == (0, False, {})
    _, actions = written(tmp_path / "one", [[sendrecv(1, 100, PROC_NULL)], [sendrecv(PROC_NULL, 100, 0)]])
    assert actions == [["send 1 0 100"], ["recv 0 0 100"]]
    _, actions = written(tmp_path / "both", [[sendrecv(1, 100, 1)], [sendrecv(0, 100, 0)]])
    assert actions[0] == ["irecv 1 0 100", "send 1 0 100", "wait 1 0 0"]


def test_requests_are_waited_for_by_name_and_all_at_once_where_all_are_meant(tmp_path):
    zero = [
        irecv(1, 10, tag=1),
        irecv(1, 20, tag=2),
        isend(1, 30, tag=3),
        wait((3, False, 0, 0)),
        waitall(1, 2),
    ]
    one = [
        isend(0, 10, tag=1),
        isend(0, 20, tag=2),
        irecv(0, 30, tag=3),
        waitall(1, 2),
        wait((3, False, 0, 0)),
    ]
    _, actions = written(tmp_path, [zero, one])
    assert actions[0] == ["irecv 1 1 10", "irecv 1 2 20", "isend 1 3 30", "wait 1 0 1", "waitall"]
    assert actions[1][3:] == ["wait 0 1 3", "wait 1 0 2", "wait 1 0 1"]


def test_tests_and_probes_that_find_nothing_are_waiting(tmp_path):
    poll = wait(mode=4)
    zero = [irecv(1, 10), poll.after(1e-6), poll.after(1e-6), wait((1, False, 0, 0), mode=4).after(1e-6)]
    probe = Call("MPI_Probe", "probe", comm=0, peer=ANY, tag=0, found=True, actual_peer=0, actual_tag=0)
    one = [send(0, 10), probe]
    _, actions = written(tmp_path, [zero, one])
    assert actions == [["irecv 1 0 10", "compute 1000", "wait 1 0 0"], ["send 0 0 10"]]


def test_wildcards_take_what_they_took_when_recorded(tmp_path):
    zero = [
        irecv(ANY, 10, tag=ANY),
        irecv(ANY, 10, tag=4),
        waitall(),
        Call("MPI_Waitany", "complete", mode=2, listed=2, completions=[(1, True, 2, 4)]),
        Call("MPI_Waitany", "complete", mode=2, listed=1, completions=[(2, True, 1, 5)]),
        recv(ANY, 10, tag=6, actual=(2, 6)),
    ]
    summary, actions = written(
        tmp_path, [zero, [send(0, 10, tag=5)], [send(0, 10, tag=4), send(0, 10, tag=6)]]
    )
    assert actions[0] == ["irecv 1 5 10", "irecv 2 4 10", "wait 2 0 4", "wait 1 0 5", "recv 2 6 10"]
    assert (summary.fixed_wildcards, summary.unmatched) == (3, 0)


def test_a_cancelled_receive_from_any_source_that_took_nothing_is_left_out(tmp_path):
    cancel = Call("MPI_Cancel", "request_cancel", references=[1])
    receiver = [irecv(ANY, 8, tag=ANY), cancel, wait((1, True, ANY, ANY)), recv(0, 8)]
    _, actions = written(tmp_path, [[send(1, 8)], receiver])
    assert actions == [["send 1 0 8"], ["recv 0 0 8"]]


def test_persistent_and_buffered_sends(tmp_path):
    started = Call("MPI_Start", "start", references=[1])
    zero = [Call("MPI_Send_init", "send_init", comm=0, peer=1, tag=0, bytes=9), started, wait((1, False, 0, 0)),
            started, wait((1, False, 0, 0)), send(1, 5, name="MPI_Bsend")]  # fmt: skip
    one = [Call("MPI_Recv_init", "recv_init", comm=0, peer=ANY, tag=0, bytes=9), started, wait((1, True, 0, 0)),
           started, wait((1, True, 0, 0)), recv(0, 5)]  # fmt: skip
    _, actions = written(tmp_path, [zero, one])
    assert actions[0] == ["isend 1 0 9", "wait 0 1 0"] * 2 + ["isend 1 0 5"]
    assert actions[1] == ["irecv 0 0 9", "wait 0 1 0"] * 2 + ["recv 0 0 5"]


OF_TWO_RANKS = [
    collective("MPI_Bcast", 10, root=1),
    collective("MPI_Reduce", 20, root=1),
    collective("MPI_Allreduce", 30),
    collective("MPI_Scan", 40),
    collective("MPI_Exscan", 50),
    collective("MPI_Allgather", 60),
    collective("MPI_Alltoall", 70),
    collective("MPI_Reduce_scatter_block", 80, 40),
]


def test_collectives_of_the_world_by_name(tmp_path):
    both = [
        collective("MPI_Barrier"),
        *OF_TWO_RANKS,
        collective("MPI_Bcast", 0, root=1),
        collective("MPI_Reduce_scatter", 90, 30, recv_counts=[30, 60]),
        collective("MPI_Allgatherv", 30, 90, recv_counts=[30, 60]),
    ]
    zero = [
        collective("MPI_Gather", 11, 12, root=0),
        collective("MPI_Scatter", 13, 14, root=0),
        collective("MPI_Gatherv", 3, 7, root=0, recv_counts=[3, 4]),
        collective("MPI_Scatterv", 11, 5, root=0, send_counts=[5, 6]),
        collective(**pair("MPI_Alltoallv", [1, 2], [3, 4])),
    ]
    one = [
        collective("MPI_Gather", 12, 0, root=0),
        collective("MPI_Scatter", 0, 13, root=0),
        collective("MPI_Gatherv", 4, 0, root=0),
        collective("MPI_Scatterv", 0, 6, root=0),
        collective(**pair("MPI_Alltoallw", [4, 6], [2, 6])),
    ]
    summary, actions = written(tmp_path, [both + zero, both + one])
    assert actions[0] == [
        "barrier", "bcast 10 1", "reduce 20 0 1", "allreduce 30 0", "scan 40 0", "exscan 50 0", "allgather 60 60",
        "alltoall 70 70", "reducescatter 40 40 0", "reducescatter 30 60 0", "allgatherv 30 30 60",
        "gather 12 12 0", "scatter 13 13 0", "gatherv 3 3 4 0", "scatterv 5 6 5 0", "alltoallv 3 1 2 7 3 4",
    ]  # fmt: skip
    assert actions[1][-5:] == [
        "gather 12 12 0", "scatter 13 13 0", "gatherv 4 0 0 0", "scatterv 0 0 6 0", "alltoallv 10 4 6 8 2 6",
    ]  # fmt: skip
    assert summary.as_messages == {}


def test_collectives_of_a_part_are_the_messages_of_the_librarys_algorithm(tmp_path):
    outer = [split(2, [0, 2]), collective("MPI_Bcast", 100, root=1, comm=2), send(0, 5, tag=3, comm=2)]
    inner = [split(2, [0, 2]), collective("MPI_Bcast", 100, root=1, comm=2), recv(0, 5, tag=3, comm=2)]
    alone = [split(2, [1]), collective("MPI_Allreduce", 100, comm=2)]
    outer[2] = recv(1, 5, tag=3, comm=2)
    inner[2] = send(0, 5, tag=3, comm=2)
    summary, actions = written(tmp_path, [outer, alone, inner])
    # The constructor's agreement, then MPICH's binomial broadcast; tags above those of MPI_COMM_WORLD identify them.
    collective_tag, own_tag = 1 << 30, (1 << 30) + 1
    agreement = f"irecv 2 {collective_tag} 8|isend 2 {collective_tag} 8|waitall"
    assert sorted(actions[0][:2]) == sorted(agreement.split("|")[:2])
    assert actions[0][2:] == ["waitall", f"recv 2 {collective_tag} 100", f"recv 2 {own_tag} 5"]
    assert actions[2][3:] == [f"send 0 {collective_tag} 100", f"send 0 {own_tag} 5"]
    assert actions[1] == []
    assert summary.as_messages == {"MPI_Comm_split": 2, "MPI_Bcast": 2}
    assert summary.unmatched == 0


def test_collectives_of_the_world_as_messages_balance(tmp_path):
    calls = [
        collective("MPI_Allreduce", 1 << 20),
        collective("MPI_Barrier"),
        collective("MPI_Bcast", 1 << 20, root=2),
        collective("MPI_Alltoall", 4096),
        collective("MPI_Allgather", 512),
        collective("MPI_Reduce", 1 << 17, root=3),
        collective("MPI_Reduce_scatter_block", 6 << 10, 1 << 10),
    ]
    for library in ("mpich", "openmpi-4.0", "openmpi-4.1", "openmpi-5.0"):
        summary, actions = written(
            tmp_path / library, [calls] * 6, collectives="messages", mpi_library=library
        )
        assert summary.unmatched == 0
        assert summary.as_messages["MPI_Alltoall"] == 6
        assert {line.split()[0] for rank in actions for line in rank} <= {
            "send", "recv", "isend", "irecv", "wait", "waitall",
        }  # fmt: skip


def test_a_non_blocking_collective_of_one_round_and_of_several(tmp_path):
    start = Call("MPI_Ialltoall", "icollective", comm=0, peer=-1, bytes=8, recv_bytes=8)
    program = [start, wait((1, False, 0, 0)).after(1e-3)]
    _, actions = written(tmp_path, [program] * 2, mpi_library="openmpi-4.1")
    assert {line.split()[0] for line in actions[0][:2]} == {"irecv", "isend"}
    assert actions[0][2:] == ["compute 1000000", "waitall"]
    barrier = Call("MPI_Ibarrier", "icollective", comm=0, peer=-1)
    with pytest.raises(UsageError, match="MPI_Ibarrier on rank 0 goes on in several rounds"):
        written(tmp_path / "barrier", [[barrier, wait((1, False, 0, 0))]] * 4)


def test_only_what_is_marked_unless_the_whole_is_wanted(tmp_path):
    program = [collective("MPI_Barrier").after(1.0), pcontrol(1).after(2.0), collective("MPI_Bcast", 8, root=0).after(3.0),
               pcontrol(0).after(4.0), collective("MPI_Barrier").after(5.0), pcontrol(1), pcontrol(0).after(6.0)]  # fmt: skip
    summary, actions = written(tmp_path, [program] * 2)
    assert summary.marked_region
    assert actions[0] == ["compute 3000000000", "bcast 8 0", "compute 10000000000"]
    summary, actions = written(tmp_path / "whole", [program] * 2, whole=True)
    assert not summary.marked_region
    assert actions[0] == [
        "compute 1000000000", "barrier", "compute 5000000000", "bcast 8 0", "compute 9000000000", "barrier",
        "compute 6000000000",
    ]  # fmt: skip


def test_a_message_over_the_edge_of_what_is_marked_is_an_error(tmp_path):
    zero = [send(1, 8), pcontrol(1), pcontrol(0)]
    one = [pcontrol(1), recv(0, 8), pcontrol(0)]
    with pytest.raises(UsageError, match=r"crosses the edges of the part that MPI_Pcontrol marks.*--whole"):
        written(tmp_path, [zero, one])
    assert not (tmp_path / "case.ti").exists()
    summary, _ = written(tmp_path / "whole", [zero, one], whole=True)
    assert summary.unmatched == 0


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (send(1, 8, name="MPI_Ssend"), "MPI_Ssend on rank 0.*no synchronous sends"),
        (isend(1, 8, name="MPI_Issend"), "MPI_Issend on rank 0.*no synchronous sends"),
        (Call("MPI_Neighbor_alltoall", "local"), "MPI_Neighbor_alltoall on rank 0"),
        (send(1, 1 << 31), "MPI_Send of 2147483648 bytes on rank 0.*at most 2147483647"),
        (collective("MPI_Bcast", 1 << 31, root=0), "MPI_Bcast of 2147483648 bytes"),
        (Call("MPI_Cancel", "request_cancel", references=[1]), "MPI_Cancel on rank 0.*take back a message"),
        (win_new(), "MPI_Win_create on rank 0: a time-independent trace has no one-sided"),
        (send(1, 8, comm=9), "rank 0 uses a communicator in MPI_Send whose creation is missing"),
        (send(7, 8), "what no MPI program can do"),
        (collective("MPI_Bcast", 8, root=7), "the root is not a rank of the communicator"),
        (collective("MPI_Allgatherv", 8, recv_counts=[8]), "per-peer counts do not fit the communicator"),
    ],
    ids=lambda value: value.name if isinstance(value, Call) else "",
)
def test_what_the_format_cannot_say_is_an_error_that_names_the_call(tmp_path, call, sentence):
    with pytest.raises(UsageError, match=sentence):
        written(tmp_path, [[irecv(1, 8), call], []])
    assert [path.name for path in tmp_path.iterdir()] == ["case.lwt"]


def test_calls_without_a_model_take_the_time_that_they_took(tmp_path):
    summary, actions = written(
        tmp_path, [[Call("MPI_Put", "local").lasting(0.5), Call("MPI_Comm_rank", "local").lasting(0.5)]]
    )
    assert actions == [["sleep 0.5"]]
    assert summary.as_sleep == {"MPI_Put": 1}


def test_a_cut_trace_says_what_is_missing(tmp_path):
    summary, actions = written(tmp_path, [[send(1, 8), send(1, 8)], [recv(0, 8)]])
    assert summary.unmatched == 1
    assert actions[0] == ["send 1 0 8"] * 2


REDUCTIONS = [
    collective("MPI_Allreduce", 24, element_bytes=8),
    collective("MPI_Reduce", 8, root=1, element_bytes=4),
    collective("MPI_Scan", 6, element_bytes=2),
    collective("MPI_Exscan", 32, element_bytes=16),
    collective("MPI_Reduce_scatter", 24, 8, recv_counts=[8, 16], element_bytes=8),
]


def test_reductions_count_elements_where_smpi_has_their_datatype(tmp_path):
    calls = [*REDUCTIONS, collective("MPI_Allreduce", 24, element_bytes=12)]
    _, actions = written(tmp_path, [calls, calls])
    assert actions[0] == [
        "allreduce 3 0 0",
        "reduce 2 0 1 1",
        "scan 3 0 3",
        "exscan 2 0 14",
        "reducescatter 1 2 0 0",
        "allreduce 24 0",
    ]


# ---- what SimGrid makes of it ----


@pytest.mark.requires("smpirun")
def test_simgrid_takes_the_time_that_the_actions_mean(tmp_path):
    zero = [split(2, [0, 1]), irecv(1, 4000, tag=1, comm=2), isend(1, 1_000_000, tag=2).after(1e-3), waitall(1, 2),
            collective("MPI_Barrier", comm=2)]  # fmt: skip
    one = [split(2, [0, 1]), irecv(0, 2_000_000, tag=2), isend(0, 4000, tag=1, comm=2), waitall(1, 2).after(1e-4),
           collective("MPI_Barrier", comm=2)]  # fmt: skip
    summary, _ = written(tmp_path, [zero, one])
    # The constructor's 8 bytes (10 us), 1 ms of computation, 1 MB at 1 GB/s (10 us + 1 ms), the barrier's
    # two empty messages (20 us).
    assert smpi.seconds(Path(summary.path), "ab") == pytest.approx(2.04e-3, rel=1e-3)


@pytest.mark.requires("smpirun")
def test_simgrid_accepts_every_action(tmp_path):
    calls = [
        collective("MPI_Barrier").after(1e-3),
        *OF_TWO_RANKS,
        *REDUCTIONS,
        collective("MPI_Allgatherv", 30, 60, recv_counts=[30, 30]),
        collective("MPI_Gather", 12, 12, root=0),
        collective("MPI_Scatter", 12, 12, root=0),
        collective("MPI_Gatherv", 4, 8, root=0, recv_counts=[4, 4]),
        collective("MPI_Scatterv", 8, 4, root=0, send_counts=[4, 4]),
        collective(**pair("MPI_Alltoallv", [2, 2], [2, 2])),
        Call("MPI_Put", "local").lasting(2e-3),
    ]
    program = [[*calls, sendrecv(1 - rank, 8, 1 - rank)] for rank in range(2)]
    summary, _ = written(tmp_path, program)
    assert 3e-3 < smpi.seconds(Path(summary.path), "ab") < 4e-3


def test_partitions_become_one_message_when_the_last_is_ready(tmp_path):
    sender = [
        partitioned("psend_init", 1, 100, 4, tag=3),
        start(1),
        pready(0, 2).after(1e-6),
        pready(3).after(1e-6),
        wait((1, False, 0, 0)),
        send(1, 8, tag=3),
    ]
    receiver = [
        partitioned("precv_init", 0, 200, 2, tag=3),
        start(1),
        wait((1, False, 0, 0)),
        recv(0, 8, tag=3),
    ]
    _, (out, back) = written(tmp_path, [sender, receiver])
    tag = out[1].split()[2]
    assert int(tag) > 3, "a partitioned message does not meet another one"
    assert out == ["compute 2000", f"isend 1 {tag} 400", f"wait 0 1 {tag}", "send 1 3 8"]
    assert back == [f"irecv 0 {tag} 400", f"wait 0 1 {tag}", "recv 0 3 8"]


def test_newer_calls_become_their_messages(tmp_path):
    ranks = [
        [with_neighbours([1 - me], [1 - me], 2), neighbourhood("MPI_Neighbor_allgather", 50)]
        for me in range(2)
    ]
    _, (first, _) = written(tmp_path, ranks)
    assert [line.split()[0] for line in first[-3:]] == ["irecv", "isend", "waitall"]
    assert first[-2].split()[1] == "1" and first[-2].split()[3] == "50"
    both = Call(
        "MPI_Isendrecv", "isendrecv", comm=0, peer=1, tag=0, bytes=50,
        recv_peer=ANY, recv_tag=0, recv_bytes=60,
    )  # fmt: skip
    other = [recv(0, 50), send(0, 60)]
    _, (first, _) = written(tmp_path / "both", [[both, wait((1, True, 1, 0))], other])
    assert first == ["irecv 1 0 60", "isend 1 0 50", "waitall"]
