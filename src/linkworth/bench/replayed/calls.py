"""Calls of a benchmark's ranks as a trace, with marks where the benchmark reads its clock."""

import json
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVarTuple

from linkworth import _engine, interrupts
from linkworth.model.fabric import Fabric
from linkworth.model.prediction import Layout
from linkworth.model.settings import Details, ReplaySettings
from linkworth.replay.run import replay_in_detail

Given = TypeVarTuple("Given")

ROOT_OF_NONE = -1
"""Root that traces record for collectives without one."""


class Rank:
    """Writes one rank's calls."""

    def __init__(self, writer: _engine.TraceWriter, rank: int) -> None:
        self.writer = writer
        self.rank = rank

    def call(self, name: str, call_class: str, gap_seconds: float = 0.0, **fields: object) -> None:
        """Write a call, after `gap_seconds` of computation."""
        self.writer.event(self.rank, name, call_class, fields, gap_seconds)

    def send(self, peer: int, size: int) -> None:
        """Call MPI_Send."""
        self.call("MPI_Send", "send", comm=0, peer=peer, bytes=size)

    def receive(self, peer: int, size: int) -> None:
        """Call MPI_Recv."""
        self.call("MPI_Recv", "recv", comm=0, peer=peer, bytes=size)

    def begin_send(self, peer: int, size: int, tag: int = 0) -> None:
        """Call MPI_Isend."""
        self.call("MPI_Isend", "isend", comm=0, peer=peer, tag=tag, bytes=size)

    def begin_receive(self, peer: int, size: int, tag: int = 0) -> None:
        """Call MPI_Irecv."""
        self.call("MPI_Irecv", "irecv", comm=0, peer=peer, tag=tag, bytes=size)

    def wait(self, first: int, last: int = 1, *, after_seconds: float = 0.0) -> None:
        """Wait for the requests made `first` to `last` requests ago, after some computation."""
        completions = [(reference, False, 0, 0) for reference in range(first, last - 1, -1)]
        self.call(
            "MPI_Waitall", "complete", after_seconds, mode=1, listed=len(completions), completions=completions
        )

    def send_and_receive(self, to: int, source: int, size: int, tag: int) -> None:
        """Call MPI_Sendrecv."""
        self.call(
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

    def collective(
        self,
        name: str,
        sent: int = 0,
        received: int = 0,
        *,
        root: int = ROOT_OF_NONE,
        element: int = 1,
        counts: Sequence[int] = (),
    ) -> None:
        """Call a collective; `counts`: bytes by peer, the same in both directions."""
        self.call(
            name,
            "collective",
            comm=0,
            peer=root,
            bytes=sent,
            recv_bytes=received,
            element_bytes=element,
            send_counts=counts,
            recv_counts=counts,
        )

    def mark(self, level: int = 0) -> None:
        """Mark this moment, by a call of MPI_Pcontrol."""
        self.call("MPI_Pcontrol", "pcontrol", code=level)


class Script:
    """Calls of some ranks, to be replayed once."""

    def __init__(self, ranks: int) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="linkworth-bench-")
        self._path = Path(self._folder.name) / "benchmark.lwt"
        self._writer = writer(self._path, ranks)
        self.ranks = [Rank(self._writer, rank) for rank in range(ranks)]

    def all(self, do: Callable[[Rank, *Given], None], *given: *Given) -> None:
        """Write the calls of each rank."""
        for rank in self.ranks:
            do(rank, *given)

    def timed(self, do: Callable[[Rank, *Given], None], *given: *Given) -> None:
        """Write the calls of each rank between two readings of its clock."""
        for rank in self.ranks:
            rank.mark()
            do(rank, *given)
            rank.mark()

    def replay(self, fabric: Fabric, layout: Layout, settings: ReplaySettings) -> list[list[float]]:
        """Return the seconds of each timed part, in order, on each rank. Nothing can be added afterwards."""
        self._writer.close()
        trace = _engine.Trace(str(self._path))
        with interrupts.deferred():  # as in remove_folder()
            self._folder.cleanup()  # the engine has mapped the file
        marks = replay_in_detail(
            trace, fabric, layout, settings=settings, details=Details(marks=True)
        ).result.mark_seconds
        return [
            [own[place + 1] - own[place] for own in marks] for place in range(0, len(marks[0]), 2)
        ]  # fmt: skip


def writer(path: Path, ranks: int) -> _engine.TraceWriter:
    """Begin the trace of a benchmark."""
    return _engine.TraceWriter(str(path), ranks, metadata(path.stem, ranks))


def metadata(workload: str, ranks: int) -> str:
    """Return the metadata of a trace of calls that nobody made."""
    document = {
        "schema": "linkworth.trace-metadata/1",
        "workload": workload,
        "source": "synthetic",
        "ranks": [{"rank": rank, "host": "node"} for rank in range(ranks)],
    }
    return json.dumps(document)
