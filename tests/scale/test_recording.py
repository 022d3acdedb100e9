"""Recordings without the calls that concern no other rank."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from part_files import NAMES, call, payload, send_fields, shape, varint
from threaded_traces import merged
from written_programs import BARRIER, Event, trace

from linkworth.errors import UsageError
from linkworth.scale.recording import Recording
from linkworth.trace.read import open_trace

THREAD_SERIALIZED, THREAD_MULTIPLE = 2, 3


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


def test_threads_that_take_turns_are_one_sequence(tmp_path: Path) -> None:
    def recording(level: int) -> Recording:
        first = shape(payload(NAMES, "MPI_Init", 18, varint(level))) + call(0, 10_000, 10_000)
        first += shape(payload(NAMES, "MPI_Finalize", 19)) + call(1, 80_000, 0, cpu=30_000)
        other = shape(payload(NAMES, "MPI_Send", 1, send_fields(0, 8))) + call(0, 0, 50_000)
        folder = tmp_path / str(level)
        folder.mkdir()
        path = merged(folder, [(1000, 0, first), (21_000 + 20_000, 0, other)], [0, 1])
        return Recording(open_trace(path), 1.0)

    found = recording(THREAD_SERIALIZED)
    own = found.sequences[0]
    assert [found.calls[number].call_class for number in own.calls] == ["init", "send", "finalize"]
    # A ninth of the first thread's last gap comes after the other's call.
    assert own.compute[1:] == pytest.approx([20e-6, 30e-6 / 8])
    with pytest.raises(UsageError, match="several threads of rank 0 call MPI, with MPI_THREAD_MULTIPLE"):
        recording(THREAD_MULTIPLE)
