"""Recordings without the calls that concern no other rank."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from written_programs import BARRIER, Event, trace

from linkworth.scale.recording import Recording
from linkworth.trace.read import open_trace


def writes(rank: int, ranks: int) -> Iterator[Event]:
    yield "MPI_Wtime@a.c:2", "local", {}
    yield "MPI_File_write_all@a.c:3", "local", {}
    yield "MPI_Barrier@a.c:4", "collective", BARRIER


def test_time_in_files_counts_as_computation_without_the_call(tmp_path: Path) -> None:
    recording = Recording(open_trace(trace(writes, 2, tmp_path)), 1.0)
    bare = recording.without_local_calls(marks=True)
    assert bare.files_compute
    before, after = recording.sequences[0], bare.sequences[0]
    assert [bare.calls[number].call_class for number in after.calls] == ["init", "collective", "finalize"]
    assert after.compute.sum() == pytest.approx(before.compute.sum() + before.durations[2])
