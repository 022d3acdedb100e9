"""Sizes of cells that are cut along skewed axes."""

import numpy as np

from linkworth.scale.fit.cells import fit_cells
from linkworth.scale.fit.parts import fit_power
from linkworth.scale.fit.peers import Iterations
from linkworth.scale.fit.rules import Ranks
from linkworth.scale.grids import GridRule, Position, positions
from linkworth.scale.points import Point
from linkworth.scale.recording import Numbers

POINTS = 24


def samples(sides: list[int]) -> tuple[Position, Iterations]:
    """Return every rank of square grids in every iteration of a loop over slabs but the first."""
    at = [positions(np.repeat(np.arange(n * n), n - 1), n * n, (n, n)) for n in sides]
    steps = np.concatenate([np.tile(np.arange(n - 1), n * n) for n in sides])
    joined = Position(
        np.concatenate([each.ranks for each in at]),
        np.concatenate([each.sizes for each in at]),
        [np.concatenate([each.coordinates[d] for each in at]) for d in (0, 1)],
        [np.concatenate([each.extents[d] for each in at]) for d in (0, 1)],
    )
    return joined, Iterations(steps, joined.extents[0] - 1)


def sizes(at: Position, steps: Iterations) -> Numbers:
    """Return the points of a cell across the slabs `row + column - k` and `k - column`, k from 1."""
    n, (row, column), k = at.extents[0], at.coordinates, steps.number + 1
    found = np.full(len(n), 40, dtype=np.int64)
    for slab in ((row + column - k) % n, (k - column) % n):
        found *= POINTS // n - (slab == 0) - (slab == n - 1)
    return found


def test_cells_of_a_multi_partition() -> None:
    at, steps = samples([2, 3, 4])
    cells = fit_cells(at, steps, sizes(at, steps))
    assert cells is not None
    at, steps = samples([6])
    there = Ranks(at, steps, Point(36, (6, 6), 1.0), GridRule(2, ascending=False), [], at.ranks)
    assert cells.values(there) == sizes(at, steps).tolist()


def test_squares_with_a_margin() -> None:
    points = [Point(n * n, (n, n), 1.0) for n in (2, 4, 8)]
    power = fit_power(points, [240.0 * (64 // n + 1) ** 2 for n in (2, 4, 8)])
    assert power is not None
    assert power.at(Point(256, (16, 16), 1.0)) == 240 * 25
