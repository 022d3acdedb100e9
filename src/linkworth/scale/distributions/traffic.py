"""Messages between collective calls of all ranks as distributions, for programs whose calls follow no rule.

Particles, graphs and adaptive meshes decide by data which ranks exchange messages, and no other rank count repeats that.
The collective calls and the computation then still follow rules, and messages between them are as many, as large and go
as far as in the mean.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from itertools import pairwise
from math import ceil, log2
from typing import NamedTuple

import numpy as np

from linkworth.scale.distributions.chains import PARTS, chains, data, spans
from linkworth.scale.distributions.common import in_common
from linkworth.scale.grids import divisors
from linkworth.scale.recording import (
    BINS,
    COLLECTIVE,
    SENDS,
    WORLD,
    Call,
    Numbers,
    Pair,
    Recording,
    Rooted,
    Stretch,
    Times,
    is_of_neighbours,
)
from linkworth.scale.recording import Sequence as Events
from linkworth.scale.requests import PERSISTENT, Requests
from linkworth.scale.setup import Meetings

_ONE_SIDED = {"rma", "irma"}
_ROOTED = 0.9
"""Share of ranks that send to rank 0, or get messages from it, if it is their root."""

_FEW = 0.5
"""Share of the data that evenly spread messages would take from part to part, below which the parts are apart."""


def distributions(recordings: Sequence[Recording]) -> Iterator[list[Recording]]:
    """Yield recordings of collective calls of all ranks, with a marker before each that follows messages.

    First of all such calls, then of those that all recordings have in the same order, and last of none. Other collective
    calls count as messages.
    """
    meetings = [Meetings(recording) for recording in recordings]
    for kept in _kept([each.entries for each in meetings]):
        read = [
            _Reader(recording, [places[of] for places in each.places] if len(of) else [of] * recording.ranks)
            for recording, each, of in zip(recordings, meetings, kept, strict=True)
        ]
        if not all(each.alike() for each in read):
            continue
        pairs = sorted({pair for each in read for pair in each.with_messages()})
        if pairs:
            codes = {pair: code for code, pair in enumerate(pairs)}
            sent = [each.sent(codes) for each in read]
            # Among few ranks, everybody sends to everybody: the most ranks show who is a root.
            roots = [each.roots() for each in sent[-1]]
            yield [each.reduced(codes, own, roots) for each, own in zip(read, sent, strict=True)]


def _kept(entries: Sequence[Sequence[str]]) -> Iterator[list[Numbers]]:
    """Yield the places of the collective calls that are kept in each recording. `entries`: none if ranks disagree."""
    # On MPI_COMM_WORLD nobody has neighbours.
    places = [
        np.array([at for at, entry in enumerate(each) if not is_of_neighbours(entry)]) for each in entries
    ]
    if all(map(len, places)):
        yield places
        common = in_common([[each[at] for at in of] for each, of in zip(entries, places, strict=True)])
        if common is not None:
            yield [of[some] for of, some in zip(places, common, strict=True)]
    yield [np.zeros(0, dtype=np.int64)] * len(entries)


class _Roots(NamedTuple):
    """Roles of rank 0: a root that sends to nearly all ranks, and one that gets messages from them."""

    scatters: bool
    gathers: bool


class _Reader:
    """Reads the messages of a recording."""

    def __init__(self, recording: Recording, places: Sequence[Numbers]) -> None:
        """Find the calls that send. `places`: by rank, those of the collective calls."""
        self._recording = recording
        is_end = np.array([call.call_class in ("init", "finalize") for call in recording.calls], dtype=bool)
        self._kept = [
            np.union1d(own, np.flatnonzero(is_end[sequence.calls]))
            for own, sequence in zip(places, recording.sequences, strict=True)
        ]
        last = recording.sequences[-1].calls[self._kept[-1]]
        self._pairs: list[Pair] = list(
            pairwise(["", *(recording.calls[number].entry for number in last.tolist())])
        )
        self._requests = Requests(recording.calls)
        self._sending = [self._senders(rank) for rank in range(recording.ranks)]

    def alike(self) -> bool:
        """Return whether all ranks begin and end MPI equally often."""
        return len(set(map(len, self._kept))) == 1

    def with_messages(self) -> set[Pair]:
        """Return the stretches with messages."""
        stretches = {
            stretch
            for kept, (places, _) in zip(self._kept, self._sending, strict=True)
            for stretch in np.unique(np.searchsorted(kept, places)).tolist()
        }
        return {self._pairs[stretch] for stretch in stretches if stretch < len(self._pairs)}

    def reduced(
        self, codes: Mapping[Pair, int], sent: Sequence["_Sent"], roots: Sequence[_Roots]
    ) -> Recording:
        """Return the recording of the collective calls. `codes`: of the markers of stretches.

        `sent`, `roots`: the messages of each code, and whether rank 0 is their root.
        """
        recording = self._recording
        fewer = copy(recording)
        fewer.calls = [
            *map(_among_all, recording.calls),
            *(Call(f"messages before {pair[1]}", "pcontrol", {"code": code}) for pair, code in codes.items()),
        ]
        marker = np.array(
            [len(recording.calls) + codes[pair] if pair in codes else -1 for pair in self._pairs],
            dtype=np.int64,
        )
        fewer.sequences = [
            _with_markers(sequence, sequence.calls[kept], kept, marker)
            for sequence, kept in zip(recording.sequences, self._kept, strict=True)
        ]
        fewer.name_groups()
        fewer.stretches = self._stretches(codes, sent, roots)
        fewer.spans = self._spans()
        return fewer

    def _senders(self, rank: int) -> tuple[Numbers, Numbers]:
        """Return the places of a rank's calls that send, and the number of the call that each stands for."""
        calls = self._recording.calls
        own = self._recording.sequences[rank].calls
        kept = np.zeros(len(own), dtype=bool)
        kept[self._kept[rank]] = True
        places = np.flatnonzero(np.array([_sends(call) for call in calls], dtype=bool)[own] & ~kept)
        started = self._requests.started(own)
        if not len(started.event):
            return places, own[places]
        place, number = np.append(places, started.event), own[np.append(places, started.made)]
        order = np.lexsort((number, place))
        return place[order], number[order]

    def sent(self, codes: Mapping[Pair, int]) -> list["_Sent"]:
        """Return the messages of each code."""
        recording = self._recording
        code = self._codes(codes)
        found = [_Sent(recording.ranks) for _ in codes]
        for rank, (kept, (places, numbers)) in enumerate(zip(self._kept, self._sending, strict=True)):
            stretch = np.searchsorted(kept, places)
            inside = stretch < len(code)
            numbers, stretch = numbers[inside], stretch[inside]
            combined, times = np.unique(code[stretch] * len(recording.calls) + numbers, return_counts=True)
            for each, count in zip(combined.tolist(), times.tolist(), strict=True):
                at, number = divmod(each, len(recording.calls))
                for to, size in self._messages(rank, number):
                    found[at].add(rank, to, size, count)
                    call = recording.calls[number]
                    if call.call_class in _ONE_SIDED and call.fields["recv_bytes"]:
                        # The target answers with what the call reads.
                        found[at].add(to, rank, call.fields["recv_bytes"], count)
        return found

    def _codes(self, codes: Mapping[Pair, int]) -> Numbers:
        """Return the code of each stretch, -1 if it has no messages."""
        return np.array([codes.get(pair, -1) for pair in self._pairs], dtype=np.int64)

    def _stretches(
        self, codes: Mapping[Pair, int], sent: Sequence["_Sent"], roots: Sequence[_Roots]
    ) -> dict[int, Stretch]:
        code = self._codes(codes)
        passed = np.bincount(code[code >= 0], minlength=len(codes))
        longest = np.stack(
            [
                chains(self._recording, self._kept),
                data(self._recording, self._kept),
                chains(self._recording, self._kept, min(PARTS, self._recording.ranks)),
            ]
        )
        return {
            at: each.stretch(longest[:, code == at].mean(axis=1), int(passed[at]), of)
            for at, (each, of) in enumerate(zip(sent, roots, strict=True))
            if passed[at]
        }

    def _spans(self) -> dict[Pair, float]:
        seconds: Counter[Pair] = Counter()
        for pair, each in zip(self._pairs, spans(self._recording, self._kept).tolist(), strict=True):
            seconds[pair] += each
        return {pair: seconds[pair] / passed for pair, passed in Counter(self._pairs).items()}

    def _messages(self, rank: int, number: int) -> list[tuple[int, int]]:
        """Return the destination and the bytes of each message of a call."""
        call, members = self._recording.calls[number], self._members(rank, number)
        if not is_of_neighbours(call.entry):
            return _messages(call, members, rank)
        made = next(
            other.fields
            for each in np.unique(self._recording.sequences[rank].calls).tolist()
            if (other := self._recording.calls[each]).fields.get("new_comm") == call.fields["comm"]
        )
        peers = made["destinations"]
        sizes = _sizes(call, len(peers))
        return [(members[to], size) for to, size in zip(peers, sizes, strict=True) if to >= 0]

    def _members(self, rank: int, number: int) -> Sequence[int]:
        fields = self._recording.calls[number].fields
        comm = fields.get("comm", WORLD)
        if "window" in fields:
            comm = self._recording.windows[rank].get(fields["window"], WORLD)
        if self._recording.calls[number].call_class in COLLECTIVE:
            return self._recording.communicators[rank].get(comm, [])
        return self._recording.peers(rank, comm)


class _Sent:
    """Messages of all ranks in a stretch, added up over the times that it is passed."""

    def __init__(self, ranks: int) -> None:
        self._ranks = ranks
        # By source and destination: how often messages of each size are sent.
        self._pairs: defaultdict[tuple[int, int], Counter[int]] = defaultdict(Counter)

    def add(self, source: int, to: int, size: int, count: int) -> None:
        if source != to:
            self._pairs[source, to][size] += count

    def roots(self) -> _Roots:
        """Return whether rank 0 sends to nearly all ranks, and whether they send to it; far more than to others."""
        least = max(_ROOTED * (self._ranks - 1), 2 * len(self._pairs) / self._ranks)
        to_root = sum(to == 0 for _, to in self._pairs)
        from_root = sum(source == 0 for source, _ in self._pairs)
        return _Roots(from_root >= least, to_root >= least)

    def stretch(self, longest: Times, passed: int, roots: _Roots) -> Stretch:
        """Return the mean of the times that it is passed. `longest`: `rounds`, `data` and `far`, with those of a root."""
        rounds, data, far = longest.tolist()
        rows = []
        rooted = [Rooted(0, 0), Rooted(0, 0)]
        others = passed * max(self._ranks - 1, 1)
        for (source, to), sizes in self._pairs.items():
            for size, count in sizes.items():
                if (roots.gathers and to == 0) or (roots.scatters and source == 0):
                    messages, amount = rooted[to == 0]
                    rooted[to == 0] = Rooted(messages + count / others, amount + size * count / others)
                else:
                    rows.append((to - source, size, count))
        table = np.array(sorted(rows), dtype=float).reshape(-1, 3)
        distance, blocks, bytes_of_bin = np.zeros(BINS), np.ones(BINS), np.zeros(BINS)
        wraps = np.zeros(BINS, dtype=bool)
        total = float(table[:, 2].sum())
        if rows:
            ends = np.concatenate([[0.0], np.cumsum(table[:, 2])])
            edges = np.arange(BINS + 1) / BINS * total
            distance = table[np.searchsorted(ends[1:], (edges[1:] + edges[:-1]) / 2), 0]
            parts = self._blocks()
            blocks = np.array([parts[each] for each in distance.tolist()], dtype=float)
            wraps = np.array([self._wraps(each, parts) for each in distance.tolist()])
            amounts = np.concatenate([[0.0], np.cumsum(table[:, 1] * table[:, 2])])
            bytes_of_bin = np.diff(np.interp(edges, ends, amounts)) / (total / BINS)
        # Messages of a root come before or after the others.
        rounds = max(rounds - roots.scatters - roots.gathers, 1.0)
        data = max(data - sum(each.bytes for each in rooted) * (self._ranks - 1), 0.0)
        messages = total / passed / self._ranks
        return Stretch(rounds, data, far, messages, distance, blocks, wraps, bytes_of_bin, *rooted)

    def _blocks(self) -> dict[int, int]:
        """Return by distance the most equal parts of the ranks between which hardly any data go that far.

        From part to part go less than half of the data that would if all ranks sent as much.
        """
        by_distance: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
        for (source, to), sizes in self._pairs.items():
            by_distance[to - source].append((source, sum((size + 1) * n for size, n in sizes.items())))
        found = {}
        for distance, rows in by_distance.items():
            source, weight = np.array(rows, dtype=np.int64).T
            far = abs(distance)
            for parts in divisors(self._ranks):
                leaves = source * parts // self._ranks != (source + distance) * parts // self._ranks
                evenly = min((parts - 1) * far / (self._ranks - far), 1.0)
                if weight[leaves].sum() <= _FEW * evenly * weight.sum():
                    found[distance] = parts
                    break
        return found

    def _wraps(self, distance: int, parts: Mapping[int, int]) -> bool:
        """Return whether messages also go as far the other way around in a part."""
        block = self._ranks // parts[distance]
        return parts.get(int(distance - np.sign(distance) * block)) == parts[distance]


def _sends(call: Call) -> bool:
    """Return whether the call itself sends. Persistent ones do when they are started."""
    if call.call_class in PERSISTENT:
        return False
    if call.call_class in SENDS:
        return bool(call.fields["peer"] >= 0)
    return call.call_class in _ONE_SIDED or call.call_class in COLLECTIVE


def _is_exchange(call: Call) -> bool:
    return "alltoall" in call.entry.lower()


def _messages(call: Call, members: Sequence[int], rank: int) -> list[tuple[int, int]]:
    """Return the destination and the bytes of each message of a call.

    In a collective call of some ranks, each sends to all others if it is an exchange, and else over doubling distances. With a
    root, these form a tree, so that each other rank gets one message.
    """
    fields = call.fields
    count = len(members)
    if call.call_class not in COLLECTIVE:
        size = fields["bytes"] * fields.get("partitions", 1)
        return [(members[fields["peer"]], size)] if 0 <= fields["peer"] < count else []
    if rank not in members or count < 2:
        return []
    own = members.index(rank)
    if not _is_exchange(call):
        steps = list(range(ceil(log2(count))))
        if fields["peer"] >= 0:
            place = (own - fields["peer"]) % count
            steps = [step for step in steps if place < 2**step < count - place]
        return [(members[(own + 2**step) % count], fields["bytes"]) for step in steps]
    sizes = _sizes(call, count)
    return [(members[(own + step) % count], sizes[(own + step) % count]) for step in range(1, count)]


def _sizes(call: Call, peers: int) -> Sequence[int]:
    """Return the bytes of an exchange to each of so many peers: those of a piece, if all are as large."""
    counts: Sequence[int] = call.fields["send_counts"]
    return counts if len(counts) == peers else [call.fields["bytes"]] * peers


def _among_all(call: Call) -> Call:
    """Return a collective call on MPI_COMM_WORLD. Data may decide on the root, so that rank 0 stands for any."""
    if call.call_class not in COLLECTIVE:
        return call
    return call._replace(fields={**call.fields, "comm": WORLD, "peer": min(call.fields["peer"], 0)})


def _with_markers(sequence: Events, calls: Numbers, kept: Numbers, marker: Numbers) -> Events:
    """Return the events that are kept, as `calls`, each after its marker unless that is -1.

    What is computed between and before messages belongs to the marker.
    """
    total = np.concatenate([[0.0], np.cumsum(sequence.compute)])
    before = total[kept] - total[np.concatenate([[0], kept[:-1] + 1])]
    own = sequence.compute[kept]
    marked = marker >= 0
    at = np.arange(len(kept)) + np.cumsum(marked)
    size = len(kept) + int(marked.sum())
    numbers, has_cpu = np.empty(size, dtype=np.int64), np.empty(size, dtype=bool)
    compute, durations = np.empty(size), np.zeros(size)
    numbers[at], durations[at], has_cpu[at] = calls, sequence.durations[kept], sequence.has_cpu[kept]
    compute[at] = np.where(marked, own, own + before)
    ahead = at[marked] - 1
    numbers[ahead], compute[ahead], has_cpu[ahead] = marker[marked], before[marked], has_cpu[at[marked]]
    return Events(numbers, compute, has_cpu, durations)
