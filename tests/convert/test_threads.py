"""Calls of several threads of a rank: each stands on a line of its own, with the times that it had."""

import subprocess
from pathlib import Path

import pytest
from part_files import NAMES, PartFile, call, payload, send_fields, shape, varint

from linkworth import _engine
from linkworth.convert import convert
from linkworth.model.trace import TraceMetadata
from linkworth.trace.merge import merge

EXPECTED = [
    # thread, call, start and end in ns from the start of the process
    (0, "MPI_Init", 500, 1500),
    (0, "MPI_Isend", 1600, 1800),
    (1, "MPI_Isend", 1550, 1950),
    (0, "MPI_Wait", 2100, 2200),
    (1, "MPI_Isend", 2300, 2310),
]
WHERE = {0: "rank 0", 1: "rank 0 thread 1"}


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    first = shape(payload(NAMES, "MPI_Init", 18, varint(3))) + call(0, 500, 1000)
    first += shape(payload(NAMES, "MPI_Isend", 2, send_fields(0, 8))) + call(1, 100, 200)
    wait = varint(0) + varint(1) + varint(1) + varint(2 * 1)
    first += shape(payload(NAMES, "MPI_Wait", 9, wait)) + call(2, 300, 100)
    second = shape(payload(NAMES, "MPI_Isend", 2, send_fields(0, 16))) + call(0, 0, 400) + call(0, 350, 10)
    start = (1000, 5_000_000_000, 1_700_000_000_000_000_000)
    latest = (1000 + 10**9, 6_000_000_000, 1_700_000_001_000_000_000)  # a tick is a nanosecond
    blocks = [(1000, 0, first), (2550, 1, second)]
    part = PartFile(rank=0, size=1, start=start, latest=latest, blocks=blocks, threads=[0, 1])
    part.write(tmp_path)
    path = tmp_path / "t.lwt"
    merge(tmp_path, path, TraceMetadata(workload="threads"))
    assert [event["thread"] for event in _engine.Trace(str(path)).iterate(0)] == [0, 0, 1, 0, 1]
    return path


def test_parquet_has_the_thread_and_the_true_times(trace: Path) -> None:
    pa_parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    rows = pa_parquet.read_table(convert(trace, "parquet").entry).to_pylist()
    found = [
        (row["thread"], row["call"], row["start_ns"], row["start_ns"] + row["duration_ns"]) for row in rows
    ]
    assert found == EXPECTED


def test_perfetto_has_a_track_for_each_thread(trace: Path) -> None:
    from perfetto_reader import read  # skips where Perfetto's schema is not installed

    tracks, slices = read(Path(convert(trace, "perfetto").entry))
    assert sorted((each.track, each.name, each.start_ns, each.end_ns) for each in slices) == sorted(
        (WHERE[thread], *rest) for thread, *rest in EXPECTED
    )
    by_name = {each.name: each for each in tracks.values()}
    assert tracks[by_name["rank 0 thread 1"].parent_uuid].name == "rank 0"


@pytest.mark.requires("pj_dump")
def test_paje_has_a_container_for_each_thread(trace: Path) -> None:
    entry = convert(trace, "paje").entry
    done = subprocess.run(
        ["pj_dump", "--float-precision=9", entry], capture_output=True, text=True, check=True
    )
    rows = [line.split(", ") for line in done.stdout.splitlines()]
    found = [
        (row[1], row[7], *(round(float(time) * 1e9) for time in row[3:5]))
        for row in rows
        if row[0] == "State"
    ]
    assert sorted(found) == sorted((WHERE[thread], *rest) for thread, *rest in EXPECTED)
    assert ["rank 0", "Thread", "rank 0 thread 1"] in [
        [row[1], row[2], row[6]] for row in rows if row[0] == "Container"
    ]
