"""Traces of programs that tests write down call by call, and what scaling makes of them."""

from collections.abc import Callable, Iterator, Sequence
from math import prod
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
NOBODY = -2


class Place:
    """A rank's place on a grid of ranks."""

    def __init__(self, rank: int, grid: Sequence[int]) -> None:
        self.grid = grid
        self.at = [rank // prod(grid[d + 1 :]) % n for d, n in enumerate(grid)]

    def neighbour(self, *steps: int, periodic: bool = False) -> int:
        """Return the rank so many steps away along each dimension. Beyond an edge there is nobody."""
        found = 0
        for x, step, n in zip(self.at, steps, self.grid, strict=True):
            there = (x + step) % n if periodic else x + step
            if not 0 <= there < n:
                return NOBODY
            found = found * n + there
        return found

    def along(self, dimension: int, step: int, *, periodic: bool = False) -> int:
        steps = (step if d == dimension else 0 for d in range(len(self.grid)))
        return self.neighbour(*steps, periodic=periodic)

    def sides(self, dimension: int, *, periodic: bool = False) -> tuple[int, int]:
        """Return the neighbours below and above."""
        return self.along(dimension, -1, periodic=periodic), self.along(dimension, 1, periodic=periodic)


def swap(site: str, to: int, source: int, size: int, *, tag: int = 0, comm: int = 0) -> Event:
    """Return a call that sends as many bytes as it receives."""
    fields = {"comm": comm, "peer": to, "tag": tag, "bytes": size}
    fields |= {"recv_peer": source, "recv_tag": tag, "recv_bytes": size}
    return f"MPI_Sendrecv@{site}", "sendrecv", fields | RECEIVED


def wait(site: str, back: int = 1) -> Event:
    """Return the wait for one request, counted back from the last one."""
    return f"MPI_Wait@{site}", "complete", {"mode": 0, "listed": 1, "completions": [(back, False, 0, 0)]}


def waitall(site: str, count: int) -> Event:
    """Return the wait for the last requests, in the order in which they were made."""
    ended = [(back, False, 0, 0) for back in range(count, 0, -1)]
    return f"MPI_Waitall@{site}", "complete", {"mode": 1, "listed": count, "completions": ended}


def collective(call: str, size: int = 0, **fields: Any) -> Event:
    return f"MPI_{call}", "collective", BARRIER | {"bytes": size, "recv_bytes": size} | fields


def communicator(
    call: str, number: int, members: list[int], near: list[int] | None = None, **fields: Any
) -> Event:
    """Return the call that makes a communicator. `near`: neighbours, if it has a topology."""
    made: dict[str, Any] = {"comm": 0, "new_comm": number, "members": members, "remote_members": []}
    made |= {"inter": False, "has_topology": near is not None}
    made |= {"sources": near or [], "destinations": near or []}
    return f"MPI_{call}", "comm_new", made | fields


def message(kind: str, peer: int, size: int, tag: int, site: str, comm: int = 0) -> Event:
    fields = {"comm": comm, "peer": peer, "tag": tag, "bytes": size}
    return f"MPI_{kind.capitalize()}@{site}", kind, fields | RECEIVED if kind == "recv" else fields


def counted(comm: int, counts: list[int]) -> dict[str, Any]:
    """Return the fields of an exchange in which a rank sends to each peer as much as it receives."""
    return exchanged("", counts, counts, comm)[2]


def exchanged(call: str, sent: list[int], received: list[int], comm: int = 0) -> Event:
    lists = {"send_counts": sent, "recv_counts": received}
    return collective(call, sum(sent), recv_bytes=sum(received), comm=comm, **lists)


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


def scales_exactly(program: Program, counts: Sequence[int], folder: Path) -> ScaleSummary:
    """Scale a program's traces to the last count, and check that every call is that of the program."""
    *small, large = counts
    made, summary = scaled(program, small, large, folder)
    assert same_calls(made, trace(program, large, folder))
    return summary


def computed(path: Path) -> float:
    """Return the computation of all ranks."""
    trace = _engine.Trace(str(path))
    return sum(float(_engine.read_rank(trace, rank)["gap_seconds"].sum()) for rank in range(trace.ranks))


def seconds_on(name: str, path: Path, nodes: int = 2) -> float:
    """Return the time on some nodes with a network."""
    trace = _engine.Trace(str(path))
    return replay(trace, fabrics.get(name), block(trace.ranks, nodes)).seconds
