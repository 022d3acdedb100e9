"""Longest chains of messages between collective calls of all ranks."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from written_programs import BARRIER, Event, message, trace, waitall

from linkworth.scale.distributions.chains import chains, data
from linkworth.scale.recording import Recording
from linkworth.trace.read import open_trace

RANKS = 6
BARRIER_CALL: Event = ("MPI_Barrier@a.c:2", "collective", BARRIER)


def large(kind: str, peer: int) -> Event:
    return message(kind, peer, 10**7, 1, "a.c:3")


def program(rank: int, ranks: int) -> Iterator[Event]:
    """Play ping-pong between two ranks, then exchange with both neighbours, then pass a token from rank to rank."""
    for _ in range(5 if rank < 2 else 0):
        yield from (large(kind, 1 - rank) for kind in (("send", "recv") if rank == 0 else ("recv", "send")))
    yield BARRIER_CALL
    for _ in range(3):
        for kind in ("irecv", "isend"):
            yield from (large(kind, (rank + far) % ranks) for far in (1, -1))
        yield waitall("a.c:4", 4)
    yield BARRIER_CALL
    if rank > 0:
        yield large("recv", rank - 1)
    if rank < ranks - 1:
        yield large("send", rank + 1)
    yield BARRIER_CALL


def test_messages_and_bytes_that_wait_for_one_another_are_counted(tmp_path: Path) -> None:
    recording = Recording(open_trace(trace(program, RANKS, tmp_path)), 1.0)
    together = {"init", "collective", "finalize"}
    kept = [
        np.flatnonzero([recording.calls[number].call_class in together for number in each.calls.tolist()])
        for each in recording.sequences
    ]
    assert chains(recording, kept).tolist() == [0, 10, 3, RANKS - 1, 0]
    assert chains(recording, kept, parts=2).tolist() == [0, 0, 3, 1, 0]
    assert data(recording, kept) == pytest.approx([0, 10e7, 6e7, 5e7, 0])
