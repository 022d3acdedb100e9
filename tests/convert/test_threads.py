"""Calls of several threads of a rank: each stands on a line of its own, with the times that it had."""

import re
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from otf2_archives import assert_same, events, printed, there_and_back
from run_program import output_of
from threaded_traces import EXPECTED, in_turn, long_run, messages_to_itself, sends_by_thread, two_threads

from linkworth import _engine
from linkworth.convert import convert
from linkworth.errors import UsageError

EDGES = ("ENTER", "LEAVE")
WHERE = {0: "rank 0", 1: "rank 0 thread 1"}


@pytest.fixture
def trace(tmp_path):
    path = two_threads(tmp_path)
    assert [event["thread"] for event in _engine.Trace(str(path)).iterate(0)] == [0, 0, 1, 0, 1]
    return path


def test_parquet_has_the_thread_and_the_true_times(trace):
    pa_parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    rows = pa_parquet.read_table(convert(trace, "parquet").entry).to_pylist()
    found = [
        (row["thread"], row["call"], row["start_ns"], row["start_ns"] + row["duration_ns"]) for row in rows
    ]
    assert found == EXPECTED


def test_perfetto_has_a_track_for_each_thread(trace):
    from perfetto_reader import read  # skips where Perfetto's schema is not installed

    tracks, slices = read(Path(convert(trace, "perfetto").entry))
    assert sorted((each.track, each.name, each.start_ns, each.end_ns) for each in slices) == sorted(
        (WHERE[thread], *rest) for thread, *rest in EXPECTED
    )
    by_name = {each.name: each for each in tracks.values()}
    assert tracks[by_name["rank 0 thread 1"].parent_uuid].name == "rank 0"


@pytest.mark.requires("pj_dump")
def test_paje_has_a_container_for_each_thread(trace):
    entry = convert(trace, "paje").entry
    rows = [line.split(", ") for line in output_of(["pj_dump", "--float-precision=9", entry]).splitlines()]
    found = [
        (row[1], row[7], *(round(float(time) * 1e9) for time in row[3:5]))
        for row in rows
        if row[0] == "State"
    ]
    assert sorted(found) == sorted((WHERE[thread], *rest) for thread, *rest in EXPECTED)
    assert ["rank 0", "Thread", "rank 0 thread 1"] in [
        [row[1], row[2], row[6]] for row in rows if row[0] == "Container"
    ]


@pytest.mark.requires("pj_dump")
def test_paje_has_the_messages_of_threads_in_the_order_of_time(tmp_path):
    entry = convert(messages_to_itself(tmp_path), "paje").entry
    rows = [line.split(", ") for line in output_of(["pj_dump", "--float-precision=9", entry]).splitlines()]
    links = [tuple(round(float(time) * 1e9) for time in row[3:5]) for row in rows if row[0] == "Link"]
    assert sorted(links) == [(1550, 2100), (1600, 2300)]


def test_a_time_independent_trace_has_no_threads(tmp_path):
    with pytest.raises(UsageError, match="MPI_Send on rank 0: it runs beside a call of another thread"):
        convert(messages_to_itself(tmp_path), "ti")
    # Thread 1 begins when thread 0 has sent, and thread 0 receives beside calls that send nothing.
    actions = convert(in_turn(tmp_path / "turn"), "ti")
    assert Path(actions.path, "rank-0.txt").read_text(encoding="ascii").split("\n")[1:-2] == [
        "0 send 0 0 8",
        "0 compute 50",
        "0 send 0 1 8",
        "0 compute 200",
        "0 recv 0 1 8",
    ]


def records_by_location(anchor):
    """Return what otf2-print lists: of each location the kinds, times and attributes of its records, in their order."""
    found: dict[int, list[tuple[str, int, str]]] = {}
    for line in printed(anchor).splitlines():
        row = re.fullmatch(r"([A-Z_]+) +(\d+) +(\d+) *(.*)", line)
        if row:
            kind, location, time, attributes = row.groups()
            found.setdefault(int(location), []).append((kind, int(time), attributes))
    return found


@pytest.mark.requires("otf2", "otf2-print")
def test_otf2_has_a_location_for_each_thread(trace):
    entry = Path(convert(trace, "otf2").entry)
    locations = records_by_location(entry)
    assert sorted(locations) == [0, 1 << 32]
    for thread in (0, 1):
        records = locations[thread << 32]
        edges = [(kind, time) for kind, time, region in records if '"MPI_' in region and kind in EDGES]
        calls = [call for call in EXPECTED if call[0] == thread]
        assert edges == [edge for _, _, start, end in calls for edge in (("ENTER", start), ("LEAVE", end))]
        times = [time for _, time, _ in records]
        assert times == sorted(times)
        outer = [kind for kind, _, attributes in records if '"threads"' in attributes]
        assert outer == ["PROGRAM_BEGIN", "ENTER", "LEAVE"][thread:]
    messages = {
        location: [(kind, re.findall(r"Length: (\d+)|Request: (\d+)", rest)) for kind, _, rest in records if "MPI_IS" in kind]
        for location, records in locations.items()
    }  # fmt: skip
    # The request of thread 1, which thread 0 waits for.
    assert messages == {
        0: [("MPI_ISEND", [("8", ""), ("", "0")]), ("MPI_ISEND_COMPLETE", [("", "1")])],
        1 << 32: [("MPI_ISEND", [("16", ""), ("", "1")]), ("MPI_ISEND", [("16", ""), ("", "2")])],
    }
    definitions = printed(entry, "-G")
    assert re.search(r'LOCATION +4294967296 +Name: "Thread 1".*Group: "MPI Rank 0" <0>', definitions)
    assert re.search(r'GROUP +0 .*Type: COMM_LOCATIONS.* 1 Member: "Master thread" <0>', definitions), (
        "MPI knows ranks, not threads"
    )


@pytest.mark.requires("otf2")
@pytest.mark.parametrize("attributes", [True, False])
def test_threads_come_back_from_otf2(trace, attributes):
    back = there_and_back(trace, attributes=attributes)[1]
    if attributes:
        assert assert_same(trace, back) == len(EXPECTED)
    of_thread = [(event["thread"], event["name"]) for event in events(back, 0)]
    assert of_thread == [(thread, name) for thread, name, _, _ in EXPECTED]
    (_, _, beside, _, _) = events(back, 0, times=True)
    assert beside["overlap_seconds"] == pytest.approx(250e-9)


quarters = st.integers(0, 9) | st.integers(0, 10**6)


@pytest.mark.requires("otf2")
@settings(max_examples=20)
@given(st.lists(st.lists(st.tuples(quarters, quarters), min_size=1, max_size=6), min_size=2, max_size=4))
def test_calls_of_threads_keep_their_order_where_they_end_together(threads):
    with tempfile.TemporaryDirectory() as folder:
        trace = sends_by_thread(Path(folder), threads)
        back = there_and_back(trace)[1]
        ends = []
        for path in (trace, back):
            clock = 0.0
            ends.append([])
            for event in events(path, 0, times=True):
                clock += event["gap_seconds"] + event["duration_seconds"]
                start = clock - event["duration_seconds"] - event["overlap_seconds"]
                ends[-1].append((start, clock))
        calls = events(trace, 0)
        assert calls == events(back, 0)
        assert len(calls) == sum(map(len, threads))
        # Each may end a nanosecond after the one that it had ended with.
        assert ends[1] == [pytest.approx(both, abs=(len(calls) + 1) * 1e-9) for both in ends[0]]


CONVERTED = """
import sys
from pathlib import Path
from linkworth.convert import convert
from linkworth.errors import UsageError
convert(Path(sys.argv[1]), "otf2", Path(sys.argv[2]))
print(next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM:")))
"""


@pytest.mark.requires("otf2")
def test_what_is_held_of_a_location_does_not_grow_with_the_trace(tmp_path):
    if not Path("/proc/self/status").exists():
        pytest.skip("/proc has no most memory of a process")
    held = []
    for blocks in (2, 40):
        folder = tmp_path / str(blocks)
        folder.mkdir()
        command = [sys.executable, "-c", CONVERTED, long_run(folder, blocks), folder / "otf2"]
        held.append(int(output_of(command)) * 1024)
    written = (tmp_path / "40" / "otf2" / "traces" / "0.evt").stat().st_size
    assert held[1] - held[0] < written / 2
