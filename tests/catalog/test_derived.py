"""Derived figures against cases worked out by hand."""

import pytest

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


def test_the_slowest_stage_bounds_the_stream():
    assert derived.stream_bandwidth(LINK, 1000) == pytest.approx(1000 / 11e-6)
    assert derived.stream_bandwidth(LINK, 8) == pytest.approx(8 / 2e-6)
    assert derived.stream_bandwidth(LINK, 1_000_000, width=4.0) == pytest.approx(
        1_000_000 / (1_100_000 / 4e8)
    )
    assert derived.stream_bandwidth(LINK, 0) == 0.0
    link = fabrics.get("gbe").link
    assert derived.stream_bandwidth(link, 1448 * 10_000) == pytest.approx(125e6 * 1448 / 1538, rel=1e-9)


def test_rails_and_memory_bound_what_messages_get():
    four = fabrics.get("gbex4")
    assert derived.stripe_width(four, four.stripe_min_bytes) == 4.0
    assert derived.stripe_width(four, four.stripe_min_bytes - 1) == 1.0
    two = fabrics.get("ib-hdrx2")
    assert derived.stripe_width(two, 1 << 20) == pytest.approx(1 + two.rail_efficiency)
    ib, ideal = fabrics.get("ib-fdr"), fabrics.get("ideal")
    assert derived.within_memory(ib, 9e10).intranode_total_bytes_per_second == 3e10
    assert derived.within_memory(ib, 9e12) == derived.within_memory(ib, None) == ib
    assert derived.within_memory(ideal, 9e10) == ideal
