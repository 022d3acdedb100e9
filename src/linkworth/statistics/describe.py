"""Description of repeated runs of one thing."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from linkworth.model.statistics import Bounds, Description
from linkworth.statistics.bootstrap import FEW, MANY, mean_interval
from linkworth.statistics.modes import bimodality
from linkworth.statistics.order import warm_up
from linkworth.statistics.student import normal_quantile, t_quantile

if TYPE_CHECKING:
    from numpy.typing import NDArray


MOST = 1_000_000
"""Largest useful answer."""
POWER = 0.9
"""Chance to reach a verdict with the returned number of runs."""


def runs_for_mean(cv: float, precision: float, confidence: float) -> int | None:
    """Return the least n with t(n - 1) x cv / sqrt(n) <= precision, or None above a million.

    Jain, The Art of Computer Systems Performance Analysis (1991), section 13.9.1, with Student's t instead of the
    normal quantile, so that few runs are not taken for enough.
    """
    if cv == 0:
        return 2
    probability = (1 + confidence) / 2
    n = max(2, math.ceil((normal_quantile(probability) * cv / precision) ** 2))
    while n <= MOST and t_quantile(probability, n - 1) * cv / math.sqrt(n) > precision:
        n += 1
    return n if n <= MOST else None


def runs_to_decide(difference: float, variance: float, margin: float, *, significance: float) -> int | None:
    """Return how many runs of each of two samples probably decide, or None if more than a million are needed.

    `difference` of the means and `margin` are in the unit of the values; `variance` is the sum of both samples'
    variances. The result is the smaller of two numbers. To show a difference, n = (z(1 - s/2) + z(power))^2 x
    variance / difference^2. To show equivalence, n = (z(1 - s) + z((1 + power)/2))^2 x variance / (margin -
    |difference|)^2 (Chow, Shao & Wang, Sample Size Calculations in Clinical Research, 2nd edition, 2008, sections
    3.2.1 and 3.2.3).
    """
    different = normal_quantile(1 - significance / 2) + normal_quantile(POWER)
    equal = normal_quantile(1 - significance) + normal_quantile((1 + POWER) / 2)
    numbers = []
    if difference:
        numbers.append(different**2 * variance / difference**2)
    if margin > abs(difference):
        numbers.append(equal**2 * variance / (margin - abs(difference)) ** 2)
    if not numbers or min(numbers) > MOST:
        return None
    return max(2, math.ceil(min(numbers)))


CONFIDENCE = 0.95
PRECISION = 0.02
"""Wanted half-width of the mean's interval, relative to the mean."""


def describe(values: Sequence[float]) -> Description:
    """Describe repeated runs, given in the order in which they ran.

    p99 is interpolated between neighbours (type 7 of Hyndman & Fan, The American Statistician 50, 1996). The mean's
    interval is a BCa bootstrap interval with a fixed seed, so that equal values give equal answers; of few values it is
    Student's t. Raises ValueError for no value, and for one that is not finite.
    """
    import numpy

    array = checked(values)
    n, mean = len(array), float(array.mean())
    if n == 1:
        return _single(mean)
    deviation = float(array.std(ddof=1))
    cv = deviation / abs(mean) if mean else None
    of_mean = _mean_interval(array)
    found = warm_up(array)
    return Description(
        n=n,
        mean=mean,
        deviation=deviation,
        median=float(numpy.median(array)),
        minimum=float(array.min()),
        maximum=float(array.max()),
        p99=float(numpy.quantile(array, 0.99)),
        cv=cv,
        mean_interval=of_mean,
        median_interval=_median_interval(array),
        precision=(of_mean.high - of_mean.low) / 2 / abs(mean) if mean else None,
        wanted_precision=PRECISION,
        runs_needed=runs_for_mean(cv, PRECISION, CONFIDENCE) if cv is not None else None,
        warm_up=found,
        bimodality=bimodality(array[found.runs :] if found else array),
    )


def _single(value: float) -> Description:
    """Describe one run, as reports of predictions do thousands of times."""
    return Description(
        n=1,
        mean=value,
        deviation=None,
        median=value,
        minimum=value,
        maximum=value,
        p99=value,
        cv=None,
        mean_interval=None,
        median_interval=None,
        precision=None,
        wanted_precision=PRECISION,
        runs_needed=None,
    )


def checked(values: Sequence[float]) -> "NDArray[Any]":
    """Return the values as an array of floats. Raises ValueError if there is none, or one is not finite."""
    import numpy

    array = numpy.asarray(values, dtype=float)
    if array.ndim != 1 or len(array) == 0:
        raise ValueError("no values to describe; give one at least")
    if not numpy.isfinite(array).all():
        raise ValueError(f"a value is {float(array[~numpy.isfinite(array)][0])}; give finite values only")
    return array


def _mean_interval(array: "NDArray[Any]") -> Bounds:
    n, mean, error = len(array), float(array.mean()), float(array.std(ddof=1)) / math.sqrt(len(array))
    if n < FEW:
        half = t_quantile((1 + CONFIDENCE) / 2, n - 1) * error
        # The mean of times is no negative time.
        low = max(0.0, mean - half) if array.min() >= 0 else mean - half
        return Bounds(low=low, high=mean + half, confidence=CONFIDENCE, method="Student's t")
    if n < MANY:
        return mean_interval(array, confidence=CONFIDENCE)
    half = normal_quantile((1 + CONFIDENCE) / 2) * error
    return Bounds(low=mean - half, high=mean + half, confidence=CONFIDENCE, method="normal")


def _median_interval(array: "NDArray[Any]") -> Bounds:
    """Return the values between which the median of the distribution lies, whatever the distribution is.

    It is below the k-th smallest value as often as a fair coin shows fewer than k heads in n (Conover, Practical
    Nonparametric Statistics, 3rd edition, 1999, section 3.2). Of fewer than 6 values, even the range has a lower confidence.
    """
    import numpy

    n = len(array)
    if n < MANY:
        left_out, ways, sum_of_ways = 0, n, n + 1
        while 2 * (sum_of_ways / 2**n) <= (1 - CONFIDENCE) * (1 + 1e-9):
            left_out += 1
            ways = ways * (n - left_out) // (left_out + 1)
            sum_of_ways += ways
    else:
        half = normal_quantile((1 + CONFIDENCE) / 2) * math.sqrt(n) / 2
        left_out = math.floor(n / 2 - half) - 1
    confidence = min(CONFIDENCE, 1 - 2.0 ** (1 - n))
    low, high = numpy.sort(array)[[left_out, n - 1 - left_out]]
    return Bounds(low=float(low), high=float(high), confidence=confidence, method="order statistics")
