"""Calls of one-sided, partitioned and neighbourhood communication for traces made by hand."""

from collections.abc import Sequence
from typing import Any

from synthetic import Call

PUT, GET, ACCUMULATE, FETCH = range(4)
(
    FENCE, POST, START, COMPLETE, WAIT, TEST, LOCK, LOCK_ALL, UNLOCK, UNLOCK_ALL,
    FLUSH, FLUSH_ALL, FLUSH_LOCAL, FLUSH_LOCAL_ALL, SYNC,
) = range(15)  # fmt: skip


def win_new(window: int = 0) -> Call:
    return Call("MPI_Win_create", "win_new", comm=0, new_window=window, bytes=1 << 20)


def win_free() -> Call:
    return Call("MPI_Win_free", "win_free", window=0)


def access(operation: int, target: int, to: int = 0, back: int = 0, *, request: bool = False) -> Call:
    return Call(
        ("MPI_R" if request else "MPI_") + ("put", "get", "accumulate", "fetch_and_op")[operation],
        "irma" if request else "rma",
        operation=operation,
        window=0,
        peer=target,
        bytes=to,
        recv_bytes=back,
    )


def put(target: int, size: int, *, request: bool = False) -> Call:
    return access(PUT, target, size, request=request)


def get(target: int, size: int, *, request: bool = False) -> Call:
    return access(GET, target, back=size, request=request)


def sync(
    kind: int, target: int = -1, *, flag: bool = False, group: Sequence[int] = (), window: int = 0
) -> Call:
    return Call(
        "MPI_Win_sync", "win_sync", sync=kind, window=window, peer=target, found=flag, members=list(group)
    )


def lock(target: int, *, exclusive: bool = False) -> Call:
    return sync(LOCK, target, flag=exclusive)


def partitioned(kind: str, peer: int, size: int, partitions: int, tag: int = 0) -> Call:
    name = {"psend_init": "MPI_Psend_init", "precv_init": "MPI_Precv_init"}[kind]
    return Call(name, kind, comm=0, peer=peer, tag=tag, bytes=size, partitions=partitions)


def start(*references: int) -> Call:
    return Call("MPI_Start", "start", references=list(references))


def pready(first: int, last: int | None = None, reference: int = 1) -> Call:
    return Call(
        "MPI_Pready_range",
        "pready",
        references=[reference],
        first_partition=first,
        last_partition=first if last is None else last,
    )


def parrived(partition: int, *, arrived: bool) -> Call:
    return Call("MPI_Parrived", "parrived", references=[1], first_partition=partition, found=arrived)


def with_neighbours(sources: Sequence[int], destinations: Sequence[int], ranks: int) -> Call:
    """Make communicator 2 of all ranks, with these neighbours of the caller."""
    return Call(
        "MPI_Dist_graph_create_adjacent",
        "comm_new",
        comm=0,
        new_comm=2,
        members=list(range(ranks)),
        has_topology=True,
        sources=list(sources),
        destinations=list(destinations),
    )


def neighbourhood(name: str, size: int, call_class: str = "collective", **fields: Any) -> Call:
    return Call(name, call_class, **{"comm": 2, "peer": -1, "bytes": size, "recv_bytes": size, **fields})
