"""Reads the tracer's sums in place of a trace (docs/reference/trace-format.md, "A profile")."""

import struct
from dataclasses import dataclass
from pathlib import Path

from linkworth.errors import UsageError

_HEADER = struct.Struct("<8sIIiiIIII6QQQiid8x128s512s256s")
_MAGIC = b"LWPROF1\0"
_VERSION = 3
_THREAD = struct.Struct("<4sIQQ40x")
_SIZE_CLASSES = 65
_PADDING = 48
_TALLY_WORDS = 4
_INITIALISED, _FINALISED, _ABORTED, _RESTARTED = 1, 2, 8, 32
_LONG_ENOUGH_NS = 50_000_000


@dataclass(frozen=True)
class Tally:
    """Totals of one procedure in one process."""

    calls: int
    seconds: float
    """Time inside the calls."""
    computation_seconds: float
    """Time between these calls and those before."""
    bytes_sent: int


@dataclass(frozen=True)
class ProcessProfile:
    """One process of a run."""

    rank: int
    size: int
    pid: int
    host: str
    state: str
    restarted: bool
    """Only a sign that a process began MPI again after its counting had ended."""
    elapsed: float
    """Seconds from its start to its last call."""
    cpu: float | None
    threads: int
    tallies: dict[str, Tally]
    sizes: list[tuple[int, int]]
    """Calls and bytes by the number of bits of the size: 0 for 0 bytes, 1 for 1, 2 for 2 and 3, ..."""


def _tick_seconds(start: tuple[int, ...], latest: tuple[int, ...], known_rate: float) -> float:
    apart = latest[1] - start[1]
    moved = latest[0] > start[0] and apart > 0
    if moved and (apart >= _LONG_ENOUGH_NS or known_rate <= 0):
        return apart * 1e-9 / (latest[0] - start[0])
    return 1 / known_rate if known_rate > 0 else 1e-9


def read(path: Path) -> ProcessProfile:
    """Read one process's file as far as the process wrote it. Raises UsageError for another kind of file."""
    data = path.read_bytes()
    if len(data) < _HEADER.size or data[:8] != _MAGIC:
        raise UsageError(f"{path} is not the profile of a process, or its header is cut")
    (_, version, flags, rank, size, region, first, names_offset, names_bytes, *rest) = _HEADER.unpack_from(
        data
    )
    if version != _VERSION:
        raise UsageError(f"{path} has profile version {version}, this linkworth reads {_VERSION}")
    start, latest = tuple(rest[:3]), tuple(rest[3:6])
    cpu, _, pid, _, known_rate, host, *_ = rest[6:]
    names = data[names_offset : names_offset + names_bytes].rstrip(b"\0").decode(errors="replace").split("\0")
    tick = _tick_seconds(start, latest, known_rate)
    totals = [[0] * _TALLY_WORDS for _ in names]
    sizes = [(0, 0)] * _SIZE_CLASSES
    threads, last = 0, start[0]
    tallies = struct.Struct(f"<{_TALLY_WORDS * len(names)}Q")
    bins = struct.Struct(f"<{2 * _SIZE_CLASSES}Q")
    if region < _THREAD.size + bins.size + _PADDING + tallies.size:
        raise UsageError(f"{path} has a damaged header")
    for offset in range(first, len(data) - region + 1, region):
        magic, _, _, last_of_thread = _THREAD.unpack_from(data, offset)
        if magic != b"LWWT":
            continue
        threads += 1
        last = max(last, last_of_thread)
        offset += _THREAD.size
        figures = bins.unpack_from(data, offset)
        sizes = [(n + figures[2 * i], b + figures[2 * i + 1]) for i, (n, b) in enumerate(sizes)]
        offset += bins.size + _PADDING
        figures = tallies.unpack_from(data, offset)
        for number, total in enumerate(totals):
            row = figures[_TALLY_WORDS * number :][:_TALLY_WORDS]
            totals[number] = [old + new for old, new in zip(total, row, strict=True)]
    return ProcessProfile(
        rank=rank if flags & _INITIALISED else -1,
        size=size,
        pid=pid,
        host=host.split(b"\0")[0].decode(errors="replace"),
        state="aborted" if flags & _ABORTED else "complete" if flags & _FINALISED else "cut",
        restarted=bool(flags & _RESTARTED),
        elapsed=(last - start[0]) * tick,
        cpu=cpu * 1e-9 if flags & _FINALISED else None,
        threads=threads,
        tallies={
            name: Tally(calls, inside * tick, before * tick, sent)
            for name, (calls, inside, before, sent) in zip(names, totals, strict=True)
            if calls
        },
        sizes=sizes,
    )
