"""Claim: the end of a recording, which joins the ranks' parts into one trace, takes some 100 ns of CPU time an event at most.

The parts are real ones, of NPB programs recorded here on 4 ranks; their blocks are repeated, each time later, until there are
some million events, so that what the joining costs for each part and each file does not count (it is given for the parts as
they were recorded, too). Baseline in the same run: zlib at its fastest level over the parts' records, which are what the
joining compresses.

    benchmarks/tracefile/bench_merge.py [--mpi NAME] [--programs lu.W,sp.W] [--events 3000000] [--parts FOLDER]
"""

import argparse
import shutil
import struct
import tempfile
import time
import zlib
from pathlib import Path

import msgspec

from linkworth.measure.plan import plan
from linkworth.model.trace import TraceMetadata, TraceSummary
from linkworth.model.workload import Workload
from linkworth.trace import merge as merging
from linkworth.trace import record as recording

RANKS = 4
ADDRESSES = struct.Struct("<24xII")
"""Fields of a part's header: size and offset of the first block (docs/reference/trace-format.md)."""
CLOCKS = struct.Struct("<40xQ16xQ")
"""Fields of a part's header: ticks of its start and of its latest reading."""
BASE = struct.Struct("<Q")
BASE_OFFSET, UNITS_OFFSET = 8, 44
BLOCK_HEADER = 64


def keep_parts(program: str, mpi: str | None, folder: Path) -> Path:
    """Record a program and return a copy of the parts that it left before they were joined."""
    kept = folder / program
    join = merging.merge

    def copy_and_join(parts: Path, output: Path, metadata: TraceMetadata) -> TraceSummary:
        shutil.copytree(parts, kept)
        return join(parts, output, metadata)

    recording.merge = copy_and_join  # type: ignore[assignment, attr-defined]
    try:
        recording.record(
            plan(Workload(name=program, command=[f"npb:{program}"], ranks=RANKS), mpi=mpi),
            output=folder / "recorded.lwt",
            replace=True,
        )
    finally:
        recording.merge = join  # type: ignore[attr-defined]
    return kept


def blocks_of(data: bytes) -> list[bytes]:
    size, at = ADDRESSES.unpack_from(data)
    blocks = []
    while at + BLOCK_HEADER <= len(data):
        units = max(1, struct.unpack_from("<I", data, at + UNITS_OFFSET)[0])
        if data[at : at + 4] != b"\0\0\0\0":
            blocks.append(data[at : at + units * size])
        at += units * size
    return blocks


def repeat(parts: Path, target: Path, times: int) -> None:
    """Write each part's blocks again and again, each time later."""
    target.mkdir()
    for file in parts.iterdir():
        data = file.read_bytes()
        if file.suffix != ".part":
            (target / file.name).write_bytes(data)
            continue
        start, latest = CLOCKS.unpack_from(data)
        blocks = blocks_of(data)
        with (target / file.name).open("wb") as out:
            out.write(data[: ADDRESSES.unpack_from(data)[1]])
            for turn in range(times):
                for block in blocks:
                    (base,) = BASE.unpack_from(block, BASE_OFFSET)
                    later = BASE.pack(base + turn * (latest - start + 1))
                    out.write(block[:BASE_OFFSET] + later + block[BASE_OFFSET + BASE.size :])


def measure(name: str, parts: Path, folder: Path) -> int:
    """Print what joining these parts costs; return their events."""
    metadata = msgspec.json.decode((parts / recording.METADATA).read_bytes(), type=TraceMetadata)
    start = time.process_time()
    summary = merging.merge(parts, folder / "joined.lwt", metadata)
    seconds = time.process_time() - start
    records = b"".join(
        b"".join(blocks_of(file.read_bytes())).replace(b"\0" * BLOCK_HEADER, b"")
        for file in parts.glob("*.part")
    )
    start = time.process_time()
    zlib.compress(records, 1)
    baseline = time.process_time() - start
    each = 1e9 / summary.events
    print(
        f"{name:14} {summary.events:10,} {seconds * each:12.1f} {baseline * each:12.1f} {seconds / baseline:9.2f}"
        f" {summary.bytes / summary.events:14.2f}",
        flush=True,
    )
    return summary.events


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--mpi")
    parser.add_argument("--programs", default="lu.W,sp.W")
    parser.add_argument("--events", type=int, default=3_000_000)
    parser.add_argument("--parts", type=Path, help="join copies of these parts instead")
    asked = parser.parse_args()
    print(
        f"{'parts':14} {'events':>10} {'ns an event':>12} {'zlib -1, ns':>12} {'of zlib':>9} {'bytes an event':>14}"
    )
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        programs = [asked.parts.name] if asked.parts else asked.programs.split(",")
        for program in programs:
            parts = asked.parts or keep_parts(program, asked.mpi, folder)
            events = measure(program, parts, folder)
            times = max(1, round(asked.events / events))
            repeat(parts, folder / f"{program}-{times}", times)
            measure(f"{program} x {times}", folder / f"{program}-{times}", folder)


if __name__ == "__main__":
    main()
