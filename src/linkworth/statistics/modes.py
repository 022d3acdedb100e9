"""Bimodality: do the runs fall into two groups?"""

import math
from typing import TYPE_CHECKING, Any

import msgspec

from linkworth.model.statistics import Bimodality

if TYPE_CHECKING:
    from numpy.typing import NDArray

FEWEST = 10
SMALLEST_GROUP = 0.1
FEWEST_IN_GROUP = 3
DECISIVE = 10.0
"""Difference of BIC that is "very strong" evidence (Kass & Raftery, "Bayes Factors", J. Am. Stat. Assoc. 90, 1995)."""
SEPARATED = 2.0
"""Ashman's D of two cleanly separate groups (Ashman, Bird & Zepf, Astronomical Journal 108, 1994, equation 4)."""
VALLEY = 0.1
"""Share of the lower peak below which the mixture's density falls between two modes. With it, 30 runs of a uniform or
an exponential distribution are taken for two groups in 5 and in 1 of 100 cases."""
_MOST_VALUES = 2000
_STEPS = 200


class _Mixture(msgspec.Struct, frozen=True):
    weights: tuple[float, float]
    means: tuple[float, float]
    deviations: tuple[float, float]
    log_likelihood: float


def bimodality(values: "NDArray[Any]") -> Bimodality | None:
    """Return the two groups of values, or None if one normal distribution fits as well.

    All must be true. BIC prefers two normal components to one by 10 or more. Ashman's D of the components is above 2.
    Their mixture's density falls below a tenth of its lower peak between the means. The smaller group has a tenth of
    the runs and at least 3. Components are no narrower than half the step of a coarse clock, so that neighbouring
    ticks are one mode.
    """
    import numpy

    if len(values) > _MOST_VALUES:
        values = values[numpy.linspace(0, len(values) - 1, _MOST_VALUES).astype(int)]
    n = len(values)
    ordered = numpy.sort(values)
    if n < FEWEST or ordered[0] == ordered[-1]:
        return None
    floor = _narrowest(ordered)
    mixture = _fit(ordered, floor)
    single = _log_likelihood_of_one(ordered, floor)
    # Five parameters (two means, two deviations, a weight) against two.
    evidence = 2 * (mixture.log_likelihood - single) - 3 * math.log(n)
    (low, high), (narrow, wide) = mixture.means, mixture.deviations
    separation = math.sqrt(2) * (high - low) / math.hypot(narrow, wide)
    smaller = min(mixture.weights)
    if (
        evidence < DECISIVE
        or separation <= SEPARATED
        or smaller * n < max(FEWEST_IN_GROUP, SMALLEST_GROUP * n) - 0.5
        or _valley(mixture) > VALLEY
    ):
        return None
    return Bimodality(
        lower_mean=low,
        higher_mean=high,
        higher_share=mixture.weights[1],
        separation=separation,
        reason=f"two groups fit better than one by {evidence:.0f} in BIC, and lie {separation:.1f} of Ashman's D apart",
    )


def _narrowest(ordered: "NDArray[Any]") -> float:
    """Return the least deviation of a component: half the step of a coarse clock, else a thousandth of the range."""
    import numpy

    steps = numpy.diff(ordered)
    steps = steps[steps > (ordered[-1] - ordered[0]) * 1e-9]
    spread = float(ordered[-1] - ordered[0])
    coarse = len(steps) + 1 <= len(ordered) / 2
    return max(spread * 1e-3, float(steps.min()) / 2 if coarse else 0.0)


def _fit(ordered: "NDArray[Any]", floor: float) -> _Mixture:
    """Fit two normal components by expectation and maximisation, from the split with the least squares within."""
    import numpy

    n = len(ordered)
    sums, squares = numpy.cumsum(ordered), numpy.cumsum(ordered**2)
    left = numpy.arange(1, n)
    within = squares[-1] - sums[:-1] ** 2 / left - (sums[-1] - sums[:-1]) ** 2 / (n - left)
    split = int(within.argmin()) + 1
    belongs = numpy.zeros((2, n))
    belongs[0, :split] = belongs[1, split:] = 1.0
    likelihood = -math.inf
    weights, means, deviations = numpy.array([0.5, 0.5]), numpy.zeros(2), numpy.ones(2)
    for _ in range(_STEPS):
        total = numpy.maximum(belongs.sum(axis=1), 1e-9)
        weights = total / n
        means = (belongs * ordered).sum(axis=1) / total
        deviations = numpy.sqrt((belongs * (ordered - means[:, None]) ** 2).sum(axis=1) / total)
        deviations = numpy.maximum(deviations, floor)
        density = weights[:, None] * _normal(ordered[None, :], means[:, None], deviations[:, None])
        both = numpy.maximum(density.sum(axis=0), 1e-300)
        belongs = density / both
        before, likelihood = likelihood, float(numpy.log(both).sum())
        if likelihood - before < 1e-6:
            break
    first, second = (0, 1) if means[0] <= means[1] else (1, 0)
    return _Mixture(
        (float(weights[first]), float(weights[second])),
        (float(means[first]), float(means[second])),
        (float(deviations[first]), float(deviations[second])),
        likelihood,
    )


def _log_likelihood_of_one(ordered: "NDArray[Any]", floor: float) -> float:
    import numpy

    deviation = max(float(ordered.std()), floor)
    return float(numpy.log(numpy.maximum(_normal(ordered, ordered.mean(), deviation), 1e-300)).sum())


def _valley(mixture: _Mixture) -> float:
    """Return the least density of the mixture between the means, over the lower of its densities at the means."""
    import numpy

    places = numpy.linspace(*mixture.means, 101)
    density = numpy.sum(
        [
            weight * _normal(places, mean, deviation)
            for weight, mean, deviation in zip(
                mixture.weights, mixture.means, mixture.deviations, strict=True
            )
        ],
        axis=0,
    )
    peak = min(density[0], density[-1])
    return float(density.min() / peak) if peak > 0 else 1.0


def _normal(x: Any, mean: Any, deviation: Any) -> "NDArray[Any]":  # noqa: ANN401 (numbers or arrays)
    import numpy

    result: NDArray[Any] = numpy.exp(-(((x - mean) / deviation) ** 2) / 2) / (
        deviation * math.sqrt(2 * math.pi)
    )
    return result
