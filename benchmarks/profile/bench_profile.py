"""Claim: a trace of 100 million events becomes its full profile at 50 million events a second on one core, in bounded memory.

The trace is a real one: NPB LU, class W, recorded here on 4 ranks, its streams of blocks written one after another until there
are enough events (`--events`), so that every message still finds its partner; or the one that `--trace` names. Time is CPU
time of this process, which computes on one core. The first line is everything that `linkworth profile` does but printing:
opening the file with its checksums, one pass over all events for times, messages and phases, and three replays of at most half
a million events. The indented lines are measured again afterwards; the first one also pays what a profile costs whatever its
length (about a tenth of a second: replays, reading the catalog), and so is slower than they add up to, the more the fewer events.
Figures of other tools are quoted with their source, and measured on the same program where otf2-print or pj_dump is installed.
"""

import argparse
import dataclasses
import shutil
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from linkworth import _engine
from linkworth.profile import build_profile
from linkworth.profile.scan import scan
from linkworth.trace.read import open_trace

EVENTS = 100_000_000
TARGET = 50e6
PLAIN_BYTES = 24
"""Bytes of an event that is not encoded: two times and the number of the call."""
QUOTED = """  otf2-print                   3.0  M records/s
  OTF2's C library, counting    43 to 46 M records/s
  Pipit, with results          0.09 M events/s
  pj_dump                      0.75 M events/s
  (per core, on another machine of this kind: 2 cores, Debian 12, gcc 12.2; medians of three; of these only Pipit matches
  messages, the others print or count)"""

HEADER = struct.Struct("<8sIIQQII24x")
BLOCK = struct.Struct("<IIIIIIIIQQd8x")
ENTRY = struct.Struct("<QIIQII")
TRAILER = struct.Struct("<QQII8s")
BLOCK_MAGIC = 0x4B42574C


@dataclasses.dataclass
class Block:
    """A block of a trace: the fields of its header (docs/reference/trace-format.md), and its stored bytes."""

    rank: int
    sequence: int
    codec: int
    raw_bytes: int
    events: int
    base_ns: int
    next_request: int
    seconds_per_tick: float
    stored: bytes

    def encode(self) -> bytes:
        """Return the header with its checksum, and the stored bytes."""

        def header(crc: int) -> bytes:
            return BLOCK.pack(
                BLOCK_MAGIC, self.rank, self.sequence, self.codec, len(self.stored), self.raw_bytes, self.events, crc,
                self.base_ns, self.next_request, self.seconds_per_tick,
            )  # fmt: skip

        return header(_engine.crc32c(header(0) + self.stored)) + self.stored


def read_blocks(data: bytes) -> tuple[bytes, list[Block]]:
    """Return what stands before the blocks, and the blocks in the index's order."""
    _, _, _, metadata, names, _, _ = HEADER.unpack_from(data)
    index, count, _, _, _ = TRAILER.unpack_from(data, len(data) - TRAILER.size)
    blocks = []
    for number in range(count):
        offset, *_ = ENTRY.unpack_from(data, index + number * ENTRY.size)
        _, rank, sequence, codec, stored, raw, events, _, base, request, tick = BLOCK.unpack_from(
            data, offset
        )
        start = offset + BLOCK.size
        blocks.append(
            Block(rank, sequence, codec, raw, events, base, request, tick, data[start : start + stored])
        )
    return data[: HEADER.size + metadata + names], blocks


def repeat(source: Path, target: Path, events: int) -> None:
    """Write the ranks' streams of `source` again and again, each time later, until there are so many events."""
    head, blocks = read_blocks(source.read_bytes())
    times = max(1, round(events / sum(block.events for block in blocks)))
    span = max(block.base_ns for block in blocks) + 10_000_000_000
    per_rank: dict[int, int] = {}
    for block in blocks:
        per_rank[block.rank] = max(per_rank.get(block.rank, 0), block.sequence + 1)
    entries = []
    with target.open("wb") as out:
        out.write(head)
        for turn in range(times):
            for block in blocks:
                again = dataclasses.replace(
                    block,
                    sequence=block.sequence + turn * per_rank[block.rank],
                    base_ns=block.base_ns + turn * span,
                )
                entries.append(
                    (again.rank, again.sequence, out.tell(), again.base_ns, again.events, again.raw_bytes)
                )
                out.write(again.encode())
        index = b"".join(
            ENTRY.pack(offset, rank, sequence, base, count, raw)
            for rank, sequence, offset, base, count, raw in sorted(entries)
        )
        at = out.tell()
        out.write(index)
        out.write(TRAILER.pack(at, len(entries), _engine.crc32c(index), 0, b"LWTRACE1"))


def record(folder: Path) -> Path:
    """Record the program whose events are repeated."""
    path = folder / "lu.lwt"
    linkworth = Path(sys.executable).with_name("linkworth")
    subprocess.run(
        [linkworth, "trace", "-n", "4", "-o", path, "npb:lu.W"], check=True, stdout=subprocess.DEVNULL
    )
    return path


def cpu_seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def plain_read(events: int) -> float:
    """Return the CPU time of reading so many events of `PLAIN_BYTES` from memory, one after another, by a checksum over them.

    It tells how fast the machine is just now, and no change to the profile changes it.
    """
    part = bytes(PLAIN_BYTES * 100_000)
    times = max(1, round(events / 100_000))
    return cpu_seconds(lambda: [_engine.crc32c(part) for _ in range(times)])


def report(path: Path, events: int) -> None:
    """Print the figures of one trace."""

    def line(what: str, seconds: float) -> float:
        rate = events / seconds
        print(f"  {what:46} {seconds:7.2f} s  {rate / 1e6:7.1f} M events/s")
        return rate

    print(f"{path.name}: {events / 1e6:.1f} M events, {path.stat().st_size / 1e6:.1f} MB")
    rate = line("full profile", cpu_seconds(lambda: build_profile(path)))
    opened: list[_engine.Trace] = []
    read = open_trace(path)
    line("  of it: open, check all checksums", cpu_seconds(lambda: opened.append(_engine.Trace(str(path)))))
    line("  of it: one pass, messages and phases", cpu_seconds(lambda: scan(read, with_phases=True)))
    line("    the same pass without phases", cpu_seconds(lambda: scan(read)))
    line("    decoding alone, event by event", cpu_seconds(lambda: opened[0].check()))
    plain = line("a plain read of as many events, for comparison", plain_read(events))
    print(
        f"  ratio to the {TARGET / 1e6:.0f} M events/s aimed at: {rate / TARGET:.2f}; to the plain read: {rate / plain:.3f}"
    )


MEMORY = """
import sys, threading, time
from pathlib import Path
from linkworth.profile import build_profile
most = 0
def watch():
    global most
    while True:
        status = Path("/proc/self/status").read_text()
        most = max(most, int(status.partition("RssAnon:")[2].split()[0]))
        time.sleep(0.002)
threading.Thread(target=watch, daemon=True).start()
build_profile(Path(sys.argv[1]))
print(most)
"""


def memory_of(path: Path) -> float:
    """Return the most memory of a process that makes the profile, without the pages of mapped files, in MB."""
    done = subprocess.run(
        [sys.executable, "-c", MEMORY, str(path)], check=True, stdout=subprocess.PIPE, text=True
    )
    return int(done.stdout) / 1e3


def measured(folder: Path, source: Path) -> None:
    """Print figures of the other tools that are installed, on the same events converted."""
    linkworth = Path(sys.executable).with_name("linkworth")
    events = _engine.Trace(str(source)).events
    for tool, form, arguments in (("otf2-print", "otf2", ["traces.otf2"]), ("pj_dump", "paje", [])):
        command = shutil.which(tool)
        if command is None:
            print(f"  {tool}: not installed, not measured")
            continue
        target = folder / f"converted-{form}"
        done = subprocess.run(
            [linkworth, "convert", source, "--to", form, "-o", target],
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            print(f"  {tool}: not converted: {done.stderr.strip().splitlines()[-1]}")
            continue
        read = target / arguments[0] if arguments else target
        start = time.perf_counter()
        subprocess.run([command, read], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        print(f"  {tool}: {events / (time.perf_counter() - start) / 1e6:.2f} M events/s, measured")


def main() -> None:
    """Make the trace and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, default=EVENTS)
    parser.add_argument("--trace", type=Path, help="measure this trace as it is")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if options.trace:
            report(options.trace, _engine.Trace(str(options.trace)).events)
            return
        source = record(folder)
        small, large = folder / "tenth.lwt", folder / "all.lwt"
        repeat(source, small, options.events // 10)
        repeat(source, large, options.events)
        report(large, _engine.Trace(str(large)).events)
        print(
            f"  memory without the mapped file: {memory_of(small):.0f} MB for a tenth of the events, "
            f"{memory_of(large):.0f} MB for all"
        )
        print("quoted, on other traces:")
        print(QUOTED)
        print("other tools, on a million of the same events:")
        million = folder / "million.lwt"
        repeat(source, million, 1_000_000)
        measured(folder, million)


if __name__ == "__main__":
    main()
