"""A test's run: what is made of the program's lines, and how a bad end shows."""

import json

import msgspec
import pytest
from fake_installation import described
from fake_launcher import FakeLauncher

from linkworth.bench.run import BenchStopped, Prepared, default_ranks, execute
from linkworth.bench.session import rows_of, run_all
from linkworth.bench.settings import BenchSettings
from linkworth.bench.store import ResultFile, read
from linkworth.bench.tests import TESTS
from linkworth.bench.warnings import above_link
from linkworth.errors import EnvironmentLacksError, LinkworthError, UsageError
from linkworth.measure.plan import Plan
from linkworth.model.counters import NicCounters, NodeCounters
from linkworth.model.workload import Workload
from linkworth.mpi.target import NO_TARGET

START = {"kind": "start", "test": "latency", "node_names": ["n1", "n2"], "node_of_rank": [0, 0, 1, 1], "members": [0, 2],
         "timer_resolution_seconds": 3e-8}  # fmt: skip
ROW = {"kind": "row", "bytes": 8, "label": "", "latency_seconds": 2e-6, "bandwidth_bytes_per_second": 4e6, "samples": 100,
       "mean": 2e-6, "median": 1.9e-6, "deviation": 1e-7, "minimum": 1.8e-6, "p99": 3e-6,
       "confidence_half_width": 0.01, "outliers": 1}  # fmt: skip
END = {"kind": "end", "payload_bytes": 1e7, "payload_between_nodes_bytes": 1e7}
NAMED = (
    "[n1:7] select: component ob1 selected\n[n1:7] mca: bml: Using tcp btl for send to [[1,1],2] on node n2\n"
)


class FakePlace:
    """Two nodes whose NIC d0 counts 11 MB more at each reading."""

    name = "fake"
    nodes = ("n1", "n2")
    cores = 4
    transport = ""

    def __init__(self):
        self.sent = 0

    def counters(self):
        self.sent += 11_000_000
        nic = NicCounters(
            nic="d0", sent_bytes=self.sent, received_bytes=0, sent_packets=0, received_packets=0
        )
        return [NodeCounters(node="n1", nics=[nic], tcp_segments_sent=1000), NodeCounters(node="n2")]

    def facts(self):
        return {"rate": "1 Gbit/s"}


def lines(*documents):
    return "\n".join(json.dumps(document, separators=(",", ":")) for document in documents) + "\n"


def prepared(launcher, test="latency", **settings):
    workload = Workload(name=test, command=["lw-netbench"], ranks=4)
    opened = FakePlace()
    mpi = msgspec.structs.replace(described("openmpi", "4.1.4"), library_version="Open MPI v4.1.4")
    return Prepared(
        TESTS[test],
        BenchSettings(**settings),
        Plan(workload, ["lw-netbench"], NO_TARGET, mpi, launcher, opened),
        opened,
    )


def test_a_result_says_what_was_measured_and_what_carried_it():
    launcher = FakeLauncher(stdout="==== chatter ====\n" + lines(START, ROW, END), stderr=NAMED)
    seen = []
    result = execute(prepared(launcher), on_row=seen.append)
    assert seen == result.rows
    row = result.rows[0]
    assert (row.bytes, row.latency_seconds, row.samples, row.outliers) == (8, 2e-6, 100, 1)
    assert (result.ranks, result.nodes, result.where, result.mpi) == (2, 2, "fake", "Open MPI v4.1.4")
    assert result.facts["rate"] == "1 Gbit/s"
    assert result.facts["nodes"] == "n1, n2"
    assert result.carried.transport == "ob1: tcp between nodes"
    assert result.carried.verdict == "between nodes over d0: 1.10 of the payload"
    assert result.warnings == []
    assert launcher.jobs[0].environment["OMPI_MCA_btl_base_verbose"] == "40"


def test_values_warnings_and_overlap_reach_the_result():
    extra = [{"kind": "overlap", "bytes": 8, "share": 0.4}, {"kind": "warning", "text": "left out 9 B"},
             {"kind": "value", "name": "beff_bytes_per_second", "value": 5.0}]  # fmt: skip
    result = execute(prepared(FakeLauncher(stdout=lines(START, ROW, *extra, END)), "overlap"))
    assert result.rows[0].overlap_share == 0.4
    assert result.warnings == ["left out 9 B"]
    assert result.values == {"beff_bytes_per_second": 5.0}


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"confidence_half_width": 0.3}, "the mean is not known to 2 % at 8 B (95 % half-width up to 30 %)"),
        ({"samples": 1, "confidence_half_width": None}, "the mean is not known to 2 % at 8 B (a single sample)"),
        ({"drift": 0.25}, "the times drifted while 8 B were measured (+25 % at 8 B)"),
        ({"median": 1e-6}, "a few slow samples make the mean at 8 B (up to 2 times the median)"),
    ],
)  # fmt: skip
def test_warns_of_imprecise_rows(change, sentence):
    result = execute(prepared(FakeLauncher(stdout=lines(START, ROW | change, END))))
    assert len(result.warnings) == 1
    assert result.warnings[0].startswith(sentence)


def test_doubts_about_a_row_are_kept_if_another_of_its_size_is_good():
    first = ROW | {"label": "1 pair", "drift": 0.25, "median": 1e-6}
    second = ROW | {"label": "2 pairs", "drift": 0.01}
    drifted, skewed = execute(prepared(FakeLauncher(stdout=lines(START, first, second, END)))).warnings
    assert "+25 % at 8 B" in drifted
    assert "the mean at 8 B (up to 2 times the median)" in skewed


def test_rates_above_the_link_are_flagged():
    rates = {1024: 131e6, 32768: 128e6, 1048576: 117e6}
    found = above_link("bandwidth", rates, 125e6)
    assert found.startswith(
        "the rate at 1024 B, 32768 B is above the link's 125 MB/s (up to 131 MB/s at 1024 B)"
    )
    assert above_link("bibandwidth", rates, 125e6) == "", "two directions have twice the rate"
    assert above_link("alltoall", rates, 125e6) == "", "no single link bounds a collective"
    assert above_link("bandwidth", rates, 7e9) == ""


def test_both_directions_of_a_pingpong_have_two_links(monkeypatch, printed, tmp_path):
    monkeypatch.setattr(FakePlace, "facts", lambda self: {"link rate": "3000000 B/s"})
    for both, flagged in ((False, True), (True, False)):
        launcher = FakeLauncher(stdout=lines(START, ROW, END))
        result = execute(prepared(launcher, "pingpong", bidirectional=both))
        assert any("above the link's" in warning for warning in result.warnings) == flagged
        (tmp_path / "r.json").write_bytes(msgspec.json.encode(msgspec.structs.replace(result, warnings=[])))
        shown = printed("bench", str(tmp_path / "r.json"), "--link-rate", "24mbit")
        assert ("above the link's" in shown) == flagged


def test_a_file_of_another_tool_is_judged_by_the_rate_that_the_user_names(tmp_path, refused, printed):
    path = tmp_path / "osu.txt"
    path.write_text(
        "# OSU MPI Bandwidth Test v7.3\n# Size      Bandwidth (MB/s)\n1024       131.00\n1048576    117.00\n"
    )
    assert "# note: the rate at 1024 B is above the link's 125 MB/s" in printed(
        "bench", str(path), "--link-rate", "1gbit"
    )
    assert "--link-rate fast: a rate is a number" in refused("bench", path, "--link-rate", "fast")


def test_ranks_that_share_cores_are_said():
    start = START | {"node_of_rank": [0] * 8, "members": list(range(8))}
    result = execute(prepared(FakeLauncher(stdout=lines(start, ROW, END)), "alltoall"))
    assert result.warnings == ["8 ranks share 4 cores: times include the wait for a core"]


@pytest.mark.parametrize(
    ("end", "sentence"),
    [
        ({"interrupted": True, "exit_code": 143}, "latency: it was interrupted"),
        ({"timed_out": True, "exit_code": 143}, "latency: it ran longer than"),
        ({"exit_code": 139}, "latency: a rank crashed with SIGSEGV"),
        ({"exit_code": 0}, "latency: its results ended before all was measured"),
    ],
)
def test_a_stopped_test_keeps_its_sizes(end, sentence):
    with pytest.raises(BenchStopped, match=sentence) as stopped:
        execute(prepared(FakeLauncher(stdout=lines(START, ROW), **end)))
    assert [row.bytes for row in stopped.value.result.rows] == [8]
    assert stopped.value.result.carried is None


def test_the_programs_own_sentences():
    with pytest.raises(UsageError, match=r"^a pair across nodes: all ranks are on one node"):
        execute(prepared(FakeLauncher(
            stderr="lw-netbench: a pair across nodes: all ranks are on one node; give more nodes\nnoise\n", exit_code=2
        )))  # fmt: skip
    with pytest.raises(EnvironmentLacksError, match=r"^not enough memory"):
        execute(
            prepared(FakeLauncher(stderr="lw-netbench: not enough memory for these sizes\n", exit_code=3))
        )
    with pytest.raises(LinkworthError, match=r"left with exit code 1 \(no such host\)"):
        execute(prepared(FakeLauncher(stderr="no such host\n", exit_code=1)))


def test_results_before_a_stop_are_in_the_file(tmp_path):
    path = tmp_path / "kept.json"
    good = FakeLauncher(stdout=lines(START, ROW, END))
    cut = FakeLauncher(stdout=lines(START, ROW), interrupted=True, exit_code=130)
    session = run_all(
        [prepared(good), prepared(cut, "bandwidth"), prepared(good, "barrier")], output=ResultFile(path)
    )
    assert session.stopped.startswith("bandwidth: it was interrupted")
    kept = read(path)
    assert [result.test for result in kept] == ["latency", "bandwidth"]
    assert kept == session.results
    assert kept[1].warnings[0].startswith("not complete: bandwidth: it was interrupted")


def test_progress_counts_rows_and_ranks_have_a_default():
    fake = FakeLauncher()
    assert rows_of(prepared(fake, sizes=[1, 2])) == 2
    assert rows_of(prepared(fake, "overlap", sizes=[1, 2])) == 6
    assert rows_of(prepared(fake, "multipair", sizes=[1, 2])) == 4  # 1 and 2 pairs of 4 ranks
    assert rows_of(prepared(fake, "incast", sizes=[1, 2])) == 6  # 1, 2 and 3 senders
    assert rows_of(prepared(fake, "beff")) == 42
    assert rows_of(prepared(fake, "hpcc")) == 8
    assert rows_of(prepared(fake, "barrier")) == 1
    assert default_ranks(TESTS["latency"], FakePlace()) == 2
    assert default_ranks(TESTS["alltoall"], FakePlace()) == 4
