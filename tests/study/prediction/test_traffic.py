"""Predicted traffic: more bytes and segments sent again the more NICs take packets in turn."""

import msgspec
import pytest

from linkworth.catalog import fabrics
from linkworth.study.prediction import traffic

PAYLOAD = 1448 * 1_000_000


def test_traffic_grows_with_nics_whose_packets_overtake_each_other_alone():
    found = []
    for name in ("gbe", "gbex2", "gbex3", "gbex4"):
        fabric = msgspec.structs.replace(fabrics.get(name), aggregation="roundrobin")
        found.append((traffic.sent_bytes(PAYLOAD, fabric), traffic.retransmits(PAYLOAD, fabric)))
    assert found == sorted(set(found))
    assert found[0] == (1514e6, 0)
    # 3 of 4 segments follow one of another NIC: 0.9 % of these are sent again, and each is acknowledged.
    assert found[3] == pytest.approx((1514e6 + 0.75e6 * (0.009 * 1514 + 78), 6750))
    fabric = msgspec.structs.replace(fabrics.get("gbex4"), aggregation="packet")
    assert traffic.sent_bytes(PAYLOAD, fabric) == 1514e6
    assert traffic.retransmits(PAYLOAD, fabric) == 0
