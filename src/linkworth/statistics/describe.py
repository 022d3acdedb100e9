"""Description of repeated runs of one thing."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from linkworth.model.statistics import Bounds, Description
from linkworth.statistics.bootstrap import MANY, interval
from linkworth.statistics.modes import bimodality
from linkworth.statistics.order import warm_up
from linkworth.statistics.precision import runs_for_mean
from linkworth.statistics.student import normal_quantile

if TYPE_CHECKING:
    from numpy.typing import NDArray

CONFIDENCE = 0.95
PRECISION = 0.02
"""Wanted half-width of the mean's interval, relative to the mean."""


def describe(values: Sequence[float]) -> Description:
    """Describe repeated runs, given in the order in which they ran.

    p99 is interpolated between neighbours (type 7 of Hyndman & Fan, The American Statistician 50, 1996). Intervals are BCa
    bootstrap intervals with a fixed seed, so that equal values give equal answers. Raises ValueError for no value, and for
    one that is not finite.
    """
    import numpy

    array = checked(values)
    n, mean = len(array), float(array.mean())
    if n == 1:
        return _single(mean)
    deviation = float(array.std(ddof=1))
    cv = deviation / abs(mean) if mean else None
    mean_interval = _mean_interval(array)
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
        mean_interval=mean_interval,
        median_interval=_median_interval(array),
        precision=(mean_interval.high - mean_interval.low) / 2 / abs(mean) if mean else None,
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
    if len(array) < MANY:
        return interval(array, lambda samples: samples.mean(axis=1), confidence=CONFIDENCE)
    half = normal_quantile((1 + CONFIDENCE) / 2) * float(array.std(ddof=1)) / math.sqrt(len(array))
    mean = float(array.mean())
    return Bounds(low=mean - half, high=mean + half, confidence=CONFIDENCE, method="normal")


def _median_interval(array: "NDArray[Any]") -> Bounds:
    """Return the interval of the median; for many values by the normal approximation of its bounds' ranks."""
    import numpy

    n = len(array)
    if n < MANY:
        return interval(array, lambda samples: numpy.median(samples, axis=1), confidence=CONFIDENCE)
    half = normal_quantile((1 + CONFIDENCE) / 2) * math.sqrt(n) / 2
    ordered = numpy.sort(array)
    low, high = max(0, math.floor(n / 2 - half) - 1), min(n - 1, math.ceil(n / 2 + half))
    return Bounds(low=float(ordered[low]), high=float(ordered[high]), confidence=CONFIDENCE, method="normal")
