"""Traces of programs that tests write down call by call, and what scaling makes of them."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from linkworth import _engine
from linkworth.catalog import fabrics
from linkworth.model.scaling import ScaleSummary
from linkworth.model.trace import RankInfo, TraceMetadata
from linkworth.replay.layout import block
from linkworth.replay.run import replay
from linkworth.scale import ScaleRequest, scale
from linkworth.writing.documents import encode

Event = tuple[str, str, dict[str, Any]]
Program = Callable[[int, int], Iterator[Event]]

BARRIER: dict[str, Any] = {"comm": 0, "peer": -1, "bytes": 0, "recv_bytes": 0, "element_bytes": 1} | {
    "send_counts": [],
    "recv_counts": [],
}
RECEIVED = {"actual_peer": 0, "actual_tag": 0}
INIT: Event = ("MPI_Init@a.c:1", "init", {"code": 0})
FINALIZE: Event = ("MPI_Finalize@a.c:9", "finalize", {})


def message(kind: str, peer: int, size: int, tag: int, site: str) -> Event:
    fields = {"comm": 0, "peer": peer, "tag": tag, "bytes": size}
    return f"MPI_{kind.capitalize()}@{site}", kind, fields | RECEIVED if kind == "recv" else fields


def counted(comm: int, counts: list[int]) -> dict[str, Any]:
    """Return the fields of an exchange in which a rank sends to each peer as much as it receives."""
    total = sum(counts)
    return BARRIER | {
        "comm": comm,
        "bytes": total,
        "recv_bytes": total,
        "send_counts": counts,
        "recv_counts": counts,
    }


def even(rank: int, ranks: int, calls: int) -> list[float]:
    return [1e-4 / ranks] * calls


def trace(
    program: Program,
    ranks: int,
    folder: Path,
    computation: Callable[[int, int, int], list[float]] = even,
    processor: str = "",
) -> Path:
    path = folder / f"{ranks}.lwt"
    where = [RankInfo(rank=rank, host="node", processor=processor) for rank in range(ranks)]
    metadata = TraceMetadata(workload="written", source="recorded", ranks=where)
    writer = _engine.TraceWriter(str(path), ranks, encode(metadata).decode())
    for rank in range(ranks):
        calls = [INIT, *program(rank, ranks), FINALIZE]
        times = np.array(computation(rank, ranks, len(calls)))
        _engine.write_rank(writer, rank, calls, np.arange(len(calls), dtype=np.uint32), times, times, times)
    writer.close()
    return path


def calls(path: Path, rank: int) -> list[Event]:
    trace = _engine.Trace(str(path))
    read = _engine.read_rank(trace, rank)
    known = [(trace.entries[entry], call_class, fields) for entry, call_class, fields in read["calls"]]
    return [known[number] for number in read["call"]]


def same_calls(one: Path, other: Path) -> bool:
    ranks = _engine.Trace(str(other)).ranks
    return all(calls(one, rank) == calls(other, rank) for rank in range(ranks))


def scaled(
    program: Program,
    small: Sequence[int],
    large: int,
    folder: Path,
    computation: Callable[[int, int, int], list[float]] = even,
    sizes: Sequence[float] = (),
) -> tuple[Path, ScaleSummary]:
    """Return what scaling makes of a program's traces. `sizes`: problem sizes of `small` and of `large`, if they differ."""
    traces = [trace(program, ranks, folder, computation) for ranks in small]
    made = folder / "made.lwt"
    growth = {"sizes": sizes[:-1], "to_size": sizes[-1]} if sizes else {}
    return made, scale(ScaleRequest(traces=traces, ranks=large, output=made, **growth))


def computed(path: Path) -> float:
    """Return the computation of all ranks."""
    trace = _engine.Trace(str(path))
    return sum(float(_engine.read_rank(trace, rank)["gap_seconds"].sum()) for rank in range(trace.ranks))


def seconds_on(name: str, path: Path) -> float:
    """Return the time on two nodes with a network."""
    trace = _engine.Trace(str(path))
    return replay(trace, fabrics.get(name), block(trace.ranks, 2)).seconds
