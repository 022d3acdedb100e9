"""A grammar that describes two sequences, of which each has parts that the other lacks."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import groupby

import numpy as np
import numpy.typing as npt

from linkworth.scale.align.folding import Body, Grammar

Tree = tuple["int | Tree", ...]
"""A body: symbols, and the bodies of its loops."""
Item = int | Tree
Places = npt.NDArray[np.int64]
"""A number for each item of a body, or places in it."""
_Known = dict[tuple[Tree, Tree], tuple["Item | None", int]]
"""By two loops: the loop that they are together, if any, and the symbols that they share."""


class Perhaps(tuple[Item, ...]):
    """The body of a loop that may run zero times."""

    __slots__ = ()


MOST_CELLS = 4_000_000
"""Pairs of items of two bodies that are compared at most."""
FEWEST_SHARED = 0.7
"""Share of the symbols that two bodies have in common at least, if they are to be the same loop."""
FEWEST_SHARED_AT_TOP = 0.5


def merge(one: Grammar, other: Grammar) -> Grammar | None:
    """Return a grammar of both, in which what only one has is a loop that may run zero times; None if they differ."""
    first, second = _tree(one.top, one), _tree(other.top, other)
    if not _may_share(first, second, FEWEST_SHARED_AT_TOP):
        return None
    merged, shared = _merged(first, second)
    if shared < FEWEST_SHARED_AT_TOP * max(_symbols(first), _symbols(second)):
        return None
    loops: list[Body] = []
    known: dict[tuple[Body, bool], int] = {}

    def flat(tree: Tree) -> Body:
        out = []
        for item in tree:
            if isinstance(item, int):
                out.append(item)
                continue
            body = flat(item)
            number = known.setdefault((body, isinstance(item, Perhaps)), len(loops))
            if number == len(loops):
                loops.append(body)
            out.append(-1 - number)
        return tuple(out)

    top = flat(merged)
    return Grammar(top, loops, frozenset(number for (_, perhaps), number in known.items() if perhaps))


def _tree(body: Body, grammar: Grammar) -> Tree:
    out: list[Item] = []
    for item in body:
        if item < 0:
            inner = _tree(grammar.loops[-1 - item], grammar)
            out.append(Perhaps(inner) if -1 - item in grammar.optional else inner)
        else:
            out.append(item)
    return tuple(out)


def _symbols(item: Item) -> int:
    return 1 if isinstance(item, int) else sum(map(_symbols, item))


def _may_share(one: Tree, other: Tree, least: float) -> bool:
    """Return whether two bodies share a part of their symbols, in whatever order. This is quick, and alignment is not."""
    first, second = _counted(one), _counted(other)
    fewer, more = sorted((first.total(), second.total()))
    return fewer >= least * more and (first & second).total() >= least * more


@lru_cache(maxsize=1 << 14)
def _counted(body: Tree) -> Counter[int]:
    found: Counter[int] = Counter()
    for item in body:
        found.update((item,) if isinstance(item, int) else _counted(item))
    return found


def _merged(one: Tree, other: Tree) -> tuple[Tree, int]:
    """Return a body of both, and the number of symbols that they have in common."""
    start = 0
    while start < min(len(one), len(other)) and one[start] == other[start]:
        start += 1
    end = 0
    while end < min(len(one), len(other)) - start and one[-1 - end] == other[-1 - end]:
        end += 1
    tail = one[len(one) - end :]
    middle, shared = _aligned(one[start : len(one) - end], other[start : len(other) - end])
    return (*one[:start], *middle, *tail), shared + _symbols(one[:start]) + _symbols(tail)


def _aligned(one: Tree, other: Tree) -> tuple[list[Item], int]:
    """Align two bodies so that they share the most symbols."""
    rows, columns = len(one), len(other)
    if rows * columns > MOST_CELLS:
        return [*_optional(one), *_optional(other)], 0
    known: _Known = {}
    best = _most_shared(one, other, known)
    path: list[tuple[str, Item]] = []
    i = j = 0
    while i < rows or j < columns:
        # The first of equally good ways is taken.
        down, right, item, _ = max(
            _ways(one, other, i, j, known), key=lambda way: way[3] + best[i + way[0], j + way[1]]
        )
        if item is not None:
            path.append(("both", item))
        else:
            path.append(("one", one[i]) if down else ("other", other[j]))
        i, j = i + down, j + right
    out: list[Item] = []
    for side, run in groupby(path, key=lambda step: step[0]):
        items = [item for _, item in run]
        out += items if side == "both" else _optional(items)
    return out, int(best[0, 0])


def _most_shared(one: Tree, other: Tree, known: _Known) -> npt.NDArray[np.int64]:
    """Return from each pair of places how many symbols the rests of two bodies share at most."""
    numbers: dict[Item, int] = {}
    first, second = (
        np.array([numbers.setdefault(item, len(numbers)) for item in body], dtype=np.int64)
        for body in (one, other)
    )
    places = [np.flatnonzero(second == number) for number in range(len(numbers))]
    loops = [(loop, at) for at in places if len(at) and isinstance(loop := other[at[0]], tuple)]
    iterations: defaultdict[int, list[tuple[Tree, Places]]] = defaultdict(list)
    for loop, at in loops:
        for i in _starts(loop, first, numbers).tolist():
            iterations[i].append((loop, at))
    gains: dict[int, Places] = {}
    best = np.zeros((len(one) + 1, len(other) + 1), dtype=np.int64)
    for i in range(len(one) - 1, -1, -1):
        row, below, item, number = best[i], best[i + 1], one[i], int(first[i])
        if number not in gains:
            gains[number] = _gains(item, places[number], len(other), loops, known)
        # A whole row at once: both items are passed, or that of the other body is kept.
        row[:-1] = np.maximum(below[:-1], below[1:] + gains[number])
        if isinstance(item, tuple):
            at = _starts(item, second, numbers)
            row[at] = np.maximum(row[at], below[at + len(item)] + _symbols(item))
        for loop, at in iterations[i]:
            row[at] = np.maximum(row[at], best[i + len(loop), at + 1] + _symbols(loop))
        row[:] = np.maximum.accumulate(row[::-1])[::-1]
    return best


def _starts(loop: Tree, body: Places, numbers: dict[Item, int]) -> Places:
    """Return where a body has the items of one iteration of a loop."""
    at = np.arange(len(body) - len(loop) + 1)
    for k, item in enumerate(loop):
        at = at[body[at + k] == numbers.get(item, -1)]
    return at


def _gains(
    item: Item, same: Places, columns: int, loops: Sequence[tuple[Tree, Places]], known: _Known
) -> Places:
    """Return how many symbols an item shares with each of another body. `same`: where that has it."""
    shared = np.zeros(columns, dtype=np.int64)
    if isinstance(item, tuple):
        for loop, at in loops:
            if loop != item:
                shared[at] = _together(item, loop, known)[1]
    shared[same] = _symbols(item)
    return shared


def _together(one: Tree, other: Tree, known: _Known) -> tuple[Item | None, int]:
    if (one, other) not in known:
        known[one, other] = _same_loop(one, other)
    return known[one, other]


def _ways(
    one: Tree, other: Tree, i: int, j: int, known: _Known
) -> Iterator[tuple[int, int, Item | None, int]]:
    """Yield steps: items of each body that are passed, what they are together if both have it, and symbols shared."""
    if i < len(one) and j < len(other):
        first, second = one[i], other[j]
        if first == second:
            yield 1, 1, second if isinstance(second, Perhaps) else first, _symbols(first)
        elif isinstance(first, tuple) and isinstance(second, tuple):
            item, shared = _together(first, second, known)
            if item is not None:
                yield 1, 1, item, shared
        # One iteration of the other's loop.
        if isinstance(first, tuple) and other[j : j + len(first)] == first:
            yield 1, len(first), first, _symbols(first)
        if isinstance(second, tuple) and one[i : i + len(second)] == second:
            yield len(second), 1, second, _symbols(second)
    if i < len(one):
        yield 1, 0, None, 0
    if j < len(other):
        yield 0, 1, None, 0


def _same_loop(one: Tree, other: Tree) -> tuple[Item | None, int]:
    if not _may_share(one, other, FEWEST_SHARED):
        return None, 0
    body, shared = _merged(one, other)
    if shared < FEWEST_SHARED * max(_symbols(one), _symbols(other)):
        return None, 0
    return Perhaps(body) if isinstance(one, Perhaps) or isinstance(other, Perhaps) else body, shared


def _optional(items: Sequence[Item]) -> Iterator[Item]:
    """Yield loops that may run zero times: those that are there, and one for each run of symbols."""
    for is_symbol, run in groupby(items, key=lambda item: isinstance(item, int)):
        same = tuple(run)
        yield from (
            (Perhaps(same),) if is_symbol else (Perhaps(each) for each in same if isinstance(each, tuple))
        )
