"""Collectives over neighbours, and other calls that a newer MPI has: times worked out by hand."""

from collections.abc import Callable
from pathlib import Path

import pytest
from synthetic import ANY, PROC_NULL, Call, fabric, isend, recv, send, waitall, way, write_trace
from synthetic_calls import neighbourhood, start, with_neighbours

from linkworth import _engine
from linkworth.errors import UsageError
from linkworth.model.prediction import Layout, Prediction
from linkworth.model.settings import ReplaySettings
from linkworth.replay.run import replay_in_detail

US = 1e-6
Predict = Callable[..., Prediction]
LATENCY = fabric(way(latency=10 * US, bandwidth=1e9))
MADE = 20 * US + 16e-9
"""A communicator of four: two exchanges of 8 bytes."""


def in_a_line(call: Call, count: int = 4) -> list[list[Call]]:
    """Let the neighbours of each rank be those before and after it, and none at the ends."""
    ranks = []
    for rank in range(count):
        beside = [rank - 1 if rank > 0 else PROC_NULL, rank + 1 if rank + 1 < count else PROC_NULL]
        ranks.append([with_neighbours(beside, beside, count), call])
    return ranks


@pytest.mark.parametrize("name", ["MPI_Neighbor_allgather", "MPI_Neighbor_alltoall"])
def test_each_piece_goes_straight_to_each_neighbour(predict: Predict, name: str) -> None:
    # Two pieces of 1 us leave an inner rank one after the other; L.
    got = predict(in_a_line(neighbourhood(name, 1000)), LATENCY)
    assert got.seconds == pytest.approx(MADE + 12 * US)
    assert got.internode_bytes == 6 * 1000 + 4 * 2 * 8


def test_lists_say_how_much_each_neighbour_gets(predict: Predict) -> None:
    # A ring one way round, where rank r gives (r + 1) x 1000 bytes to the next.
    ranks = []
    for rank in range(4):
        before, after = (rank - 1) % 4, (rank + 1) % 4
        lists = {"send_counts": [1000 * (rank + 1)], "recv_counts": [1000 * (before + 1)]}
        call = neighbourhood("MPI_Neighbor_alltoallv", 1000 * (rank + 1), **lists)
        ranks.append([with_neighbours([before], [after], 4), call])
    got = predict(ranks, LATENCY)
    assert got.seconds == pytest.approx(MADE + 14 * US)
    assert got.internode_bytes == 10_000 + 64
    star = [[with_neighbours([], [1, 2, 3], 4)], *([with_neighbours([0], [], 4)] for _ in range(3))]
    for rank, calls in enumerate(star):
        counts = [] if rank == 0 else [2000]
        calls.append(neighbourhood("MPI_Neighbor_allgatherv", 2000, recv_counts=counts))
    assert predict(star, LATENCY).seconds == pytest.approx(MADE + 16 * US)


def test_non_blocking_and_persistent_ones_go_on_under_computation(predict: Predict) -> None:
    ranks = in_a_line(neighbourhood("MPI_Ineighbor_alltoall", 1000, "icollective"))
    for calls in ranks:
        calls.append(waitall(1).after(100 * US))
    assert predict(ranks, LATENCY).seconds == pytest.approx(MADE + 100 * US)
    ranks = in_a_line(neighbourhood("MPI_Neighbor_alltoall_init", 1000, "collective_init"))
    for calls in ranks:
        calls += [start(1), waitall(1)] * 3
    # The inner ranks go at the pace of the second of their messages; the last round ends two messages and L later.
    assert predict(ranks, LATENCY).seconds == pytest.approx(MADE + 3 * 12 * US)


def test_the_same_neighbour_twice_gets_two_messages(predict: Predict) -> None:
    # A periodic dimension of two ranks.
    pair = [[with_neighbours([1 - me, 1 - me], [1 - me, 1 - me], 2)] for me in range(2)]
    for calls in pair:
        calls.append(neighbourhood("MPI_Neighbor_alltoall", 1000))
    assert predict(pair, LATENCY).seconds == pytest.approx(10 * US + 8e-9 + 12 * US)


def test_a_trace_without_the_neighbours_is_refused_or_passed(tmp_path: Path) -> None:
    call = neighbourhood("MPI_Neighbor_alltoall", 8, comm=0).lasting(5 * US)
    trace = _engine.Trace(str(write_trace(tmp_path / "t.lwt", [[call]])))
    layout = Layout(nodes=1, node_of_rank=[0])
    with pytest.raises(
        UsageError, match="does not contain the neighbours of rank 0 that MPI_Neighbor_alltoall"
    ):
        replay_in_detail(trace, LATENCY, layout)
    passed = replay_in_detail(trace, LATENCY, layout, settings=ReplaySettings(pass_unmodelled=True))
    assert passed.prediction.seconds == pytest.approx(5 * US)
    assert passed.result.unmodelled == {"MPI_Neighbor_alltoall": 1}


def test_lists_that_do_not_fit_the_neighbours_are_refused(predict: Predict) -> None:
    call = neighbourhood("MPI_Neighbor_alltoallv", 8, send_counts=[8], recv_counts=[8, 8])
    with pytest.raises(UsageError, match="per-neighbour counts do not fit"):
        predict([[with_neighbours([0, 0], [0, 0], 1), call]], LATENCY)


def both(to: int, size: int, source: int) -> Call:
    return Call(
        "MPI_Isendrecv", "isendrecv", comm=0, peer=to, tag=0, bytes=size,
        recv_peer=source, recv_tag=0, recv_bytes=size,
    )  # fmt: skip


def test_a_non_blocking_send_and_receive_is_one_request(predict: Predict) -> None:
    on = fabric(way(latency=10 * US, bandwidth=1e9, eager=4096))
    exchange = [[both(1 - me, 1000, 1 - me), waitall(1).after(5 * US)] for me in range(2)]
    assert predict(exchange, on).seconds == pytest.approx(11 * US)
    # Longer ones wait for both: three latencies and 8 us out, and as much in, at once.
    exchange = [[both(1 - me, 8000, 1 - me), waitall(1)] for me in range(2)]
    assert predict(exchange, on).seconds == pytest.approx(38 * US)
    # Its send is waited for, too: the receiver is there at 100 us; answer and data take two latencies.
    half = [[both(1, 8000, PROC_NULL), waitall(1)], [recv(0, 8000).after(100 * US)]]
    assert predict(half, on).seconds == pytest.approx(128 * US)
    taken = [[both(PROC_NULL, 0, ANY), waitall(1)], [isend(0, 8).after(50 * US), waitall(1)]]
    assert predict(taken, on).seconds == pytest.approx(60.008 * US)


def file_call(name: str, seconds: float) -> Call:
    return Call(name, "local").lasting(seconds)


def test_files_take_their_recorded_time_whatever_the_cpu(tmp_path: Path) -> None:
    # 2 ms of computation at twice the speed, 5 ms in the file system, one message.
    writer = [file_call("MPI_File_write_at_all", 5e-3).after(2e-3), send(1, 0)]
    trace = _engine.Trace(str(write_trace(tmp_path / "t.lwt", [writer, [recv(0, 0)]])))
    got = replay_in_detail(trace, LATENCY, Layout(nodes=2, node_of_rank=[0, 1]), cpu_factor=2)
    assert got.prediction.seconds == pytest.approx(6e-3 + 10 * US)
    assert got.prediction.compute_seconds == pytest.approx(6e-3)
    assert got.prediction.seconds_per_inverse_cpu_speed == pytest.approx(1e-3)
    assert got.result.rank_compute_seconds == pytest.approx([6e-3, 0])
    assert got.result.input_output_seconds == {"MPI_File_write_at_all": pytest.approx(5e-3)}
    assert got.result.unmodelled == {}
