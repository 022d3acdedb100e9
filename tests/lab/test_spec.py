"""Specification of a lab: numbers with units, presets, limits."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linkworth import units
from linkworth.errors import UsageError
from linkworth.lab import addresses, report
from linkworth.lab import spec as specs
from linkworth.lab.spec import LabSpec


@pytest.mark.parametrize(
    ("parse", "numbers"),
    [
        (specs.parse_rate, {"1gbit": 1e9, "100 Mbit/s": 1e8, "2.5Gbps": 2.5e9, "10kbit": 1e4, "300bit": 300}),
        (specs.parse_time, {"30us": 30e-6, "0.5 ms": 5e-4, "1s": 1.0, "20µs": 2e-5, "5ns": 5e-9}),
        (specs.parse_share, {"0.1%": 1e-3, "0.001": 1e-3}),
    ],
)
def test_numbers_are_read_with_their_unit(parse, numbers):
    assert {text: parse(text) for text in numbers} == pytest.approx(numbers)


@given(st.text(max_size=12))
def test_any_text_is_a_number_or_a_usage_error(text):
    for parse in (specs.parse_rate, specs.parse_time, specs.parse_share, specs.parse_factor):
        try:
            assert parse(text) >= 0
        except UsageError as error:
            assert text in str(error)


@given(st.floats(min_value=1e3, max_value=9.9e11))
def test_a_described_rate_reads_back(rate):
    assert specs.parse_rate(units.bit_rate(rate)) == pytest.approx(rate, rel=1e-3)


@pytest.mark.parametrize(("rate", "links"), [(None, "2 unshaped NICs"), (1e9, "2 NICs of 1 Gbit/s each")])
def test_a_lab_is_described_in_a_line(rate, links):
    assert report.sentence(LabSpec(nodes=2, nics=2, rate=rate)).startswith(f"2 nodes, {links}")


def test_a_lab_is_described_with_all_that_slows_its_links():
    spec = LabSpec(nodes=2, latency=1e-4, jitter=5e-6, moderation=2.5e-4, loss=1e-3)
    assert "+100 µs ± 5.00 µs, interrupts every 250 µs, 0.1 % lost" in report.sentence(spec)


def test_a_preset_with_a_number_has_as_many_nics_and_an_unknown_one_is_told_the_others():
    assert specs.preset("gbe") == LabSpec(rate=1e9)
    assert specs.preset("gbex4") == LabSpec(rate=1e9, nics=4)
    assert specs.preset("100mbitx2") == LabSpec(rate=1e8, nics=2)
    assert specs.preset("nothing") is None
    with pytest.raises(
        UsageError, match=r"there is no lab gbee \(did you mean gbe\?\); labs that are up: mine; presets: "
    ) as told:
        specs.preset_or_error("gbee", ["mine"])
    assert all(name in str(told.value) for name in specs.PRESETS)


@pytest.mark.parametrize(
    "wrong", [{"nodes": 0}, {"nodes": 251}, {"nics": 17}, {"mtu": 100}, {"rate": 0.0}, {"loss": 0.6},
              {"latency": 11.0}, {"dilate": 0.5},
              {"dilate": 2.0}, {"jitter": 1e-3}, {"rate": float("nan")}, {"buffer": 100}, {"buffer": 65536}]
)  # fmt: skip
def test_what_no_lab_can_be_is_refused(wrong):
    with pytest.raises(UsageError, match=next(iter(wrong))):
        LabSpec(**wrong)


def test_options_change_a_lab():
    base = specs.preset("gbe")
    assert base is not None
    changed = specs.with_options(base, {"nodes": "2", "latency": "30us", "mtu": "9000", "aggregate": "mptcp"})
    assert changed == LabSpec(nodes=2, rate=1e9, latency=30e-6, mtu=9000, aggregate="mptcp")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"speed": "1gbit"}, "a lab has no option speed; it has nodes, nics, rate"),
        ({"nodes": "two"}, "`nodes` two: a whole number"),
        ({"nodes": "2147483648"}, r"`nodes` 2,147,483,648 is out of range; give 1 to 250"),
        ({"aggregate": "glue"}, "`aggregate` glue: it is one of stripe, mptcp"),
        ({"buffer": "big"}, "`buffer` 'big': no size in bytes"),
        ({"dilate": "much"}, "`dilate` much: a factor such as 4"),
    ],
)
def test_wrong_options_are_told(options, words):
    with pytest.raises(UsageError, match=words):
        specs.with_options(LabSpec(), options)


def test_dilation_slows_links_and_nodes_have_a_name_for_each_nic():
    spec = LabSpec(rate=1e9, latency=30e-6, dilate=4.0)
    assert spec.link_rate == 2.5e8
    assert spec.link_latency == pytest.approx(120e-6)
    lines = addresses.hosts_file(LabSpec(nodes=2, nics=2)).splitlines()
    assert "10.0.0.2 node2 node2-d0" in lines
    assert "10.1.0.1 node1-d1" in lines
    assert "10.200.0.1 node1-m0" in lines
