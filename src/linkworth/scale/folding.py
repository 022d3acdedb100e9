"""Loops of a sequence of symbols, and the alignment of sequences in which these loops run differently often."""

from collections import defaultdict
from collections.abc import Container, Sequence
from typing import Any, NamedTuple

import numpy as np

from linkworth.scale.recording import Numbers

LONGEST_BODY = 4096
LONGEST_BACK = 512
"""Longest body of which further iterations are added one by one."""
MOST_CANDIDATES = 64
"""Distances at which a repetition is looked for, from the nearest."""

MOST_TRIES = 8
"""Bodies that are tried for each symbol of a sequence at most. Sequences of one program take one or two."""

Body = tuple[int, ...]
"""Symbols, and loops as negative numbers: -1 - (number of the loop)."""


class Grammar(NamedTuple):
    """A folded sequence."""

    top: Body
    loops: list[Body]
    optional: frozenset[int] = frozenset()
    """Loops that may run zero times."""


def fold(symbols: Sequence[int]) -> Grammar:
    """Fold repetitions from the inside out, as power-regular section descriptors do (ScalaTrace, 2009)."""
    loops: list[Body] = []
    known: dict[Body, int] = {}
    read = 0
    stack: list[int] = []
    places: defaultdict[int, list[int]] = defaultdict(list)

    def push(item: int) -> None:
        places[item].append(len(stack))
        stack.append(item)

    def drop(count: int) -> None:
        for _ in range(count):
            places[stack.pop()].pop()

    def goes_on(body: Body) -> bool:
        """Return whether the last loop of the body has another iteration, of which only the start has been read."""
        at = len(body) - 1
        while at >= 0 and body[at] >= 0:
            at -= 1
        if at < 0:
            return False
        inner, begun = loops[-1 - body[at]], body[at + 1 :]
        rest = inner[len(begun) :]
        if not begun or not rest or inner[: len(begun)] != begun:
            return False
        return tuple(symbols[read : read + len(rest)]) == rest

    def shorten() -> bool:
        end = len(stack)
        own = places[stack[-1]]
        # One more iteration of the loop before, or of the loop with which its body ends.
        for back in range(1, min(end, LONGEST_BACK)):
            item = stack[end - 1 - back]
            while item < 0:
                body = loops[-1 - item]
                if len(body) == back and tuple(stack[end - back :]) == body and not goes_on(body):
                    drop(back)
                    return True
                item = body[-1]
        for place in reversed(own[-1 - MOST_CANDIDATES : -1]):
            length = end - 1 - place
            if length > LONGEST_BODY or 2 * length > end:
                break
            if stack[end - length :] == stack[end - 2 * length : end - length]:
                body = tuple(stack[end - length :])
                if goes_on(body):
                    continue
                number = known.setdefault(body, len(loops))
                if number == len(loops):
                    loops.append(body)
                drop(2 * length)
                push(-1 - number)
                return True
        return False

    for read, symbol in enumerate(symbols, 1):  # noqa: B007 (`goes_on` looks at it)
        push(symbol)
        while shorten():
            pass
    return Grammar(tuple(stack), loops)


class Parse(NamedTuple):
    """A loop's iterations, or a sequence: what each place of the grammar became."""

    items: list["int | list[Parse]"]
    """Position of a call in the sequence, or the iterations of a loop."""


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
    for optional in (grammar.optional, grammar.optional | outer):
        try:
            return _parse(grammar, symbols, optional)
        except Mismatch as error:
            failed = error
    if strict:
        raise failed
    return _parse(grammar, symbols, range(len(grammar.loops)))


def _parse(grammar: Grammar, symbols: Sequence[int], optional: Container[int]) -> Parse:
    furthest = 0
    count = len(symbols)
    tried = 0
    firsts: dict[int, set[int]] = {}

    def first(item: int) -> set[int]:
        if item >= 0:
            return {item}
        if item not in firsts:
            found: set[int] = set()
            for part in grammar.loops[-1 - item]:
                found |= first(part)
                if part >= 0:
                    break
            firsts[item] = found
        return firsts[item]

    def give_back(parts: Body, items: list[int | list[Parse]], ends: list[list[int]]) -> int | None:
        """Take away the latest iteration, which may belong to what follows its loop; return where it began."""
        while ends:
            latest = items[-1]
            if isinstance(latest, list) and ends[-1]:
                at = ends[-1].pop()
                latest.pop()
                if latest or -1 - parts[len(items) - 1] in optional:
                    return at
            ends.pop()
            items.pop()
        return None

    def body(parts: Body, at: int) -> tuple[Parse | None, int]:
        nonlocal furthest, tried
        tried += 1
        if tried > MOST_TRIES * (count + 1):
            raise Mismatch(min(furthest, count - 1))
        items: list[int | list[Parse]] = []
        ends: list[list[int]] = []
        while len(items) < len(parts):
            part = parts[len(items)]
            if part >= 0:
                furthest = max(furthest, at)
                if at < count and symbols[at] == part:
                    items.append(at)
                    ends.append([])
                    at += 1
                    continue
            else:
                iterations, starts, at = loop(part, at)
                if iterations or -1 - part in optional:
                    items.append(iterations)
                    ends.append(starts)
                    continue
                furthest = max(furthest, at)
            begun = give_back(parts, items, ends)
            if begun is None:
                return None, at
            at = begun
        return Parse(items), at

    def loop(part: int, at: int) -> tuple[list[Parse], list[int], int]:
        iterations: list[Parse] = []
        starts: list[int] = []
        possible = first(part)
        while at < count and symbols[at] in possible:
            iteration, end = body(grammar.loops[-1 - part], at)
            if iteration is None or end == at:
                break
            iterations.append(iteration)
            starts.append(at)
            at = end
        return iterations, starts, at

    whole, at = body(grammar.top, 0)
    if whole is None or at < count:
        raise Mismatch(
            min(furthest, count - 1) if whole is None else max(at, furthest if furthest < count else at)
        )
    return whole


class Loop(NamedTuple):
    """A loop that does not run equally often everywhere."""

    body: list["Item"]
    """Numbers of leaves, and loops."""
    number: int


class Ladder(NamedTuple):
    """Steps over distances that double or halve, each of which is one of few bodies."""

    bodies: list[list[int]]
    """Leaves."""
    number: int
    descending: bool


Item = int | Loop | Ladder


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


def align(parses: Sequence[Parse], lengths: Sequence[int]) -> Alignment:
    """Give events that correspond to one another the same leaf.

    Loops that run equally often in all sequences are unrolled: every iteration then has leaves of its own.
    """
    leaf_of = [np.zeros(length, dtype=np.int64) for length in lengths]
    iteration_of = [np.zeros(length, dtype=np.int64) for length in lengths]
    iterations_of = [np.ones(length, dtype=np.int64) for length in lengths]
    counts: list[list[list[Any]]] = []
    leaves = 0

    def walk(samples: list[tuple[int, int, int, Parse]]) -> list[Item]:
        nonlocal leaves
        out: list[Item] = []
        for place, kind in enumerate(samples[0][3].items):
            if isinstance(kind, int):
                for sequence, iteration, iterations, sample in samples:
                    at = sample.items[place]
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
            if len(times) == 1:
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
    found = sample.items[place]
    assert isinstance(found, list)
    return found
