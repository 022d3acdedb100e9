"""A replayed grid of latency and bandwidth as a function, bilinear between its knots in log-log space."""

import bisect
import itertools
import math
from collections.abc import Sequence

from linkworth.model.prediction import SensitivityGrid


def usable(grid: SensitivityGrid) -> bool:
    """Return whether all axes and times have logarithms, which needs finite positive numbers in rising order."""
    axes = (grid.latency_seconds, grid.bandwidth_bytes_per_second)
    return all(
        len(axis) >= 2
        and all(a < b for a, b in itertools.pairwise(axis))
        and axis[0] > 0
        and math.isfinite(axis[-1])
        for axis in axes
    ) and all(value > 0 and math.isfinite(value) for row in grid.seconds for value in row)


def position(knots: Sequence[float], value: float) -> float:
    """Return the place of `value` between the knots, in knots from the first, linear in the logarithm.

    A knot's own value gives its index exactly; values outside give the nearest end.
    """
    if value <= knots[0]:
        return 0.0
    if value >= knots[-1]:
        return float(len(knots) - 1)
    upper = bisect.bisect_right(knots, value)
    low, high = knots[upper - 1], knots[upper]
    return upper - 1 + math.log(value / low) / math.log(high / low)


def value_at(knots: Sequence[float], place: float) -> float:
    """Return the value at a position: the inverse of `position`."""
    index = min(max(int(place), 0), len(knots) - 1)
    fraction = place - index
    if fraction <= 0 or index == len(knots) - 1:
        return knots[index]
    return knots[index] * math.pow(knots[index + 1] / knots[index], fraction)


def seconds_at(grid: SensitivityGrid, latency_seconds: float, bandwidth_bytes_per_second: float) -> float:
    """Return the time at a latency and a bandwidth: exact at the knots, constant outside the grid."""
    i, u = _split(position(grid.latency_seconds, latency_seconds))
    j, v = _split(position(grid.bandwidth_bytes_per_second, bandwidth_bytes_per_second))
    product = 1.0
    for row, weight in ((i, 1 - u), (i + 1, u)):
        for column, other in ((j, 1 - v), (j + 1, v)):
            if weight and other:
                product *= math.pow(grid.seconds[row][column], weight * other)
    return product


def _split(place: float) -> tuple[int, float]:
    index = math.floor(place)
    return index, place - index
