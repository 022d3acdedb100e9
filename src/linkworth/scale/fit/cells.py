"""Sizes of cells of a grid of points that is cut along skewed axes, as multi-partitions are (Naik, 1995)."""

import math
from collections.abc import Iterator, Sequence
from itertools import combinations_with_replacement, product
from typing import NamedTuple, TypeVar

import numpy as np

from linkworth.scale.fit.parts import MOST_SHARED
from linkworth.scale.fit.peers import Iterations
from linkworth.scale.fit.rules import Ranks
from linkworth.scale.grids import Position
from linkworth.scale.recording import Numbers

Side = TypeVar("Side", int, Numbers)
MOST_BEYOND = 2
"""Slabs that a loop leaves out at its start."""


class Slab(NamedTuple):
    """The slab in which a cell lies along some axis: a sum of coordinates and the iteration, in a ring."""

    signs: tuple[int, ...]
    step: int
    constant: int

    def edges(self, at: Position, steps: Iterations) -> Numbers:
        """Return how many ends of the grid the slab has."""
        n = at.extents[0]
        w = self.step * steps.number + self.constant
        for sign, x in zip(self.signs, at.coordinates, strict=True):
            w = w + sign * x
        w = w % n
        found: Numbers = (w == 0).astype(np.int64) + (w == n - 1)
        return found


class Cells(NamedTuple):
    """The points of a cell across two slabs, without those at the ends of the grid."""

    unit: int
    points: int
    slabs: tuple[Slab, Slab]

    def values(self, ranks: Ranks) -> Sequence[int]:
        """Return it for each rank."""
        each = self.points // ranks.at.extents[0]
        found = np.full(len(ranks.at.ranks), self.unit, dtype=np.int64)
        for slab in self.slabs:
            found = found * (each - slab.edges(ranks.at, ranks.steps))
        out: list[int] = found.tolist()
        return out


def fit_cells(at: Position, steps: Iterations, values: Numbers) -> Cells | None:
    """Return the cells whose points the values are, on a square grid of ranks that divides the points."""
    if len(at.extents) != 2 or not np.array_equal(at.extents[0], at.extents[1]) or values.min() <= 0:
        return None
    n = at.extents[0]
    distinct = np.unique(np.stack([n, values], axis=1), axis=0)
    if len(distinct) > 3 * len(np.unique(n)):
        return None
    for unit, points in _scales(distinct):
        edges = _edges(values, points // n, unit)
        if edges is None:
            continue
        slabs = [(slab, slab.edges(at, steps)) for slab in _slabs(len(at.extents), steps)]
        slabs = [(slab, of) for slab, of in slabs if (of <= edges).all()]
        for (first, one), (second, other) in combinations_with_replacement(slabs, 2):
            if np.array_equal(one + other, edges):
                return Cells(unit, points, (first, second))
    return None


def _scales(distinct: Numbers) -> Iterator[tuple[int, int]]:
    """Yield units and extents with which each value may be a product of two sides."""
    widest, most = distinct[-1].tolist()
    common = int(np.gcd.reduce(distinct[:, 1]))
    for shared in range(1, MOST_SHARED + 1):
        if common % shared:
            continue
        unit = common // shared
        side = math.isqrt(most // unit)
        for each in range(max(side, 1), side + 3):
            points = each * widest
            if all(
                points % n == 0 and value // unit in _areas(points // n) for n, value in distinct.tolist()
            ):
                yield unit, points


def _areas(side: Side) -> tuple[Side, Side, Side]:
    """Return the points of a square, and of those with one side and with both sides shorter by one."""
    return side * side, side * (side - 1), (side - 1) * (side - 1)


def _edges(values: Numbers, sides: Numbers, unit: int) -> Numbers | None:
    found = np.full(len(values), -1, dtype=np.int64)
    for shorter, area in enumerate(_areas(sides)):
        found[values == unit * area] = shorter
    return None if (found < 0).any() else found


def _slabs(dimensions: int, steps: Iterations) -> Iterator[Slab]:
    moving = bool((steps.total > 1).any())
    for signs in product((0, 1, -1), repeat=dimensions):
        for step in (0, 1, -1) if moving else (0,):
            for constant in range(-MOST_BEYOND, MOST_BEYOND + 1):
                yield Slab(signs, step, constant)
