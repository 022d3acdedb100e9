"""A rank whose threads call MPI at once, as the tracer leaves it: each thread's calls in blocks of its own."""

from pathlib import Path

from part_files import NAMES, PartFile, call, payload, send_fields, shape, varint

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
"""The calls of `two_threads`."""

START = (1000, 5_000_000_000, 1_700_000_000_000_000_000)
LATEST = (6_000_000_000, 1_700_000_001_000_000_000)  # a second later


def merged(
    folder: Path, blocks: list[tuple[int, int, bytes]], threads: list[int], ticks_per_ns: int = 1
) -> Path:
    """Return the trace of one rank with these blocks, each of one of the threads."""
    latest = (START[0] + ticks_per_ns * 10**9, *LATEST)
    PartFile(rank=0, size=1, start=START, latest=latest, blocks=blocks, threads=threads).write(folder)
    path = folder / "t.lwt"
    merge(folder, path, TraceMetadata(workload="threads"))
    return path


def two_threads(folder: Path) -> Path:
    """Return a trace with the calls of EXPECTED."""
    first = shape(payload(NAMES, "MPI_Init", 18, varint(3))) + call(0, 500, 1000)
    first += shape(payload(NAMES, "MPI_Isend", 2, send_fields(0, 8))) + call(1, 100, 200)
    wait = varint(0) + varint(1) + varint(1) + varint(2 * 1)
    first += shape(payload(NAMES, "MPI_Wait", 9, wait)) + call(2, 300, 100)
    second = shape(payload(NAMES, "MPI_Isend", 2, send_fields(0, 16))) + call(0, 0, 400) + call(0, 350, 10)
    return merged(folder, [(1000, 0, first), (2550, 1, second)], [0, 1])


def messages_to_itself(folder: Path) -> Path:
    """Return a trace whose second thread sends from 1550 ns on, its first from 1600; received at 2100 and 2300."""
    first = shape(payload(NAMES, "MPI_Init", 18, varint(3))) + call(0, 500, 1000)
    first += shape(payload(NAMES, "MPI_Send", 1, send_fields(0, 8, tag=0))) + call(1, 100, 200)
    first += shape(payload(NAMES, "MPI_Recv", 3, send_fields(0, 8, tag=1))) + call(2, 200, 100)
    first += shape(payload(NAMES, "MPI_Recv", 3, send_fields(0, 8, tag=0))) + call(3, 100, 100)
    second = shape(payload(NAMES, "MPI_Send", 1, send_fields(0, 8, tag=1))) + call(0, 0, 400)
    return merged(folder, [(1000, 0, first), (2550, 0, second)], [0, 1])


def in_turn(folder: Path) -> Path:
    """Return a trace whose threads send one after the other; the first then receives beside an MPI_Comm_rank."""
    folder.mkdir()
    first = shape(payload(NAMES, "MPI_Init", 18, varint(3))) + call(0, 500, 1000)
    first += shape(payload(NAMES, "MPI_Send", 1, send_fields(0, 8, tag=0))) + call(1, 0, 200)
    first += shape(payload(NAMES, "MPI_Recv", 3, send_fields(0, 8, tag=1))) + call(2, 350, 100)
    second = shape(payload(NAMES, "MPI_Send", 1, send_fields(0, 8, tag=1))) + call(0, 0, 100)
    second += shape(payload(NAMES, "MPI_Comm_rank", 0)) + call(1, 200, 50)
    return merged(folder, [(1000, 0, first), (2750, 0, second)], [0, 1])


def sends_by_thread(folder: Path, threads: list[list[tuple[int, int]]]) -> Path:
    """Return a trace whose threads send with these gaps and durations in quarters of a ns; no two send as many bytes."""
    blocks = []
    size = 0
    for calls in threads:
        records = b""
        for number, (gap, duration) in enumerate(calls):
            records += shape(payload(NAMES, "MPI_Isend", 2, send_fields(0, size, comm=size % 2)))
            records += call(number, gap, duration)
            size += 1
        blocks.append((START[0], 0, records))
    return merged(folder, blocks, list(range(len(threads))), ticks_per_ns=4)


def long_run(folder: Path, blocks: int) -> Path:
    """Return a trace of two threads that each send 20,000 messages in each of some blocks."""
    calls = 20_000
    records = shape(payload(NAMES, "MPI_Send", 1, send_fields(0, 8))) + call(0, 100, 100) * calls
    each = [(START[0] + 200 * calls * number, 0, records) for number in range(blocks)]
    return merged(folder, each * 2, [thread for thread in range(2) for _ in each])
