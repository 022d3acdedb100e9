"""OTF2 archives of traces: what they hold, that other readers agree, and that they come back as the same traces."""

import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from message_traces import split
from mpi_programs import compiled, usable_mpis
from otf2_archives import assert_same, events, printed, there_and_back
from synthetic import (
    ANY,
    PROC_NULL,
    Call,
    bridge,
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

from linkworth import _engine
from linkworth.convert import convert
from linkworth.errors import EnvironmentLacksError, UsageError
from linkworth.measure.plan import plan
from linkworth.model.workload import Workload
from linkworth.trace.record import record

pytestmark = pytest.mark.requires("otf2")


def done(*completions, mode=0, listed=None):
    names = ["Wait", "Waitall", "Waitany", "Waitsome", "Test", "Testall", "Testany", "Testsome"]
    given = len(completions) if listed is None else listed
    return Call(f"MPI_{names[mode]}", "complete", mode=mode, listed=given, completions=list(completions))


EVERY_CLASS = [
    Call("MPI_Get_processor_name", "local").after(1e-6).lasting(2e-6),
    send(1, 10, tag=3).after(1e-3, cpu=0.9e-3),
    send(PROC_NULL, 10),
    isend(1, 20, tag=4),
    irecv(1, 30, tag=5),
    irecv(ANY, 40, tag=ANY),
    done((3, False, 0, 0), (2, False, 0, 0), (1, True, 1, 6), mode=1).lasting(1e-3),
    irecv(1, 8),
    irecv(PROC_NULL, 8),
    done((2, False, 0, 0), mode=2, listed=2),
    done(mode=4, listed=1),
    done((1, False, 0, 0), mode=4),
    recv(1, 50, tag=7).lasting(1e-6),
    recv(ANY, 50, tag=7, actual=(1, 7)),
    sendrecv(1, 60, 1, tag=8),
    sendrecv(PROC_NULL, 60, 1, tag=8),
    Call("MPI_Isendrecv", "isendrecv", comm=0, peer=1, tag=8, bytes=60, recv_peer=1, recv_tag=9, recv_bytes=64),
    done((1, False, 0, 0)),
    Call("MPI_Send_init", "send_init", comm=0, peer=1, tag=9, bytes=70),
    Call("MPI_Recv_init", "recv_init", comm=0, peer=ANY, tag=9, bytes=70),
    Call("MPI_Startall", "start", references=[2, 1]),
    done((2, False, 0, 0), (1, True, 1, 9), mode=1),
    Call("MPI_Start", "start", references=[2]),
    done((2, False, 0, 0)),
    Call("MPI_Request_free", "request_free", references=[2]),
    irecv(1, 8),
    Call("MPI_Cancel", "request_cancel", references=[1]),
    done((1, False, 0, 0)),
    Call("MPI_Iprobe", "probe", comm=0, peer=ANY, tag=ANY, found=True, actual_peer=1, actual_tag=2),
    collective("MPI_Barrier"),
    collective("MPI_Bcast", 100, root=0),
    collective("MPI_Allreduce", 80, element_bytes=8),
    collective("MPI_Alltoallv", 5, 7, send_counts=[2, 3], recv_counts=[3, 4]),
    collective("MPI_Neighbor_alltoall", 5, 7),
    Call("MPI_Iallreduce", "icollective", comm=0, peer=-1, bytes=16, recv_bytes=16, element_bytes=8),
    done((1, False, 0, 0)),
    Call("MPI_Bcast_init", "collective_init", comm=0, peer=0, bytes=16, recv_bytes=16),
    Call("MPI_Start", "start", references=[1]),
    done((1, False, 0, 0)),
    split(2, [0, 1]),
    split(3, [1, 0]),
    Call("MPI_Comm_split", "comm_new", comm=0, new_comm=-1, members=[]),
    Call("MPI_Comm_idup", "icomm_new", comm=2, new_comm=4, members=[0, 1]),
    done((1, False, 0, 0)),
    send(1, 10, tag=3, comm=3),
    collective("MPI_Reduce", 24, root=1, comm=2),
    Call("MPI_Comm_free", "comm_free", comm=2),
    Call("MPI_Cart_create", "comm_new", comm=0, new_comm=5, members=[0, 1], has_topology=True,
         sources=[-2, 1], destinations=[1, -2]),
    Call("MPI_Win_create", "win_new", comm=0, new_window=0, bytes=4096),
    Call("MPI_Win_fence", "win_sync", sync=0, window=0, peer=-1),
    Call("MPI_Put", "rma", operation=0, window=0, peer=1, bytes=64),
    Call("MPI_Rget", "irma", operation=1, window=0, peer=1, recv_bytes=64),
    done((1, False, 0, 0)),
    Call("MPI_Win_free", "win_free", window=0),
    Call("MPI_Psend_init", "psend_init", comm=0, peer=1, tag=1, bytes=8, partitions=4),
    Call("MPI_Start", "start", references=[1]),
    Call("MPI_Pready_range", "pready", references=[1], first_partition=0, last_partition=3),
    done((1, False, 0, 0)),
    pcontrol(1),
    Call("MPI_Abort", "abort", code=3),
]  # fmt: skip


def test_every_class_of_call_comes_back(tmp_path):
    across = collective("MPI_Bcast", 8, root=-3, comm=2)
    trace = write_trace(tmp_path / "all.lwt", [EVERY_CLASS, [split(2, [0, 1]), split(3, [1, 0])]])
    assert assert_same(trace, there_and_back(trace)[1]) == len(EVERY_CLASS) + 6
    ranks = [[bridge([0], [1], comm=1), across], [bridge([1], [0], comm=1), send(0, 5, comm=2)]]
    trace = write_trace(tmp_path / "inter.lwt", ranks, end=False)
    assert assert_same(trace, there_and_back(trace)[1]) == 6


times = st.integers(0, 10**10).map(lambda nanoseconds: nanoseconds * 1e-9)
small = st.integers(0, 2**20)
some_call = st.one_of(
    st.builds(send, st.sampled_from([0, 1, PROC_NULL]), small, small),
    st.builds(recv, st.sampled_from([0, 1]), small, small),
    st.builds(recv, st.just(ANY), small, st.just(ANY), actual=st.tuples(st.integers(0, 1), small)),
    st.builds(collective, st.sampled_from(["MPI_Bcast", "MPI_Reduce"]), small, root=st.integers(0, 1)),
    st.builds(
        collective, st.sampled_from(["MPI_Gather", "MPI_Scatterv"]), small, small, root=st.integers(0, 1)
    ),
    st.builds(collective, st.sampled_from(["MPI_Allreduce", "MPI_Scan", "MPI_Exscan"]), small),
    st.builds(
        collective,
        st.sampled_from(["MPI_Alltoallv", "MPI_Reduce_scatter", "MPI_Allgather"]),
        small,
        small,
        element_bytes=st.integers(0, 16),
        recv_counts=st.lists(small, max_size=40),
    ),
    st.builds(isend, st.integers(0, 1), small, small),
    st.builds(irecv, st.integers(-2, 1), small, st.integers(-1, 9)),
    st.builds(lambda mode, listed: done(mode=mode, listed=listed), st.integers(0, 7), st.integers(0, 9)),
    st.builds(
        lambda which, took: done((which, bool(took), took, took)), st.integers(1, 4), st.integers(0, 1)
    ),
)
timed_call = st.builds(
    lambda call, gap, cpu, time: call.after(gap, cpu).lasting(time),
    some_call,
    times,
    times | st.just(-1.0),
    times,
)


@settings(max_examples=25)
@given(st.lists(st.lists(timed_call, max_size=15), min_size=2, max_size=2))
def test_any_calls_come_back(programs):
    with tempfile.TemporaryDirectory() as folder:
        trace = write_trace(Path(folder) / "any.lwt", programs)
        assert assert_same(trace, there_and_back(trace)[1]) == sum(map(len, programs)) + 4


def test_what_otf2_has_records_for_needs_nothing_else(tmp_path):
    zero = [
        split(2, [0, 1]),
        isend(1, 20, tag=4).after(1e-3),
        irecv(1, 30, tag=5, comm=2),
        send(1, 7, comm=1 + 1),
        waitall(2, 1).lasting(1e-3),
        irecv(1, 9),
        isend(1, 9),
        done((2, False, 0, 0)),
        done((1, False, 0, 0)),
        sendrecv(1, 60, 1, tag=8),
        Call("MPI_Comm_free", "comm_free", comm=2),
        collective("MPI_Bcast", 100, root=1),
        collective("MPI_Reduce", 100, root=0, element_bytes=4),
        collective("MPI_Allreduce", 80, element_bytes=8),
        collective("MPI_Allgather", 80, 90),
        collective("MPI_Alltoall", 80, 90),
        collective("MPI_Gather", 6, 6, root=0),
        collective("MPI_Scatter", 6, 5, root=0),
        collective("MPI_Scan", 6),
        collective("MPI_Exscan", 6),
        collective("MPI_Reduce_scatter_block", 8, 4, element_bytes=8),
        collective("MPI_Barrier"),
    ]
    one = [
        Call("MPI_Comm_dup", "comm_new", comm=0, new_comm=2, members=[0, 1]),
        recv(0, 20, tag=4),
        recv(0, 7, comm=2),
        collective("MPI_Gather", 6, 0, root=0),
        collective("MPI_Scatter", 0, 5, root=0),
        collective("MPI_Exscan", 6),
        collective("MPI_Scan", 6),
        Call("MPI_Get_count", "local"),
    ]
    trace = write_trace(tmp_path / "plain.lwt", [zero, one])
    archive, back = there_and_back(trace, attributes=False)
    assert archive.remarks == []
    assert [events(back, rank) for rank in (0, 1)] == [events(trace, rank) for rank in (0, 1)]
    assert b"LINKWORTH" not in (Path(archive.path) / "traces.def").read_bytes()


def test_a_request_of_two_messages_and_one_started_again_after_it_was_cancelled(tmp_path):
    calls = [
        Call("MPI_Isendrecv", "isendrecv", comm=0, peer=1, tag=1, bytes=60, recv_peer=1, recv_tag=2, recv_bytes=64),
        done((1, False, 0, 0)),
        Call("MPI_Recv_init", "recv_init", comm=0, peer=1, tag=3, bytes=8),
        Call("MPI_Start", "start", references=[1]),
        Call("MPI_Cancel", "request_cancel", references=[1]),
        done((1, False, 0, 0)),
        Call("MPI_Start", "start", references=[1]),
        done((1, False, 0, 0)),
    ]  # fmt: skip
    _, back = there_and_back(write_trace(tmp_path / "t.lwt", [calls, []]), attributes=False)
    messages = [
        (event["call_class"], event["fields"]["peer"], event["fields"]["tag"], event["fields"]["bytes"])
        for event in events(back, 0)
        if event["call_class"] in ("isend", "irecv")
    ]
    cancelled = ("irecv", PROC_NULL, 0, 0)
    assert messages == [("isend", 1, 1, 60), ("irecv", 1, 2, 64), cancelled, ("irecv", 1, 3, 8)]


def test_a_full_disk_is_told_from_other_failures(tmp_path, monkeypatch):
    path = write_trace(tmp_path / "t.lwt", [[send(1, 8)], [recv(0, 8)]])

    def failing(*_):
        raise _engine.ConvertError("an event cannot be written")

    monkeypatch.setattr(_engine, "write_otf2", failing)
    with pytest.raises(UsageError, match="an event cannot be written"):
        convert(path, "otf2")
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=0))
    with pytest.raises(
        EnvironmentLacksError, match=r"t\.otf2 cannot be written: no space left; make room or give"
    ):
        convert(path, "otf2")


def test_what_is_lost_without_attributes_is_said(tmp_path):
    wildcard = [
        irecv(ANY, 8, tag=ANY),
        done((1, True, 1, 5)),
        pcontrol(2),
        recv(ANY, 9, tag=1, actual=(1, 1)),
    ]
    trace = write_trace(tmp_path / "lost.lwt", [wildcard, []])
    archive, back = there_and_back(trace, attributes=False)
    assert archive.remarks == ["OTF2 has no place for some fields of 3 calls"]
    _, receive, wait, control, blocking, _ = events(back, 0)
    # An archive keeps the actual source of a wildcard.
    assert (receive["fields"]["peer"], receive["fields"]["tag"]) == (1, 5)
    assert wait["fields"]["completions"] == [(1, False, 0, 0)]
    assert control["call_class"] == "local"
    assert (blocking["fields"]["peer"], blocking["fields"]["tag"]) == (1, 1)


@pytest.mark.requires("otf2-print")
def test_otf2_print_reads_every_record_without_a_complaint(tmp_path):
    trace = write_trace(tmp_path / "all.lwt", [EVERY_CLASS, [split(2, [0, 1]), split(3, [1, 0])]])
    summary = convert(trace, "otf2")
    lines = printed(summary.entry).splitlines()
    ours = [line for line in lines if line.split("  ")[0] in RECORDS]
    assert len(ours) == summary.records
    text = "\n".join(lines)
    assert (
        'MPI_SEND                                       0           1501003000  Receiver: 1 ("Master thread" <1>), '
        in text
    )
    assert "Operation: ALLTOALLV" in text and "Sent: 5, Received: 7" in text
    printed(summary.entry, "-A")


RECORDS = {
    *("PROGRAM_BEGIN", "PROGRAM_END", "ENTER", "LEAVE", "MPI_SEND", "MPI_RECV", "MPI_ISEND", "MPI_ISEND_COMPLETE"),
    *("MPI_IRECV_REQUEST", "MPI_IRECV", "MPI_REQUEST_CANCELLED", "MPI_COLLECTIVE_BEGIN", "MPI_COLLECTIVE_END"),
    *("NON_BLOCKING_COLLECTIVE_REQUEST", "NON_BLOCKING_COLLECTIVE_COMPLETE", "COMM_CREATE", "COMM_DESTROY"),
}  # fmt: skip


@pytest.mark.requires("mpi", "c++")
def test_a_recorded_run_comes_back(tmp_path):
    mpi = usable_mpis()[0]
    program = compiled(mpi, tmp_path)
    trace = tmp_path / "run.lwt"
    record(plan(Workload(name="ends", command=[str(program)], ranks=2), mpi=mpi.name), output=trace)
    archive, back = there_and_back(trace)
    assert assert_same(trace, back) > 200
    assert archive.records > 4 * 200
