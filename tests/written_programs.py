"""Traces of programs that tests write down call by call."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from linkworth import _engine
from linkworth.model.trace import RankInfo, TraceMetadata
from linkworth.writing.documents import encode

Event = tuple[str, str, dict[str, Any]]

BARRIER: dict[str, Any] = {"comm": 0, "peer": -1, "bytes": 0, "recv_bytes": 0, "element_bytes": 1} | {
    "send_counts": [],
    "recv_counts": [],
}
RECEIVED = {"actual_peer": 0, "actual_tag": 0}
INIT: Event = ("MPI_Init@a.c:1", "init", {"code": 0})
FINALIZE: Event = ("MPI_Finalize@a.c:9", "finalize", {})


def even(rank: int, ranks: int, calls: int) -> list[float]:
    return [1e-4 / ranks] * calls


def trace(
    program: Callable[[int, int], Iterator[Event]],
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
