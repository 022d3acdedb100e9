"""Times in a trace: kept as recorded, or rounded to steps of which no sum of calls and gaps loses more than one."""

import random
import struct
from itertools import accumulate
from pathlib import Path

import msgspec
import pytest
from part_files import NAMES, PartFile, call, payload, send_fields, shape

from linkworth.model.trace import TraceMetadata
from linkworth.trace.merge import merge
from linkworth.trace.read import Allowance, open_trace
from linkworth.trace.record import METADATA, TIME_STEP_NS, merge_folder

STEP = 32e-9
TICK = 0.4e-9
EVENTS = 5000
START = (1000, 5_000_000_000, 1_700_000_000_000_000_000)
LATEST = (1000 + 2_500_000_000, 6_000_000_000, 0)
RECORDS, COLUMNS = 1, 2


def noisy_events(seed, count=EVENTS):
    """Return calls of two shapes as (shape, gap, duration, cpu), in ticks and (CPU time) nanoseconds."""
    noise = random.Random(seed)
    events = []
    for number in range(count):
        gap, duration = (int(noise.lognormvariate(7, 1.5)) for _ in range(2))
        cpu = int(gap * TICK * 1e9 * noise.uniform(0.8, 1.0)) if gap > 3000 else None
        events.append((number % 2, gap, duration, cpu))
    return events


def part(rank, events, **fields):
    body = shape(payload(NAMES, "MPI_Send", 1, send_fields(0, 1000)))
    body += shape(payload(NAMES, "MPI_Send", 1, send_fields(0, 8)))
    body += b"".join(call(*event) for event in events)
    blocks = [(START[0], 0, body)]
    return PartFile(rank=rank, size=2, pid=100 + rank, start=START, latest=LATEST, blocks=blocks, **fields)


def merged(folder, step_ns, *parts):
    for each in parts:
        each.write(folder)
    output = folder / f"{step_ns}.lwt"
    merge(folder, output, TraceMetadata(workload="prog", time_step_ns=step_ns))
    return open_trace(output)


def codecs_of(trace):
    content = Path(trace.path).read_bytes()
    index, blocks = struct.unpack_from("<QQ", content[-32:])
    offsets = [struct.unpack_from("<Q", content, index + 32 * number)[0] for number in range(blocks)]
    return {struct.unpack_from("<I", content, at + 12)[0] for at in offsets}


def moments(events):
    times = ("gap_seconds", "duration_seconds")
    return list(accumulate(event[time] for event in events for time in times))


@pytest.fixture
def both(tmp_path):
    """The same recording as it was and rounded: the events of rank 1, which starts off the steps."""
    late = {"start": (START[0], START[1] + 77, START[2] + 77), "latest": (LATEST[0], LATEST[1] + 77, 0)}
    first, second = part(0, noisy_events(1)), part(1, noisy_events(2))
    for name, value in late.items():
        setattr(second, name, value)
    traces = [merged(tmp_path, step, first, second) for step in (0, TIME_STEP_NS)]
    return [list(trace.engine.iterate(1)) for trace in traces]


def test_times_are_kept_to_the_tick(tmp_path):
    written = noisy_events(3)
    trace = merged(tmp_path, 0, part(0, written), part(1, written))
    read = list(trace.engine.iterate(1))
    assert [round(event["gap_seconds"] / TICK) for event in read] == [gap for _, gap, _, _ in written]
    assert [round(event["duration_seconds"] / TICK) for event in read] == [each for _, _, each, _ in written]
    cpu = [
        None if event["cpu_seconds"] in (None, -1) else round(event["cpu_seconds"] * 1e9) for event in read
    ]
    assert cpu == [each for _, _, _, each in written]
    assert trace.metadata.time_step_ns == 0


def test_rounding_moves_no_moment_by_more_than_half_a_step_and_keeps_all_else(both):
    exact, rounded = both
    # The block's base is rounded as well, which moves the first moment that the sums begin with.
    worst = max(abs(a - b) for a, b in zip(moments(exact), moments(rounded), strict=True))
    assert 0 < worst <= STEP + 1e-12
    lengths = [event[name] for event in rounded for name in ("gap_seconds", "duration_seconds")]
    assert all(abs(length / STEP - round(length / STEP)) < 1e-6 and length >= 0 for length in lengths)
    with_cpu = [
        [event["cpu_seconds"] for event in events if (event["cpu_seconds"] or -1) >= 0] for events in both
    ]
    assert len(with_cpu[0]) == len(with_cpu[1]) > EVENTS / 20
    assert sum(with_cpu[1]) == pytest.approx(sum(with_cpu[0]), abs=STEP)

    def without_times(event):
        return {name: value for name, value in event.items() if not name.endswith("_seconds")}

    assert list(map(without_times, exact)) == list(map(without_times, rounded))


def test_overlaps_of_threads_are_rounded_as_moments(tmp_path):
    def of_thread(seed):
        return b"".join(
            [
                shape(payload(NAMES, "MPI_Send", 1, send_fields(0, 1000))),
                *(call(0, gap, duration) for _, gap, duration, _ in noisy_events(seed, 500)),
            ]
        )

    blocks = [(START[0], 0, of_thread(1)), (START[0], 0, of_thread(2))]
    threads = PartFile(rank=0, size=1, start=START, latest=LATEST, blocks=blocks, threads=[0, 1])
    exact, rounded = (list(merged(tmp_path, step, threads).engine.iterate(0)) for step in (0, TIME_STEP_NS))
    assert [event["thread"] for event in exact] == [event["thread"] for event in rounded]
    overlaps = [(a["overlap_seconds"], b["overlap_seconds"]) for a, b in zip(exact, rounded, strict=True)]
    assert sum(a > 0 for a, _ in overlaps) > 100
    assert all(abs(a - b) <= STEP + 1e-12 for a, b in overlaps)


def test_columns_make_a_recording_smaller_than_its_records(tmp_path):
    sizes, raw = {}, {}
    for step in (0, TIME_STEP_NS):
        trace = merged(tmp_path, step, part(0, noisy_events(1)), part(1, noisy_events(2)))
        sizes[step], raw[step] = trace.engine.file_bytes, trace.engine.raw_bytes
        assert codecs_of(trace) == {COLUMNS}
    assert sizes[0] < 0.8 * raw[0]
    assert sizes[TIME_STEP_NS] < 0.75 * sizes[0]


def test_calls_that_repeat_with_their_times_stay_records(tmp_path):
    turns = [(0, 1000, 50, None), (1, 70, 900, None), (1, 70, 10, None)] * 6000
    trace = merged(tmp_path, 0, part(0, turns), part(1, turns))
    assert codecs_of(trace) == {RECORDS}
    assert trace.engine.file_bytes < trace.engine.raw_bytes / 50
    assert [event["duration_seconds"] for event in trace.engine.iterate(1)] == pytest.approx(
        [duration * TICK for _, _, duration, _ in turns]
    )


def test_names_that_no_call_has_are_left_out(tmp_path):
    trace = merged(tmp_path, 0, part(0, noisy_events(1)), part(1, noisy_events(2)))
    assert trace.engine.names == ["MPI_Send"]


def test_a_folder_of_parts_is_merged_as_the_recording_was_told(tmp_path):
    steps = {}
    for name, recorded, exact in (("said", 64, False), ("exact", 64, True), ("unknown", None, False)):
        folder = tmp_path / name
        folder.mkdir()
        part(0, noisy_events(1)).write(folder)
        if recorded is not None:
            said = TraceMetadata(workload="prog", time_step_ns=recorded)
            (folder / METADATA).write_bytes(msgspec.json.encode(said))
        summary = merge_folder(folder, tmp_path / f"{name}.lwt", exact=exact)
        steps[name] = open_trace(Path(summary.path), Allowance()).metadata.time_step_ns
    assert steps == {"said": 64, "exact": 0, "unknown": TIME_STEP_NS}
