"""Messages that programs leave out where a rank has no neighbour, put in as messages to MPI_PROC_NULL and taken out again.

All ranks then call alike, so that recordings on short grids show what ranks inside a longer one do.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from copy import copy
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from linkworth import _engine
from linkworth.scale.align.stencils import SiteMessages, Space
from linkworth.scale.generate import RankEvents
from linkworth.scale.grids import Offset
from linkworth.scale.recording import (
    NOBODY,
    WAIT,
    WAITALL,
    Call,
    Numbers,
    Recording,
    Times,
    references,
    without,
)
from linkworth.scale.recording import Sequence as Calls

_RARE: Offset = ()
"""Stands for the place of the neighbour in calls that concern none, and that only some ranks make."""
Symbol = tuple[str, Offset, int]
"""Call site, where the neighbour is, and how many such calls come before between two calls of all ranks."""
Request = tuple[int, Symbol | None]
"""Number of the burst in which a call makes it, and that call; None: the call of all ranks after the burst."""


class _Unlike(Exception):
    """Ranks lack other calls than those for neighbours that do not exist."""


def with_absent(
    recordings: Sequence[Recording], messages: SiteMessages, grids: Sequence[tuple[int, ...]]
) -> list[Recording] | None:
    """Return recordings in which all ranks send to as many neighbours, or None if they do not lack just these.

    `messages`: those of the recordings.
    """
    spaces = messages.spaces(grids)
    sites = messages.sites(spaces)
    if not sites:
        return None
    try:
        boxes = [_Box(each, space, sites) for each, space in zip(recordings, spaces, strict=True)]
        order = _order([burst for box in boxes for burst in box.distinct()])
        return [box.completed(order) for box in boxes]
    except _Unlike:
        return None


def without_absent(ranks: Iterable[RankEvents], sites: Collection[str]) -> Iterator[RankEvents]:
    """Yield ranks without messages of these sites to MPI_PROC_NULL, and without what starts or completes one of them."""
    for each in ranks:
        yield _without(each, sites)


def _order(bursts: Collection[tuple[Symbol, ...]]) -> dict[Symbol, int]:
    """Return the places of symbols in an order that all bursts have. Raises _Unlike.

    Where none shows it, the site that is called earlier comes first, and at one site the neighbour before. What follows a
    site of one direction goes before that.
    """
    later: defaultdict[Symbol, set[Symbol]] = defaultdict(set)
    earliest: dict[str, int] = {}
    for burst in bursts:
        for symbol, after in pairwise(burst):
            later[symbol].add(after)
        for place, (entry, _, _) in enumerate(burst):
            earliest[entry] = min(earliest.get(entry, place), place)
    symbols = {symbol for burst in bursts for symbol in burst}
    directions = Counter(entry for entry, _ in {symbol[:2] for symbol in symbols})
    before = Counter(after for of in later.values() for after in of)
    ready = {symbol for symbol in symbols if not before[symbol]}
    found: dict[Symbol, int] = {}
    following: set[Symbol] = set()
    while ready:
        symbol = min(ready, key=lambda each: (each[2], each not in following, earliest[each[0]], each))
        ready.remove(symbol)
        found[symbol] = len(found)
        following = later[symbol] if directions[symbol[0]] == 1 else set()
        before.subtract(later[symbol])
        ready |= {after for after in later[symbol] if not before[after]}
    if len(found) < len(symbols):
        # Two bursts have some of them in different orders.
        raise _Unlike
    return found


class _Rank:
    """Messages of a rank with its neighbours, in bursts between calls that all ranks make."""

    def __init__(
        self, recording: Recording, rank: int, sites: Collection[str], rare: Collection[str], space: Space
    ) -> None:
        """Divide the calls. `rare`: sites that not all ranks call.

        Raises _Unlike if these make or complete requests, or if other calls complete some of several.
        """
        self.bursts: list[dict[Symbol, int]] = [{}]
        """By burst: places of its calls."""
        self.common: list[int] = []
        """By burst: place of the call after it. There is none after the last."""
        self.refers: dict[int, list[Request]] = defaultdict(list)
        """By place: the requests that a call starts or completes."""
        everyone = np.arange(recording.ranks)
        offsets = [tuple(each) for each in space.offsets(np.full_like(everyone, rank), everyone).tolist()]
        requests: list[Request] = []
        turns: Counter[tuple[str, Offset]] = Counter()
        for place, number in enumerate(recording.sequences[rank].calls.tolist()):
            call = recording.calls[number]
            backs = references(call)
            if backs:
                self.refers[place] = [requests[-back] for back in backs]
                if call.fields.get("mode", WAIT) > WAITALL:
                    # Time decides what it completes.
                    raise _Unlike
            symbol: Symbol | None = None
            if call.entry in sites:
                members = recording.communicators[rank][call.fields["comm"]]
                offset: Offset | None = offsets[members[call.fields["peer"]]]
            else:
                offset = _offset_of_one(call, self.refers.get(place, ()))
            makes_request = _engine.makes_request(call.call_class)
            if offset is None and call.entry in rare:
                if makes_request or backs:
                    raise _Unlike
                offset = _RARE
            if offset is not None:
                symbol = call.entry, offset, turns[call.entry, offset]
                turns[call.entry, offset] += 1
                self.bursts[-1][symbol] = place
            if makes_request:
                requests.append((len(self.common), symbol))
            if symbol is None:
                self.common.append(place)
                self.bursts.append({})
                turns.clear()

    def place(self, step: "_Step") -> int | None:
        """Return the place of a step's call, if the rank makes it."""
        return self.common[step.burst] if step.symbol is None else self.bursts[step.burst].get(step.symbol)


def _rare(recording: Recording) -> set[str]:
    """Return the sites that not all ranks call equally often."""
    times = np.array([np.bincount(of.calls, minlength=len(recording.calls)) for of in recording.sequences])
    entries, which = np.unique([call.entry for call in recording.calls], return_inverse=True)
    by_entry = np.zeros((recording.ranks, len(entries)), dtype=np.int64)
    np.add.at(by_entry.T, which, times.T)
    return set(entries[np.ptp(by_entry, axis=0) > 0].tolist())


def _offset_of_one(call: Call, refers: Sequence[Request]) -> Offset | None:
    """Return where the neighbour is with which a call starts or completes a single message. None: it does not."""
    if len(refers) != 1 or not _is_of_one(call):
        return None
    _, symbol = refers[0]
    return symbol and symbol[1]


def _is_of_one(call: Call) -> bool:
    """Return whether a call starts or completes one request whatever the rank, which a list of one does not show."""
    if call.call_class == "complete":
        return bool(call.fields["mode"] == WAIT)
    return not call.entry.startswith("MPI_Startall")


class _Step(NamedTuple):
    """A call of all ranks, if those without the neighbour make it as well."""

    burst: int
    symbol: Symbol | None
    backs: Mapping[Request, int]
    """Requests that it refers to, in order, and how many requests ago each was made."""
    key: tuple[int, ...]
    """The numbers of `backs`."""


class _Box:
    """The messages of all ranks of a recording with their neighbours on a grid."""

    def __init__(self, recording: Recording, space: Space, sites: Collection[str]) -> None:
        """Find them. Raises _Unlike if ranks differ in other calls."""
        self._recording = recording
        self._space = space
        self._sites = frozenset(sites)
        self._donors: dict[tuple[int, Offset], int] = {}
        self._wild = {
            number
            for number, call in enumerate(recording.calls)
            if any(is_wild for _, is_wild, *_ in call.fields.get("completions", ()))
        }
        """Calls that complete receives from any source."""
        rare = _rare(recording)
        self._ranks = [_Rank(recording, rank, sites, rare, space) for rank in range(recording.ranks)]
        if len({self._entries(rank) for rank in range(recording.ranks)}) > 1:
            raise _Unlike

    def _entries(self, rank: int) -> tuple[str, ...]:
        calls = self._recording.sequences[rank].calls
        return tuple(self._recording.calls[calls[place]].entry for place in self._ranks[rank].common)

    def distinct(self) -> set[tuple[Symbol, ...]]:
        """Return all different bursts of the ranks."""
        return {tuple(burst) for rank in self._ranks for burst in rank.bursts}

    def completed(self, order: Mapping[Symbol, int]) -> Recording:
        """Return the recording in which all ranks have the calls of those in the middle. Raises _Unlike.

        `order`: places of symbols in each burst.
        """
        steps = list(self._steps(order))
        found = copy(self._recording)
        found.absent = self._sites
        found.calls = []
        numbers: dict[Any, int] = {}
        found.sequences = [self._sequence(rank, steps, found.calls, numbers) for rank in range(found.ranks)]
        return found

    def _steps(self, order: Mapping[Symbol, int]) -> Iterator[_Step]:
        made: dict[Request, int] = {}
        for burst, owns in enumerate(zip(*(rank.bursts for rank in self._ranks), strict=True)):
            symbols = sorted({symbol for own in owns for symbol in own}, key=order.__getitem__)
            for symbol in (*symbols, None):
                if symbol is None and burst == len(self._ranks[0].common):
                    return
                places = [
                    (rank, self._ranks[rank].common[burst] if symbol is None else own[symbol])
                    for rank, own in enumerate(owns)
                    if symbol is None or symbol in own
                ]
                lists = [self._ranks[rank].refers[place] for rank, place in places]
                oldest_first = all(each == sorted(each, key=made.__getitem__) for each in lists)
                refers = sorted({request for each in lists for request in each}, key=made.__getitem__)
                if not oldest_first:
                    refers.reverse()
                backs = {request: len(made) - made[request] for request in refers}
                yield _Step(burst, symbol, backs, tuple(backs.values()))
                if _engine.makes_request(self._call(*places[0]).call_class):
                    made[burst, symbol] = len(made)

    def _call(self, rank: int, place: int) -> Call:
        return self._recording.calls[int(self._recording.sequences[rank].calls[place])]

    def _sequence(
        self, rank: int, steps: Sequence[_Step], calls: list[Call], numbers: dict[Any, int]
    ) -> Calls:
        """Return a rank's calls. `numbers`: of `calls`, to which new ones are added."""
        own = []
        sources = []
        for step in steps:
            place = self._ranks[rank].place(step)
            source = rank
            if place is None:
                assert step.symbol is not None
                if step.symbol[1] == _RARE:
                    continue
                source = self._donor(rank, step.symbol[1])
                place = self._ranks[source].place(step)
                if place is None:
                    raise _Unlike
            refers = self._ranks[source].refers.get(place, ())
            number = int(self._recording.sequences[source].calls[place])
            # Receives from any source have matches of their own.
            key = number, source == rank, step.key, tuple(refers) if number in self._wild else ()
            if key not in numbers:
                numbers[key] = len(calls)
                calls.append(
                    self._referring(self._recording.calls[number], refers, step, absent=source != rank)
                )
            own.append(numbers[key])
            sources.append((source, place))
        of = self._recording.sequences
        return Calls(
            np.array(own),
            _divided(
                np.array([of[source].compute[place] for source, place in sources]),
                np.array([source != rank for source, _ in sources]),
            ),
            np.array([of[source].has_cpu[place] for source, place in sources]),
            np.array([of[source].durations[place] for source, place in sources]),
        )

    def _referring(self, call: Call, refers: Sequence[Request], step: _Step, *, absent: bool) -> Call:
        """Return a call that refers to the requests of a step. `refers`: to which it did."""
        fields = dict(call.fields)
        if absent and call.entry in self._sites:
            fields["peer"] = NOBODY
        if step.backs and call.call_class == "complete":
            matches = {request: each[1:] for request, each in zip(refers, fields["completions"], strict=True)}
            fields["completions"] = [
                (back, *matches.get(request, (False, 0, 0))) for request, back in step.backs.items()
            ]
            fields["listed"] += len(step.backs) - len(matches)
        elif step.backs:
            fields["references"] = list(step.backs.values())
        return call._replace(fields=fields)

    def _donor(self, rank: int, offset: Offset) -> int:
        """Return the nearest rank with a neighbour at an offset where a rank has none. Raises _Unlike if that has one."""
        if (rank, offset) not in self._donors:
            there = [
                min(max(x, -min(step, 0)), n - 1 - max(step, 0))
                for x, step, n in zip(
                    self._space.places[rank].tolist(), offset, self._space.extents, strict=True
                )
            ]
            self._donors[rank, offset] = int(np.ravel_multi_index(there, self._space.extents))
        if self._donors[rank, offset] == rank:
            raise _Unlike
        return self._donors[rank, offset]


def _divided(compute: Times, absent: npt.NDArray[np.bool_]) -> Times:
    """Return the computation before each call, of which some are absent, where `compute` is that of other ranks.

    What a rank computes before such a call is before its next one, of which the call takes as much as on other ranks.
    """
    found = compute.copy()
    first = 0
    for place in np.flatnonzero(~absent).tolist():
        if first < place:
            ends = np.minimum(np.cumsum(compute[first:place]), compute[place])
            found[first:place] = np.diff(ends, prepend=0.0)
            found[place] -= ends[-1]
        first = place + 1
    return found


def _without(events: RankEvents, sites: Collection[str]) -> RankEvents:
    """Return a rank's events without messages to nobody. Computation before these is before the next call."""
    calls = [Call(*call) for call in events.calls]
    absent = np.array(
        [call.entry in sites and call.fields.get("peer") == NOBODY for call in calls], dtype=bool
    )
    if not absent.any():
        return events
    makes = np.array([_engine.makes_request(call.call_class) for call in calls], dtype=bool)[events.call]
    kept = ~absent[events.call]
    # Numbers of the requests made before each event: with absent ones, and without.
    before = np.cumsum(makes) - makes
    left = np.cumsum(makes & kept) - (makes & kept)
    request = np.flatnonzero(makes)
    found = list(events.calls)
    call = events.call.copy()
    for number, each in enumerate(calls):
        backs = np.array(references(each), dtype=np.int64)
        places = np.flatnonzero(events.call == number)
        if not len(backs) or not len(places):
            continue
        made = request[before[places][:, None] - backs[None, :]]
        rows = np.where(kept[made], left[places][:, None] - left[made], 0)
        for row, which in zip(*_rows(rows), strict=True):
            some = places[which]
            if any(row) or not _is_of_one(each):
                call[some] = len(found)
                found.append((each.entry, each.call_class, _referring(each, row)))
            else:
                kept[some] = False
    has_cpu = events.cpu >= 0
    left_over = without(Calls(call, events.compute, has_cpu, events.durations), ~kept)
    used, call = np.unique(left_over.calls, return_inverse=True)
    return events._replace(
        calls=[found[number] for number in used.tolist()],
        call=call,
        compute=left_over.compute,
        cpu=np.where(left_over.has_cpu, left_over.compute, -1.0),
        durations=left_over.durations,
    )


def _rows(rows: Numbers) -> tuple[list[list[int]], list[Numbers]]:
    """Return the different rows, and the numbers of those that are alike."""
    different, which = np.unique(rows, axis=0, return_inverse=True)
    return different.tolist(), [np.flatnonzero(which.reshape(-1) == each) for each in range(len(different))]


def _referring(call: Call, backs: Sequence[int]) -> dict[str, Any]:
    """Return the fields of a call that refers to other requests. 0: to one that is not there."""
    fields = dict(call.fields)
    if call.call_class != "complete":
        return fields | {"references": [back for back in backs if back]}
    completions = [(back, *each[1:]) for back, each in zip(backs, fields["completions"], strict=True) if back]
    listed = fields["listed"] - len(backs) + len(completions)
    return fields | {"completions": completions, "listed": listed}
