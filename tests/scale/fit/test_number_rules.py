"""Sizes that are products of parts along the dimensions of a grid."""

import numpy as np
import pytest

from linkworth.scale.fit.number_rules import _portion
from linkworth.scale.fit.numbers import Fitter
from linkworth.scale.fit.peers import Iterations
from linkworth.scale.fit.rules import Samples
from linkworth.scale.grids import GridRule, Position, positions
from linkworth.scale.points import Point

GRIDS = [(2, 2, 1), (2, 2, 2), (4, 2, 2)]


@pytest.mark.timeout(60)
def test_a_product_has_one_part_along_each_dimension() -> None:
    """If a dimension counted again and again, the products to try would hardly end."""
    points = [Point(int(np.prod(grid)), grid, 1.0) for grid in GRIDS]
    at = [positions(np.arange(each.ranks), each.ranks, each.grid) for each in points]
    ranks, sizes = (np.concatenate([each[field] for each in at]) for field in (0, 1))
    joined = Position(
        ranks,
        sizes,
        [np.concatenate([each.coordinates[d] for each in at]) for d in range(3)],
        [np.concatenate([each.extents[d] for each in at]) for d in range(3)],
    )
    steps = Iterations(np.zeros_like(ranks), np.ones_like(ranks))
    recording = np.repeat(np.arange(len(points)), [each.ranks for each in points])
    fitter = Fitter(points, weak=False)
    samples = Samples(joined, steps, recording, ranks, [], GridRule(3, ascending=False), fitter)
    by_chance = np.random.default_rng(1).integers(1, 3, len(ranks)) << 20
    assert _portion(samples, by_chance, [0, 1, 2]) is None
