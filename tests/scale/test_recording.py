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

UNKNOWN, THREAD_SERIALIZED, THREAD_MULTIPLE = 0, 2, 3


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


@pytest.mark.parametrize("level", [UNKNOWN, THREAD_SERIALIZED, THREAD_MULTIPLE])
@pytest.mark.parametrize(("computed", "last_call"), [(1_000, 0), (60_000, 0), (1_000, 30_000)])
def test_threads_that_take_turns_are_one_sequence(
    tmp_path: Path, level: int, computed: int, last_call: int
) -> None:
    # The first thread computes for some of the 80 us in which the other one calls twice. It calls again after 80 us, or before.
    first = shape(payload(NAMES, "MPI_Init", 18, varint(level))) + call(0, 10_000, 10_000)
    first += shape(payload(NAMES, "MPI_Finalize", 19)) + call(1, 80_000 - last_call, last_call, cpu=computed)
    other = shape(payload(NAMES, "MPI_Send", 1, send_fields(0, 8)))
    other += call(0, 0, 20_000) + call(0, 20_000, 10_000)
    path = merged(tmp_path, [(1000, 0, first), (41_000, 0, other)], [0, 1])
    if last_call or (level != THREAD_SERIALIZED and computed > 1_000):
        with pytest.raises(UsageError, match="several threads of rank 0 call MPI at once"):
            Recording(open_trace(path), 1.0)
        return
    found = Recording(open_trace(path), 1.0)
    own = found.sequences[0]
    assert [found.calls[number].call_class for number in own.calls] == ["init", "send", "send", "finalize"]
    # An eighth of the first thread's last gap comes after the other's call.
    assert own.compute[3] == pytest.approx(computed * 1e-9 / 8)


def test_computation_of_several_cores_is_as_long_as_its_gap(tmp_path: Path) -> None:
    # A process with OpenMP uses the time of all its cores.
    events = shape(payload(NAMES, "MPI_Init", 18, varint(1))) + call(0, 10_000, 10_000)
    events += shape(payload(NAMES, "MPI_Finalize", 19)) + call(1, 80_000, 0, cpu=320_000)
    recording = Recording(open_trace(merged(tmp_path, [(1000, 0, events)], [0])), 1.0)
    assert recording.sequences[0].compute[1] == pytest.approx(80e-6)
