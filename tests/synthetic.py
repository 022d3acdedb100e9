"""Traces made by hand: one list of calls a rank."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from linkworth import _engine
from linkworth.model.fabric import Fabric
from linkworth.model.fabric import Path as Way

ANY = -1
PROC_NULL = -2


class Call:
    """One MPI call: its name, class and fields, and the computation before it."""

    def __init__(self, name: str, call_class: str, **fields: Any) -> None:
        self.name = name
        self.call_class = call_class
        self.fields = fields
        self.gap = 0.0
        self.cpu = -1.0
        self.duration = 0.0

    def after(self, gap: float, cpu: float = -1.0) -> "Call":
        """Put `gap` seconds of computation (of which `cpu` on a core) before the call."""
        self.gap = gap
        self.cpu = cpu
        return self

    def lasting(self, duration: float) -> "Call":
        """Give the call its recorded duration."""
        self.duration = duration
        return self


def send(peer: int, size: int, tag: int = 0, comm: int = 0, name: str = "MPI_Send") -> Call:
    return Call(name, "send", comm=comm, peer=peer, tag=tag, bytes=size)


def isend(peer: int, size: int, tag: int = 0, comm: int = 0, name: str = "MPI_Isend") -> Call:
    return Call(name, "isend", comm=comm, peer=peer, tag=tag, bytes=size)


def recv(peer: int, size: int, tag: int = 0, comm: int = 0, actual: tuple[int, int] = (0, 0)) -> Call:
    return Call(
        "MPI_Recv",
        "recv",
        comm=comm,
        peer=peer,
        tag=tag,
        bytes=size,
        actual_peer=actual[0],
        actual_tag=actual[1],
    )


def irecv(peer: int, size: int, tag: int = 0, comm: int = 0) -> Call:
    return Call("MPI_Irecv", "irecv", comm=comm, peer=peer, tag=tag, bytes=size)


def sendrecv(to: int, size: int, source: int, tag: int = 0) -> Call:
    return Call(
        "MPI_Sendrecv",
        "sendrecv",
        comm=0,
        peer=to,
        tag=tag,
        bytes=size,
        recv_peer=source,
        recv_tag=tag,
        recv_bytes=size,
    )


def waitall(*references: int) -> Call:
    done = [(reference, False, 0, 0) for reference in references]
    return Call("MPI_Waitall", "complete", mode=1, listed=len(done), completions=done)


def duplicates_in_another_order() -> tuple[list[Call], list[Call]]:
    """Return the calls of two ranks that duplicate communicators 2 and 3, which have the same members, as 4 and 5.

    The first duplicates 2 first, the second 3. MPI_Comm_idup allows this, since no rank waits in it.
    """

    def rank(first: int, second: int) -> list[Call]:
        made = [
            Call("MPI_Comm_dup", "comm_new", comm=0, new_comm=number, members=[0, 1]) for number in (2, 3)
        ]
        for parent, number in ((first, 4), (second, 5)):
            made.append(Call("MPI_Comm_idup", "icomm_new", comm=parent, new_comm=number, members=[0, 1]))
        return [*made, waitall(2, 1)]

    return rank(2, 3), rank(3, 2)


def bridge(mine: list[int], other: list[int], comm: int = 0) -> Call:
    """Return the call that makes inter-communicator 2 of two groups of ranks."""
    groups = {"members": mine, "remote_members": other}
    return Call("MPI_Intercomm_create", "comm_new", comm=comm, new_comm=2, inter=True, **groups)


def collective(name: str, size: int = 0, received: int | None = None, root: int = -1, **fields: Any) -> Call:
    return Call(
        name,
        "collective",
        peer=root,
        bytes=size,
        recv_bytes=size if received is None else received,
        **{"comm": 0, **fields},
    )


def pcontrol(level: int) -> Call:
    return Call("MPI_Pcontrol", "pcontrol", code=level)


def finalize() -> Call:
    return Call("MPI_Finalize", "finalize")


def write_trace(
    path: Path, programs: Sequence[Sequence[Call]], *, init: bool = True, end: bool = True, **metadata: Any
) -> Path:
    """Write a trace whose ranks make these calls between MPI_Init and MPI_Finalize."""
    document = {
        "schema": "linkworth.trace-metadata/1",
        "workload": "synthetic",
        "source": "synthetic",
        "ranks": [{"rank": rank, "host": "node", "state": "complete"} for rank in range(len(programs))],
        **metadata,
    }
    writer = _engine.TraceWriter(str(path), len(programs), json.dumps(document))
    for rank, calls in enumerate(programs):
        opening = [Call("MPI_Init", "init").after(1.0).lasting(0.5)] if init else []
        closing = [finalize()] if end else []
        for call in [*opening, *calls, *closing]:
            writer.event(rank, call.name, call.call_class, call.fields, call.gap, call.cpu, call.duration)
    writer.close()
    return path


def way(
    latency: float = 0.0,
    bandwidth: float = float("inf"),
    overhead: float = 0.0,
    eager: int = 1 << 62,
    **fields: Any,
) -> Way:
    """One path with the same overhead at both ends and for every size."""
    points = [(0, overhead)] if overhead else []
    return Way(
        latency_seconds=latency,
        bandwidth_bytes_per_second=bandwidth,
        send_overhead=points,
        receive_overhead=points,
        eager_limit_bytes=eager,
        **fields,
    )


def fabric(link: Way, intranode: Way | None = None, **fields: Any) -> Fabric:
    # Arithmetic costs nothing unless a case asks for it.
    fields.setdefault("combine_bytes_per_second", float("inf"))
    fields.setdefault("block_seconds", 0.0)
    fields.setdefault("datatype_seconds", 0.0)
    fields.setdefault("post_seconds", 0.0)
    return Fabric(name="by hand", title="by hand", link=link, intranode=intranode or way(), **fields)
