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
from linkworth.scale.bursts import RARE, Burst, Bursts, Request, Symbol, UnlikeError, is_of_one
from linkworth.scale.generate import RankEvents
from linkworth.scale.grids import Offset
from linkworth.scale.recording import NOBODY, Call, Numbers, Recording, Times, references, without
from linkworth.scale.recording import Sequence as Calls
from linkworth.scale.requests import Requests, referring


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
        typical: list[_Typical] = []
        found = [box.completed(order, typical) for box in reversed(boxes)]
        return found[::-1]
    except UnlikeError:
        return None


def without_absent(ranks: Iterable[RankEvents], sites: Collection[str]) -> Iterator[RankEvents]:
    """Yield ranks without messages of these sites to MPI_PROC_NULL, and without what starts or completes one of them."""
    for each in ranks:
        yield _without(each, sites)


def _order(bursts: Collection[tuple[Symbol, ...]]) -> dict[Symbol, int]:
    """Return the places of symbols in an order that all bursts have. Raises UnlikeError.

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
        raise UnlikeError
    return found


def _rare(recording: Recording) -> set[str]:
    """Return the sites that not all ranks call equally often."""
    times = np.array([np.bincount(of.calls, minlength=len(recording.calls)) for of in recording.sequences])
    entries, which = np.unique([call.entry for call in recording.calls], return_inverse=True)
    by_entry = np.zeros((recording.ranks, len(entries)), dtype=np.int64)
    np.add.at(by_entry.T, which, times.T)
    return set(entries[np.ptp(by_entry, axis=0) > 0].tolist())


class _Step(NamedTuple):
    """A call of all ranks, if those without the neighbour make it as well."""

    symbol: Symbol | None
    backs: Mapping[Request, int]
    """Requests that it refers to, in order, and how many requests ago each was made."""


class _Kind(NamedTuple):
    """Properties of bursts in which each rank makes the same calls."""

    first: int
    """The first of these bursts."""
    steps: Sequence[_Step]
    made: Mapping[Symbol | None, int]
    """By step that makes a request: how many steps before it do."""


_Typical = dict[Symbol | str, float]
"""Mean computation before a call that follows another one of the rank, by symbol, or by site if all ranks make it."""


class _Placed(NamedTuple):
    """A call of a step."""

    number: int
    source: int
    """The rank that makes it, or the nearest one that does."""
    place: int
    """Its place in that rank's burst."""
    symbol: Symbol | str
    absent: bool
    follows: bool
    """True if that rank also makes the call of the step before, so that the computation between them is known."""


class _Completed(NamedTuple):
    """A rank's calls with the absent ones, before which the computation is that of other ranks."""

    calls: Calls
    steps: Sequence[Sequence[_Placed]]
    """By kind of burst: its calls."""
    which: Numbers
    """By call: its place in all steps."""

    def flags(self, name: str) -> npt.NDArray[np.bool_]:
        """Return a property of each call."""
        of = np.array([getattr(each, name) for steps in self.steps for each in steps], dtype=bool)
        return of[self.which]

    def divided(self, known: Sequence[_Typical]) -> Calls:
        """Return the calls with the rank's own computation. `known`: that of this recording, and of larger ones."""
        absent = self.flags("absent")
        shares = np.array([share for steps in self.steps for share in _shares(steps, known)])[self.which]
        return self.calls._replace(compute=_divided(self.calls.compute, absent, shares))


class _Box:
    """The messages of all ranks of a recording with their neighbours on a grid."""

    def __init__(self, recording: Recording, space: Space, sites: Collection[str]) -> None:
        """Find them. Raises UnlikeError if ranks differ in other calls."""
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
        self._ranks = [Bursts(recording, rank, sites, rare, space) for rank in range(recording.ranks)]
        if len({self._entries(rank) for rank in range(recording.ranks)}) > 1:
            raise UnlikeError

    def _entries(self, rank: int) -> tuple[str, ...]:
        calls = self._recording.sequences[rank].calls[
            np.array(self._ranks[rank].starts[1:-1], dtype=np.int64) - 1
        ]
        return tuple(self._recording.calls[number].entry for number in calls.tolist())

    def distinct(self) -> set[tuple[Symbol, ...]]:
        """Return all different bursts of the ranks."""
        return {tuple(burst.symbols) for rank in self._ranks for burst in rank.different}

    def completed(self, order: Mapping[Symbol, int], typical: list[_Typical]) -> Recording:
        """Return the recording in which all ranks have the calls of those in the middle. Raises UnlikeError.

        `order`: places of symbols in each burst. `typical`: the computation in larger recordings, to which this one's is added.
        """
        kinds, of_burst = self._kinds(order)
        found = copy(self._recording)
        found.absent = self._sites
        found.calls = []
        numbers: dict[Any, int] = {}
        ranks = [self._sequence(rank, kinds, of_burst, found.calls, numbers) for rank in range(found.ranks)]
        typical.insert(0, _typical(ranks))
        found.sequences = [each.divided(typical) for each in ranks]
        return found

    def _kinds(self, order: Mapping[Symbol, int]) -> tuple[list[_Kind], Numbers]:
        """Return the different bursts of all ranks, and which of them each burst is."""
        kinds: list[_Kind] = []
        numbers: dict[Any, int] = {}
        agos: dict[Any, list[int]] = {}
        """By kinds of the ranks' bursts: how many bursts ago requests are made to which they refer."""
        of_burst: list[int] = []
        made = [0]
        """By burst: requests made before it."""
        for burst, alike in enumerate(zip(*(rank.kinds for rank in self._ranks), strict=True)):
            owns = [rank.different[kind] for rank, kind in zip(self._ranks, alike, strict=True)]
            if alike not in agos:
                agos[alike] = sorted({ago for own in owns for each in own.refers for ago, _ in each} - {0})
            earlier = {ago: (of_burst[burst - ago], made[-1] - made[burst - ago]) for ago in agos[alike]}
            number = numbers.setdefault((alike, *earlier.values()), len(kinds))
            if number == len(kinds):
                kinds.append(
                    self._kind(
                        burst,
                        owns,
                        order,
                        {ago: (kinds[of].made, back) for ago, (of, back) in earlier.items()},
                    )
                )
            of_burst.append(number)
            made.append(made[-1] + len(kinds[number].made))
        return kinds, np.array(of_burst)

    def _kind(
        self,
        first: int,
        owns: Sequence[Burst],
        order: Mapping[Symbol, int],
        earlier: Mapping[int, tuple[Mapping[Symbol | None, int], int]],
    ) -> _Kind:
        """Return the steps of a burst.

        `owns`: that of each rank; `earlier`: by how many bursts ago, the requests that its steps make, and how many requests
        are made from its beginning to that of this one.
        """
        made: dict[Symbol | None, int] = {}

        def number(request: Request) -> int:
            ago, symbol = request
            if not ago:
                return made[symbol]
            numbers, back = earlier[ago]
            return numbers[symbol] - back

        symbols = sorted({symbol for own in owns for symbol in own.symbols}, key=order.__getitem__)
        ending = [None] if first < len(self._ranks[0].kinds) - 1 else []
        steps: list[_Step] = []
        for symbol in (*symbols, *ending):
            callers = [rank for rank, own in enumerate(owns) if symbol is None or symbol in own.places]
            lists = [owns[rank].refers[owns[rank].place(symbol)] for rank in callers]
            oldest_first = all(list(each) == sorted(each, key=number) for each in lists)
            refers = sorted({request for each in lists for request in each}, key=number)
            if not oldest_first:
                refers.reverse()
            steps.append(_Step(symbol, {request: len(made) - number(request) for request in refers}))
            if _engine.makes_request(self._call(callers[0], first, symbol).call_class):
                made[symbol] = len(made)
        return _Kind(first, steps, made)

    def _call(self, rank: int, burst: int, symbol: Symbol | None) -> Call:
        place = self._ranks[rank].starts[burst] + self._ranks[rank].burst(burst).place(symbol)
        return self._recording.calls[int(self._recording.sequences[rank].calls[place])]

    def _sequence(
        self, rank: int, kinds: Sequence[_Kind], of_burst: Numbers, calls: list[Call], numbers: dict[Any, int]
    ) -> _Completed:
        """Return a rank's calls. `numbers`: of `calls`, to which new ones are added."""
        steps = [self._steps(rank, kind, calls, numbers) for kind in kinds]
        lengths = np.array([len(each) for each in steps])
        table = np.array([each[:3] for of in steps for each in of], dtype=np.int64).reshape(-1, 3)
        of_calls = np.repeat(np.arange(len(of_burst)), lengths[of_burst])
        first = np.cumsum(lengths[of_burst]) - lengths[of_burst]
        within = np.arange(len(of_calls)) - first[of_calls]
        which = (np.cumsum(lengths) - lengths)[of_burst[of_calls]] + within
        number, source, place = table[which].T
        found = Calls(number, np.empty(len(number)), np.empty(len(number), dtype=bool), np.empty(len(number)))
        for each in np.unique(source).tolist():
            some = source == each
            times = self._recording.sequences[each]
            places = np.array(self._ranks[each].starts)[of_calls[some]] + place[some]
            found.compute[some] = times.compute[places]
            found.has_cpu[some] = times.has_cpu[places]
            found.durations[some] = times.durations[places]
        return _Completed(found, steps, which)

    def _steps(self, rank: int, kind: _Kind, calls: list[Call], numbers: dict[Any, int]) -> Sequence[_Placed]:
        """Return the calls of a burst. `numbers`: of `calls`, to which new ones are added."""
        found: list[_Placed] = []
        for symbol, backs in kind.steps:
            source = rank
            if symbol is not None and symbol not in self._ranks[rank].burst(kind.first).places:
                if symbol[1] == RARE:
                    continue
                source = self._donor(rank, symbol[1])
                if symbol not in self._ranks[source].burst(kind.first).places:
                    raise UnlikeError
            burst = self._ranks[source].burst(kind.first)
            place = burst.place(symbol)
            refers = burst.refers[place]
            number = int(
                self._recording.sequences[source].calls[self._ranks[source].starts[kind.first] + place]
            )
            # Receives from any source have matches of their own.
            matches = tuple(backs[request] for request in refers) if number in self._wild else ()
            key = number, source == rank, tuple(backs.values()), matches
            if key not in numbers:
                numbers[key] = len(calls)
                absent = source != rank
                calls.append(self._referring(self._recording.calls[number], refers, backs, absent=absent))
            before = found[-1].symbol if found else None
            # Calls of few ranks may be placed between two of a rank that makes only one of these.
            follows = not isinstance(before, tuple) or (before[1] != RARE and before in burst.places)
            named = self._recording.calls[number].entry if symbol is None else symbol
            found.append(_Placed(numbers[key], source, place, named, source != rank, follows))
        return found

    def _referring(
        self, call: Call, refers: Sequence[Request], backs: Mapping[Request, int], *, absent: bool
    ) -> Call:
        """Return a call that refers to the requests of a step. `refers`: to which it did."""
        fields = dict(call.fields)
        if absent and call.entry in self._sites:
            fields["peer"] = NOBODY
        if backs and call.call_class == "complete":
            matches = {request: each[1:] for request, each in zip(refers, fields["completions"], strict=True)}
            fields["completions"] = [
                (back, *matches.get(request, (False, 0, 0))) for request, back in backs.items()
            ]
            fields["listed"] += len(backs) - len(matches)
        elif backs:
            fields["references"] = list(backs.values())
        return call._replace(fields=fields)

    def _donor(self, rank: int, offset: Offset) -> int:
        """Return the nearest rank with a neighbour at an offset where a rank has none. Raises UnlikeError if that has one."""
        if (rank, offset) not in self._donors:
            there = [
                min(max(x, -min(step, 0)), n - 1 - max(step, 0))
                for x, step, n in zip(
                    self._space.places[rank].tolist(), offset, self._space.extents, strict=True
                )
            ]
            self._donors[rank, offset] = int(np.ravel_multi_index(there, self._space.extents))
        if self._donors[rank, offset] == rank:
            raise UnlikeError
        return self._donors[rank, offset]


def _typical(ranks: Sequence[_Completed]) -> _Typical:
    """Return the mean computation of a recording's ranks before each call that follows the one before it."""
    times: Counter[Symbol | str] = Counter()
    sums: defaultdict[Symbol | str, float] = defaultdict(float)
    for rank in ranks:
        symbols = [each.symbol for steps in rank.steps for each in steps]
        own = rank.flags("follows") & ~rank.flags("absent")
        counts = np.bincount(rank.which[own], minlength=len(symbols))
        totals = np.bincount(rank.which[own], rank.calls.compute[own], len(symbols))
        for symbol, count, total in zip(symbols, counts.tolist(), totals.tolist(), strict=True):
            if count:
                times[symbol] += count
                sums[symbol] += total
    return {symbol: sums[symbol] / count for symbol, count in times.items()}


def _mean(typical: _Typical, symbol: Symbol | str) -> float | None:
    """Return the computation before a call, or else before an earlier one of the site in its burst."""
    while symbol not in typical and not isinstance(symbol, str) and symbol[2] > 0:
        symbol = (symbol[0], symbol[1], symbol[2] - 1)
    return typical.get(symbol)


def _shares(steps: Sequence[_Placed], known: Sequence[_Typical]) -> Iterator[float]:
    """Yield the share of each call in the computation of the rank before its next call, or NaN if other ranks show it.

    Where two ranks are along a dimension, none has neighbours on both sides: what is before a receive from one side there is
    before a send to the other on larger grids.
    """
    waiting: list[_Placed] = []
    for step in steps:
        waiting.append(step)
        if step.absent:
            continue
        shares = [np.nan] * len(waiting)
        if not all(each.follows for each in waiting[:-1]):
            for typical in known:
                means = [_mean(typical, each.symbol) for each in waiting]
                some = [each for each in means if each is not None]
                if len(some) == len(means) and sum(some) > 0:
                    shares = [each / sum(some) for each in some]
                    break
        yield from shares
        waiting = []
    yield from [np.nan] * len(waiting)


def _divided(compute: Times, absent: npt.NDArray[np.bool_], shares: Times) -> Times:
    """Return the computation before each call, of which some are absent, where `compute` is that of other ranks.

    What a rank computes before such a call is before its next one, of which the call takes its share, or else as much as on
    other ranks.
    """
    if not absent.any():
        return compute
    present = np.flatnonzero(~absent)
    # The call that follows each, and the call before the absent ones before that.
    following = np.searchsorted(present, np.arange(len(compute)))
    most = np.append(compute[present], 0.0)[following]
    needed = np.append(0.0, np.cumsum(np.where(absent, compute, 0.0)))
    before = needed[np.append(-1, present)[following] + 1]
    taken = np.minimum(needed[:-1] - before, most)
    found: Times = np.where(absent, np.minimum(needed[1:] - before, most) - taken, compute - taken)
    return np.where(np.isnan(shares), found, shares * most)


def _without(events: RankEvents, sites: Collection[str]) -> RankEvents:
    """Return a rank's events without messages to nobody. Computation before these is before the next call."""
    calls = [Call(*call) for call in events.calls]
    absent = np.array(
        [call.entry in sites and call.fields.get("peer") == NOBODY for call in calls], dtype=bool
    )
    if not absent.any():
        return events
    requests = Requests(calls)
    refers = requests.of(events.call)
    kept = ~absent[events.call]
    makes = requests.makes[events.call] & kept
    # Number of the requests made before each event, without absent ones.
    left = np.cumsum(makes) - makes
    found = list(events.calls)
    call = events.call.copy()
    for number, each in enumerate(calls):
        # A search for each of many different messages would take quadratic time.
        places = np.flatnonzero(events.call == number) if references(each) else ()
        if not len(places):
            continue
        made = refers.made[events.call[refers.event] == number].reshape(len(places), -1)
        rows = np.where(kept[made], left[places][:, None] - left[made], 0)
        for row, which in zip(*_rows(rows), strict=True):
            some = places[which]
            if any(row) or not is_of_one(each):
                call[some] = len(found)
                found.append((each.entry, each.call_class, dict(referring(each, row).fields)))
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
    if (rows == rows[0]).all():
        return [rows[0].tolist()], [np.arange(len(rows))]
    different, which = np.unique(rows, axis=0, return_inverse=True)
    return different.tolist(), [np.flatnonzero(which.reshape(-1) == each) for each in range(len(different))]
