"""Mutates the files that linkworth reads, and reads them: `python tests/file_fuzzer.py --seconds 60 [--seed N] [KIND...]`.

A fault is an exception that is not linkworth's own, the death of the process, more than 10 seconds for one file, or more than
1 GB of memory. Each mutation follows from the seed, the kind and its number alone: `--first N --count 1` makes one again.
"""

import argparse
import contextlib
import multiprocessing
import os
import random
import re
import resource
import shutil
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from fuzzed_kinds import KINDS, Kind

from linkworth.errors import LinkworthError

LONGEST_SECONDS = 10.0
"""Limit of CPU time, because a process may wait on a busy machine."""
LONGEST_WAIT_SECONDS = 120.0
MOST_BYTES = 1 << 30
NUMBERS = [
    b"0", b"-1", b"1", b"2", b"0.5", b"-0.0", b"nan", b"inf", b"-inf", b"1e308", b"1e-310", b"1e999", b"1" * 400,
    b"2147483648", b"4294967296", b"9223372036854775807", b"18446744073709551616",
    b"true", b'""', b"[]", b"{}", b"null",
]  # fmt: skip
WORDS = [
    b"\0", b"\xff\xfe", b"\xed\xa0\x80", "é€😀".encode(), b"\x1b[31m", b"'", b'"', b"\\", b"\n", b"\t", b"{", b"=", b"#", b",",
    b"..", b"/", b"$x", b"${x}", b"*", b"%s", b"A" * 5000, b"[" * 300, b'{"a":' * 3000,
]  # fmt: skip


class Fault(NamedTuple):
    """A file on which linkworth failed, and how."""

    kind: str
    number: int
    what: str


def mutated(kind: Kind, seed: int, number: int) -> bytes:
    """Return the file of a kind that has this number: one to four changes of a seed file."""
    chance = random.Random(f"{seed} {kind.name} {number}")
    content = chance.choice(kind.seeds)
    if kind.parts is None:
        return changed(content, chance, kind.seeds)
    parts = kind.parts(content)
    name = chance.choice(sorted(parts))
    return kind.joined(parts | {name: changed(parts[name], chance, [parts[name]])}, chance)


def changed(content: bytes, chance: random.Random, seeds: Sequence[bytes]) -> bytes:
    """Return content after one to four accidents."""
    for _ in range(chance.choice([1, 1, 2, 4])):
        content = _accident(content, chance, seeds)
    return content


def _accident(content: bytes, chance: random.Random, seeds: Sequence[bytes]) -> bytes:
    start = chance.randrange(len(content) + 1)
    end = min(len(content), start + chance.choice([1, 4, 20, 200]))
    match chance.randrange(9):
        case 0 if content:
            flipped = bytearray(content)
            flipped[start % len(content)] ^= 1 << chance.randrange(8)
            return bytes(flipped)
        case 1:
            return content[:start]
        case 2:
            return content[:start] + content[end:]
        case 3:
            return content[:end] + content[start:]
        case 4:
            return content[:start] + chance.choice(WORDS) + content[end:]
        case 5:
            return content[:start] + chance.randbytes(chance.choice([1, 2, 8])) + content[start:]
        case 6:
            other = chance.choice(seeds)
            at = chance.randrange(len(other) + 1)
            return content[:start] + other[at : at + chance.choice([10, 100, 1000])] + content[end:]
        case 7:
            lines = content.split(b"\n")
            first, second = chance.randrange(len(lines)), chance.randrange(len(lines))
            lines[first], lines[second] = lines[second], lines[first]
            return b"\n".join(lines)
        case _:
            found = list(re.finditer(rb"-?\d[\d.e+-]*|true|false|null", content[:100_000]))
            if not found:
                return content[:start] + chance.choice(NUMBERS) + content[start:]
            number = chance.choice(found)
            return content[: number.start()] + chance.choice(NUMBERS) + content[number.end() :]


def read(kind: Kind, content: bytes, folder: Path) -> str | None:
    """Read a file of a kind; return what went wrong, or None."""
    path = folder / kind.file
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content)
    began = time.process_time()
    try:
        with contextlib.suppress(LinkworthError):
            kind.read(path)
    except Exception:
        return traceback.format_exc()
    seconds = time.process_time() - began
    return f"it took {seconds:.1f} s" if seconds > LONGEST_SECONDS else None


def faults(kind: Kind, seed: int, numbers: Sequence[int], folder: Path) -> Iterator[Fault]:
    """Read the files of these numbers in this process, and yield what failed."""
    for number in numbers:
        what = read(kind, mutated(kind, seed, number), folder)
        if what is not None:
            yield Fault(kind.name, number, what)


def _work(name: str, seed: int, first: int, last: int, folder: Path, shared: Any, found: Any) -> None:
    """Read file after file in a process of its own, which a fault may end."""
    kind = KINDS[name]
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 1)
    os.dup2(silence, 2)
    for number in range(first, last):
        shared.value = number
        for fault in faults(kind, seed, [number], folder):
            found.put(fault)
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        if memory > MOST_BYTES:
            found.put(Fault(name, number, f"{memory >> 20} MiB of memory"))
            return
    shared.value = last


def _processor_seconds(process: int | None) -> float:
    try:
        words = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def fuzz(kind: Kind, seed: int, seconds: float, first: int, count: int, say: Callable[[Fault], None]) -> int:
    """Read mutations of a kind for so many seconds, or so many; return how many were read."""
    ends = time.monotonic() + seconds
    number, last = first, first + count
    with tempfile.TemporaryDirectory(prefix="linkworth-fuzz-", dir="/dev/shm") as folder:
        while number < last and time.monotonic() < ends:
            shared = multiprocessing.Value("q", number)
            found: Any = multiprocessing.Queue()
            worker = multiprocessing.Process(
                target=_work, args=(kind.name, seed, number, last, Path(folder), shared, found)
            )
            worker.start()
            seen, since, used, hung = number, time.monotonic(), 0.0, False
            while worker.is_alive() and time.monotonic() < ends:
                worker.join(0.2)
                if shared.value != seen:
                    seen, since, used = shared.value, time.monotonic(), _processor_seconds(worker.pid)
                hung = (
                    _processor_seconds(worker.pid) - used > 2 * LONGEST_SECONDS
                    or time.monotonic() - since > LONGEST_WAIT_SECONDS
                )
                if hung:
                    break
            stopped = worker.is_alive()
            if stopped:
                worker.kill()
            worker.join()
            while not found.empty():
                say(found.get())
            if hung:
                say(Fault(kind.name, shared.value, "no end"))
            elif not stopped and worker.exitcode:
                say(Fault(kind.name, shared.value, f"the process ended with {worker.exitcode}"))
            number = shared.value + (shared.value < last)
        for child in Path(folder).iterdir():
            shutil.rmtree(child, ignore_errors=True)
    return number - first


def main() -> int:
    """Fuzz the kinds that are named, or all, in turn; return 1 if anything failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kinds", nargs="*", metavar="KIND", help=f"of {', '.join(KINDS)}")
    parser.add_argument("--seconds", type=float, default=60.0, help="of all kinds together")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="number of the first mutation of each kind")
    parser.add_argument("--count", type=int, default=1 << 40, help="mutations of each kind at most")
    parser.add_argument("--keep", type=Path, default=Path("build/fuzz-found"), help="folder for what failed")
    options = parser.parse_args()
    names = options.kinds or list(KINDS)
    failed = 0

    def say(fault: Fault) -> None:
        nonlocal failed
        failed += 1
        options.keep.mkdir(parents=True, exist_ok=True)
        path = options.keep / f"{fault.kind}-{options.seed}-{fault.number}"
        path.write_bytes(mutated(KINDS[fault.kind], options.seed, fault.number))
        print(f"{fault.what}\n{path}\n", file=sys.stderr)

    for name in names:
        before = failed
        made = fuzz(
            KINDS[name], options.seed, options.seconds / len(names), options.first, options.count, say
        )
        print(f"fuzzing {name}: {made} files, {failed - before} faults", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
