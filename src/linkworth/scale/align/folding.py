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


Parse = list["int | list[Parse]"]
"""A sequence, or a loop's iteration: for each place of the grammar, the position of a call, or the iterations of a loop."""


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


def align(parses: Sequence[Parse], lengths: Sequence[int], *, unrolled: bool = True) -> Alignment:
    """Give events that correspond to one another the same leaf.

    `unrolled`: every iteration of a loop that runs equally often in all sequences has leaves of its own.
    """
    leaf_of = [np.zeros(length, dtype=np.int64) for length in lengths]
    iteration_of = [np.zeros(length, dtype=np.int64) for length in lengths]
    iterations_of = [np.ones(length, dtype=np.int64) for length in lengths]
    counts: list[list[list[Any]]] = []
    leaves = 0

    def walk(samples: list[tuple[int, int, int, Parse]]) -> list[Item]:
        nonlocal leaves
        out: list[Item] = []
        for place, kind in enumerate(samples[0][3]):
            if isinstance(kind, int):
                for sequence, iteration, iterations, sample in samples:
                    at = sample[place]
                    leaf_of[sequence][at] = leaves
                    iteration_of[sequence][at] = iteration
                    iterations_of[sequence][at] = iterations
                out.append(leaves)
                leaves += 1
                continue
            loops = [
                (sequence, iteration, iterations, _iterations(sample, place))
                for sequence, iteration, iterations, sample in samples
            ]
            times = {len(found) for *_, found in loops}
            if times == {0} or (len(times) == 1 and unrolled):
                for number in range(times.pop()):
                    out += walk([(s, j, times_of, found[number]) for s, j, times_of, found in loops])
                continue
            number = len(counts)
            counts.append([[] for _ in lengths])
            inner = []
            for sequence, _, _, found in loops:
                counts[number][sequence].append(len(found))
                inner += [(sequence, j, len(found), each) for j, each in enumerate(found)]
            out.append(Loop(walk(inner), number))
        return out

    top = walk([(number, 0, 1, parsed) for number, parsed in enumerate(parses)])
    return Alignment(top, len(counts), leaf_of, iteration_of, iterations_of, counts)


def _iterations(sample: Parse, place: int) -> list[Parse]:
    found = sample[place]
    assert isinstance(found, list)
    return found
