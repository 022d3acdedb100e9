"""Recordings in memory: the different calls of all ranks, and each rank's sequence of them."""

from collections.abc import Callable, Collection, Iterator, Mapping
from copy import copy
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from linkworth import _engine
from linkworth.model.trace import FILE_CALLS
from linkworth.trace.read import TraceFile

Numbers = npt.NDArray[np.int64]
Times = npt.NDArray[np.float64]

WORLD, SELF = 0, 1
"""Numbers of MPI_COMM_WORLD and MPI_COMM_SELF."""
BUSY_SECONDS = 10e-6
"""Computation between two polls from which it is no waiting."""
WAIT, WAITALL = 0, 1
"""Modes of MPI_Wait and MPI_Waitall."""
TESTS = 4
"""The mode of the first call that tests for completed requests, less that of the call that waits for them."""
WINDOW_TEST = 5
"""The kind of MPI_Win_test among calls that synchronise a window."""
ANYBODY, NOBODY = -1, -2
"""MPI_ANY_SOURCE and MPI_PROC_NULL."""
NEW_COMMUNICATORS = {"comm_new", "icomm_new"}
"""Classes of calls that make communicators."""


class Call(NamedTuple):
    """A call without its times."""

    entry: str
    """Name, with its call site if that was recorded."""
    call_class: str
    fields: Mapping[str, Any]


class Sequence(NamedTuple):
    """The calls of one rank."""

    calls: Numbers
    """By event: number in the recording's calls."""
    compute: Times
    """By event: computation before it; CPU time where that was recorded."""
    has_cpu: npt.NDArray[np.bool_]
    durations: Times
    """By event: its time if it is local, else 0."""


class Cut(NamedTuple):
    """The end of a recording's set-up."""

    entry: str
    """Last call of the set-up, a collective of all ranks."""
    events: int
    """Calls of the set-up, of all ranks."""
    why: str
    """Reason for which the set-up cannot be scaled, as a verb with its object."""


Pair = tuple[str, str]
"""The collective calls before and after a stretch."""

BINS = 64
"""Parts of equal numbers of messages, in the order of how far they go."""


class Rooted(NamedTuple):
    """Messages of each other rank to rank 0 or from it, and their bytes."""

    messages: float
    bytes: float


class Stretch(NamedTuple):
    """Messages of a recording between two collective calls of all ranks, in the mean of the times that it is passed."""

    rounds: float
    """Messages that wait for one another, at most."""
    data: float
    """Bytes that wait for one another, at most, without those to or from a root."""
    far: float
    """Messages between the quarters of the ranks that wait for one another, at most."""
    messages: float
    """Messages that a rank sends, without those to or from a root."""
    distance: Times
    """By bin: number of the destination less that of the source."""
    blocks: Times
    """By bin: most equal parts of the ranks between which hardly any data go that far, such as the rows of a grid."""
    wraps: npt.NDArray[np.bool_]
    """By bin: those near the end of a part send to those near its beginning, as in a ring."""
    bytes: Times
    """By bin: mean bytes of a message."""
    scattered: Rooted
    gathered: Rooted


class Recording:
    """One recording."""

    def __init__(self, trace: TraceFile, size: float, names: Mapping[str, str] | None = None) -> None:
        """Read all ranks. Raises UsageError for a trace that cannot be scaled.

        `size`: of the problem; `names`: other ones for some entries.
        """
        self.trace = trace
        self.ranks = trace.engine.ranks
        self.size = size
        self.files_compute = False
        """True if calls to files are left out. Their time then counts as computation."""
        self.lost_marks = False
        """True if calls of MPI_Pcontrol are left out. A replay then times the whole run."""
        self.calls: list[Call] = []
        self.sequences: list[Sequence] = []
        self.renamed = any("@" not in name for name in (names or {}).values())
        """True if some calls have no site, since it is in a file that another recording lacks."""
        self._entries = [(names or {}).get(entry, entry) for entry in trace.engine.entries]
        self.threaded: list[int] = []
        """By rank: its calls up to the last one by another thread, if several threads call at once, or 0."""
        numbers: dict[Any, int] = {}
        for rank in range(self.ranks):
            self.sequences.append(self._read(rank, numbers))
        self.setup: Cut | None = None
        """The part that is left out at its beginning."""
        self.stretches: Mapping[int, Stretch] | None = None
        """Messages by the code of their marker, if they are taken as distributions."""
        self.spans: Mapping[Pair, float] = {}
        """Mean seconds between two collective calls if messages take no time, if `stretches` are known."""
        self.absent: Collection[str] = ()
        """Call sites whose messages to MPI_PROC_NULL were put in for neighbours that do not exist."""
        self.in_rank_order: Collection[str] = ()
        """Call sites whose peers are in the order of ranks, and came in one that time decided."""
        self.name_groups()

    def name_groups(self) -> None:
        """Find the members of all communicators and windows, and the neighbours in topologies."""
        made = [[self.calls[number] for number in _firsts(each.calls)] for each in self.sequences]
        self.communicators = [self._communicators(rank, calls) for rank, calls in enumerate(made)]
        self.remotes = [_remotes(calls) for calls in made]
        self.neighbours = [_neighbours(calls) for calls in made]
        self.windows = [_windows(calls) for calls in made]

    def has_edges(self) -> bool:
        """Return whether calls name MPI_PROC_NULL, as those of ranks on the edge of a grid do."""
        return any(NOBODY in (call.fields.get("peer"), call.fields.get("recv_peer")) for call in self.calls)

    def has_owners(self) -> bool:
        """Return whether other ranks than rank 0 are roots of collective calls."""
        return any("collective" in call.call_class and call.fields["peer"] > 0 for call in self.calls)

    def has_master(self) -> bool:
        """Return whether all messages are from rank 0 or to it."""
        partners = self.partners()
        return len(partners) > 0 and not partners.min(axis=1).any()

    def partners(self) -> Numbers:
        """Return the different pairs of a sender and a receiver, one in a row; without any, of neighbours of a topology."""
        found = set()
        near = set()
        for rank, sequence in enumerate(self.sequences):
            for number in _firsts(sequence.calls):
                fields = self.calls[number].fields
                members = self.peers(rank, fields.get("comm", -1))
                if members and self.calls[number].call_class in SENDS and 0 <= fields["peer"] < len(members):
                    found.add((rank, members[fields["peer"]]))
                elif fields.get("has_topology") and fields["new_comm"] >= 0:
                    near |= {(rank, fields["members"][to]) for to in fields["destinations"] if to >= 0}
        return np.array(sorted(found or near), dtype=np.int64).reshape(-1, 2)

    def cartesian(self) -> tuple[int, ...]:
        """Return the extents of the Cartesian communicator of all ranks, of several that with the most; without one, none."""
        found: list[tuple[int, ...]] = [()]
        for number in _firsts(self.sequences[0].calls):
            entry, call_class, fields = self.calls[number]
            if (
                call_class == "comm_new"
                and fields["has_topology"]
                and len(fields["members"]) == self.ranks
                and "cart" in entry.lower()
            ):
                strides = [self.ranks]
                # The next rank along a dimension is as many ranks behind as there are along all later ones.
                for to in fields["destinations"][1::2]:
                    strides.append(to if to > 0 else strides[-1])
                found.append(tuple(before // after for before, after in pairwise(strides)))
        return max(found, key=len)

    def file_calls(self) -> npt.NDArray[np.bool_]:
        """Return which of the different calls are those to files."""
        return np.array([call.entry.startswith(FILE_CALLS) for call in self.calls], dtype=bool)

    def without_local_calls(self, *, marks: bool) -> "Recording":
        """Return the recording without calls that concern no other rank, such as MPI_Wtime. `marks`: with MPI_Pcontrol.

        The time of those to files counts as computation, since a replay takes it as it was recorded.
        """
        pcontrol = np.array([call.call_class == "pcontrol" and not marks for call in self.calls], dtype=bool)
        local = pcontrol | np.array([call.call_class == "local" for call in self.calls], dtype=bool)
        files = self.file_calls()
        bare = copy(self)
        bare.files_compute = bool(files.any())
        bare.lost_marks = bool(pcontrol.any())
        bare.sequences = [
            without(
                each._replace(compute=each.compute + np.where(files[each.calls], each.durations, 0.0)),
                local[each.calls],
            )
            for each in self.sequences
        ]
        return bare

    def _read(self, rank: int, numbers: dict[Any, int]) -> Sequence:
        read = _engine.read_rank(self.trace.engine, rank)
        own = []
        for entry, call_class, fields in read["calls"]:
            key = (entry, call_class, frozen(fields))
            number = numbers.setdefault(key, len(self.calls))
            if number == len(self.calls):
                self.calls.append(Call(self._entries[entry], call_class, fields))
            own.append(number)
        calls = np.array(own, dtype=np.int64)[read["call"]]
        cpu, gap = read["cpu_seconds"], read["gap_seconds"]
        polls = np.array([_is_poll(self.calls[number]) for number in own], dtype=bool)[read["call"]]
        local = np.array([self.calls[number].call_class == "local" for number in own], dtype=bool)[
            read["call"]
        ]
        # Time inside all other calls follows from a replay. What was recorded belongs to other ranks and another network.
        durations = np.where(local, read["duration_seconds"], 0.0)
        self.threaded.append(read["threaded"] - int(polls[: read["threaded"]].sum()))
        compute = np.where(cpu >= 0, np.minimum(cpu, gap), gap)
        found = Sequence(calls, compute, cpu >= 0, durations)
        if not polls.any():
            return found
        # A poll that found nothing is waiting, which says nothing about other counts. What is computed before the first of
        # several polls is work, and so is what takes longer than going round a loop of polls.
        again = polls & np.concatenate([[False], polls[:-1]]) & (compute < BUSY_SECONDS)
        return without(found._replace(compute=np.where(again, 0.0, compute)), polls)

    def peers(self, rank: int, communicator: int) -> list[int]:
        """Return the ranks that the peers of messages in a communicator are."""
        return self.remotes[rank].get(communicator) or self.communicators[rank].get(communicator, [])

    def _communicators(self, rank: int, calls: Collection[Call]) -> dict[int, list[int]]:
        """Return the members of each of a rank's communicators."""
        members = {WORLD: list(range(self.ranks)), SELF: [rank]}
        for call in calls:
            if call.call_class in NEW_COMMUNICATORS and call.fields["new_comm"] >= 0:
                members[call.fields["new_comm"]] = call.fields["members"]
        return members


def _remotes(calls: Collection[Call]) -> dict[int, list[int]]:
    """Return the members of the other group of each of a rank's communicators between two groups."""
    return {
        call.fields["new_comm"]: call.fields["remote_members"]
        for call in calls
        if call.call_class in NEW_COMMUNICATORS and call.fields["new_comm"] >= 0 and call.fields["inter"]
    }


def _neighbours(calls: Collection[Call]) -> dict[int, tuple[list[int], list[int]]]:
    """Return from and to whom collective calls among neighbours go in a rank's communicators; negative: nobody."""
    return {
        call.fields["new_comm"]: (
            [call.fields["members"][each] if each >= 0 else each for each in call.fields["sources"]],
            [call.fields["members"][each] if each >= 0 else each for each in call.fields["destinations"]],
        )
        for call in calls
        if call.call_class in NEW_COMMUNICATORS and call.fields["has_topology"]
    }


def _windows(calls: Collection[Call]) -> dict[int, int]:
    """Return the communicator of each of a rank's windows."""
    return {call.fields["new_window"]: call.fields["comm"] for call in calls if call.call_class == "win_new"}


def _firsts(calls: Numbers) -> list[int]:
    return [int(number) for number in np.unique(calls)]


def without(sequence: Sequence, dropped: npt.NDArray[np.bool_]) -> Sequence:
    """Return a sequence without some calls. Their computation belongs to the next one that is there."""
    kept = np.flatnonzero(~dropped)
    starts = np.append(0, kept[:-1] + 1)
    compute = np.add.reduceat(sequence.compute, starts) if len(kept) else sequence.compute[:0]
    return Sequence(sequence.calls[kept], compute, sequence.has_cpu[kept], sequence.durations[kept])


def references(call: Call) -> list[int]:
    """Return which requests a call starts or completes: how many requests ago each was made."""
    if call.call_class == "complete":
        return [each[0] for each in call.fields["completions"]]
    return list(call.fields.get("references", ()))


def _is_poll(call: Call) -> bool:
    fields = call.fields
    if call.call_class == "complete":
        return fields["mode"] >= TESTS and not fields["completions"] and fields["listed"] > 0
    if call.call_class == "win_sync":
        return fields["sync"] == WINDOW_TEST and not fields["found"]
    return call.call_class in {"probe", "parrived"} and not fields["found"]


def frozen(value: Any) -> Any:  # noqa: ANN401 (a field of a call)
    """Return a field that can be a key."""
    if isinstance(value, dict):
        return tuple(frozen(item) for item in value.values())
    return tuple(frozen(item) for item in value) if isinstance(value, list) else value


def is_of_neighbours(entry: str) -> bool:
    """Return whether a collective call is among the neighbours of a topology."""
    return "neighbor" in entry.lower()


class Alphabet:
    """Symbols that stand for calls which may be the same at another rank count."""

    def __init__(
        self, recordings: list[Recording], kept: Callable[[str], bool], *, edges_apart: bool
    ) -> None:
        """Number the calls. Two are alike if site, class and kind are, and those `kept` fields that all recordings have.

        `edges_apart`: a call with MPI_PROC_NULL is another one.
        """
        self._edges_apart = edges_apart
        self._common = self._common_values(recordings, kept)
        self._kept = kept
        self._numbers: dict[Any, int] = {}
        self.names: list[str] = []
        self.of_recording = [
            np.array([self._number(call) for call in recording.calls], dtype=np.int64)
            for recording in recordings
        ]

    def text(self) -> bytes:
        """Return the symbols of all calls: equal if two alphabets tell the same calls apart."""
        return b"".join(each.tobytes() for each in self.of_recording)

    @staticmethod
    def _common_values(recordings: list[Recording], kept: Callable[[str], bool]) -> set[Any]:
        values = [
            {
                (call.entry, name, value)
                for call in recording.calls
                for name, value in _variable(call)
                if kept(name)
            }
            for recording in recordings
        ]
        return set.intersection(*values)

    def _number(self, call: Call) -> int:
        fields = call.fields
        key: list[Any] = [call.entry, call.call_class]
        key += [fields.get(name) for name in KINDS]
        key += [self._sign(fields[name]) if name in fields else None for name in PEERS]
        key += [
            bool(fields.get("completions")),
            bool(fields.get("send_counts")),
            bool(fields.get("recv_counts")),
        ]
        for name, value in _variable(call):
            if self._kept(name) and (call.entry, name, value) in self._common:
                key.append((name, value))
        frozen = tuple(key)
        number = self._numbers.setdefault(frozen, len(self.names))
        if number == len(self.names):
            self.names.append(call.entry)
        return number

    def _sign(self, peer: int) -> int:
        return 0 if peer == NOBODY and not self._edges_apart else min(peer, 0)


KINDS = (
    "mode",
    "inter",
    "has_topology",
    "found",
    "operation",
    "sync",
    "comm",
    "window",
    "new_window",
    "element_bytes",
    "code",
)
"""Fields that differ only between different calls of a program."""
SENDS = {"send", "isend", "sendrecv", "isendrecv", "send_init", "psend_init"}
"""Classes of calls that send to one rank."""
COLLECTIVE = {"collective", "icollective", "collective_init"}
"""Classes of collective calls."""
PEERS = ("peer", "recv_peer", "new_comm")
"""Ranks, of which only the negative values tell calls apart."""
VARIABLE = ("bytes", "recv_bytes", "tag", "recv_tag")
"""Fields that may depend on the rank count."""


def _variable(call: Call) -> Iterator[tuple[str, int]]:
    """Yield what may depend on the rank count: those fields, and the number of completed requests."""
    for name in VARIABLE:
        if name in call.fields:
            yield name, call.fields[name]
    if "completions" in call.fields:
        yield "completed", len(call.fields["completions"])
