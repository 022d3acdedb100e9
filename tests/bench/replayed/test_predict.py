"""Predicted benchmarks against times worked out by hand."""

import math

import msgspec
import pytest
from synthetic import fabric, way

from linkworth import _engine
from linkworth.bench.replayed.predict import predict
from linkworth.bench.settings import BenchSettings, sizes_of
from linkworth.bench.tests import TESTS
from linkworth.catalog import fabrics
from linkworth.catalog.derived import half_round_trip_seconds
from linkworth.errors import UsageError
from linkworth.replay.layout import lay_out

LATENCY, BANDWIDTH, OVERHEAD = 10e-6, 1e9, 2e-6
PLAIN = fabric(way(latency=LATENCY, bandwidth=BANDWIDTH))
"""No overhead, no headers, no rendezvous: a message takes its latency, and its bytes at the bandwidth."""


def predicted(test, ranks, nodes, *, on=PLAIN, memory=None, placement="block", **given):
    layout = lay_out(ranks, nodes, None, placement)
    return predict(TESTS[test], BenchSettings(**given), on, layout, memory_bytes_per_node=memory)


def ring_exchange(size):
    """Each rank's two messages leave one after the other, and come so: the quickest of the three methods."""
    return LATENCY + 2 * size / BANDWIDTH


@pytest.mark.parametrize(("ranks", "exact"), [(2, 1e-6), (4, 0.005)])  # four do not leave a barrier together
def test_beff_of_ranks_on_a_node_each_is_the_average_of_its_definition(ranks, exact):
    result = predicted("beff", ranks, ranks, longest=1 << 20)
    lengths = _engine.beff_lengths(1 << 20)
    assert [row.bytes for row in result.rows] == [*lengths, *lengths]
    assert {row.label for row in result.rows[:21]} == {"rings"} and len(lengths) == 21
    for row in result.rows:
        assert row.latency_seconds == pytest.approx(ring_exchange(row.bytes), rel=exact)
    # Every pattern has the same value, so that the logarithmic averages over patterns change nothing.
    whole = sum(2 * ranks * size / ring_exchange(size) for size in lengths) / 21
    assert result.values["beff_bytes_per_second"] == pytest.approx(whole, rel=exact)
    assert result.values["beff_per_rank_bytes_per_second"] == pytest.approx(whole / ranks, rel=exact)
    longest = 2 * ranks * (1 << 20) / ring_exchange(1 << 20)
    assert result.values["beff_at_longest_bytes_per_second"] == pytest.approx(longest, rel=exact)


def test_one_method_of_beff_alone_sends_its_messages_one_after_the_other():
    [row, _] = predicted("beff", 4, 4, sizes=[65536], methods=["sendrecv"]).rows
    assert row.latency_seconds == pytest.approx(2 * (LATENCY + 65536 / BANDWIDTH), rel=1e-6)


def test_ranks_of_a_node_share_its_nic_in_beff():
    """Rings of neighbours meet the other node at their ends alone, random rings in most messages."""
    result = predicted("beff", 16, 2, longest=1 << 20)
    values = result.values
    assert values["random_bytes_per_second"] < 0.6 * values["rings_bytes_per_second"]
    assert values["beff_bytes_per_second"] == pytest.approx(
        (values["random_bytes_per_second"] * values["rings_bytes_per_second"]) ** 0.5
    )


def test_hpc_challenges_figures_of_ranks_on_a_node_each():
    values = predicted("hpcc", 4, 4).values
    message = LATENCY + 8 / BANDWIDTH
    long = 2_000_000
    for which in ("min", "avg", "max"):
        assert values[f"{which}_ping_pong_latency_seconds"] == pytest.approx(message, rel=1e-6)
        bandwidth = values[f"{which}_ping_pong_bandwidth_bytes_per_second"]
        assert bandwidth == pytest.approx(long / (LATENCY + long / BANDWIDTH), rel=1e-6)
    for order in ("naturally", "randomly"):
        # By non-blocking calls, one of two messages; where the ranks do not begin together, what is lost is a latency in all.
        seconds = values[f"{order}_ordered_ring_latency_seconds"]
        assert seconds == pytest.approx(ring_exchange(8) / 2, rel=0.15)
        bandwidth = values[f"{order}_ordered_ring_bandwidth_bytes_per_second"]
        assert bandwidth == pytest.approx(2 * long / ring_exchange(long), rel=0.01)


def test_pairs_of_a_node_and_of_two_are_told_apart_by_hpc_challenge():
    within = way(latency=1e-6, bandwidth=BANDWIDTH)
    values = predicted(
        "hpcc", 4, 2, on=fabric(way(latency=LATENCY, bandwidth=BANDWIDTH), intranode=within)
    ).values
    near, far = 1e-6 + 8 / BANDWIDTH, LATENCY + 8 / BANDWIDTH
    assert values["min_ping_pong_latency_seconds"] == pytest.approx(near, rel=1e-6)
    assert values["max_ping_pong_latency_seconds"] == pytest.approx(far, rel=1e-6)
    # 4 ranks have 12 ordered pairs. 4 of them are in one node.
    assert values["avg_ping_pong_latency_seconds"] == pytest.approx((4 * near + 8 * far) / 12, rel=1e-6)


@pytest.mark.parametrize("test", ["beff", "hpcc"])
def test_a_network_without_any_cost_has_finite_rates(test):
    values = predicted(test, 4, 4, on=fabrics.get("ideal"), memory=1 << 20).values
    assert all(0 < value < math.inf for value in values.values())


def test_the_longest_message_of_beff_follows_from_the_memory():
    assert predicted("beff", 2, 1, memory=2 << 30).values["longest_bytes"] == (1 << 30) / 128
    with pytest.raises(UsageError, match=r"bench:beff: its longest message .* give `longest`"):
        predicted("beff", 2, 1)


def test_the_pairwise_exchange_is_a_step_for_each_partner():
    size = 1 << 20
    assert _engine.collective_choice("mpich", "alltoall", [0, 1, 2, 3], size) == "pairwise_xor"
    result = predicted("alltoall", 4, 4, sizes=[size])
    seconds = 3 * (LATENCY + size / BANDWIDTH)
    assert result.rows[0].latency_seconds == pytest.approx(seconds, rel=1e-6)
    assert result.rows[0].bandwidth_bytes_per_second == pytest.approx(3 * size / seconds, rel=1e-6)
    assert result.facts["collectives of"] == "mpich"


def test_collectives_of_two_ranks_are_exchanges():
    size = 1024
    row = predicted("bcast", 2, 2, sizes=[size]).rows[0]
    # The other rank, which ended last, leaves the barrier at once; the root does when that rank's message has come.
    assert row.latency_seconds == pytest.approx(2 * LATENCY + size / BANDWIDTH, rel=1e-6)
    size = 1 << 20
    assert _engine.collective_choice("mpich", "allreduce", [0, 1], size, 4) == "rabenseifner"
    row = predicted("allreduce", 2, 2, sizes=[size]).rows[0]
    assert row.latency_seconds == pytest.approx(2 * LATENCY + size / BANDWIDTH, rel=1e-6)
    assert predicted("barrier", 2, 2).rows[0].latency_seconds == pytest.approx(LATENCY, rel=1e-6)
    assert predicted("barrier", 2, 2).rows[0].bandwidth_bytes_per_second is None


def test_pairs_and_senders_share_the_link():
    size = 1 << 20
    rows = predicted("multipair", 12, 2, sizes=[size]).rows
    assert [row.label for row in rows] == ["1 pair", "2 pairs", "4 pairs", "6 pairs"]
    for row in rows:
        assert row.bandwidth_bytes_per_second == pytest.approx(BANDWIDTH, rel=0.01)
    assert rows[-1].latency_seconds == pytest.approx(6 * size / BANDWIDTH, rel=0.01)
    size = 1 << 20
    rows = predicted("incast", 6, 6, sizes=[size]).rows
    assert [row.label for row in rows] == ["1 sender", "2 senders", "4 senders", "5 senders"]
    for row, senders in zip(rows, (1, 2, 4, 5), strict=True):
        # A request of 4 bytes there, all messages back.
        assert row.latency_seconds == pytest.approx(2 * LATENCY + senders * size / BANDWIDTH, rel=1e-3)
        assert row.bandwidth_bytes_per_second == pytest.approx(senders * size / row.latency_seconds)


def test_labels_of_many_senders_are_those_of_measured_rows():
    labels = [row.label for row in predicted("incast", 1025, 1025, sizes=[8]).rows]
    assert (labels[0], labels[-1]) == ("1 sender", "1024 senders")


def test_overlap_hides_all_but_the_overheads():
    size = 1 << 20
    slow = fabric(way(latency=LATENCY, bandwidth=BANDWIDTH, overhead=OVERHEAD))
    transfer, computation, together = predicted("overlap", 2, 2, on=slow, sizes=[size]).rows
    seconds = 2 * OVERHEAD + LATENCY + size / BANDWIDTH
    assert [row.label for row in (transfer, computation, together)] == [
        "transfer",
        "computation",
        "both at once",
    ]
    assert transfer.latency_seconds == pytest.approx(seconds, rel=1e-6)
    assert transfer.bandwidth_bytes_per_second == pytest.approx(2 * size / seconds, rel=1e-6)
    assert computation.latency_seconds == transfer.latency_seconds
    assert together.latency_seconds == pytest.approx(seconds + 2 * OVERHEAD, rel=1e-6)
    assert together.overlap_share == pytest.approx(1 - 2 * OVERHEAD / seconds, rel=1e-6)


def test_a_ping_pong_is_the_closed_form_and_bandwidth_that_of_the_link():
    gbe = fabrics.get("gbe")
    for row in predicted("latency", 2, 2, on=gbe, sizes=[1, 1024, 16384]).rows:
        expected = half_round_trip_seconds(gbe.link, row.bytes)
        assert row.latency_seconds == pytest.approx(expected, rel=1e-6)
    window = 64
    row = predicted("bandwidth", 2, 2, sizes=[65536]).rows[0]
    per_window = window * 65536 / BANDWIDTH + 2 * LATENCY + 4 / BANDWIDTH
    assert row.latency_seconds == pytest.approx(per_window / window, rel=1e-6)
    assert row.bandwidth_bytes_per_second == pytest.approx(65536 * window / per_window, rel=1e-6)
    both = predicted("bibandwidth", 2, 2, sizes=[65536]).rows[0]
    assert both.bandwidth_bytes_per_second == pytest.approx(2 * BANDWIDTH, rel=0.01)


def test_the_kinds_of_ping_pong():
    size = 4096
    one_way = LATENCY + size / BANDWIDTH
    near = {row.bytes: row for row in predicted("pingpong", 2, 2, sizes=[size]).rows}
    assert set(near) == {size - 3, size, size + 3}
    assert near[size].latency_seconds == pytest.approx(one_way, rel=1e-6)
    posted = predicted("pingpong", 2, 2, sizes=[size], asynchronous=True).rows[1]
    assert posted.latency_seconds == pytest.approx(one_way, rel=1e-6)
    both = predicted("pingpong", 2, 2, sizes=[size], bidirectional=True).rows[1]
    assert both.latency_seconds == pytest.approx(one_way, rel=1e-6)
    assert both.bandwidth_bytes_per_second == pytest.approx(2 * size / one_way, rel=1e-6)
    pairs = predicted("pingpong", 8, 2, sizes=[size], pairs=True).rows[1]
    # Pairs fall out of step until no message waits for another: four take less than the wire is idle.
    assert pairs.latency_seconds == pytest.approx(LATENCY + size / BANDWIDTH, rel=1e-6)


def test_who_takes_part_is_what_among_says():
    inside = way(latency=1e-6, bandwidth=1e10)
    both = msgspec.structs.replace(PLAIN, intranode=inside)
    across = predicted("latency", 4, 2, on=both, sizes=[1])
    within = predicted("latency", 4, 2, on=both, sizes=[1], among="pair-in-node")
    assert (across.nodes, within.nodes) == (2, 1)
    assert within.rows[0].latency_seconds == pytest.approx(1e-6, rel=1e-3)
    assert across.rows[0].latency_seconds == pytest.approx(LATENCY, rel=1e-3)
    assert predicted("alltoall", 4, 2, sizes=[1], among="node").ranks == 2
    with pytest.raises(UsageError, match="bench:latency: a pair in one node: the first node has one rank"):
        predicted("latency", 2, 2, among="pair-in-node")


@pytest.mark.parametrize("test", TESTS)
def test_every_test_has_the_rows_of_its_sizes(test):
    settings = BenchSettings(longest=8192 if test == "beff" else None)
    layout = lay_out(4, 2)
    result = predict(TESTS[test], settings, fabrics.get("ib-fdr"), layout)
    fixed = {"beff": _engine.beff_lengths(8192), "hpcc": [8, 2_000_000], "barrier": [0]}
    sizes = sizes_of(TESTS[test], settings) or fixed[test]
    assert list(dict.fromkeys(row.bytes for row in result.rows)) == sizes
    assert all(row.latency_seconds is not None and row.latency_seconds > 0 for row in result.rows)
