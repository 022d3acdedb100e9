"""Blocks of a part that follow one another become one block of the trace; what stands before the blocks is compressed."""

import json
import random
import struct

import pytest
from part_files import NAMES, PartFile, call, payload, send_fields, shape, svarint, varint

from linkworth import _engine
from linkworth.errors import DamagedInputError
from linkworth.model.trace import TraceMetadata
from linkworth.trace.merge import merge
from linkworth.trace.read import open_trace

START = (1000, 5_000_000_000, 1_700_000_000_000_000_000)
LATEST = (1000 + 2_000_000_000, 6_000_000_000, 0)
HEADER = struct.Struct("<8sIIQQIIQQ")
SHAPES = {
    "send": payload(NAMES, "MPI_Send", 1, send_fields(0, 1000)),
    "isend": payload(NAMES, "MPI_Isend", 2, send_fields(0, 8)),
    "wait": payload(NAMES, "MPI_Wait", 9, bytes([0]) + varint(1) + varint(1) + varint(2 * 1)),
    "recv": payload(NAMES, "MPI_Recv", 3, varint(0) + svarint(0) + svarint(3) + varint(64)),
}


def calls_of_blocks(blocks, events=300):
    """Return for each block its calls as (name of the shape, gap, duration, cpu)."""
    noise = random.Random(1)
    found = []
    for _ in range(blocks):
        calls = []
        while len(calls) < events:
            for name in noise.choice((["send"], ["recv"], ["isend", "wait"])):
                gap, duration = (int(noise.lognormvariate(7, 1.5)) for _ in range(2))
                calls.append((name, gap, duration, gap // 2 if gap > 2000 else None))
        found.append(calls)
    return found


def part_blocks(blocks, jump=0, lost_requests=0):
    """Return the blocks as a part has them, each with its shapes in the order of their first use; before the last: a jump."""
    base, request, out = START[0], 0, []
    for place, calls in enumerate(blocks):
        if place == len(blocks) - 1:
            base += jump
            request += lost_requests
        start, first, numbers, body = base, request, {}, b""
        for name, gap, duration, cpu in calls:
            if name not in numbers:
                numbers[name] = len(numbers)
                body += shape(SHAPES[name])
            body += call(numbers[name], gap, duration, cpu)
            base += gap + duration
            request += name == "isend"
        out.append((start, first, body))
    return out


def merged(folder, blocks, step_ns=0):
    folder.mkdir()
    PartFile(start=START, latest=LATEST, blocks=blocks).write(folder)
    merge(folder, folder / "out.lwt", TraceMetadata(workload="prog", time_step_ns=step_ns))
    return folder / "out.lwt"


def blocks_of(path):
    return struct.unpack("<QQII8s", path.read_bytes()[-32:])[1]


@pytest.mark.parametrize("step_ns", [0, 32])
def test_joined_blocks_have_the_events_of_one_that_was_recorded_as_one(tmp_path, step_ns):
    calls = calls_of_blocks(5)
    several = merged(tmp_path / "several", part_blocks(calls), step_ns)
    whole = merged(tmp_path / "whole", part_blocks([[one for block in calls for one in block]]), step_ns)
    assert blocks_of(several) == blocks_of(whole) == 1
    traces = [_engine.Trace(str(path)) for path in (several, whole)]
    events = [list(trace.iterate(0)) for trace in traces]
    assert len(events[0]) == sum(map(len, calls))
    assert events[0] == events[1]
    requests = [event["next_request"] for event in events[0]]
    assert requests[-1] == sum(name == "isend" for block in calls for name, *_ in block)


@pytest.mark.parametrize("gap", [{"jump": 10_000}, {"lost_requests": 3}], ids=["time", "requests"])
def test_where_something_is_missing_between_two_blocks_they_stay_two(tmp_path, gap):
    calls = calls_of_blocks(3)
    path = merged(tmp_path / "parts", part_blocks(calls, **gap))
    assert blocks_of(path) == 2
    first_of_last = list(_engine.Trace(str(path)).iterate(0))[len(calls[0]) + len(calls[1])]
    made = sum(name == "isend" for block in calls[:2] for name, *_ in block)
    assert first_of_last["next_request"] == made + gap.get("lost_requests", 0)
    assert first_of_last["gap_seconds"] == pytest.approx(calls[2][0][1] * 0.5e-9)


def test_blocks_are_joined_up_to_a_length_that_a_reader_can_hold(tmp_path):
    calls = calls_of_blocks(16, events=3000)
    path = merged(tmp_path / "parts", part_blocks(calls))
    raw = [len(records) for _, _, records in part_blocks(calls)]
    assert sum(raw) / 2**18 <= blocks_of(path) < len(raw)
    assert _engine.Trace(str(path)).check()[0] == sum(map(len, calls))


def test_metadata_and_names_are_compressed(tmp_path):
    path = merged(tmp_path / "parts", part_blocks(calls_of_blocks(1)))
    _, version, _, metadata, names, *_, raw_metadata, raw_names = HEADER.unpack_from(path.read_bytes())
    trace = open_trace(path)
    assert version == 7
    assert raw_metadata == len(trace.engine.metadata_json.encode()) > metadata
    assert json.loads(trace.engine.metadata_json)["workload"] == trace.metadata.workload == "prog"
    table = sum(len(name) + 1 for name in trace.engine.names)
    assert (raw_names, names) == (0, table) or raw_names == table > names
    assert set(trace.engine.names) == {"MPI_Send", "MPI_Isend", "MPI_Wait", "MPI_Recv"}


@pytest.mark.parametrize("raw", [1, 2**40], ids=["too small", "too large"])
def test_metadata_that_does_not_expand_is_named(tmp_path, raw):
    path = merged(tmp_path / "parts", part_blocks(calls_of_blocks(1)))
    data = bytearray(path.read_bytes())
    _, _, _, metadata, names, *_ = HEADER.unpack_from(data)
    struct.pack_into("<IQ", data, 36, 0, raw)
    struct.pack_into("<I", data, 36, _engine.crc32c(bytes(data[: 64 + metadata + names])))
    path.write_bytes(data)
    with pytest.raises(DamagedInputError, match="do not expand to their size: copy or record it again"):
        _engine.Trace(str(path))
