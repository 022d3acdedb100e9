"""Output of other network benchmarks: captured and published files, cut files, and other programs' lines between the rows."""

from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from linkworth.errors import UsageError
from linkworth.measure.parsers import bench, imb, netpipe, osu, ucx_perftest
from linkworth.model.bench import BenchResult, BenchRow

FIXTURES = Path(__file__).parents[2] / "fixtures" / "bench"

JUNK = st.lists(
    st.sampled_from(
        [
            "", "Warning: Permanently added 'node2' (ED25519) to the list of known hosts.",
            "[node1:01234] 1 more process has sent help message help-mpi-btl-base.txt / btl:no-nics", "8 16",
            "# a comment", "nan nan nan",
        ]
    ),
    max_size=3,
)  # fmt: skip


def only(name):
    (result,) = bench.read(FIXTURES / name)
    return result


def rows_by_size(result):
    return {row.bytes: row for row in result.rows}


def test_osu_latency_also_with_validation_and_a_loaders_warnings():
    result = only("osu-7.1-latency.txt")
    rows = rows_by_size(result)
    assert (result.test, result.tool, result.ranks, len(rows)) == ("latency", "OSU 7.1", 2, 22)
    assert rows[1].latency_seconds == pytest.approx(3.16e-6)
    assert rows[2097152].latency_seconds == pytest.approx(125.95e-6)
    assert result.facts == {"datatype": "MPI_CHAR"}
    result = only("osu-7.5-latency-validation.txt")
    assert len(result.rows) == 12
    assert result.rows[-1].latency_seconds == pytest.approx(4.57e-6)
    assert not result.warnings
    failed = osu.parse((FIXTURES / "osu-7.5-latency-validation.txt").read_text().replace("Pass", "Fail", 1))
    assert failed[0].warnings == ["the benchmark found wrong data at 1 bytes"]


def test_osu_messages_from_the_memory_of_gpus_are_named():
    text = (FIXTURES / "osu-7.1-latency.txt").read_text()
    (result,) = osu.parse(text.replace("# OSU MPI Latency", "# OSU MPI-CUDA Latency"))
    assert result.test == "latency"
    assert "memory of GPUs (CUDA)" in result.warnings[0]


def test_a_byte_order_mark_is_left_out(tmp_path):
    plain, marked = FIXTURES / "osu-7.1-latency.txt", tmp_path / "marked.txt"
    marked.write_text("\ufeff" + plain.read_text())
    assert bench.read(marked)[0].rows == bench.read(plain)[0].rows


@pytest.mark.parametrize("tag", ["[1,0]<stdout>:", "[prterun-n1-7@1,0]<stdout>: ", " 0: ", "[0] "])
def test_a_launchers_tags_before_each_line_are_left_out(tmp_path, tag):
    plain = FIXTURES / "osu-7.1-latency.txt"
    tagged = tmp_path / "tagged.txt"
    lines = plain.read_text().splitlines()
    tagged.write_text("\r\n".join(f"{tag}{line}" for line in lines))
    assert bench.read(tagged)[0].rows == bench.read(plain)[0].rows


def test_osu_full_output_of_a_collective_gives_the_slowest_ranks_time():
    result = only("osu-7.0-bcast-full.txt")
    first = result.rows[0]
    assert (result.test, result.ranks) == ("bcast", 0)
    assert first.latency_seconds == pytest.approx(126.27e-6)
    assert first.mean == pytest.approx(86.56e-6)
    assert first.minimum == pytest.approx(21.32e-6)
    assert first.samples == 1000


def test_several_osu_benchmarks_in_one_file():
    pairs, bcast, alltoall = bench.read(FIXTURES / "osu-5.6.3-several.txt")
    assert [pairs.test, bcast.test, alltoall.test] == ["multipair", "bcast", "ialltoall"]
    assert (pairs.ranks, pairs.rows[0].label, pairs.facts["window"]) == (2, "1", "64")
    assert rows_by_size(pairs)[65536].bandwidth_bytes_per_second == pytest.approx(9338.38e6)
    assert rows_by_size(alltoall)[1024].latency_seconds == pytest.approx(18.75e-6)


def test_osu_tail_columns_barrier_and_one_sided():
    bandwidth, both, barrier, put = bench.read(FIXTURES / "osu-7.4-by-hand.txt")
    assert [bandwidth.test, both.test, barrier.test, put.test] == [
        "bandwidth",
        "bibandwidth",
        "barrier",
        "mpi_put",
    ]
    assert bandwidth.rows[1].bandwidth_bytes_per_second == pytest.approx(8123.45e6)
    assert (barrier.rows[0].bytes, barrier.rows[0].latency_seconds) == (0, pytest.approx(4.91e-6))
    assert put.facts["synchronization"] == "MPI_Win_flush"


def test_imb_pingpong_of_two_versions():
    new, old = only("imb-2019-pingpong.txt"), only("imb-4.0-pingpong.txt")
    assert (new.test, new.tool, new.date, new.ranks) == ("latency", "IMB 2019", "2023-06-01", 2)
    assert (old.tool, old.date) == ("IMB 4.0", "2016-08-30")
    # The two versions' own megabytes differ by 5 %; bytes and time do not.
    assert rows_by_size(old)[16384].bandwidth_bytes_per_second == pytest.approx(16384 / 12.06e-6)
    assert rows_by_size(old)[16384].bandwidth_bytes_per_second == pytest.approx(1296.04 * 2**20, rel=1e-3)
    assert rows_by_size(new)[65536].bandwidth_bytes_per_second == pytest.approx(6432.34e6, rel=1e-3)
    assert rows_by_size(new)[0].latency_seconds == pytest.approx(1.66e-6)


def test_imb_p2p_and_other_tables():
    p2p = only("imb-p2p-pingpong.txt")
    assert (p2p.ranks, p2p.rows[0].latency_seconds) == (4, pytest.approx(24.5e-6))
    two, four, uniband, allreduce, barrier = bench.read(FIXTURES / "imb-by-hand.txt")
    assert [two.ranks, four.ranks] == [2, 4]
    assert two.rows[1].bandwidth_bytes_per_second == pytest.approx(640e6)
    assert two.rows[1].latency_seconds == pytest.approx(3.2e-6)
    assert uniband.test == "bandwidth"
    assert uniband.rows[1].bandwidth_bytes_per_second == pytest.approx(2e6 * 4096)
    assert allreduce.rows[1].latency_seconds == pytest.approx(5.2e-3)
    assert (barrier.rows[0].bytes, barrier.rows[0].samples) == (0, 1000)


def test_netpipe_screens_and_files_of_one_run_agree():
    screen, file = only("netpipe-3.7.2-screen.txt"), only("netpipe-3.7.2-np.out")
    assert (screen.test, len(screen.rows), len(file.rows)) == ("pingpong", 118, 118)
    for shown, kept in zip(screen.rows, file.rows, strict=True):
        assert shown.bytes == kept.bytes
        assert shown.latency_seconds == pytest.approx(kept.latency_seconds, abs=0.6e-8)
    screen, file = only("netpipe-5-screen-by-hand.txt"), only("netpipe-5-np-by-hand.out")
    assert [row.bytes for row in screen.rows] == [1, 2, 1024, 8389000]
    assert screen.rows[3].latency_seconds == pytest.approx(1.678e-3)
    assert [row.bytes for row in file.rows] == [1, 2, 1024, 8388608]
    assert file.rows[2].bandwidth_bytes_per_second == pytest.approx(1024 / 2e-6)


def test_hpcc_summary():
    result = only("hpcc-1.5.0-hpccoutf.txt")
    assert (result.test, result.ranks, result.tool) == ("beff", 2, "HPCC b_eff 1.5.1")
    rows = {(row.label, row.bytes): row for row in result.rows}
    assert rows["ping pong", 8].latency_seconds == pytest.approx(0.403806e-6)
    assert rows["randomly ordered ring", 2_000_000].bandwidth_bytes_per_second == pytest.approx(7.9678e9)
    assert result.values["naturally_ordered_ring_bandwidth_bytes_per_second"] == pytest.approx(2.52358e9)
    assert result.values["max_ping_pong_latency_seconds"] == pytest.approx(0.403917e-6)


def test_ucx_perftest_with_and_without_the_waiting_sides_heading():
    client, both, stream = (
        only(f"ucx_perftest-1.13-{name}.txt") for name in ("tag_lat-client", "tag_lat-both", "tag_bw-client")
    )
    assert client.rows == both.rows
    assert (both.rows[0].bytes, both.rows[0].samples) == (8, 20000)
    assert both.rows[0].latency_seconds == pytest.approx(1.129e-6)
    assert both.facts == {"ucx test": "tag match latency"} and not both.warnings
    assert client.warnings == ["the message sizes are worked out from bandwidth and message rate"]
    assert (stream.test, stream.rows[0].bytes) == ("bandwidth", 65536)
    assert stream.rows[0].bandwidth_bytes_per_second == pytest.approx(6319.99 * 2**20)
    # Its percentile is of the calls that post messages: 3.5 us, and 0.2 us of 1,670 us in the project's issue 10649.
    assert stream.rows[0].median is None


def test_only_the_50th_percentile_of_ucx_perftest_is_a_median():
    text = (FIXTURES / "ucx_perftest-1.13-tag_lat-client.txt").read_text()
    (median,), (other,) = (ucx_perftest.parse(each) for each in (text, text.replace("50.0%ile", "99.0%ile")))
    assert median.rows[0].median is not None
    assert other.rows == [msgspec.structs.replace(median.rows[0], median=None)]


def test_imb_streams_of_several_pairs_are_not_those_of_one():
    text = (FIXTURES / "imb-by-hand.txt").read_text()
    start = text.index("# Benchmarking Uniband")
    table = text[start : text.index("#---", start + 200)]
    four = table.replace("#processes = 2", "#processes = 4")
    both = four.replace("Uniband", "Biband")
    found = [(result.test, result.ranks) for result in imb.parse("\n".join((table, four, both)))]
    assert found == [("bandwidth", 2), ("multipair", 4), ("bimultipair", 4)]


def test_a_run_that_did_not_end_is_an_error_that_says_so():
    with pytest.raises(UsageError, match=r"heading of ucx_perftest's tables but no complete row"):
        bench.read(FIXTURES / "ucx_perftest-issue-10532.txt")


RESULT = BenchResult(test="latency", rows=[BenchRow(bytes=8, latency_seconds=1e-6)], date="2026-11-22")


@pytest.mark.parametrize(
    "document", [RESULT, [RESULT, RESULT], {"schema": "x/1", "results": [RESULT, RESULT]}]
)
def test_linkworths_own_results(tmp_path, document):
    path = tmp_path / "own.json"
    path.write_bytes(msgspec.json.encode(document))
    assert set(map(msgspec.json.encode, bench.read(path))) == {msgspec.json.encode(RESULT)}


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("Hello, world\n", "no benchmark's output that is known here"),
        ("", "no benchmark's output that is known here"),
        ("1 2 3\n4 5 6\n", "no benchmark's output that is known here"),
        ("# OSU MPI Latency Test v7.1\n# Size  Latency (us)\n", "no complete row of results"),
        ('{"schema": "linkworth.bench/1", "test": "latency", "rows": [', "not JSON or cut short"),
        ('{"schema": "linkworth.bench/1", "test": "latency", "rows": []}', "without a row of results"),
        ('{"schema": "linkworth.run/1"}', "no result of a benchmark"),
        ('{"schema": "linkworth.bench/9", "test": "latency", "rows": []}', "linkworth.bench/1 is read"),
    ],
)
def test_what_is_no_result_is_refused_with_the_files_name(tmp_path, text, sentence):
    path = tmp_path / "some.txt"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match=r"some.txt: ") as error:
        bench.read(path)
    assert sentence in str(error.value)


def test_a_missing_file_is_refused(tmp_path):
    with pytest.raises(UsageError, match=r"none.txt: cannot be read"):
        bench.read(tmp_path / "none.txt")


@pytest.mark.parametrize("field", ["mean", "median", "latency_seconds", "confidence_half_width"])
def test_a_figure_that_cannot_be_is_named(tmp_path, field):
    row = BenchRow(bytes=8, latency_seconds=1e-6, mean=1e-6, median=1e-6)
    result = BenchResult(test="latency", rows=[msgspec.structs.replace(row, **{field: -1.0})])
    (tmp_path / "own.json").write_bytes(msgspec.json.encode(result))
    with pytest.raises(UsageError, match=rf"own.json: a {field.partition('_sec')[0]} of -1 .*it must be"):
        bench.read(tmp_path / "own.json")


@given(
    rows=st.dictionaries(st.integers(0, 1 << 40), st.integers(1, 10**10), min_size=1, max_size=30), junk=JUNK
)
def test_numbers_of_osu_and_imb_come_back_whatever_stands_between(rows, junk):
    of_osu = ["# OSU MPI Latency Test v6.2", "# Size          Latency (us)"]
    of_imb = ["# Benchmarking PingPong", "# #processes = 2", "  #bytes #repetitions  t[usec]  Mbytes/sec"]
    for size, hundredths in rows.items():
        of_osu += [*(line for line in junk if line != "8 16"), f"{size:<10d}{hundredths / 100:>18.2f}"]
        of_imb += [*junk, f"{size:>13d} {1000:>12d} {hundredths / 100:>12.2f} {0:>12.2f}"]
    for (result,) in (osu.parse("\n".join(of_osu)), imb.parse("\n".join(of_imb))):
        assert {row.bytes: row.latency_seconds for row in result.rows} == pytest.approx(
            {size: hundredths / 100 * 1e-6 for size, hundredths in rows.items()}
        )


@given(st.lists(st.tuples(st.integers(1, 1 << 30), st.floats(1e-6, 10.0)), min_size=1, max_size=30))
def test_netpipe_files_numbers_come_back(rows):
    text = "".join(
        f"{size:8d} {size * 8 / seconds / 2**20:f}   {seconds:.8f}\n"
        for size, seconds in rows
        if size * 8 / seconds / 2**20 > 0.01
    )
    if text:
        assert netpipe.recognises(text)
        (result,) = netpipe.parse(text)
        shown = [(s, t) for s, t in rows if s * 8 / t / 2**20 > 0.01]
        assert [row.bytes for row in result.rows] == [size for size, _ in shown]
        assert [row.latency_seconds for row in result.rows] == pytest.approx(
            [seconds for _, seconds in shown], rel=1e-4
        )


@given(
    name=st.sampled_from(sorted(path.name for path in FIXTURES.glob("*.*") if path.suffix != ".md")),
    share=st.floats(0, 1),
)
def test_a_truncated_file_gives_some_of_its_rows_or_a_sentence(tmp_path_factory, name, share):
    text = (FIXTURES / name).read_text(encoding="utf-8")
    path = tmp_path_factory.mktemp("cut") / name
    path.write_text(text[: int(len(text) * share)], encoding="utf-8")
    try:
        results = bench.read(path)
    except UsageError as error:
        assert name in str(error)
    else:
        assert all(result.rows for result in results)
