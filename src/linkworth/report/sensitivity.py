"""A replayed grid of latency and bandwidth as a function, bilinear between its knots in log-log space."""

import bisect
import math
from collections.abc import Sequence

from linkworth.model.prediction import SensitivityGrid


def usable(grid: SensitivityGrid) -> bool:
    """Return whether all times have logarithms, as those of a program that takes time do."""
    return all(seconds > 0 for row in grid.seconds for seconds in row)


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


def seconds_at(grid: SensitivityGrid, latency_seconds: float, bandwidth_bytes_per_second: float) -> float:
    """Return the time at a latency and a bandwidth: exact at the knots, constant outside the grid."""
    bandwidth = position(grid.bandwidth_bytes_per_second, bandwidth_bytes_per_second)
    return interpolated(grid, position(grid.latency_seconds, latency_seconds), bandwidth)


def interpolated(grid: SensitivityGrid, latency: float, bandwidth: float) -> float:
    """Return the time at the positions of a latency and a bandwidth."""
    (i, u), (j, v) = _split(latency), _split(bandwidth)
    product = 1.0
    for row, weight in ((i, 1 - u), (i + 1, u)):
        for column, other in ((j, 1 - v), (j + 1, v)):
            if weight and other:
                product *= math.pow(grid.seconds[row][column], weight * other)
    return product


def _split(place: float) -> tuple[int, float]:
    index = math.floor(place)
    return index, place - index
