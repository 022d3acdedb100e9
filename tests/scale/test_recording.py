"""Recordings without the calls that concern no other rank."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from part_files import NAMES, call, payload, send_fields, shape, varint
from threaded_traces import merged
from written_programs import BARRIER, Event, trace

from linkworth.errors import UsageError
from linkworth.scale.recording import Cut, Recording
from linkworth.scale.setup import after_threads
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
            after_threads([Recording(open_trace(path), 1.0)])
        return
    (found,) = after_threads([Recording(open_trace(path), 1.0)])
    own = found.sequences[0]
    assert [found.calls[number].call_class for number in own.calls] == ["init", "send", "send", "finalize"]
    # An eighth of the first thread's last gap comes after the other's call.
    assert own.compute[3] == pytest.approx(computed * 1e-9 / 8)


@pytest.mark.parametrize("later", [2, 3])
def test_a_set_up_in_which_threads_call_at_once_is_left_out(tmp_path: Path, later: int) -> None:
    send = shape(payload(NAMES, "MPI_Send", 1, send_fields(0, 8)))
    # A barrier ends a set-up of four calls. Then one thread goes on.
    first = shape(payload(NAMES, "MPI_Init", 18, varint(THREAD_MULTIPLE))) + call(0, 0, 1_000)
    first += send + call(1, 1_000, 8_000) + shape(payload(NAMES, "MPI_Barrier", 12, b"\0\1\0\0\1\0\0"))
    first += call(2, 19_000, 1_000) + call(1, 5_000, 1_000) * later
    first += shape(payload(NAMES, "MPI_Finalize", 19)) + call(3, 1_000, 1_000)
    path = merged(tmp_path, [(1000, 0, first), (6_000, 0, send + call(0, 0, 2_000))], [0, 1])
    recordings = [Recording(open_trace(path), 1.0)]
    if later < 3:
        with pytest.raises(UsageError, match="several threads of rank 0 call MPI at once"):
            after_threads(recordings)
        return
    (rest,) = after_threads(recordings)
    own = rest.sequences[0]
    assert [rest.calls[number].call_class for number in own.calls] == ["init", *["send"] * later, "finalize"]
    # Until the send that ends first, before the barrier, and after it.
    assert own.compute[1] == pytest.approx(4e-6 + 19e-6 + 5e-6)
    assert rest.setup == Cut("MPI_Barrier", 3, "calls from several threads at once")


def test_computation_of_several_cores_is_as_long_as_its_gap(tmp_path: Path) -> None:
    # A process with OpenMP uses the time of all its cores.
    events = shape(payload(NAMES, "MPI_Init", 18, varint(1))) + call(0, 10_000, 10_000)
    events += shape(payload(NAMES, "MPI_Finalize", 19)) + call(1, 80_000, 0, cpu=320_000)
    recording = Recording(open_trace(merged(tmp_path, [(1000, 0, events)], [0])), 1.0)
    assert recording.sequences[0].compute[1] == pytest.approx(80e-6)
