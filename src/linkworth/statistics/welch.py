"""Welch's t test of the difference of two means."""

import math
from typing import TYPE_CHECKING, Any

from linkworth.statistics.student import t_share_within

if TYPE_CHECKING:
    from numpy.typing import NDArray


def degrees_of_freedom(error_a: float, error_b: float, runs_a: int, runs_b: int) -> int:
    """Return Welch's degrees of freedom, rounded down, of two squared standard errors; 1 if both are 0."""
    shares = error_a**2 / (runs_a - 1) + error_b**2 / (runs_b - 1)
    return math.floor((error_a + error_b) ** 2 / shares * (1 + 1e-9)) if shares else 1


def welch_test(a: "NDArray[Any]", b: "NDArray[Any]") -> tuple[float, float]:
    """Return the chances of a difference mean(b) - mean(a) as low or lower, and as high or higher, if both means are equal."""
    difference = float(b.mean() - a.mean())
    of_a, of_b = (float(each.var(ddof=1)) / len(each) for each in (a, b))
    error = math.sqrt(of_a + of_b)
    within = float(difference != 0)  # without an error, two different constants are as far apart as possible
    if error:
        degrees = degrees_of_freedom(of_a, of_b, len(a), len(b))
        within = t_share_within(abs(difference) / error, degrees)
    beyond = (1 - within) / 2
    return (beyond, 1 - beyond) if difference < 0 else (1 - beyond, beyond)
