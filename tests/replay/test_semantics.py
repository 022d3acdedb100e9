"""MPI's matching rules, requests, communicators and damaged traces in the replay."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
import synthetic
from synthetic import (
    ANY,
    PROC_NULL,
    Call,
    bridge,
    collective,
    fabric,
    irecv,
    isend,
    recv,
    send,
    waitall,
    way,
    write_trace,
)

from linkworth import _engine
from linkworth.errors import UsageError
from linkworth.model.prediction import Layout
from linkworth.replay.run import Replay, replay_in_detail

Run = Callable[..., Replay]
US = 1e-6
LATENCY = fabric(way(latency=10 * US))


@pytest.fixture
def run(run: Run) -> Run:
    return partial(run, on=LATENCY)


def test_tags_and_arrival_select_messages(run: Run) -> None:
    sender = [send(1, 8, tag=1), send(1, 8, tag=2).after(100 * US)]
    receiver = [recv(0, 8, tag=2), recv(0, 8, tag=1)]
    assert run([sender, receiver]).prediction.seconds == pytest.approx(110 * US)
    slow = [send(2, 8).after(50 * US)]
    fast = [send(2, 8)]
    master = [recv(ANY, 8, actual=(1, 0)), recv(ANY, 8, actual=(0, 0)).after(30 * US)]
    # First match at 10 us, 30 us of work, second message at 60 us.
    assert run([slow, fast, master]).prediction.seconds == pytest.approx(60 * US)


@pytest.mark.parametrize(("latency", "begun"), [(20 * US, 40 * US), (10 * US, 1020 * US)])
def test_less_latency_may_slow_a_program_with_wildcards(run: Run, latency: float, begun: float) -> None:
    # The master takes any message, then one of rank 0, and computes for 2 ms. Rank 0 sends one when rank 2 has told it to and
    # one 1 ms later, rank 1 sends one at 15 us. With 20 us of latency rank 1's is the first (35 us) and rank 0's comes at 40;
    # with 10 us rank 0's is the first (20 us), and the master waits for its second one.
    ranks = [
        [recv(2, 0), send(3, 8), send(3, 8).after(1000 * US)],
        [send(3, 8).after(15 * US)],
        [send(0, 0)],
        [recv(ANY, 8, actual=(1, 0)), recv(0, 8), recv(ANY, 8, actual=(0, 0)).after(2000 * US)],
    ]
    got = run(ranks, on=fabric(way(latency=latency))).prediction.seconds
    assert got == pytest.approx(begun + 2000 * US)


def test_wildcards_take_what_they_took_if_the_program_stops_otherwise(run: Run) -> None:
    # The master answers whoever it heard of, as MUMPS does. Here rank 1 comes first, and rank 0 cannot take the answer
    # that was recorded, since it waits until its own message is taken.
    late = [send(2, 8).after(50 * US), recv(2, 8)]
    early = [send(2, 8), recv(2, 8)]

    def took(source: int) -> Call:
        return Call("MPI_Wait", "complete", completions=[(1, True, source, 0)])

    blocking = [recv(ANY, 8, actual=(0, 0)), send(0, 8), recv(ANY, 8, actual=(1, 0)), send(1, 8)]
    posted = [irecv(ANY, 8), took(0), send(0, 8), irecv(ANY, 8), took(1), send(1, 8)]
    request = Call("MPI_Recv_init", "recv_init", peer=ANY, bytes=8)
    start = Call("MPI_Start", "start", references=[1])
    persistent = [request, start, took(0), send(0, 8), start, took(1), send(1, 8)]
    rendezvous = fabric(way(latency=10 * US, eager=0))
    times = [
        run([late, early, master], on=rendezvous).prediction.seconds
        for master in (blocking, posted, persistent)
    ]
    assert times == pytest.approx([times[0]] * 3)
    assert times[0] > 50 * US


def test_an_earlier_exact_receive_goes_before_a_wildcard(run: Run) -> None:
    sender = [send(1, 8), send(1, 8).after(100 * US)]
    # Requests 0 (exact) and 1 (wildcard): waiting for the exact one needs only the first message.
    receiver = [irecv(0, 8), irecv(ANY, 8), waitall(2), waitall(1).after(1 * US)]
    assert run([sender, receiver]).prediction.seconds == pytest.approx(110 * US)
    swapped = [irecv(ANY, 8), irecv(0, 8), waitall(1), waitall(2).after(500 * US)]
    assert run([sender, swapped]).prediction.seconds == pytest.approx(610 * US)


def test_any_tag_keeps_the_order_of_a_pair_and_proc_null_costs_nothing(run: Run) -> None:
    sender = [send(1, 8, tag=5), send(1, 8, tag=6).after(40 * US)]
    receiver = [recv(0, 8, tag=ANY, actual=(0, 5)), recv(0, 8, tag=6)]
    assert run([sender, receiver]).prediction.seconds == pytest.approx(50 * US)
    calls = [send(PROC_NULL, 8), recv(PROC_NULL, 8), irecv(PROC_NULL, 8), isend(PROC_NULL, 8), waitall(2, 1)]
    assert run([calls]).prediction.seconds == 0


def test_persistent_requests_start_again_and_again(run: Run) -> None:
    def start() -> Call:
        return Call("MPI_Start", "start", references=[1])

    sender = [Call("MPI_Send_init", "send_init", comm=0, peer=1, tag=3, bytes=8)]
    receiver = [Call("MPI_Recv_init", "recv_init", comm=0, peer=0, tag=3, bytes=8)]
    for _ in range(3):
        sender += [start().after(20 * US), waitall(1)]
        receiver += [start(), waitall(1)]
    assert run([sender, receiver]).prediction.seconds == pytest.approx(70 * US)


def test_probes_wait_polls_are_waiting_and_cancelled_receives_take_nothing(run: Run) -> None:
    probe = Call("MPI_Probe", "probe", comm=0, peer=ANY, tag=ANY, found=True, actual_peer=0, actual_tag=4)
    ranks = [[send(1, 8, tag=4).after(30 * US)], [probe, recv(0, 8, tag=4).after(5 * US)]]
    assert run(ranks).prediction.seconds == pytest.approx(45 * US)
    polls = [
        Call("MPI_Test", "complete", mode=4, listed=1, completions=[]).after(1 * US) for _ in range(1000)
    ]
    receiver = [irecv(0, 8), *polls, waitall(1).after(1 * US)]
    assert run([[send(1, 8)], receiver]).prediction.seconds == pytest.approx(10 * US, rel=0.2)
    cancel = Call("MPI_Cancel", "request_cancel", references=[1])
    receiver = [irecv(0, 8), cancel, waitall(1), recv(0, 8)]
    assert run([[send(1, 8).after(50 * US)], receiver]).prediction.seconds == pytest.approx(60 * US)


def test_a_non_blocking_collective_overlaps_computation(run: Run) -> None:
    calls = [
        Call("MPI_Iallreduce", "icollective", comm=0, peer=-1, bytes=8, recv_bytes=8),
        waitall(1).after(15 * US),
    ]
    # Two rounds of recursive doubling take 20 us, of which 15 are hidden.
    assert run([calls] * 4).prediction.seconds == pytest.approx(20 * US)


def split(parent_members: list[int], number: int) -> Call:
    return Call("MPI_Comm_split", "comm_new", comm=0, new_comm=number, members=parent_members)


def test_communicators_keep_messages_apart(run: Run) -> None:
    dup = Call("MPI_Comm_dup", "comm_new", comm=0, new_comm=2, members=[0, 1])
    sender = [dup, send(1, 8, comm=0), send(1, 8, comm=2).after(100 * US)]
    receiver = [dup, recv(0, 8, comm=2), recv(0, 8, comm=0)]
    assert run([sender, receiver]).prediction.seconds == pytest.approx(120 * US)
    sender, receiver = synthetic.duplicates_in_another_order()
    sender += [send(1, 8, comm=4), send(1, 8, comm=5).after(100 * US)]
    receiver += [recv(0, 8, comm=5), recv(0, 8, comm=4).after(50 * US)]
    assert run([sender, receiver]).prediction.seconds == pytest.approx(130 * US)


def test_what_is_not_modelled_keeps_its_recorded_time_and_is_named(run: Run) -> None:
    spawned = [Call(name, "local").lasting(100 * US) for name in ("MPI_Send", "MPI_Recv", "MPI_Waitall")]
    got = run([[*spawned, Call("MPI_Comm_rank", "local").lasting(100 * US)]])
    assert got.prediction.seconds == pytest.approx(300 * US)
    assert got.result.unmodelled == {"MPI_Send": 1, "MPI_Recv": 1, "MPI_Waitall": 1}
    put = Call("MPI_Put", "local").lasting(3e-3)
    harmless = Call("MPI_Comm_rank", "local").lasting(1.0)
    got = run([[put, harmless, put]])
    assert got.prediction.seconds == pytest.approx(6e-3)
    assert got.prediction.wait_seconds == pytest.approx(6e-3)
    assert got.result.unmodelled == {"MPI_Put": 2}


def test_a_collective_on_half_of_the_ranks(run: Run) -> None:
    ranks = []
    for rank in range(8):
        half = list(range(4)) if rank < 4 else list(range(7, 3, -1))
        late = 500 * US if rank == 7 else 0.0
        ranks.append([split(half, 2), collective("MPI_Barrier", comm=2).after(late)])
    got = run(ranks).prediction
    # Rank 7 is late for its own half only: split 20 us, 500 us, barrier 20 us.
    assert got.seconds == pytest.approx(540 * US)
    assert got.messages == 8 * 2 * 2


def test_an_intercommunicator_names_the_remote_group(run: Run) -> None:
    ranks = [
        [bridge([0], [1, 2]), send(1, 8, comm=2)],
        [bridge([1, 2], [0])],
        [bridge([1, 2], [0]), recv(0, 8, comm=2)],
    ]
    got = run(ranks).prediction
    assert got.seconds == pytest.approx(10 * US)
    assert got.messages == 1


def test_a_message_that_nobody_sends_stops_a_whole_trace_and_ends_a_cut_one(run: Run) -> None:
    with pytest.raises(UsageError, match="rank 1 stops in MPI_Recv, which waits for a message"):
        run([[], [recv(0, 8)]])
    got = run([[], [recv(0, 8).after(7 * US)]], tolerate_cut=True, end=False)
    assert got.prediction.seconds == pytest.approx(7 * US)
    assert got.result.stopped == [
        "rank 1 stops in MPI_Recv, which waits for a message that the trace does not contain"
    ]


@pytest.mark.parametrize(
    ("source", "advice"),
    [
        ("recorded", "record the program again"),
        ("converted", "the trace was converted"),
        ("scaled", "the trace was scaled"),
    ],
)
def test_what_to_do_where_a_message_is_missing_depends_on_where_the_trace_comes_from(
    source: str, advice: str, tmp_path: Path
) -> None:
    trace = _engine.Trace(str(write_trace(tmp_path / "case.lwt", [[], [recv(0, 8)]], source=source)))
    with pytest.raises(UsageError, match=f"that the trace does not contain; {advice}") as refused:
        replay_in_detail(trace, LATENCY, Layout(nodes=2, node_of_rank=[0, 1]))
    assert ("record the program again" in str(refused.value)) == (source == "recorded")


def test_a_placement_of_another_rank_count_is_refused(tmp_path: Path) -> None:
    trace = _engine.Trace(str(write_trace(tmp_path / "two.lwt", [[], []])))
    with pytest.raises(UsageError, match="the placement has 3 ranks, but the trace has 2"):
        replay_in_detail(trace, LATENCY, Layout(nodes=1, node_of_rank=[0, 0, 0]))


@pytest.mark.parametrize(
    "call",
    [
        send(7, 8),
        recv(-5, 8),
        collective("MPI_Bcast", 8, root=9),
        collective("MPI_Alltoallv", 8, send_counts=[1], recv_counts=[1]),
        split([0, 12], 2),
        split([1], 2),
        Call("MPI_Comm_dup", "comm_new", comm=0, new_comm=2_000_000_000, members=[0, 1]),
    ],
)
def test_a_trace_with_impossible_values_is_refused(run: Run, call: Call) -> None:
    with pytest.raises(UsageError, match=r"record (it|the program) again"):
        run([[call], []])
