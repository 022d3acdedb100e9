"""The verb's library: files in, a fabric file out that every verb takes, and sentences for what cannot be fitted."""

from pathlib import Path

import msgspec
import pytest
from replayed_results import predicted, slowed

from linkworth.calibrate.request import CalibrationRequest, fabric_name, rails_of
from linkworth.calibrate.run import calibrate, write
from linkworth.calibrate.sources import rounded
from linkworth.catalog import fabrics
from linkworth.catalog.fabric_file import fields_without_source
from linkworth.errors import UsageError
from linkworth.model.bench import BenchResult, BenchRow
from linkworth.report.plots import plot_calibration

FIXTURES = Path(__file__).parents[1] / "fixtures" / "bench"
SIZES = [1 << power for power in range(0, 23, 2)]


def put(path, *results):
    path.write_bytes(msgspec.json.encode({"results": results}))
    return path


def fitted(path, *results, **options):
    """Return the calibration from results, which are put into a file."""
    return calibrate(CalibrationRequest(files=[put(path, *results)], **options))


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("results")
    gbe = fabrics.get("gbe")
    two = msgspec.structs.replace(gbe, rails=2, rail_efficiency=0.9)
    return {
        "between": put(
            folder / "between.json",
            *(predicted(gbe, test, SIZES) for test in ("latency", "bandwidth", "bibandwidth")),
        ),
        "inside": put(folder / "inside.json", predicted(gbe, "latency", SIZES, inside_a_node=True)),
        "two": put(folder / "two.json", predicted(two, "bandwidth", SIZES)),
    }


@pytest.fixture(scope="module")
def calibration(files):
    return calibrate(
        CalibrationRequest(files=[files["between"], files["inside"]], rails=[(2, files["two"])], name="mine")
    )


def test_the_nearest_fabric_is_the_base(calibration):
    assert calibration.base == "gbe"
    assert calibration.median_residual < 0.01
    assert calibration.fabric.rail_efficiency == pytest.approx(0.9, abs=0.02)
    assert calibration.fabric.rails == 1


def test_a_slow_adapter_is_not_taken_for_tcp(tmp_path):
    efa = fabrics.get("efa")
    # With this latency and rate, TCP over 100 Gbit/s is nearer.
    slow = msgspec.structs.replace(
        efa, link=msgspec.structs.replace(efa.link, latency_seconds=1.55e-5, bandwidth_bytes_per_second=8e9)
    )
    tests = (predicted(slow, test, SIZES) for test in ("latency", "bandwidth", "bibandwidth"))
    assert fitted(tmp_path / "slow.json", *tests).base == "efa"


def published(test, figures):
    """Return a result between two nodes, of latencies in us or bandwidths in MB/s, for every fourth power of two."""
    sizes = [1 << power for power in range(0, 4 * len(figures), 4)]
    rows = [
        BenchRow(
            bytes=size,
            latency_seconds=figure * 1e-6 if test == "latency" else None,
            bandwidth_bytes_per_second=None if test == "latency" else figure * 1e6,
        )
        for size, figure in zip(sizes, figures, strict=True)
    ]
    return BenchResult(test=test, rows=rows, ranks=2, nodes=2, tool="OSU")


def test_tcp_whose_packets_wait_is_not_taken_for_an_adapter(tmp_path):
    # Open MPI over TCP on Alps (benchmarks/published/alps.toml).
    latencies = published("latency", [28.92, 29.48, 32.10, 81.04, 123.84, 497.84])
    bandwidths = published("bandwidth", [0.16, 2.59, 41.49, 356.13, 2170.64, 2919.18])
    found = fitted(tmp_path / "tcp.json", latencies, bandwidths)
    assert found.fabric.progress == "calls"
    assert found.worst_residual < 0.15


@pytest.mark.parametrize(
    ("test", "most", "missing"), [("latency", 1024, "bandwidth"), ("bandwidth", 1 << 22, "latency")]
)
def test_half_of_a_network_needs_a_base_that_the_user_names(tmp_path, test, most, missing):
    sizes = [size for size in SIZES if size <= most]
    file = put(tmp_path / "half.json", predicted(fabrics.get("gbe"), test, sizes))
    with pytest.raises(UsageError, match=f"half.json: no result shows the {missing}; .* `base`"):
        calibrate(CalibrationRequest(files=[file]))
    assert calibrate(CalibrationRequest(files=[file], base="gbe")).base == "gbe"


def test_the_written_file_is_the_fitted_fabric(tmp_path, calibration):
    path = tmp_path / "mine.toml"
    write(calibration.fabric, path)
    read = fabrics.get(str(path))
    assert msgspec.structs.replace(read, origin="calibration") == calibration.fabric
    assert fields_without_source(read) == []
    assert fabrics.get(f"{path}x4").rails == 4
    assert [entry.name for entry in tmp_path.iterdir()] == ["mine.toml"]


def test_each_number_says_where_it_is_from(calibration):
    by_field = {field: note for note in calibration.fabric.sources for field in note.fields}
    assert by_field["link.latency_seconds"].source.startswith("between.json (linkworth replay latency gbe, ")
    assert by_field["intranode.latency_seconds"].source.startswith("inside.json (")
    assert by_field["rail_efficiency"].source.startswith("two.json (")
    assert by_field["link.mtu_bytes"].note.startswith(
        "not measured, of the fabric gbe; packets cannot be told"
    )
    parameters = {parameter.field: parameter for parameter in calibration.parameters}
    assert parameters["link.latency_seconds"].measured and parameters["link.latency_seconds"].spread
    assert not parameters["link.gap_seconds"].measured
    assert parameters["link.gap_seconds"].source == "base: gbe"


def test_a_result_of_one_node_is_of_the_way_inside(calibration):
    inside = [point for point in calibration.points if point.inside_a_node]
    assert len(inside) == len(SIZES)
    assert max(abs(point.residual) for point in inside) < 0.02


def test_two_runs_that_differ_give_their_spread(tmp_path):
    latency = predicted(fabrics.get("gbe"), "latency", SIZES)
    slower = slowed(latency, *[1.1] * len(SIZES))
    one, other = put(tmp_path / "1.json", latency), put(tmp_path / "2.json", slower)
    spread = calibrate(CalibrationRequest(files=[one, other], base="gbe")).fabric.spread
    # Two values 10 % apart: 0.0707 of their mean is their standard deviation, by the root of two that of the mean.
    assert spread.latency == pytest.approx(0.048, rel=0.15)


def test_measured_files_of_other_tools_are_fitted_and_what_has_no_use_is_said():
    found = calibrate(CalibrationRequest(files=[FIXTURES / "osu-7.1-latency.txt"]))
    assert found.fabric.link.latency_seconds < 3.2e-6
    assert found.fabric.link.bandwidth_bytes_per_second > 1.6e10
    assert found.median_residual < 0.02
    assert found.points[0].source.startswith("osu-7.1-latency.txt (OSU 7.1 latency, ")
    found = calibrate(
        CalibrationRequest(files=[FIXTURES / "osu-7.1-latency.txt", FIXTURES / "osu-7.0-bcast-full.txt"])
    )
    assert len(found.notes) == 1
    assert found.notes[0].startswith("osu-7.0-bcast-full.txt (OSU 7.0 bcast, ")


@pytest.mark.parametrize(
    ("sizes", "seconds"),
    [([8, 2_000_000], [1, 1]), ([8, 65536, 65539], [1, 1.1, 0.9])],
    ids=["hpcc", "netpipe"],
)
def test_large_messages_of_one_size_give_a_bandwidth(tmp_path, sizes, seconds):
    """HPCC measures one large size; the neighbours of NetPIPE's last size differ by noise only."""
    slow = msgspec.structs.replace(
        fabrics.get("gbe"),
        link=msgspec.structs.replace(fabrics.get("gbe").link, bandwidth_bytes_per_second=5e7),
    )
    found = fitted(tmp_path / "one.json", slowed(predicted(slow, "latency", sizes), *seconds), base="gbe")
    assert found.fabric.link.bandwidth_bytes_per_second == pytest.approx(5e7, rel=0.15)


def test_a_ping_pong_of_both_directions_is_not_taken_for_one_of_turns(tmp_path):
    gbe = fabrics.get("gbe")
    latency = predicted(gbe, "latency", SIZES)
    slow = predicted(msgspec.structs.replace(gbe, link=fabrics.get("ib-hdr").link), "latency", SIZES)
    slow = msgspec.structs.replace(slow, test="pingpong", facts={"bidirectional": "yes"})
    stream = msgspec.structs.replace(predicted(gbe, "bandwidth", SIZES), facts={"window": "16"})
    found = fitted(tmp_path / "all.json", latency, slow, stream, base="gbe")
    assert found.fabric.link.latency_seconds == pytest.approx(gbe.link.latency_seconds, rel=0.05)
    assert ["a fit has no use" in found.notes[0], "a window of 16 messages" in found.notes[1]] == [True, True]


def test_a_fitted_file_can_be_read_again_whatever_the_results(tmp_path):
    edr = fabrics.get("ib-edr")
    rest = msgspec.structs.replace(edr.link, added_latency=[(0, 0.0), (8, 1e-23)])
    assert rounded(msgspec.structs.replace(edr, link=rest)).link.added_latency == [(0, 0.0), (8, 0.0)]
    contradicting = [predicted(edr, "latency", SIZES)]
    for test, factor in (("bandwidth", 1e3), ("bibandwidth", 1e-4)):
        found = predicted(edr, test, SIZES)
        rates = [(row, row.bandwidth_bytes_per_second * factor) for row in found.rows]
        rows = [msgspec.structs.replace(row, bandwidth_bytes_per_second=rate) for row, rate in rates]
        contradicting.append(msgspec.structs.replace(found, rows=rows))
    write(fitted(tmp_path / "odd.json", *contradicting, base="ib-edr").fabric, tmp_path / "odd.toml")
    assert fabrics.get(str(tmp_path / "odd.toml")).duplex_bytes_per_second > 1e5


def test_results_without_anything_to_fit_are_refused(files):
    with pytest.raises(UsageError, match=r"no test that a fabric can be fitted to \(there: bcast\)"):
        calibrate(CalibrationRequest(files=[FIXTURES / "osu-7.0-bcast-full.txt"]))
    with pytest.raises(UsageError, match=r"all results are of ranks on one node"):
        calibrate(CalibrationRequest(files=[files["inside"]]))
    with pytest.raises(UsageError, match=r"`intranode` .*between.json: its results come from 2 nodes"):
        calibrate(CalibrationRequest(files=[files["between"]], intranode=[files["between"]]))
    with pytest.raises(UsageError, match=r"no fabric gbee|gbee"):
        calibrate(CalibrationRequest(files=[files["between"]], base="gbee"))


@pytest.mark.parametrize("text", ["two.json", "1=two.json", "65=two.json", "x=two.json", "2="])
def test_a_rails_option_that_is_none_is_refused(text):
    with pytest.raises(UsageError, match=r"`rails` .*: give the number of NICs, 2 to 64"):
        rails_of([text])


def test_names():
    assert fabric_name(None, Path("My Cluster.toml"), Path("a.txt")) == "my-cluster"
    assert fabric_name(None, None, Path("__.txt")) == "measured"
    with pytest.raises(UsageError, match=r"`name` Mine"):
        fabric_name("Mine", None, Path("a.txt"))


def test_where_it_cannot_be_written_is_said(tmp_path, calibration):
    with pytest.raises(UsageError, match=r"must end in .toml"):
        write(calibration.fabric, tmp_path / "mine.txt")
    with pytest.raises(UsageError, match=r"cannot write"):
        write(calibration.fabric, tmp_path / "none" / "mine.toml")


def test_the_plot_shows_points_and_fit(tmp_path, calibration):
    path = tmp_path / "fit.svg"
    plot_calibration(calibration, path)
    drawn = path.read_text(encoding="utf-8")
    assert drawn.startswith("<svg") and "xmlns" in drawn[:200]
    for name in ("one after the other", "a stream", "both ways", "inside a node", "message size", "16.4 kB"):
        assert name in drawn
    with pytest.raises(UsageError, match=r"ends in .svg or .png"):
        plot_calibration(calibration, tmp_path / "fit.pdf")


def test_a_written_fabric_keeps_how_its_messages_go_on(tmp_path):
    tcp = msgspec.structs.replace(
        fabrics.get("gbe").tcp, one_stream_below_bytes=1 << 40, send_buffer_bytes=65536
    )
    ethernet = msgspec.structs.replace(fabrics.get("gbe"), tcp=tcp)
    write(ethernet, tmp_path / "again.toml")
    again = fabrics.get(str(tmp_path / "again.toml"))
    assert (again.progress, again.tcp) == ("calls", tcp)


def test_links_of_two_networks_given_as_one_are_named(tmp_path):
    one, other = (
        put(tmp_path / f"{name}.json", predicted(fabrics.get(name), "latency", SIZES))
        for name in ("ib-fdr", "ib-hdr")
    )
    notes = calibrate(CalibrationRequest(files=[one, one], base="ib-fdr")).notes
    assert notes == []
    ten = put(tmp_path / "ten.json", predicted(fabrics.get("10gbe"), "latency", SIZES))
    (note,) = calibrate(CalibrationRequest(files=[one, other, ten], base="ib-fdr")).notes
    assert "results of latency tests differ by a factor of" in note
    assert "ten.json" in note and "ib-hdr.json" in note


def test_the_warnings_of_results_are_those_of_the_fit(tmp_path):
    latency = predicted(fabrics.get("gbe"), "latency", SIZES)
    crowded = msgspec.structs.replace(latency, warnings=["2 ranks share 1 cores"])
    (note,) = fitted(tmp_path / "crowded.json", crowded).notes
    assert note.startswith("crowded.json") and note.endswith(": 2 ranks share 1 cores")
    text = (FIXTURES / "osu-7.5-latency-validation.txt").read_text().replace("Pass", "Fail", 1)
    (tmp_path / "osu.txt").write_text(text)
    notes = calibrate(CalibrationRequest(files=[tmp_path / "osu.txt"], base="ib-hdr")).notes
    assert any("the benchmark found wrong data at 1 bytes" in note for note in notes)


def test_a_disturbed_size_is_named(tmp_path):
    latency = predicted(fabrics.get("gbe"), "latency", SIZES)
    disturbed = slowed(latency, *(5 if size == 4096 else 1 for size in SIZES))
    (note,) = fitted(tmp_path / "disturbed.json", disturbed, base="gbe").notes
    assert note.startswith("disturbed.json") and "messages of 4096 bytes take 1.8 times" in note


def test_a_latency_of_long_messages_is_doubted(tmp_path):
    long = predicted(fabrics.get("ib-hdr"), "latency", [1 << power for power in range(18, 23)])
    (note,) = fitted(tmp_path / "long.json", long).notes
    assert note.startswith("the shortest ping-pong has 262144 bytes")


def test_a_copied_stream_is_not_taken_for_a_disturbed_one(tmp_path):
    adapter = fabrics.get("ib-hdr")
    tests = (predicted(adapter, test, [1 << n for n in range(23)]) for test in ("latency", "bandwidth"))
    assert fitted(tmp_path / "good.json", *tests).notes == []


def test_a_bandwidth_that_one_pairs_cpus_bound_is_doubted(tmp_path):
    fast = fabrics.get("100gbe")
    tests = [predicted(fast, test, SIZES) for test in ("latency", "bandwidth")]
    (note,) = fitted(tmp_path / "one.json", *tests).notes
    assert "is what one pair of ranks reached" in note and "measure `multipair` too" in note
    several = predicted(fast, "multipair", SIZES, pairs=4)
    assert fitted(tmp_path / "all.json", *tests, several).notes == []
    wrong = msgspec.structs.replace(
        several, rows=[msgspec.structs.replace(several.rows[0], label="1000000000 pairs")]
    )
    with pytest.raises(UsageError, match=r"wrong.json: '1000000000 pairs' is no test"):
        fitted(tmp_path / "wrong.json", *tests, wrong)


def test_a_base_without_any_cost_can_be_named(tmp_path):
    short = put(tmp_path / "short.json", predicted(fabrics.get("gbe"), "bibandwidth", [8, 512]))
    found = calibrate(CalibrationRequest(files=[short], rails=[(2, short)], base="ideal"))
    assert not any("one pair of ranks" in note for note in found.notes)


def test_means_over_pairs_inside_and_between_nodes_are_doubted(tmp_path):
    text = (FIXTURES / "hpcc-1.5.0-hpccoutf.txt").read_text()
    path = tmp_path / "hpccoutf.txt"
    path.write_text(text.replace("CommWorldProcs=2", "CommWorldProcs=4"))
    notes = calibrate(CalibrationRequest(files=[path])).notes
    assert any("means over all pairs of 4 ranks" in note for note in notes)


def test_streams_of_other_sizes_than_the_ping_pongs_do_not_make_an_adapter_tcp(tmp_path):
    adapter = fabrics.get("ib-fdr")
    alternating = [0, 4, 256, 1024, 2048, 8192, 16384, 65536, 131072, 262144, 2097152]
    streams = [1, 2, 16, 128, 512, 4096, 16384, 32768, 65536, 524288, 4194304]
    tests = (predicted(adapter, "latency", alternating), predicted(adapter, "bandwidth", streams))
    assert fitted(tmp_path / "a.json", *tests).base == "ib-fdr"


def test_rails_inside_a_node_are_refused(files):
    with pytest.raises(UsageError, match=r"`rails` .*inside.json: its results come from one node"):
        calibrate(CalibrationRequest(files=[files["between"]], rails=[(2, files["inside"])]))


def test_results_of_either_kind_of_network_are_doubted(tmp_path):
    # osu_latency over EFA in us (aws-samples, "Run network latency tests" with MPIJobs, 2022).
    latencies = published("latency", [20.35, 20.76, 20.93, 25.09, 46.27, 440.64])
    notes = fitted(tmp_path / "efa.json", latencies).notes
    assert any("may be of TCP (25gbe), which is assumed" in note and "(efa)" in note for note in notes)
    notes = fitted(tmp_path / "efa.json", latencies, base="efa").notes
    assert not any("may be of" in note for note in notes)
