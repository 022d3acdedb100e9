"""Derived figures against cases worked out by hand."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linkworth.catalog import derived, fabrics
from linkworth.model.fabric import Path

LINK = Path(
    latency_seconds=10e-6,
    bandwidth_bytes_per_second=1e8,
    send_overhead=[(0, 1e-6), (1000, 3e-6)],
    receive_overhead=[(100, 2e-6)],
    mtu_bytes=1050,
    header_bytes=100,
    header_in_mtu_bytes=50,
)


@pytest.mark.parametrize(("size", "seconds"), [(0, 1e-6), (500, 2e-6), (1000, 3e-6), (5000, 3e-6)])
def test_overhead_is_linear_between_points_and_flat_outside(size, seconds):
    assert derived.overhead_at(LINK.send_overhead, size) == pytest.approx(seconds)
    assert derived.overhead_at(LINK.receive_overhead, size) == 2e-6
    assert derived.overhead_at([], size) == 0.0


@pytest.mark.parametrize(("size", "wire"), [(0, 100), (1, 101), (1000, 1100), (1001, 1201), (2000, 2200)])
def test_each_packet_adds_its_headers(size, wire):
    assert derived.wire_bytes(LINK, size) == wire


def test_half_a_round_trip_is_the_sum_of_its_parts():
    assert derived.half_round_trip_seconds(LINK, 1000) == pytest.approx(3e-6 + 10e-6 + 1100 / 1e8 + 2e-6)


def test_the_slowest_stage_bounds_the_stream():
    assert derived.stream_bandwidth(LINK, 1000) == pytest.approx(1000 / 11e-6)
    assert derived.stream_bandwidth(LINK, 8) == pytest.approx(8 / 2e-6)
    assert derived.stream_bandwidth(LINK, 1_000_000, width=4.0) == pytest.approx(
        1_000_000 / (1_100_000 / 4e8)
    )
    assert derived.stream_bandwidth(LINK, 0) == 0.0


def test_gigabit_ethernet_carries_1448_of_1538_bytes():
    link = fabrics.get("gbe").link
    assert derived.stream_bandwidth(link, 1448 * 10_000) == pytest.approx(125e6 * 1448 / 1538, rel=1e-9)


def test_a_long_message_takes_all_rails_and_a_short_one_a_single_rail():
    four = fabrics.get("gbex4")
    assert derived.stripe_width(four, four.stripe_min_bytes) == 4.0
    assert derived.stripe_width(four, four.stripe_min_bytes - 1) == 1.0
    two = fabrics.get("ib-hdrx2")
    assert derived.stripe_width(two, 1 << 20) == pytest.approx(1 + two.rail_efficiency)


@given(st.sampled_from(fabrics.names()), st.integers(0, 1 << 26), st.integers(0, 1 << 20))
def test_more_bytes_never_take_less_wire(name, size, more):
    link = fabrics.get(name).link
    assert derived.wire_bytes(link, size + more) >= derived.wire_bytes(link, size) >= size
    assert derived.half_round_trip_seconds(link, size) >= 0
    assert not math.isnan(derived.stream_bandwidth(link, size))


def test_messages_in_a_node_share_the_memory_of_a_known_machine():
    ib, ideal = fabrics.get("ib-fdr"), fabrics.get("ideal")
    assert derived.within_memory(ib, 9e10).intranode_total_bytes_per_second == 3e10
    assert derived.within_memory(ib, 9e12) == derived.within_memory(ib, None) == ib
    assert derived.within_memory(ideal, 9e10) == ideal
