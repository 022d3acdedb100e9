"""The verdict on what carried the bytes."""

import pytest

from linkworth.bench.carrier import find_carrier
from linkworth.model.counters import NicCounters, NodeCounters

MB = 1_000_000


def node(name, sent, *, again=0, segments=10_000):
    nics = [
        NicCounters(nic=nic, sent_bytes=count, received_bytes=count, sent_packets=1, received_packets=1)
        for nic, count in sent.items()
    ]
    return NodeCounters(node=name, nics=nics, tcp_segments_sent=segments, tcp_retransmits=again)


def verdict(counters, *, payload=100 * MB, between=0.0, nodes=1, transport="", memory=False, least=False):
    return find_carrier(
        payload=payload, between_nodes=between, is_least=least, counters=counters, nodes=nodes, transport=transport,
        memory_only=memory,
    ).verdict  # fmt: skip


def test_between_nodes_the_payload_is_compared_with_what_nics_sent():
    both = [node("a", {"d0": 53 * MB, "lo": MB}), node("b", {"d0": 52 * MB, "lo": MB})]
    assert verdict(both, between=100 * MB) == "between nodes over d0: 1.05 of the payload"
    both = [node("a", {"d0": 50 * MB, "d1": 55 * MB}, again=400), node("b", {"d0": 0, "d1": 0})]
    assert verdict(both, between=100 * MB) == (
        "between nodes over d0 and d1: 1.05 of the payload (d0 0.50, d1 0.55); TCP sent 400 of 20000 segments again"
    )
    assert "no NIC counted the payload" in verdict([node("a", {"eth0": 1000})], between=100 * MB)
    assert verdict(both, between=100 * MB, nodes=4) == (
        "between nodes; counters could be read on 2 of 4 nodes only, so that their sums are too small"
    )
    assert verdict([node("a", {"d0": 20 * MB})], between=100 * MB).endswith(
        "0.20 of the payload; the rest went another way"
    )
    assert "50 % of all payload stayed inside the nodes" in verdict(
        [node("a", {"d0": 51 * MB})], between=50 * MB
    )
    assert verdict([node("a", {"d0": 150 * MB})], between=100 * MB, least=True) == (
        "between nodes over d0: 1.50 of the least that must cross"
    )


def test_inside_a_node_memory_and_sockets_are_told_apart():
    # The machine's NIC had other traffic meanwhile: 2 % of the payload.
    assert verdict([node("a", {"eth0": 2 * MB, "lo": 100})]) == "shared memory: no NIC counted the payload"
    assert verdict([node("a", {"eth0": 500 * MB})], memory=True).startswith(
        "inside a node, mostly by shared memory"
    )
    assert verdict([node("a", {"lo": 103 * MB})], transport="ob1: tcp") == (
        "inside a node over lo (TCP on the loopback): 1.03 of the payload"
    )


@pytest.mark.parametrize("between", [0.0, 900.0])
def test_too_little_to_tell(between):
    assert "to find by the counters" in verdict([node("a", {"lo": 10**6})], payload=1000.0, between=between)


@pytest.mark.parametrize("between", [0.0, 100.0 * MB])
def test_without_counters_nothing_is_claimed(between):
    assert "no counters can be read here" in verdict([], between=between)
