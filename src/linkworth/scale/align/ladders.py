"""Ladders: messages over distances of powers of two, level by level, where the bits of a rank decide what it does.

Programs write binomial trees, butterflies and prefix sums so. Each rank has a sequence of its own, so there are no roles.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, combinations, pairwise
from typing import Any, NamedTuple

import numpy as np

from linkworth.scale.align.folding import Alignment, Item, Ladder, Loop
from linkworth.scale.fit.rules import Ranks, Samples, UnfitError
from linkworth.scale.recording import Numbers, Recording

FEWEST_LEVELS = 4
"""Levels of the largest recording at least. Neighbours on a grid of eight ranks have such distances as well."""
_LEVEL = 40
"""Bit of a symbol from which its level is added."""
_SYMBOL = (1 << _LEVEL) - 1
_TOKEN = 1 << 60


class Group(NamedTuple):
    """Calls that take turns on one ladder."""

    number: int
    order: int
    """Place among the ladders that follow one another."""
    token: int
    """The same for all those."""
    direction: int
    """1: distances double, -1: they halve, 0: each rank has one level."""


Cycle = dict[int, list[tuple[int, list[int]]]]
"""Ladders that follow one another: by group, levels with their events."""


class Tokens(NamedTuple):
    """A sequence in which a cycle of ladders is one symbol."""

    codes: list[int]
    symbols: list[int]
    parts: list[int | Cycle]
    """By symbol: the event, or the cycle."""
    levels: int


def symbol_of(token: int) -> int:
    """Return a symbol that a token stands for."""
    return token & (_TOKEN - 1)


def levels(ranks: int) -> int:
    """Return how many distances there are."""
    return (ranks - 1).bit_length()


class Ladders:
    """The ladders of some recordings."""

    def __init__(
        self,
        recordings: Sequence[Recording],
        alphabet: Sequence[Numbers],
        features: Iterable[tuple[int, ...]],
    ) -> None:
        """Find them. `alphabet`: symbols of the calls, by recording; `features`: what may be known to decide."""
        self.features = features
        self.codes, found = _codes(recordings, alphabet)
        # Calls that complete requests belong to the messages before them.
        self._completing = {
            symbol
            for recording, of in zip(recordings, alphabet, strict=True)
            for call, symbol in zip(recording.calls, of.tolist(), strict=True)
            if call.call_class == "complete"
        }
        runs = [run for of in self.codes for each in of for run in self._runs(each.tolist())] if found else []
        self._groups = _groups(runs)

    def found(self) -> bool:
        """Return whether there are any."""
        return bool(self._groups)

    def tokens(self, codes: list[int], ranks: int) -> Tokens:
        """Return a sequence with one symbol for each cycle of ladders."""
        out = Tokens(codes, [], [], levels(ranks))
        group: Group | None = None
        cycle: Cycle = {}
        at = 0
        for place in [*np.flatnonzero(np.array(codes, dtype=np.int64) >> _LEVEL).tolist(), len(codes)]:
            while group is not None and at < place:
                if codes[at] in self._completing:
                    cycle[group.number][-1][1].append(at)
                    at += 1
                else:
                    group = None
            out.symbols.extend(codes[at:place])
            out.parts.extend(range(at, place))
            if place == len(codes):
                break
            at = place + 1
            code = codes[place]
            level = (code >> _LEVEL) - 1
            new = self._groups[code & _SYMBOL]
            if group is None or self._begins(new, group, cycle, code, codes):
                cycle = {}
                out.symbols.append(_TOKEN + new.token)
                out.parts.append(cycle)
            group = new
            steps = cycle.setdefault(group.number, [])
            if not steps or steps[-1][0] != level:
                steps.append((level, []))
            steps[-1][1].append(place)
        return out

    @staticmethod
    def _begins(new: Group, group: Group, cycle: Cycle, code: int, codes: Sequence[int]) -> bool:
        """Return whether an event of a ladder is the first of another cycle."""
        if new != group:
            return new.token != group.token or new.order < group.order
        last, events = cycle[new.number][-1]
        step = (code >> _LEVEL) - 1 - last
        return code in [codes[each] for each in events] if step == 0 else step * new.direction <= 0

    def _runs(self, codes: Sequence[int]) -> Iterator["Run"]:
        """Yield the events on ladders that nothing else separates."""
        run: Run = []
        for code in codes:
            if code >> _LEVEL:
                run.append((code & _SYMBOL, (code >> _LEVEL) - 1))
            elif run and code not in self._completing:
                yield run
                run = []
        if run:
            yield run

    def expanded(self, aligned: Alignment, sequences: Sequence[Tokens]) -> Alignment:
        """Return the alignment of events from that of symbols."""
        leaf_of, iteration = (
            [np.zeros(len(each.codes), dtype=np.int64) for each in sequences] for _ in range(2)
        )
        iterations = [np.ones(len(each.codes), dtype=np.int64) for each in sequences]
        counts: list[list[list[Any]]] = list(aligned.counts)
        leaves = 0
        places: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
        for number, of in enumerate(aligned.leaf_of):
            for at, leaf in enumerate(of.tolist()):
                places[leaf].append((number, at))

        def plain(leaf: int) -> int:
            nonlocal leaves
            for number, at in places[leaf]:
                event = sequences[number].parts[at]
                assert isinstance(event, int)
                leaf_of[number][event] = leaves
                iteration[number][event] = aligned.iteration[number][at]
                iterations[number][event] = aligned.iterations[number][at]
            leaves += 1
            return leaves - 1

        def ladder(group: Group, cycles: Sequence[tuple[int, Cycle]]) -> Iterator[Ladder]:
            nonlocal leaves
            bodies: dict[tuple[int, ...], list[int]] = {(): []}
            entered: list[list[Any]] = [[] for _ in sequences]
            for number, cycle in cycles:
                codes = sequences[number].codes
                chosen: list[int] = [0] * sequences[number].levels
                for level, events in cycle.get(group.number, []):
                    body = tuple(codes[each] & _SYMBOL for each in events)
                    if body not in bodies:
                        bodies[body] = list(range(leaves, leaves + len(body)))
                        leaves += len(body)
                    chosen[level] = list(bodies).index(body)
                    leaf_of[number][events] = bodies[body]
                    iteration[number][events] = level
                    iterations[number][events] = sequences[number].levels
                entered[number].append(tuple(chosen))
            if len(bodies) > 1:
                counts.append(entered)
                yield Ladder([list(of) for of in bodies.values()], len(counts) - 1, group.direction < 0)

        def walk(items: Sequence[Item]) -> Iterator[Item]:
            for item in items:
                if isinstance(item, Loop):
                    yield Loop(list(walk(item.body)), item.number)
                elif isinstance(item, int):
                    number, at = places[item][0]
                    cycles = [
                        (number, part)
                        for number, at in places[item]
                        if isinstance(part := sequences[number].parts[at], dict)
                    ]
                    if not cycles:
                        yield plain(item)
                        continue
                    token = sequences[number].symbols[at] - _TOKEN
                    for group in sorted(
                        {each for each in self._groups.values() if each.token == token},
                        key=lambda each: each.order,
                    ):
                        yield from ladder(group, cycles)

        top = list(walk(aligned.top))
        return Alignment(top, len(counts), leaf_of, iteration, iterations, counts)


def _codes(recordings: Sequence[Recording], alphabet: Sequence[Numbers]) -> tuple[list[list[Numbers]], bool]:
    """Return the symbols of all events, with their levels if they are on a ladder, and whether some are."""
    symbols = [
        [of[sequence.calls] for sequence in recording.sequences]
        for recording, of in zip(recordings, alphabet, strict=True)
    ]
    distances = [[_distances(recording, rank) for rank in range(recording.ranks)] for recording in recordings]
    kinds = np.full(1 + max(int(of.max()) for of in alphabet), -1)
    for kind in (2, 1, 0):
        kinds[_on_all_levels(recordings, symbols, distances, kind, len(kinds))] = kind
    codes: list[list[Numbers]] = []
    for of, known in zip(symbols, distances, strict=True):
        codes.append([])
        for each, three in zip(of, known, strict=True):
            which = kinds[each]
            level = np.where(which >= 0, _log2(three[np.maximum(which, 0), np.arange(len(each))]), -1)
            codes[-1].append(each + ((level + 1) << _LEVEL))
    return codes, bool((kinds >= 0).any())


def _distances(recording: Recording, rank: int) -> Numbers:
    """Return by event the exclusive or of rank and peer, and the distances up and down a ring of all ranks; 0: no peer."""
    peers = np.full(len(recording.calls), -1, dtype=np.int64)
    calls = recording.sequences[rank].calls
    for number in np.unique(calls).tolist():
        fields = recording.calls[number].fields
        members = recording.communicators[rank].get(fields.get("comm", -1), [])
        if fields.get("peer", -1) >= 0 and members == list(range(recording.ranks)):
            peers[number] = fields["peer"]
    peer = peers[calls]
    found = np.stack([rank ^ peer, (peer - rank) % recording.ranks, (rank - peer) % recording.ranks])
    return np.where(peer < 0, 0, found)


def _log2(distance: Numbers) -> Numbers:
    """Return the logarithm of powers of two, and -1 of other numbers."""
    power = (distance > 0) & (distance & (distance - 1) == 0)
    found: Numbers = np.where(power, np.log2(np.maximum(distance, 1)).round().astype(np.int64), -1)
    return found


def _on_all_levels(
    recordings: Sequence[Recording],
    symbols: Sequence[Sequence[Numbers]],
    distances: Sequence[Sequence[Numbers]],
    kind: int,
    count: int,
) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Return by symbol whether all recordings have it over all distances of powers of two, and over no others."""
    good = np.ones(count, dtype=bool)
    for recording, of, known in zip(recordings, symbols, distances, strict=True):
        height = levels(recording.ranks)
        seen = np.zeros((count, height + 1), dtype=bool)
        for each, three in zip(of, known, strict=True):
            seen[each, _log2(three[kind])] = True
        # The longest distance may be left out: it is half the ring, or a program with a fixed number of levels ends before.
        good &= seen[:, : max(height - 1, 1)].all(axis=1) & ~seen[:, -1]
    return good


Run = list[tuple[int, int]]
"""Symbols with levels."""


def _groups(runs: Sequence[Run]) -> dict[int, Group]:
    """Return the group of each symbol."""
    turns: Counter[int] = Counter()
    for run in runs:
        last: dict[int, int] = {}
        for symbol, level in run:
            turns[symbol] += int(np.sign(level - last.get(symbol, level)))
            last[symbol] = level
    direction = {symbol: int(np.sign(turn)) for symbol, turn in turns.items()}
    together, tokens = _Sets(direction), _Sets(direction)
    before: Counter[tuple[int, int]] = Counter()
    for run in runs:
        first = list(dict.fromkeys(symbol for symbol, _ in run))
        before.update(combinations(first, 2))
        for one, other in pairwise(first):
            tokens.unite(one, other)
        for one, other in _turns(run, direction):
            together.unite(one, other)
    sets: defaultdict[int, list[int]] = defaultdict(list)
    for symbol in direction:
        sets[together.of(symbol)].append(symbol)

    def later(symbols: Sequence[int], others: Sequence[int]) -> bool:
        return sum(before[b, a] - before[a, b] for a in symbols for b in others) > 0

    return {
        symbol: Group(
            key,
            sum(later(symbols, others) for others in sets.values()),
            tokens.of(symbol),
            max((direction[each] for each in symbols), key=abs),
        )
        for key, symbols in sets.items()
        for symbol in symbols
    }


def _turns(run: Run, direction: Mapping[int, int]) -> Iterator[tuple[int, int]]:
    """Yield pairs of symbols of which one is between two of the other on the way from level to level."""
    last: dict[int, int] = {}
    for at, (symbol, level) in enumerate(run):
        begun, turn = last.get(symbol, at), direction[symbol]
        low, high = sorted((run[begun][1], level))
        if (level - run[begun][1]) * turn > 0:
            for other, between in run[begun + 1 : at]:
                if low <= between <= high and direction[other] in (0, turn):
                    yield symbol, other
        last[symbol] = at


class _Sets:
    """Disjoint sets."""

    def __init__(self, members: Iterable[int]) -> None:
        self._up = {each: each for each in members}

    def of(self, member: int) -> int:
        """Return the number of its set."""
        while self._up[member] != member:
            member = self._up[member]
        return member

    def unite(self, one: int, other: int) -> None:
        """Make two sets one."""
        self._up[self.of(other)] = self.of(one)


_FEATURES: tuple[Callable[[int, int, int, int], int], ...] = (
    lambda r, n, k, turn: r >> k & 1,
    lambda r, n, k, turn: (r & ((1 << k) - 1)) == 0,
    lambda r, n, k, turn: r >> (k + 1) == 0,
    lambda r, n, k, turn: r + (1 << k) < n,
    lambda r, n, k, turn: (r ^ (1 << k)) < n,
    lambda r, n, k, turn: r >= 1 << k,
    lambda r, n, k, turn: (r + 1) % (1 << k) == 0,
    lambda r, n, k, turn: k == 0,
    lambda r, n, k, turn: k == levels(n) - 1,
    lambda r, n, k, turn: k <= turn,
    lambda r, n, k, turn: r >> (turn + 1) & 1,
)
"""Facts that may decide on the body of a step: of a rank, the number of ranks, the level, and the turn, as in a bitonic sort."""
_MOST_FEATURES = 4


class ByBits(NamedTuple):
    """The body of each step of a ladder."""

    features: tuple[int, ...]
    bodies: Mapping[tuple[int, ...], int]
    turning: bool
    """It differs with the turn: from level to level of another ladder around it."""
    site: str

    def values(self, ranks: Ranks) -> Sequence[Any]:
        """Return it for each rank: by turn, the number of the body at each level."""
        height = levels(ranks.point.ranks)
        try:
            return [
                tuple(
                    tuple(
                        self.bodies[_key(self.features, (rank, ranks.point.ranks, k, turn))]
                        for k in range(height)
                    )
                    for turn in range(height if self.turning else 1)
                )
                for rank in ranks.at.ranks.tolist()
            ]
        except KeyError:
            raise UnfitError(self.site, "its tree of ranks has branches that no recording shows") from None


def _key(features: Sequence[int], where: tuple[int, int, int, int]) -> tuple[int, ...]:
    return tuple(int(_FEATURES[each](*where)) for each in features)


def fit_bits(
    samples: Samples,
    entered: Sequence[Sequence[tuple[int, ...]]],
    site: str,
    likely: Iterable[tuple[int, ...]],
) -> ByBits:
    """Return the rule of a ladder's steps. `entered`: by sample, the steps each time. Raises UnfitError.

    `likely`: features that decide if more recordings are looked at.
    """
    turning = any(len(set(times)) > 1 for times in entered)
    known: dict[tuple[int, int, int, int], int] = {}
    for rank, n, times in zip(samples.rank.tolist(), samples.at.sizes.tolist(), entered, strict=True):
        for at, each in enumerate(times):
            for k, body in enumerate(each):
                if known.setdefault((rank, n, k, at % levels(n) if turning else 0), body) != body:
                    raise UnfitError(site, "a rank's part in the tree of ranks differs each time")
    sets = (combinations(range(len(_FEATURES)), count) for count in range(_MOST_FEATURES + 1))
    for features in chain(sorted(likely, key=len), *sets):
        bodies: dict[tuple[int, ...], int] = {}
        if all(bodies.setdefault(_key(features, where), body) == body for where, body in known.items()):
            return ByBits(features, bodies, turning, site)
    raise UnfitError(site, "no bits of the ranks give the tree of ranks")
