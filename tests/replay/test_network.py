"""Messages that compete: turns at a NIC, links between switches, several rails, TCP. Times worked out by hand."""

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from synthetic import ANY, Call, fabric, finalize, irecv, isend, recv, send, waitall, way, write_trace

from linkworth import _engine
from linkworth.model.fabric import Fabric, SwitchLevel, Tcp, Topology
from linkworth.model.prediction import Layout
from linkworth.replay.run import Replay, replay_in_detail

US = 1e-6
GB = 1e9
"""Bytes per second at which a byte takes a nanosecond."""
MB = 1_000_000
EAGER = 1 << 40

Seconds = Callable[..., float]


@pytest.fixture
def seconds(run: Callable[..., Replay]) -> Seconds:
    """Predict hand-made ranks, one node a rank unless `nodes` places them."""
    return lambda *given, **settings: run(*given, **settings).prediction.seconds


def link(latency: float = 0.0, **fields: object) -> Fabric:
    return fabric(way(latency=latency, bandwidth=GB, eager=EAGER), **fields)


def test_messages_share_a_nic_chunk_by_chunk(seconds: Seconds) -> None:
    # 1 MB leaves in 16 chunks of 62.5 us; what is ready at 30 us has the next turn, arrives at 63.5 us, and its receiver
    # computes for 2 ms after it.
    ranks = [
        [send(2, MB)],
        [send(3, 1000).after(30 * US)],
        [recv(0, MB)],
        [recv(1, 1000), send(1, 0).after(2000 * US)],
    ]
    ranks[1].append(recv(3, 0))
    assert seconds(ranks, link(), [0, 0, 1, 2]) == pytest.approx(63.5 * US + 2000 * US)
    # Chunks of 62.5 us in turn: the first message ends with the 31st, the second with the 32nd.
    ranks = [
        [send(2, MB), recv(2, 0)],
        [send(3, MB)],
        [recv(0, MB), send(0, 0).after(1000 * US)],
        [recv(1, MB)],
    ]
    assert seconds(ranks, link(), [0, 0, 1, 2]) == pytest.approx(31 * 62.5 * US + 1000 * US)


def test_messages_of_one_pair_keep_their_order_and_meet_by_their_heads(seconds: Seconds) -> None:
    # The short one behind the long one of the same connection: 1 MB and 1000 B.
    ranks = [[isend(1, MB), isend(1, 1000), waitall(1, 2)], [irecv(0, MB), irecv(0, 1000), waitall(1, 2)]]
    assert seconds(ranks, link()) == pytest.approx((MB + 1000) / GB)
    # The late receive is posted while the data still flows in; nothing is sent again.
    ranks = [[send(1, MB)], [recv(0, MB).after(500 * US)]]
    assert seconds(ranks, link(latency=10 * US)) == pytest.approx(1010 * US)
    ranks = [[send(1, MB)], [recv(0, MB).after(5000 * US)]]
    assert seconds(ranks, link(latency=10 * US)) == pytest.approx(5000 * US)


def test_without_contention_each_message_has_the_network_for_itself(seconds: Seconds) -> None:
    ranks = [[recv(source, MB) for source in range(1, 9)], *([send(0, MB)] for _ in range(8))]
    assert seconds(ranks, link(), contention=False) == pytest.approx(1e-3)
    assert seconds(ranks, link()) == pytest.approx(8e-3)


CROSSING = [[send(2, MB)], [send(3, MB)], [recv(0, MB)], [recv(1, MB)]]
"""Nodes 0 and 1 on one switch, 2 and 3 on the other."""
INSIDE = [[send(1, MB)], [recv(0, MB)], [send(3, MB)], [recv(2, MB)]]


def leaves(uplinks: int, bandwidth: float = GB, routing: str = "static", hop: float = 0.0) -> Topology:
    level = SwitchLevel(nodes_per_group=2, uplinks=uplinks, bandwidth_bytes_per_second=bandwidth)
    return Topology(levels=[level], hop_latency_seconds=hop, routing=routing)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("topology", "crossing"),
    [
        (Topology(), 1e-3),
        (leaves(uplinks=1), 2e-3),
        (leaves(uplinks=1, bandwidth=2 * GB), 1e-3),
        (leaves(uplinks=1, bandwidth=GB / 2), 4e-3),
        (leaves(uplinks=2, routing="packet"), 1e-3),
    ],
)
def test_a_trunk_is_shared_by_what_crosses_it(seconds: Seconds, topology: Topology, crossing: float) -> None:
    on = link(topology=topology)
    # The last chunk's head waits behind the others at the trunk, its bytes still flow: one chunk of tolerance.
    assert seconds(CROSSING, on) == pytest.approx(crossing, abs=130 * US)
    assert seconds(CROSSING, on) >= crossing * (1 - 1e-9)
    assert seconds(INSIDE, on) == pytest.approx(1e-3)


@pytest.mark.parametrize(("routing", "microseconds"), [("static", 2), ("packet", 1)])
def test_packets_take_all_uplinks_but_a_pair_of_nodes_keeps_one(
    seconds: Seconds, routing: str, microseconds: float
) -> None:
    # 1000 B at 1 GB/s on the node's link, over one or both of two uplinks of half of that.
    on = link(topology=leaves(uplinks=2, bandwidth=GB / 2, routing=routing))
    one = [[send(2, 1000)], [], [recv(0, 1000)], []]
    assert seconds(one, on) == pytest.approx(microseconds * US)


def test_each_link_between_switches_adds_its_latency(seconds: Seconds) -> None:
    small = [[send(2, 1000)], [], [recv(0, 1000)], []]
    on = link(latency=10 * US, topology=leaves(uplinks=1, hop=3 * US))
    assert seconds(small, on) == pytest.approx((10 + 2 * 3 + 1) * US)


def test_derivatives_are_by_the_links_of_the_nodes(tmp_path: Path) -> None:
    # 1000 B take 1 us on a node's link, but 4 us on the trunk, behind which the latency of one link and of two hops comes.
    trace = _engine.Trace(str(write_trace(tmp_path / "t.lwt", [[send(2, 1000)], [], [recv(0, 1000)], []])))
    on = link(latency=10 * US, topology=leaves(uplinks=1, bandwidth=GB / 4, hop=3 * US))
    got = replay_in_detail(trace, on, Layout(nodes=4, node_of_rank=[0, 1, 2, 3])).prediction
    assert got.seconds == pytest.approx((10 + 2 * 3 + 4) * US)
    assert (got.latency_seconds, got.bandwidth_seconds) == (pytest.approx(16 * US), pytest.approx(4 * US))
    assert got.seconds_per_latency_second == 1
    assert got.seconds_per_inverse_bandwidth == 0


def test_a_fat_tree_of_two_levels(seconds: Seconds) -> None:
    # 8 nodes, leaves of 2, pods of 4: from pod to pod a message takes four links between switches.
    levels = [
        SwitchLevel(nodes_per_group=2, uplinks=1, bandwidth_bytes_per_second=GB),
        SwitchLevel(nodes_per_group=4, uplinks=1, bandwidth_bytes_per_second=GB),
    ]
    on = link(latency=10 * US, topology=Topology(levels=levels, hop_latency_seconds=1 * US))
    to_pod = [[send(4, 1000)], [], [], [], [recv(0, 1000)], [], [], []]
    to_leaf = [[send(2, 1000)], [], [recv(0, 1000)], [], [], [], [], []]
    assert seconds(to_pod, on) == pytest.approx((10 + 4 + 1) * US)
    assert seconds(to_leaf, on) == pytest.approx((10 + 2 + 1) * US)


@pytest.mark.parametrize(
    ("aggregation", "milliseconds"),
    [("stripe", 0.25), ("packet", 0.25), ("message", 1.0), ("connection", 1.0)],
)
def test_one_long_message_on_four_rails(seconds: Seconds, aggregation: str, milliseconds: float) -> None:
    on = link(rails=4, aggregation=aggregation)
    assert seconds([[send(1, MB)], [recv(0, MB)]], on) == pytest.approx(milliseconds * 1e-3)


@pytest.mark.parametrize(
    ("aggregation", "milliseconds"), [("stripe", 2.0), ("packet", 2.0), ("message", 2.0), ("connection", 8.0)]
)
def test_messages_of_one_connection_on_four_rails(
    seconds: Seconds, aggregation: str, milliseconds: float
) -> None:
    # Eight of 1 MB by the rendezvous: over all rails one behind the other, two over each rail, or all over their connection's.
    on = fabric(way(bandwidth=GB, eager=0), rails=4, aggregation=aggregation)
    eight = list(range(8, 0, -1))
    ranks = [[isend(1, MB)] * 8 + [waitall(*eight)], [irecv(0, MB)] * 8 + [waitall(*eight)]]
    assert seconds(ranks, on) == pytest.approx(milliseconds * 1e-3)


@pytest.mark.parametrize(("later", "finished"), [(0, 2000), (1, 1001)])
def test_an_eager_message_takes_another_rail_once_that_before_it_has_begun(
    seconds: Seconds, later: float, finished: float
) -> None:
    # MPI keeps the order of their heads: at the same moment the second one stays behind the first, 1 us later it does not.
    on = link(rails=2, aggregation="message")
    ranks = [[send(1, MB), send(1, MB).after(later * US)], [irecv(0, MB), irecv(0, MB), waitall(2, 1)]]
    assert seconds(ranks, on) == pytest.approx(finished * US)


def test_reordering_takes_its_share_of_the_added_rails(seconds: Seconds) -> None:
    # 1 + 3 x 0.6 = 2.8 times one rail.
    on = link(rails=4, aggregation="packet", rail_efficiency=0.6)
    assert seconds([[send(1, MB)], [recv(0, MB)]], on) == pytest.approx(1e-3 / 2.8)


@pytest.mark.parametrize(("rails", "gain"), [(1, 1.0), (2, 1.516), (4, 2.297)])
def test_packets_that_overtake_each_other_bound_what_rails_add(
    seconds: Seconds, rails: int, gain: float
) -> None:
    on = link(rails=rails, aggregation="roundrobin")
    assert seconds([[send(1, MB)], [recv(0, MB)]], on) == pytest.approx(1e-3 / gain, rel=1e-3)
    measured_less = link(rails=rails, aggregation="roundrobin", rail_efficiency=0.0)
    assert seconds([[send(1, MB)], [recv(0, MB)]], measured_less) == pytest.approx(1e-3)


@pytest.mark.parametrize(
    ("rails", "size", "longest"),
    [
        (4, 65_000, 65_000),  # at most the rest: on one rail, whole
        (4, 68_000, 51_000),  # 17 kB, then the 51 kB that are left
        (4, 96_000, 48_000),  # 24 + 24, then 48
        (4, 132_000, 66_000 - 33_000),  # 33 + 33 leave 66 kB: more than the rest, so 33 + 33
        (4, 400_000, 100_000),
        (2, 68_000, 34_000),
        (3, 90_000, 60_000),  # 30, then 60
    ],
)
def test_the_rest_of_a_striped_message_takes_one_rail(
    seconds: Seconds, rails: int, size: int, longest: int
) -> None:
    on = link(rails=rails, stripe_min_bytes=65_000, stripe_rest_bytes=65_000)
    message = [[send(1, size)], [recv(0, size)]]
    assert seconds(message, on) == pytest.approx(longest * 1e-9)
    assert seconds(message, on, contention=False) == pytest.approx(longest * 1e-9)
    # A receive from any source makes the replay go moment by moment.
    message = [[send(1, size)], [recv(ANY, size)]]
    assert seconds(message, on, contention=False) == pytest.approx(longest * 1e-9)


def test_four_pairs_and_their_rests_take_four_rails(seconds: Seconds) -> None:
    # 17 + 51 kB each; the long parts of four take four rails, and each rail has 68 kB.
    ranks = [*([send(4 + pair, 68_000)] for pair in range(4)), *([recv(pair, 68_000)] for pair in range(4))]
    on = link(rails=4, stripe_min_bytes=65_000, stripe_rest_bytes=65_000)
    assert seconds(ranks, on, [0] * 4 + [1] * 4) == pytest.approx(68 * US)
    # Rail 0 for the first 10 kB of each pair; the 80 kB of the first pair go 40 + 40 and move it on, so that its last 10 kB
    # take rail 0 again, which has 10 + 10 + 40 + 10 kB.
    on = link(rails=2, stripe_step=1, stripe_min_bytes=65_000)
    pair = [isend(2, 10_000), isend(2, 80_000), isend(2, 10_000)]
    other = [isend(3, 10_000)]
    taken = [recv(0, 10_000), recv(0, 80_000), recv(0, 10_000)]
    ranks = [pair, other, taken, [recv(1, 10_000)]]
    assert seconds(ranks, on, [0, 0, 1, 1]) == pytest.approx(70 * US)


@pytest.mark.parametrize(
    ("rails", "step", "microseconds"),
    [
        (2, 2, 40),  # rail 1 each time
        (2, 1, 20),  # rails 0, 1, 0, 1
        (3, 2, 20),  # rails 1, 0, 2, 1
        (4, 2, 20),  # rails 1, 3, 1, 3
        (4, 1, 10),  # each has its own
        (1, 2, 40),
    ],
)
def test_short_messages_of_a_connection_step_over_the_rails(
    seconds: Seconds, rails: int, step: int, microseconds: float
) -> None:
    four = [isend(1, 10_000)] * 4, [recv(0, 10_000)] * 4
    on = link(rails=rails, stripe_step=step)
    assert seconds(list(four), on) == pytest.approx(microseconds * US)


@pytest.mark.parametrize("aggregation", ["stripe", "message"])
def test_short_messages_of_four_pairs_take_four_rails(seconds: Seconds, aggregation: str) -> None:
    ranks = [*([send(4 + pair, 10_000)] for pair in range(4)), *([recv(pair, 10_000)] for pair in range(4))]
    on = link(rails=4, aggregation=aggregation)
    assert seconds(ranks, on, [0] * 4 + [1] * 4) == pytest.approx(10 * US)


def test_connections_may_meet_on_a_rail(seconds: Seconds) -> None:
    # A hash spreads 16 pairs over 2 rails, hardly ever evenly: between half of the bytes and all of them on one.
    ranks = [*([send(16 + pair, MB)] for pair in range(16)), *([recv(pair, MB)] for pair in range(16))]
    on = link(rails=2, aggregation="connection")
    assert 8e-3 <= seconds(ranks, on, [0] * 16 + [1] * 16) < 16e-3


def test_a_handshake_takes_the_rail_of_its_connection(seconds: Seconds) -> None:
    # By the hash, rank 0 reaches rank 3 over the first rail and rank 1 over the second. Rank 0's data leave in chunks of 62.5 us,
    # which rank 1's request does not meet.
    ranks = [
        [send(3, 10 * MB)],
        [send(3, 1000, name="MPI_Ssend").after(10 * US), finalize().after(20_000 * US)],
        [],
        [recv(1, 1000), recv(0, 10 * MB)],
    ]
    on = link(rails=2, aggregation="connection")
    assert seconds(ranks, on, [0, 0, 1, 1]) == pytest.approx((11 + 20_000) * US)


def test_tcp_starts_slowly_after_silence(seconds: Seconds) -> None:
    # Round trip 200 us, 200 kB in it. Windows of 14.6 and 29.2 kB leave the link idle for 185.4 and 170.8 us; with the third
    # the message is through. The first message of a connection finds it warm.
    on = link(latency=100 * US, tcp=Tcp(restart_after_seconds=0.2))
    first = [[send(1, 100_000)], [recv(0, 100_000)]]
    assert seconds(first, on) == pytest.approx(200 * US)
    soon = [[send(1, 10), send(1, 100_000).after(0.1)], [recv(0, 10), recv(0, 100_000)]]
    assert seconds(soon, on) == pytest.approx(0.1 + 200 * US)
    late = [[send(1, 10), send(1, 100_000).after(0.5)], [recv(0, 10), recv(0, 100_000)]]
    assert seconds(late, on) == pytest.approx(0.5 + 200 * US + (185.4 + 170.8) * US)


@pytest.mark.parametrize(
    ("burst_seconds", "finished"),
    [
        # Whole messages in turn: the first is through after 30 us, and its receiver computes while the others come.
        pytest.param(float("inf"), 30 + 1000, id="whole messages"),
        # 40 us at 1 GB/s for four connections: 10 kB each in turn. The first is through when the others lack one turn.
        pytest.param(40 * US, 90 + 1000, id="a share in turn"),
        # Two segments of 1,448 bytes at least: 11 turns of 2,727 bytes; rank 0's last one is the first of the last round.
        pytest.param(1 * US, 4 * 30 - 3 * 30 / 11 + 1000, id="two segments"),
    ],
)
def test_tcp_connections_share_a_nic_in_bursts(
    seconds: Seconds, burst_seconds: float, finished: float
) -> None:
    ranks = [
        *([send(4 + pair, 30_000)] for pair in range(4)),
        [recv(0, 30_000), finalize().after(1000 * US)],
        *([recv(pair, 30_000)] for pair in range(1, 4)),
    ]
    on = link(tcp=Tcp(burst_seconds=burst_seconds))
    on = msgspec.structs.replace(on, link=msgspec.structs.replace(on.link, mtu_bytes=1448, header_bytes=0))
    assert seconds(ranks, on, [0] * 4 + [1] * 4) == pytest.approx(finished * US)


@pytest.mark.parametrize(
    ("ratio", "least", "most"),
    [
        # 64 chunks of each message in turn: the first is through when the others lack one.
        pytest.param(1.0, 0.96, 1.0, id="equal"),
        # The mean end of 16 messages whose weights are drawn from 1 to 3.3 is 0.86 of the last, with a deviation of 0.02.
        pytest.param(3.3, 0.80, 0.92, id="up to 3.3"),
    ],
)
def test_tcp_connections_get_uneven_shares(seconds: Seconds, ratio: float, least: float, most: float) -> None:
    on = link(tcp=Tcp(burst_seconds=130 * US, share_ratio=ratio))
    on = msgspec.structs.replace(on, link=msgspec.structs.replace(on.link, mtu_bytes=1448, header_bytes=0))

    def arrival(pair: int) -> float:
        ranks = [*([send(16 + each, MB)] for each in range(16)), *([recv(each, MB)] for each in range(16))]
        ranks[16 + pair].append(finalize().after(1.0))
        return seconds(ranks, on, [0] * 16 + [1] * 16) - 1.0

    arrivals = [arrival(pair) for pair in range(16)]
    assert max(arrivals) == pytest.approx(16 * MB / GB)
    assert least < sum(arrivals) / 16 / max(arrivals) < most


def test_less_latency_may_slow_a_program_whose_messages_compete(seconds: Seconds) -> None:
    # Rank 0 needs 1 kB from rank 1 before it computes for 2 ms; 60 kB from rank 2 can wait. Rank 1 sends at 15 us, rank 2 when
    # rank 3 has told it to. With 20 us of latency the needed message is the first (15 + 20 us), with 10 us the other (20 us).
    ranks = [
        [recv(1, 1000), recv(2, 60_000).after(2000 * US)],
        [send(0, 1000).after(15 * US)],
        [recv(3, 0), send(0, 60_000)],
        [send(2, 0)],
    ]
    assert seconds(ranks, link(latency=20 * US)) == pytest.approx((35 + 1 + 2000) * US)
    assert seconds(ranks, link(latency=10 * US)) == pytest.approx((20 + 60 + 1 + 2000) * US)


def test_many_nodes_take_what_few_take(seconds: Seconds) -> None:
    # Two ranks a node: one message inside the node, two to each neighbour, of which one is cut in chunks and one waits for its
    # receiver. From 8,192 ranks on the replay fetches from memory what comes next (look_ahead.cpp).
    def ring(count: int) -> list[list[Call]]:
        def calls(rank: int) -> list[Call]:
            mate, right, left = rank ^ 1, (rank + 2) % count, (rank - 2) % count
            posted = [irecv(mate, 80_000, tag=1), irecv(left, 100, tag=2), irecv(left, 200_000, tag=3)]
            sent = [isend(mate, 80_000, tag=1), isend(right, 100, tag=2), isend(right, 200_000, tag=3)]
            return [*posted, *sent, waitall(*range(6, 0, -1))]

        return [calls(rank) for rank in range(count)]

    on = fabric(
        way(latency=10 * US, bandwidth=GB, overhead=US, eager=1000),
        way(latency=US, bandwidth=4 * GB, eager=1000),
    )
    few, many = (seconds(ring(count), on, [rank // 2 for rank in range(count)]) for count in (8, 8192))
    assert many == pytest.approx(few)
    assert few > 400 * US
