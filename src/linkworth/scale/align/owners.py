"""Steps of a loop over blocks that ranks own in turn, as factorisations of block-cyclic matrices have.

The owners of a block, of its row and of its column call otherwise than others in each step, so that no two ranks call alike.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain, combinations, pairwise
from typing import Any, NamedTuple

import numpy as np

from linkworth.scale.align.chains import FEWEST_STEPS, ROOT, with_chains
from linkworth.scale.align.folding import Alignment, Item, Ladder, Loop, align, fold, leaves_of_loops, parse
from linkworth.scale.fit.dealt import REPEATS, left_of, repeated
from linkworth.scale.fit.numbers import Model
from linkworth.scale.fit.peers import Iterations, owner
from linkworth.scale.fit.rules import Ranks, Rule, Samples, UnfitError
from linkworth.scale.grids import Position
from linkworth.scale.recording import Numbers, Recording

_SYMBOL = (1 << ROOT) - 1
_MOST_STEPS = 1_000_000
"""Steps of all ranks that are compared at most, which takes some seconds."""
_MOST_COPIES = 8
_MOST_KINDS = 64
"""Different bodies of a step from which it is none."""

Span = tuple[int, int, int]
"""A sequence, and a start and an end in it."""
Key = tuple[Any, ...]


class Owners:
    """Calls of some recordings in which ranks own steps."""

    def __init__(self, recordings: Sequence[Recording], alphabet: Sequence[Numbers]) -> None:
        """Find the roots. `alphabet`: symbols of the calls, by recording."""
        alphabet = _without_copies(recordings, alphabet)
        self._sizes = [each.size for each in recordings]
        self._rooted = any(each.has_owners() for each in recordings)
        self.codes, self._chained = with_chains(
            recordings,
            [
                [
                    of[each.calls] + (_roots(recording, rank)[each.calls] << ROOT)
                    for rank, each in enumerate(recording.sequences)
                ]
                for recording, of in zip(recordings, alphabet, strict=True)
            ],
        )

    def found(self) -> bool:
        """Return whether the ranks of the largest recording call in more ways than a row of them has ranks."""
        if not self._rooted and not self._chained:
            return False
        largest = self.codes[-1]
        return len({each.tobytes() for each in largest}) ** 2 > len(largest)

    def align(self, sequences: Sequence[Numbers], recordings: Sequence[int]) -> Alignment:
        """Align the different sequences of a role. `recordings`: that of each one. Raises Mismatch."""
        sizes = [self._sizes[each] for each in recordings]
        return _Aligner(sequences, recordings, sizes, self._chained).aligned()


def _without_copies(recordings: Sequence[Recording], alphabet: Sequence[Numbers]) -> list[Numbers]:
    """Return the symbols, with one for all copies of a call that a compiler made.

    Together, and not alone, all ranks of all recordings of one size make them equally often. The most such calls are taken, as
    one may be rare.
    """
    size = 1 + max(int(of.max()) for of in alphabet)
    counts = [
        np.array([np.bincount(of[each.calls], minlength=size) for each in recording.sequences])
        for recording, of in zip(recordings, alphabet, strict=True)
    ]

    def equal(symbols: Sequence[int]) -> bool:
        totals = [of[:, symbols].sum(axis=1) for of in counts]
        by_size = {(each.size, int(of[0])) for each, of in zip(recordings, totals, strict=True)}
        same = all(bool((of == of[0]).all()) and of[0] >= FEWEST_STEPS for of in totals)
        return same and len(by_size) == len({each.size for each in recordings})

    alike: defaultdict[Key, set[int]] = defaultdict(set)
    for recording, of in zip(recordings, alphabet, strict=True):
        for call, symbol in zip(recording.calls, of.tolist(), strict=True):
            if "collective" in call.call_class:
                alike[call.entry.partition("@")[0], call.call_class, call.fields.get("comm")].add(symbol)
    one = np.arange(size)
    for symbols in alike.values():
        sites = sorted(each for each in symbols if not equal([each]))[:_MOST_COPIES]
        for copies in chain.from_iterable(combinations(sites, count) for count in range(len(sites), 1, -1)):
            if (one[list(copies)] == copies).all() and equal(copies):
                one[list(copies)] = copies[0]
    return [one[of] for of in alphabet]


def _roots(recording: Recording, rank: int) -> Numbers:
    """Return by call whether the rank is its root, of calls with several roots."""
    roots: defaultdict[Any, set[int]] = defaultdict(set)
    for call in recording.calls:
        roots[call.entry, call.fields.get("comm", -1)].add(call.fields.get("peer", -1))
    found = np.zeros(len(recording.calls), dtype=np.int64)
    for number, call in enumerate(recording.calls):
        peer, comm = call.fields.get("peer", -1), call.fields.get("comm", -1)
        if peer >= 0 and "collective" in call.call_class and len(roots[call.entry, comm]) > 1:
            members = recording.peers(rank, comm)
            found[number] = peer < len(members) and members[peer] == rank
    return found


class _Cut(NamedTuple):
    """The steps of a region, and the kinds of their bodies."""

    steps: list[list[Span]]
    """By sequence."""
    kinds: dict[Key, int]
    """Numbers of the bodies that differ."""


class _Aligner:
    """Gives events that correspond to one another the same leaf."""

    def __init__(
        self,
        sequences: Sequence[Numbers],
        recordings: Sequence[int],
        sizes: Sequence[float],
        chained: Collection[int],
    ) -> None:
        self._sequences = sequences
        self._chained = chained
        self._sizes = sizes
        self._plain = [each & _SYMBOL for each in sequences]
        self._recordings = np.array(recordings)
        self._kinds: dict[bytes, Key] = {}
        self._leaf_of = [np.zeros(len(each), dtype=np.int64) for each in sequences]
        self._iteration = [np.zeros(len(each), dtype=np.int64) for each in sequences]
        self._iterations = [np.ones(len(each), dtype=np.int64) for each in sequences]
        self._step = [np.zeros(len(each), dtype=np.int64) for each in sequences]
        self._steps = [np.zeros(len(each), dtype=np.int64) for each in sequences]
        self._counts: list[list[list[Any]]] = []
        self._within: dict[int, tuple[int, list[list[int]]]] = {}
        self._leaves = 0

    def aligned(self) -> Alignment:
        """Return the alignment. Raises Mismatch, or UnfitError if no step has owners."""
        top = self._region([(number, 0, len(each)) for number, each in enumerate(self._sequences)])
        if not any(isinstance(item, Ladder) for item in top):
            raise UnfitError("calls", "no loop has steps that ranks own")
        return Alignment(
            top,
            len(self._counts),
            self._leaf_of,
            self._iteration,
            self._iterations,
            self._counts,
            self._within,
            tuple(self._step),
            tuple(self._steps),
        )

    def _region(self, spans: Sequence[Span]) -> list[Item]:
        cut = self._cut(spans)
        if cut is None:
            return self._alike([(span, None) for span in spans])
        head = [(s, start, steps[0][1]) for (s, start, _), steps in zip(spans, cut.steps, strict=True)]
        tail = [(s, steps[-1][2], end) for (s, _, end), steps in zip(spans, cut.steps, strict=True)]
        before = self._region(head)
        ladder = self._ladder(cut)
        return [*before, ladder, *self._region(tail)]

    def _cut(self, spans: Sequence[Span]) -> _Cut | None:
        """Return the steps between calls that all ranks make equally often.

        Those that are as many at all counts come first, then those of the fewest kinds, and then the fewest.
        """
        best: tuple[tuple[int, int, int], _Cut] | None = None
        for ends in self._ends(spans):
            by_size = {(size, len(of)) for size, of in zip(self._sizes, ends, strict=True)}
            differing = len(by_size) - len(set(self._sizes))
            if best is not None and differing > best[0][0]:
                continue
            # Folding the bodies takes most of the time. It ends where the cost exceeds the best one.
            most = best[0][1] if best is not None and differing == best[0][0] else _MOST_KINDS
            found = self._between(spans, ends, most)
            if found is not None and len(found.kinds) > 1:
                cost = differing, len(found.kinds), len(found.steps[-1])
                if best is None or cost < best[0]:
                    best = cost, found
        return None if best is None else best[1]

    def _ends(self, spans: Sequence[Span]) -> Iterator[list[Numbers]]:
        """Yield for each sequence where its steps may end: behind the last of the calls that all ranks make in each."""
        size = 1 + max(int(each.max(initial=0)) for each in self._plain)
        counts = np.array([np.bincount(self._plain[s][a:b], minlength=size) for s, a, b in spans])
        same = counts[0] >= FEWEST_STEPS
        for recording in np.unique(self._recordings):
            of = counts[self._recordings == recording]
            same &= (of == of[0]).all(axis=0) & (of[0] >= FEWEST_STEPS)
        by_counts: defaultdict[bytes, list[int]] = defaultdict(list)
        for symbol in np.flatnonzero(same).tolist():
            by_counts[counts[:, symbol].tobytes()].append(symbol)
        for symbols in by_counts.values():
            while symbols:
                places = {
                    symbol: [a + np.flatnonzero(self._plain[s][a:b] == symbol) for s, a, b in spans]
                    for symbol in symbols
                }
                first = min(symbols, key=lambda each: int(places[each][0][0]))
                turns = [each for each in symbols if _take_turns(places[first], places[each])]
                yield places[max(turns, key=lambda each: int(places[each][0][0]))]
                symbols = [each for each in symbols if each not in turns]

    def _between(self, spans: Sequence[Span], ends: Sequence[Numbers], most: int) -> _Cut | None:
        """Return the steps with these ends, or None if their bodies are of more than `most` kinds."""
        if sum(map(len, ends)) > _MOST_STEPS:
            return None
        inner = np.zeros(1 + max(int(each.max(initial=0)) for each in self._plain), dtype=bool)
        for (s, _, _), of in zip(spans, ends, strict=True):
            inner[self._plain[s][of[0] + 1 : of[-1] + 1]] = True
        begins = int(self._plain[spans[0][0]][ends[0][0]]) in self._chained
        steps: list[list[Span]] = []
        for (s, start, end), of in zip(spans, ends, strict=True):
            # Before the first step, and behind the last one, are calls that no other step has.
            strange = np.flatnonzero(~inner[self._plain[s][start:end]]) + start
            begin = int(strange[strange < of[0]].max(initial=start - 1)) + 1
            rest = int(strange[strange > of[-1]].min(initial=end))
            # A step with a chain begins with what the rank receives, and any other ends with it.
            bounds = [*of.tolist(), rest] if begins else [begin, *(of + 1).tolist(), rest]
            steps.append([(s, a, b) for a, b in pairwise(bounds)])
        if all(a == b for each in steps for _, a, b in each[-1:]):
            steps = [each[:-1] for each in steps]
        # Bodies of one kind have the same symbols, which are found sooner than loops.
        for key in self._symbols_of, self._kind:
            kinds: dict[Any, int] = {}
            for span in chain.from_iterable(steps):
                kinds.setdefault(key(span), len(kinds))
                if len(kinds) > most:
                    return None
        return _Cut(steps, kinds)

    def _symbols_of(self, span: Span) -> frozenset[int]:
        s, a, b = span
        return frozenset(self._sequences[s][a:b].tolist())

    def _kind(self, span: Span) -> Key:
        """Return what a body is but for the numbers of iterations of its loops."""
        s, a, b = span
        text = self._sequences[s][a:b].tobytes()
        if text not in self._kinds:
            top, loops, *_ = fold(self._sequences[s][a:b].tolist())

            def once(body: Sequence[int]) -> Iterator[int]:
                for item in body:
                    yield from once(loops[-1 - item]) if item < 0 else (item,)

            self._kinds[text] = tuple(once(top))
        return self._kinds[text]

    def _ladder(self, cut: _Cut) -> Ladder:
        pieces: list[list[tuple[Span, tuple[int, int] | None]]] = [[] for _ in cut.kinds]
        entered: list[list[Any]] = [[] for _ in self._sequences]
        for steps in cut.steps:
            chosen = [cut.kinds[self._kind(span)] for span in steps]
            for step, (kind, span) in enumerate(zip(chosen, steps, strict=True)):
                pieces[kind].append((span, (step, len(steps))))
            entered[steps[0][0]].append(tuple(chosen))
        self._counts.append(entered)
        number = len(self._counts) - 1
        return Ladder([self._alike(of, number) for of in pieces], number, descending=False)

    def _alike(self, pieces: Sequence[tuple[Span, tuple[int, int] | None]], ladder: int = -1) -> list[Item]:
        """Align pieces that are alike but for the iterations of their loops.

        Each has its step in a ladder, and the number of all.
        """
        texts: dict[bytes, int] = {}
        which = [texts.setdefault(self._plain[s][a:b].tobytes(), len(texts)) for (s, a, b), _ in pieces]
        symbols = [np.frombuffer(text, dtype=np.int64).tolist() for text in texts]
        if len(symbols) == 1:
            found = align([list(range(len(symbols[0])))], [len(symbols[0])])
        else:
            grammar = fold(max(symbols, key=len))
            found = align([parse(grammar, each) for each in symbols], [len(each) for each in symbols])
        first_loop, first_leaf = len(self._counts), self._leaves
        for loop in range(found.loops):
            counts: list[list[Any]] = [[] for _ in self._sequences]
            within: list[list[int]] = [[] for _ in self._sequences]
            for ((s, _, _), step), text in zip(pieces, which, strict=True):
                counts[s] += found.counts[loop][text]
                if step is not None:
                    within[s] += [step[0]] * len(found.counts[loop][text])
            self._counts.append(counts)
            if ladder >= 0:
                self._within[first_loop + loop] = ladder, within
        inner = list(chain.from_iterable(leaves_of_loops(found.top).values()))
        looped = [np.isin(leaf, inner) for leaf in found.leaf_of]
        for ((s, a, b), step), text in zip(pieces, which, strict=True):
            self._leaf_of[s][a:b] = first_leaf + found.leaf_of[text]
            self._iteration[s][a:b] = found.iteration[text]
            self._iterations[s][a:b] = found.iterations[text]
            if step is not None:
                self._step[s][a:b], self._steps[s][a:b] = step
                if inner:
                    self._iteration[s][a:b][~looped[text]] = step[0]
                    self._iterations[s][a:b][~looped[text]] = step[1]
                else:
                    self._iteration[s][a:b], self._iterations[s][a:b] = step
        self._leaves += 1 + max((int(each.max(initial=-1)) for each in found.leaf_of), default=-1)

        def moved(items: Sequence[Item]) -> Iterator[Item]:
            for item in items:
                if isinstance(item, Loop):
                    yield Loop(list(moved(item.body)), first_loop + item.number)
                elif isinstance(item, int):
                    yield first_leaf + item

        return list(moved(found.top))


def _take_turns(one: Sequence[Numbers], other: Sequence[Numbers]) -> bool:
    """Return whether each call is between two of the other, in all sequences."""
    return all(bool((a <= b).all() and (b[:-1] < a[1:]).all()) for a, b in zip(one, other, strict=True))


def _facts(at: Position, steps: Iterations) -> Numbers:
    """Return facts that may decide on the body of a step; a row for each, with 0 or 1."""
    k, last = steps.number, steps.total - 1
    found = []
    for x, n in zip(at.coordinates, at.extents, strict=True):
        found += [(k + ahead - x) % n == 0 for ahead in (0, 1, -1)]
        # Far ends of rings in which ranks pass on what the owner sends, and of those with half of the ranks.
        found += [(k + ahead - x) % n == 0 for ahead in (2, -2)]
        found += [(k + ahead - n // 2 - x) % n == 0 for ahead in (0, -1)]
        # The last step may only have what follows the end of the one before.
        for items in (steps.total, last):
            found += [left_of(k + ahead, items, x, n) == 0 for ahead in (1, 0)]
        found += [owner(k, np.maximum(steps.total, 1), n, kind) == x for kind in ("part", "block")]
    found += [x == y for x, y in combinations(at.coordinates, 2)]
    found += [k == 0, k == last, k == last - 1]
    return np.array(found, dtype=np.int64)


_MOST_FACTS = 3
"""Facts of which all combinations are tried."""
_MOST_ADDED = 6
"""Facts with those that are added one by one."""


class ByOwner(NamedTuple):
    """The body of each step."""

    facts: tuple[int, ...]
    bodies: Mapping[int, int]
    steps: Model
    repeats: int
    """Loops that became one."""
    site: str

    def values(self, ranks: Ranks) -> Sequence[Any]:
        """Return it for each rank: the number of the body in each step, of the one time that the loop is entered."""
        count = int(self.steps.at(ranks.point) + 0.5)
        out = []
        for step in range(count):
            total = np.full(len(ranks.at.ranks), count, dtype=np.int64)
            here = repeated(Iterations(np.full_like(total, step), total), self.repeats)
            codes = _coded(_facts(ranks.at, here), self.facts).tolist()
            if any(code not in self.bodies for code in codes):
                raise UnfitError(self.site, "its steps have owners that no recording shows")
            out.append([self.bodies[code] for code in codes])
        return [(chosen,) for chosen in zip(*out, strict=True)]


def _coded(facts: Numbers, some: Sequence[int]) -> Numbers:
    found = np.zeros(facts.shape[1], dtype=np.int64)
    for place, each in enumerate(some):
        found += facts[each] << place
    return found


def fit_owners(samples: Samples, entered: Sequence[Sequence[tuple[int, ...]]], site: str) -> ByOwner:
    """Return the rule of the steps. `entered`: by sample, the bodies of the one time. Raises UnfitError."""
    lengths = np.array([len(each[0]) for each in entered])
    numbers = np.unique(samples.recording).tolist()
    steps = samples.fitter.fit(numbers, [float(lengths[samples.recording == each][0]) for each in numbers])
    which = np.repeat(np.arange(len(lengths)), lengths)
    step = np.concatenate([np.arange(each) for each in lengths])
    body = np.array(list(chain.from_iterable(each[0] for each in entered)), dtype=np.int64)
    at, of = samples.at.only(which), Iterations(step, lengths[which])
    for repeats in REPEATS:
        if (lengths % repeats).any():
            continue
        facts = _facts(at, repeated(of, repeats))
        some = _deciding(facts, body)
        if some is not None:
            bodies = dict(zip(_coded(facts, some).tolist(), body.tolist(), strict=True))
            return ByOwner(some, bodies, steps, repeats, site)
    raise UnfitError(site, "its steps have no owners in turn")


def _deciding(facts: Numbers, body: Numbers) -> tuple[int, ...] | None:
    """Return the fewest facts that decide on the body, or None."""
    sets = (combinations(range(len(facts)), count) for count in range(_MOST_FACTS + 1))
    wrong, best = len(body) + 1, tuple[int, ...]()
    for some in chain.from_iterable(sets):
        found = _misplaced(facts, some, body)
        if found < wrong:
            wrong, best = found, some
        if not wrong:
            break
    while wrong and len(best) < _MOST_ADDED:
        more = [(*best, fact) for fact in range(len(facts)) if fact not in best]
        wrong, best = min(((_misplaced(facts, some, body), some) for some in more), key=lambda each: each[0])
    return None if wrong else best


def _misplaced(facts: Numbers, some: Sequence[int], body: Numbers) -> int:
    """Return how many steps have another body than most with the same facts."""
    kinds = int(body.max()) + 1
    table = np.bincount(_coded(facts, some) * kinds + body, minlength=kinds << len(some))
    return len(body) - int(table.reshape(-1, kinds).max(axis=1).sum())


class ByStepOf(NamedTuple):
    """The number of runs of a loop in each step."""

    rule: Rule
    steps: Model

    def values(self, ranks: Ranks) -> Sequence[Any]:
        """Return it for each rank and step."""
        count = int(self.steps.at(ranks.point) + 0.5)
        total = np.full(len(ranks.at.ranks), count, dtype=np.int64)
        out = [
            self.rule.values(ranks._replace(steps=Iterations(np.full_like(total, step), total)))
            for step in range(count)
        ]
        return [tuple(int(each) for each in of) for of in zip(*out, strict=True)]
