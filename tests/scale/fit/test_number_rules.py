"""Sizes that are products of parts along the dimensions of a grid."""

import numpy as np
import pytest

from linkworth.scale.fit.number_rules import _block, _portion
from linkworth.scale.fit.numbers import Fitter
from linkworth.scale.fit.peers import Iterations
from linkworth.scale.fit.rules import Ranks, Samples, block_part
from linkworth.scale.grids import GridRule, Position, positions
from linkworth.scale.points import Point


def samples_at(grids: list[tuple[int, int, int]]) -> Samples:
    points = [Point(int(np.prod(grid)), grid, 1.0) for grid in grids]
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
    return Samples(joined, steps, recording, ranks, [], GridRule(3, ascending=False), fitter)


def as_new(samples: Samples) -> Ranks:
    """Return the ranks of samples as those at a new count."""
    grid = tuple(int(n[0]) for n in samples.at.extents)
    point = Point(int(np.prod(grid)), grid, 1.0)
    return Ranks(samples.at, samples.steps, point, samples.arrangement, (), samples.rank)


@pytest.mark.timeout(60)
def test_a_product_has_one_part_along_each_dimension() -> None:
    """If a dimension counted again and again, the products to try would hardly end."""
    samples = samples_at([(2, 2, 1), (2, 2, 2), (4, 2, 2)])
    by_chance = np.random.default_rng(1).integers(1, 3, len(samples.rank)) << 20
    assert _portion(samples, by_chance, [0, 1, 2]) is None


def test_parts_of_a_product_have_layers_around_them() -> None:
    """100 points along each side, which three ranks do not divide, with a layer on each side."""
    samples = samples_at([(2, 2, 1), (3, 3, 1), (4, 2, 2)])

    def face(at: Position) -> np.ndarray:
        return 8 * np.prod(
            [block_part(100, at.coordinates[d], at.extents[d], late=False) + 2 for d in (1, 2)], axis=0
        )

    rule = _portion(samples, face(samples.at), [0, 1, 2])
    there = samples_at([(6, 3, 2)])
    assert rule is not None
    assert rule.values(as_new(there)) == face(there.at).tolist()


def test_layers_around_unequal_parts_are_as_many_at_all_counts() -> None:
    """Another extent leaves a rest that a curve through all counts meets by chance."""
    samples = samples_at([(2, 2, 1), (4, 2, 1), (4, 4, 1)])

    def side(at: Position) -> np.ndarray:
        return 8 * (block_part(1001, at.coordinates[1], at.extents[1], late=False) + 2)

    rule = _block(samples, side(samples.at), [0, 1, 2])
    there = samples_at([(8, 8, 1)])
    assert rule is not None
    assert rule.values(as_new(there)) == side(there.at).tolist()
