"""Refitting a fabric from results that the replay made of it returns its parameters."""

import math
import statistics

import msgspec
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from replayed_results import predicted

from linkworth.calibrate import measured
from linkworth.calibrate.measured import Origin
from linkworth.calibrate.path import fit_path
from linkworth.calibrate.rails import fit_rails
from linkworth.calibrate.replayed import message_seconds
from linkworth.catalog import fabrics
from linkworth.catalog.derived import overhead_at
from linkworth.model.fabric import Path

SIZES = [1 << power for power in range(23)]
EVERY_OTHER = SIZES[::2]
ORIGIN = Origin(predicted(fabrics.get("gbe"), "latency", []), "table.json")


def points(fabric, *, inside=False, pairs=0, sizes=EVERY_OTHER):
    results = [predicted(fabric, test, sizes, inside_a_node=inside) for test in ("latency", "bandwidth")]
    if pairs:
        results.append(predicted(fabric, "multipair", [1, 8], pairs=pairs, inside_a_node=inside))
    found, remarks = measured.points(Origin(result, "replay.json") for result in results)
    assert not any("no use" in remark for remark in remarks)
    return found


def wrong_base(fabric):
    """The same packets, and every fitted number another."""
    link = Path(
        latency_seconds=fabric.link.latency_seconds * 3,
        bandwidth_bytes_per_second=fabric.link.bandwidth_bytes_per_second / 5,
        gap_seconds=0.0,
        send_overhead=[(0, 7e-6)],
        receive_overhead=[(0, 9e-6)],
        eager_limit_bytes=2048,
        mtu_bytes=fabric.link.mtu_bytes,
        header_bytes=fabric.link.header_bytes,
        header_in_mtu_bytes=fabric.link.header_in_mtu_bytes,
    )
    return msgspec.structs.replace(fabric, link=link)


def misses(fabric, fitted, found):
    refitted = msgspec.structs.replace(fabric, link=fitted.path)
    return [
        abs(message_seconds(refitted, point.kind, point.bytes, pairs=point.pairs) / point.seconds - 1)
        for point in found
    ]


def worst_miss(fabric, fitted, found):
    return max(misses(fabric, fitted, found))


@pytest.mark.parametrize("name", ["gbe", "ib-fdr", "opa100", "slingshot"])
def test_a_catalog_fabric_comes_back(name):
    fabric = fabrics.get(name)
    found = points(fabric, pairs=4, sizes=SIZES)
    fitted = fit_path(found, wrong_base(fabric))
    link, again = fabric.link, fitted.path
    assert again.latency_seconds == pytest.approx(link.latency_seconds, rel=0.02)
    assert again.bandwidth_bytes_per_second == pytest.approx(link.bandwidth_bytes_per_second, rel=0.01)
    assert again.gap_seconds == 0.0
    # The largest size tested that is sent at once: the limit itself where it is one of them.
    tested = max(size for size in SIZES if size <= link.eager_limit_bytes)
    assert again.eager_limit_bytes == tested
    for size in (1, 64, 1024, 4096):
        both = overhead_at(link.send_overhead, size) + overhead_at(link.receive_overhead, size)
        fitted_both = overhead_at(again.send_overhead, size) + overhead_at(again.receive_overhead, size)
        assert fitted_both == pytest.approx(both, rel=0.03)
    assert worst_miss(fabric, fitted, found) < 0.02


def test_a_limit_between_two_sizes_is_the_bases_where_that_lies_there():
    fabric = fabrics.get("ib-fdr")
    fitted = fit_path(points(fabric), fabric)
    assert fitted.path.eager_limit_bytes == fabric.link.eager_limit_bytes == 12288
    assert "in it the base's limit" in fitted.reasons["eager_limit_bytes"].note


@pytest.mark.parametrize(("name", "limit"), [("gbe", 1.5e8), ("gbe", math.inf), ("ib-fdr", 1.0e10)])
def test_the_limit_of_both_directions_comes_back(name, limit):
    base = fabrics.get(name)
    if base.progress == "calls":
        tcp = msgspec.structs.replace(base.tcp, pair_bytes_per_second=limit)
        fabric = msgspec.structs.replace(base, tcp=tcp)
    else:
        fabric = msgspec.structs.replace(base, duplex_bytes_per_second=limit)
    sizes = [1, 65536, 262144, 1 << 20, 1 << 22]
    results = [predicted(fabric, test, sizes) for test in ("latency", "bandwidth", "bibandwidth")]
    found, _ = measured.points(Origin(result, "replay.json") for result in results)
    fitted = fit_path(found, wrong_base(fabric if limit < math.inf else base)).between_nodes(base)
    kept = (fabric.duplex_bytes_per_second, fabric.tcp.pair_bytes_per_second)
    assert (fitted.duplex_bytes_per_second, fitted.tcp.pair_bytes_per_second) == pytest.approx(kept, rel=0.02)


@pytest.mark.parametrize("base_bandwidth", [1e9, 1e10])
def test_shared_memory_comes_back(base_bandwidth):
    fabric = fabrics.get("shm-copies")
    base = msgspec.structs.replace(
        fabric,
        intranode=Path(
            latency_seconds=2e-6, bandwidth_bytes_per_second=base_bandwidth, send_overhead=[(0, 1e-6)]
        ),
    )
    path = fit_path(points(fabric, inside=True), base, inside_a_node=True).path
    inside = fabric.intranode
    assert path.latency_seconds == pytest.approx(inside.latency_seconds, rel=0.02)
    assert path.bandwidth_bytes_per_second == pytest.approx(inside.bandwidth_bytes_per_second, rel=0.02)
    assert path.eager_limit_bytes == inside.eager_limit_bytes
    assert overhead_at(path.send_overhead, 1) == pytest.approx(1e-7, rel=0.05)


@settings(max_examples=2, deadline=None, derandomize=True, phases=(Phase.explicit, Phase.generate))
@given(
    latency=st.floats(5e-7, 5e-5),
    wires=st.floats(50, 1000),
    overhead=st.floats(0.1, 1.0),
    copies=st.floats(0.0, 0.5),
    eager_power=st.integers(11, 16),
    packets=st.sampled_from([(0, 0, 0), (1500, 90, 52), (4096, 30, 0)]),
)
def test_any_sane_link_comes_back(latency, wires, overhead, copies, eager_power, packets):
    """Overheads that the message rate shows: above a short packet's time on the wire, below the latency."""
    overhead *= latency
    bandwidth = wires * 100 / overhead
    limit = 1 << eager_power
    sides = [(0, overhead), (limit, overhead + copies * limit / bandwidth), (limit + 1, overhead)]
    mtu, header, in_mtu = packets
    link = Path(
        latency_seconds=latency,
        bandwidth_bytes_per_second=bandwidth,
        send_overhead=sides,
        receive_overhead=sides,
        eager_limit_bytes=limit,
        mtu_bytes=mtu,
        header_bytes=header,
        header_in_mtu_bytes=in_mtu,
    )
    fabric = msgspec.structs.replace(fabrics.get("ib-fdr"), link=link)
    found = points(fabric)
    fitted = fit_path(found, wrong_base(fabric))
    assert fitted.path.latency_seconds == pytest.approx(latency, rel=0.05)
    assert fitted.path.bandwidth_bytes_per_second == pytest.approx(bandwidth, rel=0.05)
    in_turn = [point for point in found if point.kind == measured.IN_TURN]
    assert worst_miss(fabric, fitted, in_turn) < 0.03
    assert statistics.median(misses(fabric, fitted, found)) < 0.01


def test_the_message_rate_of_several_pairs_gives_the_gap():
    link = msgspec.structs.replace(fabrics.get("ib-fdr").link, gap_seconds=1.2e-7)
    fabric = msgspec.structs.replace(fabrics.get("ib-fdr"), link=link)
    fitted = fit_path(points(fabric, pairs=8), wrong_base(fabric))
    assert fitted.path.gap_seconds == pytest.approx(1.2e-7, rel=0.03)
    assert fitted.reasons["gap_seconds"].measured


def test_an_adapters_latency_headers_and_both_directions_come_back():
    base = fabrics.get("roce100")
    sides = [(0, 1.5e-7), (256, 2.5e-7), (8192, 4e-7), (8193, 1.5e-7)]
    link = msgspec.structs.replace(
        base.link,
        bandwidth_bytes_per_second=3.1e9,
        send_overhead=sides,
        receive_overhead=sides,
        eager_limit_bytes=8192,
        added_latency=[(0, 0.0), (128, 1e-7), (256, 6e-7), (4096, 1.5e-6), (16384, 3e-6)],
    )
    fabric = msgspec.structs.replace(base, link=link, duplex_bytes_per_second=5.2e9)
    results = [predicted(fabric, test, SIZES[::2]) for test in ("latency", "bandwidth", "bibandwidth")]
    results.append(predicted(fabric, "multipair", [1, 64, 256], pairs=16))
    found, _ = measured.points(Origin(result, "replay.json") for result in results)
    start = wrong_base(fabric)
    start = msgspec.structs.replace(start, link=msgspec.structs.replace(start.link, header_bytes=30))
    fitted = fit_path(found, start)
    again = msgspec.structs.replace(fabric, duplex_bytes_per_second=fitted.duplex_bytes_per_second)
    assert fitted.path.header_bytes == pytest.approx(82, abs=10)
    assert fitted.duplex_bytes_per_second == pytest.approx(5.2e9, rel=0.03)
    assert overhead_at(fitted.path.added_latency, 4096) == pytest.approx(1.5e-6, rel=0.1)
    assert worst_miss(again, fitted, found) < 0.1
    assert statistics.median(misses(again, fitted, found)) < 0.01


def test_messages_both_ways_inside_a_node_show_that_both_ranks_copy():
    fabric = msgspec.structs.replace(fabrics.get("ib-edr"), intranode=fabrics.get("shm-copies").link)
    for limit in (5.2e9, math.inf):
        known = msgspec.structs.replace(fabric, intranode_duplex_bytes_per_second=limit)
        results = [
            predicted(known, test, SIZES, inside_a_node=True)
            for test in ("latency", "bandwidth", "bibandwidth")
        ]
        found, _ = measured.points(Origin(result, "replay.json") for result in results)
        fitted = fit_path(found, fabrics.get("ib-edr"), inside_a_node=True)
        assert fitted.duplex_bytes_per_second == pytest.approx(limit, rel=0.03)
        assert fitted.path.bandwidth_bytes_per_second == pytest.approx(4.9e9, rel=0.03)


def test_several_pairs_show_the_limits_of_memory_and_wire():
    fabric = msgspec.structs.replace(fabrics.get("ib-edr"), intranode_total_bytes_per_second=2.5e10)
    results = [predicted(fabric, test, SIZES[::3], inside_a_node=True) for test in ("latency", "bandwidth")]
    results.append(predicted(fabric, "multipair", [1 << 18, 1 << 20], pairs=8, inside_a_node=True))
    found, _ = measured.points(Origin(result, "replay.json") for result in results)
    fitted = fit_path(found, fabrics.get("ib-edr"), inside_a_node=True)
    assert fitted.total_bytes_per_second == pytest.approx(2.5e10, rel=0.05)
    fabric = fabrics.get("100gbe")
    results = [predicted(fabric, test, SIZES) for test in ("latency", "bandwidth")]
    results.append(predicted(fabric, "multipair", [1 << 20, 4 << 20], pairs=8))
    found, _ = measured.points(Origin(result, "replay.json") for result in results)
    fitted = fit_path(found, wrong_base(fabric))
    assert fitted.path.bandwidth_bytes_per_second == pytest.approx(1.25e10, rel=0.03)


@pytest.mark.parametrize(("efficiency", "least", "rest"), [(0.7, 16384, 0), (1.0, 16384, 131072)])
def test_rails_come_back(efficiency, least, rest):
    fabric = msgspec.structs.replace(
        fabrics.get("ib-fdr"), rail_efficiency=efficiency, stripe_min_bytes=least, stripe_rest_bytes=rest
    )
    sizes = [1, 1024, *SIZES[13:]]
    by_rails = {rails: points(msgspec.structs.replace(fabric, rails=rails), sizes=sizes) for rails in (2, 4)}
    base = msgspec.structs.replace(
        fabric, rail_efficiency=0.5, stripe_min_bytes=1 << 20, stripe_rest_bytes=8192
    )
    fitted = fit_rails(base, by_rails, points(fabric, sizes=sizes))
    assert fitted.fabric.rail_efficiency == pytest.approx(efficiency, abs=0.02)
    if rest:
        assert fitted.fabric.stripe_rest_bytes == rest
    if rest < least:
        assert fitted.fabric.stripe_min_bytes == least
    for rails, found in by_rails.items():
        again = msgspec.structs.replace(fitted.fabric, rails=rails)
        for point in found:
            seconds = message_seconds(again, point.kind, point.bytes)
            assert seconds == pytest.approx(point.seconds, rel=0.03)
    assert fitted.reasons["rail_efficiency"].measured


def test_what_the_replay_misses_on_one_rail_is_no_fault_of_several():
    """Windows both ways that carry one way's bytes, on one NIC and on two, leave the efficiency alone."""
    fabric = msgspec.structs.replace(fabrics.get("gbe"), rail_efficiency=0.9)

    def half_duplex(rails):
        on = msgspec.structs.replace(fabric, rails=rails)
        both, _ = measured.points([Origin(predicted(on, "bibandwidth", SIZES[16:]), "replay.json")])
        return [
            *points(on, sizes=[1, 1024, *SIZES[13:]]),
            *(point._replace(seconds=2 * point.seconds) for point in both),
        ]

    several = {2: half_duplex(2)}
    base = msgspec.structs.replace(fabric, rail_efficiency=0.5)
    fitted = fit_rails(base, several, half_duplex(1))
    assert fitted.fabric.rail_efficiency == pytest.approx(0.9, abs=0.01)
    assert fitted.fabric.stripe_min_bytes == fabric.stripe_min_bytes


def test_without_a_message_rate_the_sum_of_latency_and_overheads_comes_back():
    fabric = fabrics.get("gbe")
    found = [point for point in points(fabric) if point.kind == measured.IN_TURN]
    fitted = fit_path(found, wrong_base(fabric))
    for point in found:
        refitted = msgspec.structs.replace(fabric, link=fitted.path)
        assert message_seconds(refitted, "latency", point.bytes) == pytest.approx(point.seconds, rel=0.02)
    assert "only a test of the message rate" in fitted.reasons["latency_seconds"].note
    assert not fitted.reasons["gap_seconds"].measured


def test_noise_is_not_taken_for_a_protocol():
    """Two percent of noise on a link without a rendezvous: the base's limit stays, and is said not to be measured."""
    link = msgspec.structs.replace(
        fabrics.get("gbe").link,
        eager_limit_bytes=1 << 30,
        send_overhead=[(0, 4e-6)],
        receive_overhead=[(0, 4e-6)],
    )
    fabric = msgspec.structs.replace(fabrics.get("gbe"), link=link)
    noisy = [
        point._replace(seconds=point.seconds * (1 + 0.02 * (-1) ** index), noise=0.02)
        for index, point in enumerate(points(fabric))
    ]
    fitted = fit_path(noisy, fabric)
    assert not fitted.reasons["eager_limit_bytes"].measured
    assert fitted.path.latency_seconds == pytest.approx(link.latency_seconds, rel=0.15)


@pytest.mark.parametrize(("bucket", "bandwidth"), [(9000, 1.25e8), (3000, 1.25e7)])
def test_the_bucket_of_a_shaped_link_comes_back(bucket, bandwidth):
    link = Path(
        latency_seconds=1e-6,
        bandwidth_bytes_per_second=bandwidth,
        send_overhead=[(0, 2e-6)],
        receive_overhead=[(0, 2e-6)],
        eager_limit_bytes=65536,
        burst_bytes=bucket,
    )
    fabric = msgspec.structs.replace(fabrics.get("gbe"), link=link)
    found = points(fabric)
    fitted = fit_path(found, wrong_base(fabric))
    assert fitted.path.burst_bytes == pytest.approx(bucket, rel=0.1)
    assert fitted.path.bandwidth_bytes_per_second == pytest.approx(bandwidth, rel=0.02)
    assert statistics.median(misses(fabric, fitted, found)) < 0.02


@pytest.mark.parametrize("tests", [("latency", "bandwidth"), ("latency", "bandwidth", "bibandwidth")])
def test_latency_beyond_what_streams_show_comes_back_from_a_shaped_link(tests):
    link = Path(
        latency_seconds=1e-6,
        bandwidth_bytes_per_second=1.25e8,
        send_overhead=[(0, 2e-6)],
        receive_overhead=[(0, 5e-6)],
        eager_limit_bytes=65536,
        burst_bytes=9000,
        added_latency=[(0, 0.0), (4, 0.0), (16, 8e-6)],
    )
    fabric = msgspec.structs.replace(fabrics.get("gbe"), link=link)
    found = results_of(fabric, *tests)
    assert worst_miss(fabric, fit_path(found, wrong_base(fabric)), found) < 0.12


def test_costs_that_rise_behind_the_eager_limit_come_back():
    fabric = fabrics.get("gbe")
    rising = [(0, 4e-6), (65536, 20e-6), (65537, 20e-6), (1 << 22, 4e-3)]
    link = msgspec.structs.replace(
        fabric.link, send_overhead=rising, receive_overhead=rising, eager_limit_bytes=65536
    )
    fabric = msgspec.structs.replace(fabric, link=link)
    found = points(fabric, sizes=SIZES)
    behind = [point for point in found if point.kind == "latency" and point.bytes > 65536]
    assert worst_miss(fabric, fit_path(found, wrong_base(fabric)), behind) < 0.02


def results_of(fabric, *tests, inside=False):
    found, _ = measured.points(
        Origin(predicted(fabric, test, SIZES, inside_a_node=inside), "replay.json") for test in tests
    )
    return found


def test_what_no_cpu_of_a_tcp_stream_can_take_is_latency():
    base = fabrics.get("25gbe")
    link = msgspec.structs.replace(
        base.link,
        latency_seconds=14e-6,
        send_overhead=[(0, 4e-6)],
        receive_overhead=[(0, 4e-6)],
        added_latency=[(0, 0.0), (1024, 0.0), (2048, 20e-6), (65536, 40e-6)],  # of interrupts
    )
    fabric = msgspec.structs.replace(base, link=link)
    found = results_of(fabric, "latency", "bandwidth")
    assert worst_miss(fabric, fit_path(found, fabrics.get("40gbe")), found) < 0.05


def test_streams_alone_show_the_path_inside_a_node():
    base = fabrics.get("slingshot")
    sides = [(0, 1e-6), (8192, 1.2e-6), (16384, 2.2e-6)]
    path = msgspec.structs.replace(
        base.intranode, bandwidth_bytes_per_second=2.4e10, send_overhead=sides, receive_overhead=sides
    )
    found = results_of(msgspec.structs.replace(base, intranode=path), "bandwidth", inside=True)
    refitted = msgspec.structs.replace(base, intranode=fit_path(found, base, inside_a_node=True).path)
    for point in found:
        again = message_seconds(refitted, point.kind, point.bytes, inside_a_node=True)
        assert again == pytest.approx(point.seconds, rel=0.05)


def test_ping_pongs_show_one_direction_where_streams_are_of_both():
    base = fabrics.get("10gbe")
    bandwidth = base.link.bandwidth_bytes_per_second
    fabric = msgspec.structs.replace(
        base, tcp=msgspec.structs.replace(base.tcp, pair_bytes_per_second=bandwidth)
    )
    found = results_of(fabric, "latency", "bibandwidth")
    fitted = fit_path(found, fabrics.get("25gbe"))
    assert fitted.path.bandwidth_bytes_per_second == pytest.approx(bandwidth, rel=0.02)
    assert fitted.pair_bytes_per_second == pytest.approx(bandwidth, rel=0.02)
    assert worst_miss(fabric, fitted, found) < 0.05


def test_one_pair_of_several_shows_the_eager_limit_as_a_stream_does():
    # Kunpeng 920 with InfiniBand, latencies in us and bandwidths in MB/s (benchmarks/published/sjtu.toml).
    latencies = [
        1.24,
        1.29,
        1.47,
        1.95,
        2.23,
        2.77,
        3.61,
        4.86,
        7.20,
        9.93,
        15.40,
        26.64,
        49.34,
        27.79,
        49.03,
        91.58,
    ]
    rates = [
        17.55,
        129.61,
        499.14,
        811.93,
        1529.29,
        2068.14,
        2700.72,
        3399.47,
        3878.01,
        11338.92,
        11810.79,
        12074.32,
    ]
    rates += [12190.81, 12266.13, 12305.57, 12324.26]
    sizes = [4, 32, *(1 << power for power in range(7, 21))]
    in_turn = [
        point_of("latency", size, seconds * 1e-6) for size, seconds in zip(sizes, latencies, strict=True)
    ]
    stream = [point_of("bandwidth", size, size / rate / 1e6) for size, rate in zip(sizes, rates, strict=True)]
    pair = [point._replace(kind="multipair") for point in stream]
    fits = [fit_path([*in_turn, *found], fabrics.get("opa100")) for found in (stream, pair)]
    assert fits[0].path == fits[1].path
    assert worst_miss(fabrics.get("opa100"), fits[0], [*in_turn, *stream]) < 0.1


def point_of(kind, size, seconds):
    return measured.point((kind, size, 1), [(seconds, measured.LEAST_NOISE, ORIGIN)])


def test_messages_both_ways_show_both_sides_over_tcp():
    base = fabrics.get("100gbe")
    sides = {"send_overhead": [(0, 0.3e-6)], "receive_overhead": [(0, 3e-6)]}
    fabric = msgspec.structs.replace(base, link=msgspec.structs.replace(base.link, **sides))
    found = results_of(fabric, "latency", "bandwidth", "bibandwidth")
    fitted = fit_path(found, fabrics.get("40gbe"))
    short = [point for point in found if point.bytes <= 1024]
    assert worst_miss(fabric, fitted, short) < 0.05
