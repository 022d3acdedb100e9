"""The catalog of fabrics: every entry loads, has sources, and gives what was published."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linkworth.bench.replayed.predict import predict
from linkworth.bench.settings import BenchSettings
from linkworth.bench.tests import TESTS
from linkworth.catalog import derived, fabrics
from linkworth.catalog.fabric_file import fields_without_source
from linkworth.errors import UsageError
from linkworth.model.fabric import RAILS_MAX
from linkworth.replay.layout import block

PUBLISHED = {
    # fabric: microseconds at 8 B (low, high), bytes per second at 4 MiB (low, high); from the sources in the files
    "shm": ((0.24, 0.51), (8.4e9, 10.8e9)),
    "shm-copies": ((0.24, 0.51), (4.4e9, 5.4e9)),
    "shm-ucx": ((0.40, 0.47), (15.0e9, 15.5e9)),
    "loopback": ((14.5, 15.5), (5e9, 6e9)),
    "gbe": ((20, 30), (116e6, 118.5e6)),
    "10gbe": ((16, 37.8), (1.16e9, 1.19e9)),
    "ib-sdr": ((1.26, 3.6), (0.948e9, 1e9)),
    "ib-ddr": ((1.26, 3.6), (1.54e9, 2e9)),
    "ib-fdr": ((1.19, 1.46), (6.19e9, 6.39e9)),
    "ib-edr": ((0.90, 1.25), (12.2e9, 12.3e9)),
    "ib-hdr": ((1.2, 1.53), (23.6e9, 23.8e9)),
    "ib-ndr": ((1.0, 2.0), (45e9, 50e9)),
    "opa100": ((1.02, 1.35), (12.3e9, 12.45e9)),
    "efa": ((9.8, 10.5), (11.9e9, 12.5e9)),
    "slingshot": ((1.5, 2.5), (23.9e9, 24.1e9)),
    "100gbe": ((10, 25), (5.2e9, 5.3e9)),
}


def test_every_number_has_a_source_with_a_date():
    for name in fabrics.names():
        fabric = fabrics.get(name)
        assert (fabric.name, fabric.origin) == (name, "catalog")
        assert fields_without_source(fabric) == [], name
        for source in fabric.sources:
            assert source.source and source.date[:2] == "20", name
            assert source.fields
            for field in source.fields:
                head, _, tail = field.partition(".")
                assert hasattr(getattr(fabric, head) if tail else fabric, tail or head), (name, field)


def test_derived_figures_lie_within_the_published_range():
    for name, ((low, high), (slow, fast)) in PUBLISHED.items():
        link = fabrics.get(name).link
        assert low <= derived.half_round_trip_seconds(link, 8) * 1e6 <= high, name
        assert slow <= derived.stream_bandwidth(link, 4 << 20) <= fast, name


def test_ideal_networks_cost_nothing_and_one_node_has_one_path():
    ideal = fabrics.get("ideal")
    for path in (ideal.link, ideal.intranode):
        assert derived.half_round_trip_seconds(path, 1 << 30) == 0.0
        assert math.isinf(derived.stream_bandwidth(path, 1 << 30))
        assert path.eager_limit_bytes >= 1 << 62
    assert math.isinf(ideal.intranode_total_bytes_per_second)
    shm = fabrics.get("shm")
    assert shm.link == shm.intranode
    for name, inside in (("opa100", "shm"), ("ib-fdr", "shm-ucx")):
        fabric, path = fabrics.get(name), fabrics.get(inside)
        assert fabric.intranode == path.link == path.intranode
        assert fabric.intranode_total_bytes_per_second == path.intranode_total_bytes_per_second


def test_faster_generations_of_a_family_carry_more_and_come_later():
    assert fabrics.names()[:4] == ["ideal", "shm", "shm-copies", "shm-ucx"]
    for family in (
        ["gbe", "10gbe", "25gbe", "40gbe", "100gbe"],
        ["ib-sdr", "ib-ddr", "ib-qdr", "ib-fdr", "ib-edr", "ib-hdr", "ib-ndr"],
    ):
        rates = [derived.stream_bandwidth(fabrics.get(name).link, 4 << 20) for name in family]
        assert rates == sorted(rates)
        assert len(set(rates)) == len(rates)
        assert [name for name in fabrics.names() if name in family] == family


def test_hdr_is_nowhere_slower_than_fdr():
    """Windows of messages and one-sided accesses are bound by the overheads, a ping-pong by their sum with the latency."""
    fdr, hdr = fabrics.get("ib-fdr").link, fabrics.get("ib-hdr").link
    assert hdr.latency_seconds <= fdr.latency_seconds
    for curve in ("send_overhead", "receive_overhead"):
        slower, faster = getattr(fdr, curve), getattr(hdr, curve)
        assert [size for size, _ in slower] == [size for size, _ in faster]
        assert all(less <= more for (_, less), (_, more) in zip(faster, slower, strict=True))
    both_ends = BenchSettings(sizes=[1, 256, 4096])
    for name in ("latency", "bandwidth", "bibandwidth", "multipair"):
        times = [
            [
                row.latency_seconds
                for row in predict(TESTS[name], both_ends, fabrics.get(each), block(2, 2)).rows
            ]
            for each in ("ib-fdr", "ib-hdr")
        ]
        assert all(hdr_time < fdr_time for fdr_time, hdr_time in zip(*times, strict=True)), name


@given(st.sampled_from(fabrics.names()), st.integers(1, RAILS_MAX))
def test_rails_multiply(name, rails):
    fabric = fabrics.get(f"{name}x{rails}")
    assert fabric.rails == rails
    assert fabric.name == (name if rails == 1 else f"{name}x{rails}")
    assert fabric.link == fabrics.get(name).link
    again = fabrics.get(fabric.name)
    assert again == fabric


@given(st.integers().filter(lambda k: not 1 <= k <= RAILS_MAX))
def test_rails_out_of_range_are_refused(rails):
    with pytest.raises(UsageError):
        fabrics.get(f"gbex{rails}")


@given(st.text(max_size=20) | st.text("/x.tomlgbe019\0\n", max_size=20))
def test_any_text_is_a_fabric_or_a_usage_error(text):
    try:
        fabric = fabrics.get(text)
    except UsageError as error:
        assert str(error)
    else:
        assert fabric.name in fabrics.names() or "x" in fabric.name


def test_an_unknown_name_gets_the_nearest_ones():
    with pytest.raises(UsageError, match=r"'ib-fdrr'; did you mean ib-fdr or "):
        fabrics.get("ib-fdrr")
    with pytest.raises(UsageError, match="gbe, "):
        fabrics.get("zzzzzz")


def test_rails_of_a_file_multiply_with_those_asked_for(tmp_path):
    file = tmp_path / "two.toml"
    file.write_text(
        'name = "two"\ntitle = "t"\nintranode = "shm"\nrails = 2\n'
        "[link]\nlatency_seconds = 1e-6\nbandwidth_bytes_per_second = 1e9\n"
    )
    assert fabrics.get(str(file)).rails == 2
    assert fabrics.get(f"{file}x3").rails == 6
    assert fabrics.get(str(file)).origin == str(file)
    assert fabrics.get(f"{file}x3").name == "twox6"


def test_two_fabrics_of_one_name_are_refused(tmp_path):
    """Results are by name: one would stand for both."""
    file = tmp_path / "mine.toml"
    file.write_text(
        'name = "gbe"\ntitle = "t"\nintranode = "shm"\n'
        "[link]\nlatency_seconds = 1e-6\nbandwidth_bytes_per_second = 1e9\n"
    )
    assert [each.title for each in fabrics.get_each([str(file), "gbex2"])] == [
        "t",
        fabrics.get("gbex2").title,
    ]
    with pytest.raises(UsageError, match=r"mine.toml: gbe is given twice; .* change the name in the file"):
        fabrics.get_each(["gbe", str(file)])
