"""Micro-benchmarks as traces: what the ranks of a latency or bandwidth test call, so that the replay can predict its result."""

import json
from collections.abc import Callable
from pathlib import Path

from linkworth import _engine

WARM_UP = 2
"""Rounds before the timed ones: they fill the pipeline, and a connection's first message meets an idle network."""
PINGPONG_WARM_UP = 24
"""Of a ping-pong, whose short messages take so many to empty a shaped link's bucket."""
ROUNDS = 4
WINDOW = 64
"""Messages under way at once in the bandwidth tests (osu_bw's default)."""
ACKNOWLEDGEMENT_BYTES = 4
"""What osu_bw's receiver sends back after each window."""

Round = Callable[["_Rank"], None]


class _Rank:
    """Writes one rank's calls."""

    def __init__(self, writer: _engine.TraceWriter, rank: int) -> None:
        self.writer = writer
        self.rank = rank

    def call(self, name: str, call_class: str, **fields: object) -> None:
        self.writer.event(self.rank, name, call_class, fields)

    def send(self, peer: int, size: int) -> None:
        self.call("MPI_Send", "send", comm=0, peer=peer, bytes=size)

    def receive(self, peer: int, size: int) -> None:
        self.call("MPI_Recv", "recv", comm=0, peer=peer, bytes=size)

    def send_window(self, peer: int, size: int) -> None:
        for _ in range(WINDOW):
            self.call("MPI_Isend", "isend", comm=0, peer=peer, bytes=size)

    def receive_window(self, peer: int, size: int) -> None:
        for _ in range(WINDOW):
            self.call("MPI_Irecv", "irecv", comm=0, peer=peer, bytes=size)

    def wait(self, first: int, last: int) -> None:
        """Wait for the requests that were made `first` to `last` requests ago."""
        completions = [(reference, False, 0, 0) for reference in range(first, last - 1, -1)]
        self.call("MPI_Waitall", "complete", mode=1, listed=len(completions), completions=completions)


def pingpong(path: Path, size: int) -> float:
    """Write a ping-pong of two ranks; returns the messages one after the other in its timed part."""

    def one_round(rank: _Rank) -> None:
        peer = 1 - rank.rank
        if rank.rank == 0:
            rank.send(peer, size)
            rank.receive(peer, size)
        else:
            rank.receive(peer, size)
            rank.send(peer, size)

    _write(path, 2, one_round, warm_up=PINGPONG_WARM_UP)
    return 2.0 * ROUNDS


def windows(path: Path, size: int, pairs: int = 1) -> float:
    """Write osu_bw, or osu_mbw_mr of several pairs (ranks i and pairs + i); returns the messages of its timed part."""

    def one_round(rank: _Rank) -> None:
        peer = (rank.rank + pairs) % (2 * pairs)
        if rank.rank < pairs:
            rank.send_window(peer, size)
            rank.wait(WINDOW, 1)
            rank.receive(peer, ACKNOWLEDGEMENT_BYTES)
        else:
            rank.receive_window(peer, size)
            rank.wait(WINDOW, 1)
            rank.send(peer, ACKNOWLEDGEMENT_BYTES)

    _write(path, 2 * pairs, one_round)
    return float(ROUNDS * WINDOW * pairs)


def both_ways(path: Path, size: int) -> float:
    """Write osu_bibw of two ranks; returns the messages of its timed part, in both directions together."""

    def one_round(rank: _Rank) -> None:
        peer = 1 - rank.rank
        rank.receive_window(peer, size)
        rank.send_window(peer, size)
        rank.wait(WINDOW, 1)
        rank.wait(2 * WINDOW, WINDOW + 1)

    _write(path, 2, one_round)
    return 2.0 * ROUNDS * WINDOW


def _write(path: Path, ranks: int, one_round: Round, warm_up: int = WARM_UP) -> None:
    document = {
        "schema": "linkworth.trace-metadata/1",
        "workload": path.stem,
        "source": "synthetic",
        "ranks": [{"rank": rank, "host": "node"} for rank in range(ranks)],
    }
    writer = _engine.TraceWriter(str(path), ranks, json.dumps(document))
    for number in range(ranks):
        rank = _Rank(writer, number)
        for _ in range(warm_up):
            one_round(rank)
        timed = number == 0
        if timed:
            rank.call("MPI_Pcontrol", "pcontrol", code=1)
        for _ in range(ROUNDS):
            one_round(rank)
        if timed:
            rank.call("MPI_Pcontrol", "pcontrol", code=0)
    writer.close()
