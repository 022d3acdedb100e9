"""Cases whose time was worked out by hand from the rules in docs/reference/replay.md."""

from collections.abc import Callable

import pytest
from msgspec.structs import replace
from synthetic import (
    Call,
    collective,
    fabric,
    finalize,
    irecv,
    isend,
    pcontrol,
    recv,
    send,
    sendrecv,
    waitall,
    way,
)
from synthetic_calls import FENCE, UNLOCK, get, lock, sync, win_new

from linkworth.model.fabric import Fabric
from linkworth.model.prediction import Prediction
from linkworth.model.settings import ReplaySettings

US = 1e-6
MS = 1e-3
MB = 1_000_000
NANOSECOND_A_BYTE = 1e9

AS_RECORDED = ReplaySettings()

Predict = Callable[..., Prediction]


def test_a_message_below_the_eager_limit(predict: Predict) -> None:
    # o_s + L + n/B + o_r = 2 + 10 + 1 + 2 us
    on = fabric(way(latency=10 * US, bandwidth=NANOSECOND_A_BYTE, overhead=2 * US, eager=4096))
    got = predict([[send(1, 1000)], [recv(0, 1000)]], on)
    assert got.seconds == pytest.approx(15 * US)
    assert got.overhead_seconds == pytest.approx(4 * US)
    assert got.latency_seconds == pytest.approx(10 * US)
    assert got.bandwidth_seconds == pytest.approx(1 * US)
    assert got.internode_bytes == 1000
    assert got.seconds_per_latency_second == pytest.approx(1)
    assert got.seconds_per_inverse_bandwidth == pytest.approx(1000)
    assert got.seconds_per_inverse_cpu_speed == 0


def test_derivatives_are_those_of_the_path_that_decides(predict: Predict) -> None:
    # At four times the speed 8 ms take 2 ms, then comes 1 MB in 10 us + 1 ms; meanwhile rank 1 computes for 2.8 / 4 ms, and for
    # 4 / 4 ms afterwards. 2 + 1 ms of computation, one latency and 1 MB decide.
    on = fabric(way(latency=10 * US, bandwidth=NANOSECOND_A_BYTE))
    last = Call("MPI_Wtime", "local").after(4 * MS)
    ranks = [[send(1, MB).after(8 * MS)], [recv(0, MB).after(2.8 * MS), last]]
    got = predict(ranks, on, cpu_factor=4)
    assert got.seconds == pytest.approx(4 * MS + 10 * US)
    assert got.seconds_per_inverse_cpu_speed == pytest.approx(3 * MS)
    assert got.seconds_per_latency_second == 1
    assert got.seconds_per_inverse_bandwidth == pytest.approx(MB)
    # When rank 1 computes for longer than the message takes, only its computation decides.
    ranks = [[send(1, MB).after(8 * MS)], [recv(0, MB).after(20 * MS), last]]
    hidden = predict(ranks, on, cpu_factor=4)
    assert hidden.seconds == hidden.seconds_per_inverse_cpu_speed == pytest.approx(6 * MS)
    assert hidden.seconds_per_latency_second == hidden.seconds_per_inverse_bandwidth == 0
    # With L = 2 o (powers of two, so that the moments are the same to the last bit) rank 0's rendezvous is out after
    # o + L + 2 o + L + o = 8 o, and rank 1's sixth message is there after 6 o + L = 8 o. Completing it takes o more, whenever the
    # send was done: the one latency of the message decides, not the two of the send.
    o = 2.0**-18
    on = fabric(way(latency=2 * o, overhead=o, eager=4096))
    ranks = [
        [irecv(1, 8), isend(2, 8000), waitall(1, 2), Call("MPI_Wtime", "local").after(1 * MS)],
        [*(send(3, 8) for _ in range(5)), send(0, 8)],
        [recv(0, 8000)],
        [recv(1, 8) for _ in range(5)],
    ]
    got = predict(ranks, on)
    assert got.seconds == pytest.approx(9 * o + 1 * MS)
    assert got.seconds_per_latency_second == 1
    # Request, answer and data of a rendezvous that the receiver waits for, before it computes.
    on = fabric(way(bandwidth=NANOSECOND_A_BYTE, eager=4096))
    got = predict(
        [[send(1, 8000).after(1 * US)], [recv(0, 8000), Call("MPI_Wtime", "local").after(1 * US)]], on
    )
    assert got.latency_seconds == 0
    assert got.seconds_per_latency_second == 3


@pytest.mark.parametrize(
    ("latency", "seconds", "latencies"), [(20, 62, 1), (24, 68, 2), (28, 74, 1), (34, 84, 2)]
)
def test_receives_that_change_places_bend_the_time_both_ways(
    predict: Predict, latency: float, seconds: float, latencies: int
) -> None:
    # Each end of a message takes 4 us of CPU time. Rank 1 passes on what it gets from rank 2, which is there after
    # a = 2 L + 12 us; rank 3's is there after b = L + 38 us. Rank 0 takes them as they come, and has both at
    # max(max(a, b) + 4, min(a, b) + 8): behind L = 26 us, where b comes first, the slope is less than before.
    on = fabric(way(latency=latency * US, overhead=4 * US))
    ranks = [
        [irecv(1, 8), irecv(3, 8), waitall(2, 1)],
        [recv(2, 8), send(0, 8)],
        [send(1, 8)],
        [send(0, 8).after(34 * US)],
    ]
    got = predict(ranks, on)
    assert got.seconds == pytest.approx(seconds * US)
    assert got.seconds_per_latency_second == latencies


def test_long_and_synchronous_messages_take_the_rendezvous(predict: Predict) -> None:
    # o_s + L, then the answer o_r + o_s + L + o_r, then L + n/B + o_r: 3 x 10 + 5 x 2 + 8 us
    on = fabric(way(latency=10 * US, bandwidth=NANOSECOND_A_BYTE, overhead=2 * US, eager=4096))
    got = predict([[send(1, 8000)], [recv(0, 8000)]], on)
    assert got.seconds == pytest.approx(48 * US)
    assert got.latency_seconds == pytest.approx(30 * US)
    # The receive is posted at 100 us; answer, data: 2 x 10 + 8 us after that.
    on = fabric(way(latency=10 * US, bandwidth=NANOSECOND_A_BYTE, eager=4096))
    got = predict([[send(1, 8000)], [recv(0, 8000).after(100 * US)]], on)
    assert got.seconds == pytest.approx(128 * US)
    assert got.compute_seconds == pytest.approx(100 * US)
    on = fabric(way(latency=10 * US, bandwidth=NANOSECOND_A_BYTE, eager=4096))
    got = predict([[send(1, 1000)], [recv(0, 1000).after(100 * US)]], on)
    assert got.seconds == pytest.approx(100 * US)
    on = fabric(way(latency=10 * US, eager=4096))
    assert predict([[send(1, 8)], [recv(0, 8)]], on).seconds == pytest.approx(10 * US)
    synchronous = predict([[send(1, 8, name="MPI_Ssend")], [recv(0, 8)]], on)
    assert synchronous.seconds == pytest.approx(30 * US)


def test_a_buffered_send_returns_before_its_receiver_comes(predict: Predict) -> None:
    on = fabric(way(latency=10 * US, bandwidth=NANOSECOND_A_BYTE, eager=4096))
    late = recv(0, 8000).after(100 * US)
    ready = send(1, 8000, name="MPI_Bsend")
    got = predict([[ready, send(2, 0)], [late], [recv(0, 0)]], on)
    assert got.seconds == pytest.approx(128 * US)
    reached = predict([[ready, send(2, 0).after(200 * US)], [late], [recv(0, 0)]], on)
    assert reached.seconds == pytest.approx(210 * US)


def test_a_ring(predict: Predict) -> None:
    # A token once round four ranks: 4 x (o + L + n/B + o)
    on = fabric(way(latency=10 * US, bandwidth=NANOSECOND_A_BYTE, overhead=1 * US))
    first = [send(1, 1000), recv(3, 1000)]
    others = [[recv(rank - 1, 1000), send((rank + 1) % 4, 1000)] for rank in (1, 2, 3)]
    assert predict([first, *others], on).seconds == pytest.approx(4 * 13 * US)


@pytest.mark.parametrize(("each", "size"), [(2, MB), (32, 10_000)])
def test_an_all_to_all_of_two_nodes_takes_its_bytes_over_the_bisection(
    predict: Predict, each: int, size: int
) -> None:
    # Each node sends each x each messages to the other and receives as many, at once.
    on = fabric(way(bandwidth=NANOSECOND_A_BYTE))
    nodes = [rank // each for rank in range(2 * each)]
    got = predict([[collective("MPI_Alltoall", size)]] * (2 * each), on, nodes=nodes)
    assert got.internode_bytes == 2 * each * each * size
    assert got.seconds == pytest.approx(each * each * size / NANOSECOND_A_BYTE)
    assert got.bandwidth_seconds == pytest.approx(got.seconds)


@pytest.mark.parametrize(("ranks", "rounds"), [(2, 1), (3, 2), (4, 2), (8, 3), (13, 4), (64, 6)])
def test_a_barrier_takes_log2_of_the_ranks_latencies(predict: Predict, ranks: int, rounds: int) -> None:
    on = fabric(way(latency=10 * US, bandwidth=NANOSECOND_A_BYTE))
    got = predict([[collective("MPI_Barrier")]] * ranks, on)
    assert got.seconds == pytest.approx(rounds * 10 * US)
    assert got.seconds_per_latency_second == pytest.approx(rounds)


def test_computation_hides_a_message_but_its_overhead(predict: Predict) -> None:
    # A 6 ms message under 10 ms of computation.
    on = fabric(way(bandwidth=NANOSECOND_A_BYTE))
    receiver = [irecv(0, 6 * MB), waitall(1).after(10 * MS)]
    got = predict([[send(1, 6 * MB)], receiver], on)
    assert got.seconds == pytest.approx(10 * MS)
    assert got.compute_seconds == pytest.approx(10 * MS)
    # Eager: it is there after 2 + 6000 us, and the receiver, which computes for 10 ms, only pays o_r.
    on = fabric(way(bandwidth=NANOSECOND_A_BYTE, overhead=2 * US))
    got = predict([[send(1, 6 * MB)], [recv(0, 6 * MB).after(10 * MS)]], on)
    assert got.seconds == pytest.approx(10 * MS + 2 * US)
    assert got.overhead_seconds == pytest.approx(2 * US)
    on = fabric(way(bandwidth=NANOSECOND_A_BYTE))
    receiver = [irecv(0, 6 * MB), waitall(1).after(4 * MS)]
    got = predict([[send(1, 6 * MB)], receiver], on)
    assert got.seconds == pytest.approx(6 * MS)
    afterwards = Call("MPI_Wtime", "local").after(4 * MS)
    blocking = predict([[send(1, 6 * MB)], [recv(0, 6 * MB), afterwards]], on)
    assert blocking.seconds == pytest.approx(10 * MS)
    assert blocking.bandwidth_seconds == pytest.approx(6 * MS)


def test_each_message_takes_its_headers_and_fractions_of_nanoseconds(predict: Predict) -> None:
    on = fabric(way(bandwidth=6.8e9))
    assert predict([[send(1, 68 * MB)], [recv(0, 68 * MB)]], on).seconds == pytest.approx(10 * MS)
    # Ethernet, MTU 1500: 1448 B of data in 1538 B on the wire; 3000 B need 3 packets of 90 B of headers.
    link = way(bandwidth=NANOSECOND_A_BYTE, mtu_bytes=1500, header_bytes=90, header_in_mtu_bytes=52)
    assert predict([[send(1, 3000)], [recv(0, 3000)]], fabric(link)).seconds == pytest.approx(3.27 * US)
    assert predict([[send(1, 0)], [recv(0, 0)]], fabric(link)).seconds == pytest.approx(0.09 * US)


def test_overhead_by_message_size_is_linear_between_points(predict: Predict) -> None:
    link = way()
    link = type(link)(
        latency_seconds=0.0,
        bandwidth_bytes_per_second=float("inf"),
        send_overhead=[(100, 1 * US), (300, 3 * US)],
        eager_limit_bytes=1 << 40,
    )
    for size, expected in ((0, 1), (100, 1), (200, 2), (300, 3), (9999, 3)):
        got = predict([[send(1, size)], [recv(0, size)]], fabric(link))
        assert got.overhead_seconds == pytest.approx(expected * US)


def test_added_latency_is_hidden_in_a_stream_and_an_adapter_bounds_both_directions(predict: Predict) -> None:
    link = way(latency=2 * US, bandwidth=1e9, eager=1 << 40, added_latency=[(0, 0.0), (1000, 5 * US)])
    got = predict([[send(1, 1000) for _ in range(4)], [recv(0, 1000) for _ in range(4)]], fabric(link))
    assert got.seconds == pytest.approx((2 + 5 + 4) * US)
    assert got.latency_seconds == pytest.approx(7 * US)
    inside = predict([[send(1, 1000)], [recv(0, 1000)]], fabric(way(), link), [0, 0])
    assert inside.seconds == pytest.approx((2 + 5 + 1) * US)
    ranks = [[isend(1 - rank, 1_000_000), recv(1 - rank, 1_000_000), waitall(1)] for rank in range(2)]
    on = fabric(way(bandwidth=1e9, eager=1 << 40), duplex_bytes_per_second=1.6e9)
    # The first chunk of each side meets a direction that is idle.
    assert predict(ranks, on).seconds == pytest.approx(2e6 / 1.6e9, rel=0.02)
    assert predict([[send(1, 1_000_000)], [recv(0, 1_000_000)]], on).seconds == pytest.approx(1e-3)
    # Rank 1's NIC also receives, so that its chunk leaves at the lower rate, though rank 0's NIC only receives.
    ranks = [
        [recv(1, 60_000)],
        [irecv(2, 60_000), send(0, 60_000).after(1 * US), waitall(1)],
        [send(1, 60_000)],
    ]
    assert predict(ranks, on).seconds == pytest.approx(1 * US + 6e4 * 2 / 1.6e9)


def test_messages_inside_a_node_have_their_own_path_limit_and_memory(predict: Predict) -> None:
    inside = way(latency=1 * US, bandwidth=10 * NANOSECOND_A_BYTE)
    on = fabric(way(latency=50 * US, bandwidth=NANOSECOND_A_BYTE), inside)
    got = predict([[send(1, MB)], [recv(0, MB)]], on, nodes=[0, 0])
    assert got.seconds == pytest.approx(101 * US)
    assert got.internode_bytes == 0
    # 8000 B: 1 x 10 us between nodes, where they are eager; 3 x 1 us inside one, where they are not.
    on = fabric(way(latency=10 * US, eager=10_000), way(latency=1 * US, eager=4096))
    ranks = [[send(1, 8000)], [recv(0, 8000)]]
    assert predict(ranks, on).seconds == pytest.approx(10 * US)
    assert predict(ranks, on, nodes=[0, 0]).seconds == pytest.approx(3 * US)
    inside = way(bandwidth=NANOSECOND_A_BYTE)
    on = fabric(way(), inside, intranode_total_bytes_per_second=NANOSECOND_A_BYTE)
    ranks = [[send(2, MB)], [send(3, MB)], [recv(0, MB)], [recv(1, MB)]]
    assert predict(ranks, on, nodes=[0] * 4).seconds == pytest.approx(2 * MS)
    # A rank copies what it receives one after the other, from one sender or from several, with a handshake or without.
    window = [[isend(1, MB) for _ in range(4)] + [waitall(1, 2, 3, 4)], [recv(0, MB) for _ in range(4)]]
    several = [[irecv(1, MB), irecv(2, MB), waitall(1, 2)], [send(0, MB)], [send(0, MB)]]
    for eager in (4096, 1 << 40):
        on = fabric(way(), way(bandwidth=NANOSECOND_A_BYTE, eager=eager))
        assert predict(window, on, nodes=[0, 0]).seconds == pytest.approx(4 * MS)
        assert predict(several, on, nodes=[0] * 3).seconds == pytest.approx(2 * MS)
    # A receiver that copies does not complete another message meanwhile, and an eager message is there already.
    for eager, seconds in ((4096, 6 * MS), (1 << 40, 4.5 * MS)):
        inside = replace(
            way(bandwidth=NANOSECOND_A_BYTE, eager=eager), receive_overhead=[(5000, 0), (MB, 0.5 * MS)]
        )
        on = fabric(way(), inside)
        assert predict(window, on, nodes=[0, 0]).seconds == pytest.approx(seconds)


@pytest.mark.parametrize("eager", [4096, 1 << 40])
def test_ranks_that_copy_what_they_send_do_one_copy_after_the_other(predict: Predict, eager: int) -> None:
    inside = way(bandwidth=NANOSECOND_A_BYTE, eager=eager)
    receivers_copy = fabric(way(), inside)
    both_copy = fabric(way(), inside, intranode_duplex_bytes_per_second=NANOSECOND_A_BYTE)

    def milliseconds(ranks: list[list[Call]], on: Fabric) -> float:
        return predict(ranks, on, nodes=[0] * len(ranks)).seconds / MS

    stream = [[isend(1, MB) for _ in range(4)] + [waitall(1, 2, 3, 4)], [recv(0, MB) for _ in range(4)]]
    exchange = [[irecv(peer, MB), isend(peer, MB), waitall(1, 2)] for peer in (1, 0)]
    ring = [[irecv((rank - 1) % 4, MB), isend((rank + 1) % 4, MB), waitall(1, 2)] for rank in range(4)]
    fan = [[isend(peer, MB) for peer in (1, 2, 3)] + [waitall(1, 2, 3)], *[[recv(0, MB)]] * 3]
    both = [
        [isend(peer, MB) for _ in range(4)] + [recv(peer, MB) for _ in range(4)] + [waitall(1, 2, 3, 4)]
        for peer in (1, 0)
    ]
    for ranks, alone, copied in ((stream, 4, 4), (exchange, 1, 2), (both, 4, 8), (ring, 1, 2), (fan, 1, 3)):
        assert milliseconds(ranks, receivers_copy) == pytest.approx(alone)
        assert milliseconds(ranks, both_copy) == pytest.approx(copied)


def test_computation_is_cpu_time_after_mpi_init(predict: Predict) -> None:
    got = predict([[collective("MPI_Barrier").after(4 * MS, cpu=1 * MS)]], fabric(way()))
    assert got.seconds == pytest.approx(1 * MS)
    assert predict([[], []], fabric(way())).seconds == 0


@pytest.mark.parametrize("contention", [True, False])
def test_marked_stretches_of_ranks_count_once_where_they_meet(predict: Predict, contention: bool) -> None:
    # Rank 0 is inside from 0 to 2 and from 6 to 7 ms, rank 1 from 1 to 4, rank 2 from 8 to 9: 4 + 1 + 1 ms.
    ranks = [
        [pcontrol(1), pcontrol(0).after(2 * MS), pcontrol(1).after(4 * MS), pcontrol(0).after(1 * MS), finalize()],
        [pcontrol(1).after(1 * MS), pcontrol(0).after(3 * MS), finalize().after(9 * MS)],
        [pcontrol(1).after(8 * MS), pcontrol(0).after(1 * MS), finalize()],
    ]  # fmt: skip
    got = predict(ranks, fabric(way()), settings=ReplaySettings(contention=contention))
    assert got.seconds == pytest.approx(6 * MS)


def test_the_marked_region_alone_is_timed(predict: Predict) -> None:
    rank = [
        collective("MPI_Barrier").after(5 * MS),
        pcontrol(1),
        sendrecv(1, 8, 1).after(2 * MS),
        pcontrol(0).after(1 * MS),
        collective("MPI_Barrier").after(7 * MS),
    ]
    other = [*rank[:2], sendrecv(0, 8, 0).after(1 * MS), pcontrol(0).after(1 * MS), rank[4]]
    got = predict([rank, other], fabric(way(latency=10 * US)))
    assert got.seconds == pytest.approx(3 * MS + 0 * US, rel=0.02)
    assert got.compute_seconds == pytest.approx(3 * MS)
    # The whole run's bytes count, wherever its timed part lies.
    assert got.internode_bytes == 16


def test_the_timed_part_counts_its_own_bytes(predict: Predict) -> None:
    sender = [send(1, 1000), pcontrol(1), send(1, 200), send(1, 30), pcontrol(0), send(1, 4)]
    receiver = [recv(0, 1000), pcontrol(1), recv(0, 200), recv(0, 30), pcontrol(0), recv(0, 4)]
    got = predict([sender, receiver], fabric(way(latency=10 * US)))
    assert (got.internode_bytes, got.timed_internode_bytes) == (1234, 230)
    origin = [
        win_new(),
        sync(FENCE),
        pcontrol(1),
        lock(1),
        get(1, 500),
        sync(UNLOCK, 1),
        pcontrol(0),
        get(1, 7),
        sync(FENCE),
    ]
    got = predict([origin, [win_new(), sync(FENCE), sync(FENCE)]], fabric(way(latency=10 * US)))
    assert got.timed_internode_bytes == 500
    assert got.internode_bytes >= 507
    got = predict([[send(1, 1000)], [recv(0, 1000)]], fabric(way(latency=10 * US)))
    assert got.timed_internode_bytes == got.internode_bytes == 1000


def test_a_shaped_link_passes_what_its_bucket_holds_at_once(predict: Predict) -> None:
    # The bucket of 400 B is full: the other 600 B take 0.6 us, at both ends at the same time.
    on = fabric(way(latency=10 * US, bandwidth=NANOSECOND_A_BYTE, eager=4096, burst_bytes=400))
    got = predict([[send(1, 1000)], [recv(0, 1000)]], on)
    assert got.seconds == pytest.approx(10.6 * US)
    assert got.bandwidth_seconds == pytest.approx(0.6 * US)
    assert predict([[send(1, 300)], [recv(0, 300)]], on).seconds == pytest.approx(10 * US)


def test_a_bucket_fills_at_the_links_rate_and_a_stream_gets_no_more(predict: Predict) -> None:
    # The second message follows 0.25 us after the first has left, so it finds 250 B of the 400.
    on = fabric(way(bandwidth=NANOSECOND_A_BYTE, eager=4096, burst_bytes=400))
    got = predict([[send(1, 1000), send(1, 1000).after(0.85 * US)], [recv(0, 1000), recv(0, 1000)]], on)
    assert got.seconds == pytest.approx((0.85 + 1.0 - 0.25) * US)
    on = fabric(way(bandwidth=NANOSECOND_A_BYTE, eager=1 << 20, burst_bytes=5000))
    count = 100
    got = predict([[send(1, 1000) for _ in range(count)], [recv(0, 1000) for _ in range(count)]], on)
    assert got.seconds == pytest.approx((count * 1000 - 5000) / NANOSECOND_A_BYTE)
