"""Numbers at a new count: as powers of count and size, and measured times in spite of noise."""

from math import prod

import numpy as np
import pytest

from linkworth.scale.fit.numbers import Fitter, alternating, growing, measured, power_law, saturating
from linkworth.scale.points import Point


def test_a_number_goes_on_as_powers_of_count_and_size() -> None:
    points = [Point(4, (), 1.0), Point(8, (), 2.0), Point(16, (), 8.0)]
    values = [3 * each.ranks**0.5 * each.size**2 for each in points]
    assert power_law(points, values, -2, 2).at(Point(64, (), 4.0)) == pytest.approx(3 * 8 * 16)
    assert power_law(points, [0, 0, 5], -2, 2).at(Point(64, (), 4.0)) == 5


def test_sizes_that_nearly_follow_the_count_have_no_powers_that_cancel() -> None:
    points = [Point(4, (), 800), Point(8, (), 1131), Point(16, (), 1600)]
    reached = power_law(points, [47, 123, 328], -2, 2).at(Point(32, (), 2262))
    assert reached == pytest.approx(328 * 2**1.4, rel=0.02)


def test_a_curve_of_two_terms_goes_through_quiet_times_and_noise_bends_none() -> None:
    points = [Point(ranks, (ranks,), 1.0) for ranks in (4, 8, 16, 32)]
    fitter = Fitter(points, weak=False)
    quiet = np.array([1e-3 + 0.1 / each.ranks for each in points])
    there = Point(256, (256,), 1.0)
    assert fitter.smooth(range(4), quiet).at(there) == pytest.approx(1e-3 + 0.1 / 256, rel=0.01)
    noisy = quiet * [0.8, 1.25, 0.75, 1.2]
    assert 0.5 < fitter.smooth(range(4), noisy).at(there) / fitter.smooth(range(4), quiet).at(there) < 2


def test_a_part_that_is_taken_away_bends_no_time() -> None:
    # Each iteration of a clustering, in ms; a third root less a logarithm meets these, and is 0 on 32 ranks.
    fitter = Fitter([Point(ranks, (ranks,), 1.0) for ranks in (4, 8, 16)], weak=False)
    model = fitter.smooth(range(3), np.array([4.94, 3.04, 1.41]))
    assert model.at(Point(32, (32,), 1.0)) == pytest.approx(0.74, rel=0.1)


def test_growth_that_falls_goes_on_falling() -> None:
    points = [Point(ranks, (), 1.0) for ranks in (4, 8, 16)]
    # Neighbours of a rank in an adaptive mesh: 8.04 on 32 ranks.
    assert saturating(points, [3.0, 5.85, 7.29], Point(32, (), 1.0)) == pytest.approx(7.9, abs=0.1)
    far = saturating(points, [3.0, 5.85, 7.29], Point(4096, (), 1.0))
    assert far is not None and 7.9 < far < 8.5
    for values in ([1.0, 2.0, 4.0], [1.0, 2.0, 5.0], [1.0, 2.0, 1.5], [0.0, 2.0, 3.0]):
        assert saturating(points, values, Point(32, (), 1.0)) is None


def test_what_goes_between_all_pairs_outgrows_the_rest() -> None:
    points = [Point(ranks, (), 1.0) for ranks in (4, 8, 16)]
    # Messages of HPC Challenge that wait for one another: 105838 on 32 ranks.
    assert growing(points, [8370.0, 13492.0, 31855.0], Point(32, (), 1.0)) == pytest.approx(105838, rel=0.1)
    assert growing(points, [5 + 4.0**2, 5 + 8.0**2, 5 + 16.0**2], Point(64, (), 1.0)) == pytest.approx(
        5 + 64.0**2
    )
    for values in ([1.0, 2.0, 7.0], [3.0, 5.85, 7.29], [2.0, 1.0, 5.0], [0.0, 2.0, 5.0]):
        assert growing(points, values, Point(32, (), 1.0)) is None


def test_numbers_on_grids_that_are_squares_at_every_other_count() -> None:
    points = [Point(ranks, (), 1.0) for ranks in (4, 8, 16)]
    # Messages of ScaLAPACK's LU that wait for one another, once for each column and level of a column of ranks.
    assert alternating(points, [2255.0, 2271.0, 4545.0], Point(32, (), 1.0)) == pytest.approx(4558, rel=0.01)
    assert alternating(points, [4.0, 8.0, 2.0], Point(32, (), 1.0)) == 4.0
    for values in ([1.0, 2.0, 4.0], [4.0, 3.0, 2.0], [0.0, 2.0, 3.0]):
        assert alternating(points, values, Point(32, (), 1.0)) is None
    assert alternating(points, [2255.0, 2271.0, 4545.0], Point(64, (), 1.0)) is None
    four, new = [*points, Point(32, (), 1.0)], Point(64, (), 1.0)
    assert alternating(four, [2255.0, 2271.0, 4545.0, 4558.0], new) == pytest.approx(6609, rel=0.05)
    for values in ([1.0, 2.0, 5.0, 9.0], [3.0, 5.85, 7.29, 8.04], [5.0, 2.0, 7.0, 20.0]):
        assert alternating(four, values, new) is None


def test_times_that_fall_faster_than_shared_work_go_on_as_a_power() -> None:
    # Faces of BT's blocks on 4, 9 and 16 ranks, in ms; 0.0092 on 36.
    points = [Point(ranks, (), 1.0) for ranks in (4, 9, 16)]
    steep = np.array([0.2605, 0.0728, 0.0301])
    assert measured(points, steep).at(Point(36, (), 1.0)) == pytest.approx(0.0086, rel=0.02)
    noisy = np.array([0.26, 0.08, 0.06])
    assert measured(points, noisy).at(Point(36, (), 1.0)) == pytest.approx(0.06 * 16 / 36)


def test_a_row_of_the_grid_exchanges_pieces_of_pieces() -> None:
    """A transposition of pencils: each rank cuts its part among those in its row."""
    points = [Point(4, (2, 2), 1.0), Point(8, (4, 2), 1.0), Point(16, (4, 4), 1.0)]
    model = Fitter(points, weak=False).fit(range(3), [4096 / (each.ranks * each.grid[1]) for each in points])
    assert model.at(Point(128, (16, 8), 1.0)) == 4


@pytest.mark.parametrize(
    ("sides", "layers", "first", "exact"),
    [
        ((0, 2), (2, 4), 0, True),
        # The grids also have such areas with a constant.
        ((1, 2), (2, 2), 0, True),
        ((1, 2), (6, 6), 0, True),
        ((0, 1), (2, 0), 1, True),
        # Two values meet faces and edges without showing that they are any.
        ((1, 2), (4, 4), 1, False),
        ((2,), (1,), 0, False),
    ],
)
def test_a_face_with_neighbours_around_it_follows_its_sides(
    sides: tuple[int, ...], layers: tuple[int, ...], first: int, exact: bool
) -> None:
    """A face or an edge of 96 points along each side, with layers of neighbours around it."""
    grids = [(2, 2, 1), (2, 2, 2), (4, 2, 2), (4, 4, 2)][first:]
    points = [Point(prod(grid), grid, 1.0) for grid in grids]

    def face(grid: tuple[int, ...]) -> float:
        return 8.0 * prod(96 // grid[side] + more for side, more in zip(sides, layers, strict=True))

    model = Fitter(points, weak=False).fit(range(len(points)), list(map(face, grids)))
    assert (model.error == 0) == exact
    assert model.at(Point(64, (4, 4, 4), 1.0)) == face((4, 4, 4))


def test_a_message_is_as_large_as_the_face_that_it_crosses() -> None:
    # Parts of 64 points along the first side alone are as large in all recordings.
    points = [Point(prod(grid), grid, 1.0) for grid in [(2, 2, 1), (3, 3, 1), (4, 2, 2)]]
    values = [8.0 * (64 // grid[1]) * (64 // grid[2]) for _, grid, _ in points]
    model = Fitter(points, weak=False).of_faces(0).fit(range(3), values)
    assert model.at(Point(36, (4, 3, 3), 1.0)) == 8 * 21 * 21


@pytest.mark.parametrize("power", [1, 2], ids=["points along a side", "points"])
@pytest.mark.parametrize(
    "growth", [(1, 2, 4), (3, 3, 5)], ids=["the size follows the count", "one recording has another size"]
)
def test_a_face_with_neighbours_around_it_grows_with_the_problem(
    power: int, growth: tuple[int, int, int]
) -> None:
    grids = [(2, 2), (4, 2), (4, 4)]
    sides = [64 * each for each in growth]
    points = [Point(prod(grid), grid, float(side**power)) for grid, side in zip(grids, sides, strict=True)]
    values = [8.0 * (side // grid[1] + 2) for grid, side in zip(grids, sides, strict=True)]
    model = Fitter(points, weak=False).fit(range(3), values)
    assert model.at(Point(32, (8, 4), float(512**power))) == 8 * (512 // 4 + 2)


def test_a_face_of_a_growing_problem_has_whole_extents() -> None:
    """Extents of 33/64 of a side meet these too, if they are rounded."""
    points = [Point(4, (2, 2, 1), 64.0), Point(8, (2, 2, 2), 128.0), Point(16, (4, 2, 2), 96.0)]
    values = [8.0 * (side / grid[1] + 2) * (side / grid[2] + 2) for _, grid, side in points]
    model = Fitter(points, weak=False).of_faces(0).fit(range(3), values)
    assert model.at(Point(64, (4, 4, 4), 192.0)) == 8 * 50 * 50


def test_levels_become_more_with_the_size_and_less_with_the_count() -> None:
    """A multigrid ends at two points on each rank."""
    points = [Point(ranks, (ranks,), float(size)) for ranks in (4, 8, 16) for size in (64, 128)]

    def levels(point: Point) -> int:
        return (int(point.size) // (2 * point.ranks)).bit_length()

    model = Fitter(points, weak=False).fit(range(6), [float(levels(each)) for each in points])
    assert model.at(Point(64, (64,), 1024.0)) == pytest.approx(levels(Point(64, (64,), 1024.0)))
