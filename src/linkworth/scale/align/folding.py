"""Loops of a sequence of symbols, and the alignment of sequences in which these loops run differently often."""

from collections.abc import Container, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from linkworth import _engine
from linkworth.scale.recording import Numbers

Body = tuple[int, ...]
"""Symbols, and loops as negative numbers: -1 - (number of the loop)."""


class Grammar(NamedTuple):
    """A folded sequence."""

    top: Body
    loops: list[Body]
    optional: frozenset[int] = frozenset()
    """Loops that may run zero times."""


def fold(symbols: Sequence[int]) -> Grammar:
    """Find the loops of a sequence."""
    top, loops = _engine.fold_sequence(symbols)
    return Grammar(tuple(top), [tuple(body) for body in loops])


Parse = list["int | list[Parse] | tuple[int, int, int]"]
"""A sequence, or a loop's iteration: for each place of the grammar, the position of a call, or the iterations of a loop.

Of iterations without loops in them: the first position, how many there are, and how long each is.
"""


class Mismatch(Exception):
    """A sequence that its grammar does not describe, with the first position that differs."""

    def __init__(self, position: int) -> None:
        super().__init__(position)
        self.position = position


def parse(grammar: Grammar, symbols: Sequence[int], *, strict: bool = False) -> Parse:
    """Read a sequence with a grammar whose loops may run any number of times. Raises Mismatch.

    Zero times only where nothing else is possible, as most loops run in every sequence. `strict`: an innermost loop
    does not run zero times if the grammar does not say so.
    """
    outer = {number for number, body in enumerate(grammar.loops) if min(body) < 0}
    tried: list[Container[int]] = [grammar.optional, grammar.optional | outer]
    if not strict:
        tried.append(range(len(grammar.loops)))
    position = 0
    for optional in tried:
        may_lack = [number in optional for number in range(len(grammar.loops))]
        found = _engine.parse_sequence(grammar.top, grammar.loops, may_lack, symbols)
        if not isinstance(found, int):
            return found
        position = found
    raise Mismatch(position)


class Loop(NamedTuple):
    """A loop that does not run equally often everywhere."""

    body: list["Item"]
    """Numbers of leaves, and loops."""
    number: int


class Ladder(NamedTuple):
    """Steps over distances that double or halve, each of which is one of few bodies."""

    bodies: list[list["Item"]]
    """Leaves, and loops."""
    number: int
    descending: bool


Item = int | Loop | Ladder


def leaves_of_loops(items: Sequence[Item]) -> dict[int, list[int]]:
    """Return the leaves of each loop, without those of a loop inside it."""
    found: dict[int, list[int]] = {}
    for item in items:
        if isinstance(item, Ladder):
            found |= leaves_of_loops([each for body in item.bodies for each in body])
        elif isinstance(item, Loop):
            found |= leaves_of_loops(item.body)
            found[item.number] = [each for each in item.body if isinstance(each, int)]
    return found


def first_leaves(items: Sequence[Item]) -> dict[int, int]:
    """Return a leaf of each loop; that of a loop inside it, if there is no other."""
    found: dict[int, int] = {}
    for item in items:
        if not isinstance(item, int):
            within = item.body if isinstance(item, Loop) else [each for body in item.bodies for each in body]
            inner = first_leaves(within)
            own = [each for each in within if isinstance(each, int)]
            found |= inner
            found[item.number] = own[0] if own else next(iter(inner.values()))
    return found


class Alignment(NamedTuple):
    """Places of calls that several sequences have in common."""

    top: list[Item]
    loops: int
    leaf_of: list[Numbers]
    """By sequence and event: the leaf, a place of one call, once in every iteration of the loops around it."""
    iteration: list[Numbers]
    """By sequence and event: the iteration of the innermost loop around the leaf."""
    iterations: list[Numbers]
    """By sequence and event: how often that loop ran."""
    counts: list[list[list[Any]]]
    """By loop and sequence: how often it ran, for each time that it was entered. Of a ladder, the body at each level."""
    within: Mapping[int, tuple[int, list[list[int]]]] = MappingProxyType({})
    """By loop in the steps of a ladder: the ladder, and by sequence the step, for each time that it was entered."""
    step: tuple[Numbers, ...] = ()
    """By sequence and event: the step of a ladder; empty if no leaf is in a loop in one."""
    steps: tuple[Numbers, ...] = ()
    """By sequence and event: how many steps that ladder has, or 0."""


class _Samples(NamedTuple):
    """Sequences, or iterations of a loop in them, that are aligned with one another."""

    sequence: Numbers
    iteration: Numbers
    """The iteration of the innermost loop around them."""
    iterations: Numbers
    """Number of times that this loop runs."""
    parses: Sequence[Parse]


def align(parses: Sequence[Parse], lengths: Sequence[int], *, unrolled: bool = True) -> Alignment:
    """Give events that correspond to one another the same leaf.

    `unrolled`: every iteration of a loop that runs equally often in all sequences has leaves of its own.
    """
    number = np.arange(len(parses))
    every = _Samples(number, np.zeros_like(number), np.ones_like(number), parses)
    return _Aligning(lengths, unrolled=unrolled).result(every)


class _Aligning:
    """Numbers the leaves of aligned sequences."""

    def __init__(self, lengths: Sequence[int], *, unrolled: bool) -> None:
        self._unrolled = unrolled
        self._ends = np.cumsum(lengths)
        self._begins = self._ends - lengths
        events = int(self._ends[-1])
        self._leaf = np.zeros(events, dtype=np.int64)
        self._iteration = np.zeros(events, dtype=np.int64)
        self._iterations = np.ones(events, dtype=np.int64)
        self._counts: list[list[list[Any]]] = []
        self._leaves = 0

    def result(self, every: _Samples) -> Alignment:
        """Return the alignment of whole sequences."""
        top = self._walk(every)

        def parts(of: Numbers) -> list[Numbers]:
            return [of[begin:end] for begin, end in zip(self._begins, self._ends, strict=True)]

        return Alignment(
            top,
            len(self._counts),
            parts(self._leaf),
            parts(self._iteration),
            parts(self._iterations),
            self._counts,
        )

    def _walk(self, samples: _Samples) -> list[Item]:
        out: list[Item] = []
        first = samples.parses[0]
        place = 0
        while place < len(first):
            if isinstance(first[place], int):
                begin = place
                while place < len(first) and isinstance(first[place], int):
                    place += 1
                starts = np.array([each[begin] for each in samples.parses], dtype=np.int64)
                out += self._calls(samples, starts, place - begin)
                continue
            loops: list[Any] = [each[place] for each in samples.parses]
            if any(isinstance(each, tuple) for each in loops):
                out += self._innermost(samples, [each or (0, 0, 0) for each in loops])
            else:
                out += self._outer(samples, loops)
            place += 1
        return out

    def _calls(self, samples: _Samples, starts: Numbers, length: int) -> list[Item]:
        """Give calls that follow one another a leaf each. `starts`: of each sample."""
        events = (self._begins[samples.sequence] + starts)[:, None] + np.arange(length)
        leaves = self._new(length)
        self._leaf[events] = leaves
        self._iteration[events] = samples.iteration[:, None]
        self._iterations[events] = samples.iterations[:, None]
        found: list[Item] = leaves.tolist()
        return found

    def _new(self, leaves: int) -> Numbers:
        self._leaves += leaves
        return np.arange(self._leaves - leaves, self._leaves)

    def _loop(self, samples: _Samples, times: Sequence[int]) -> int:
        """Return the number of a new loop. `times`: how often it runs in each sample."""
        counts: list[list[Any]] = [[] for _ in self._ends]
        for sequence, each in zip(samples.sequence.tolist(), times, strict=True):
            counts[sequence].append(each)
        self._counts.append(counts)
        return len(self._counts) - 1

    def _is_unrolled(self, times: Sequence[int]) -> bool:
        return len(set(times)) == 1 and (self._unrolled or not times[0])

    def _innermost(self, samples: _Samples, loops: Sequence[tuple[int, int, int]]) -> list[Item]:
        """Align loops without loops in them: the start, the number and the length of iterations in each sample."""
        starts, numbers, lengths = np.array(loops, dtype=np.int64).T
        times = numbers.tolist()
        length = int(lengths.max())
        if self._is_unrolled(times):
            return self._calls(samples, starts, times[0] * length)
        number = self._loop(samples, times)
        sizes = numbers * length
        of = np.repeat(np.arange(len(loops)), sizes)
        within = np.arange(len(of)) - (np.cumsum(sizes) - sizes)[of]
        events = (self._begins[samples.sequence] + starts)[of] + within
        leaves = self._new(length)
        self._leaf[events] = leaves[within % length]
        self._iteration[events] = within // length
        self._iterations[events] = numbers[of]
        return [Loop(leaves.tolist(), number)]

    def _outer(self, samples: _Samples, loops: Sequence[Sequence[Parse]]) -> list[Item]:
        """Align loops with loops in them: the iterations in each sample."""
        times = [len(each) for each in loops]
        if self._is_unrolled(times):
            return [
                item
                for number in range(times[0])
                for item in self._walk(samples._replace(parses=[each[number] for each in loops]))
            ]
        number = self._loop(samples, times)
        inner = _Samples(
            np.repeat(samples.sequence, times),
            np.concatenate([np.arange(each) for each in times]),
            np.repeat(times, times),
            [iteration for each in loops for iteration in each],
        )
        return [Loop(self._walk(inner), number)]
