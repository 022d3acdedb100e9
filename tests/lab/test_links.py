"""The traffic control of a link: bursts stay short, and a late kernel loses no rate."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linkworth.lab import links
from linkworth.lab.spec import LabSpec

rates = st.floats(min_value=1e5, max_value=1e11)


def numbers(spec, *, at_switch=False):
    [line] = links.rate_limit(spec, "d0", at_switch=at_switch)
    found = re.findall(r"(rate|burst|limit|overhead|peakrate|mtu) (\d+)", line)
    return {name: int(value) for name, value in found}


@given(rates, st.sampled_from([None, 576, 1500, 9000, 65535]))
def test_a_packet_always_fits_and_a_burst_stays_short(rate, mtu):
    spec = LabSpec(rate=rate, mtu=mtu)
    given_numbers = numbers(spec)
    at_once = given_numbers.get("mtu", given_numbers["burst"])
    frame = spec.packet_bytes + links.ETHERNET_HEADER
    assert at_once >= frame
    assert at_once <= max(2 * (frame + links.FRAME_OVERHEAD), rate / 8 * links.FAST_BURST_SECONDS)
    # A full bucket gains nothing while the kernel wakes late.
    room = at_once - links.joined_packets(spec) * (frame + links.FRAME_OVERHEAD)
    assert room >= rate / 8 * links.LATE_SECONDS - 1
    assert given_numbers["limit"] >= given_numbers.get("mtu", 0)


@given(rates)
def test_the_rate_is_the_asked_one_where_no_packets_are_joined(rate):
    assert numbers(LabSpec(rate=rate, mtu=1500))["rate"] == pytest.approx(rate, abs=1)
    assert numbers(LabSpec(rate=rate))["rate"] == pytest.approx(rate, rel=0.01)


def test_links_are_shaped_as_asked_alone():
    assert links.rate_limit(LabSpec(), "d0") == []
    assert links.impairment(LabSpec(), "d0") == []
    [line] = links.impairment(LabSpec(rate=1e9, latency=30e-6, jitter=5e-6, loss=0.01), "d0")
    assert line.startswith("qdisc add dev d0 parent 1:1 handle 2: netem limit ")
    assert line.endswith("delay 30.0us 8.7us loss 1.000000% rate 100000000000bit")
    # Each packet is lost for itself.
    assert links.node_network(LabSpec(loss=0.01), 1).offloads_off == ["d0"]


def test_only_a_switchs_port_is_bounded_by_its_buffer():
    spec = LabSpec(rate=1e9, buffer=65536)
    [at_node], [at_switch] = links.rate_limit(spec, "d0"), links.rate_limit(spec, "d0-node1", at_switch=True)
    assert " limit 65536b " in at_switch
    assert f" limit {links.queue_bytes(spec)}b " in at_node
    head, node = links.bridges(spec, ["d0"]), links.node_network(spec, 1)
    assert head.tc[0] == at_switch.replace("d0-node1", "d0-node1") and node.tc == [at_node]
    # Packets come one by one, so that little more than the buffer fits.
    assert numbers(spec, at_switch=True)["mtu"] < 10_000 < numbers(spec)["mtu"]
    # They are dropped one by one, too.
    assert "d0-node1" in head.offloads_off and node.offloads_off == ["d0"]
    assert links.bridges(LabSpec(rate=1e9), ["d0"]).offloads_off == []


@given(rates, st.floats(min_value=1e-6, max_value=0.1))
def test_netem_holds_all_packets_that_fly(rate, latency):
    spec = LabSpec(rate=rate, latency=latency)
    [line] = links.impairment(spec, "d0")
    limit = int(re.findall(r"limit (\d+)", line)[0])
    assert limit * spec.packet_bytes >= rate / 8 * latency
