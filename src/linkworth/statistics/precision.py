"""Number of runs for a wanted precision."""

import math

from linkworth.statistics.student import normal_quantile, t_quantile

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


def runs_to_decide(
    difference: float, variance: float, margin: float, *, significance: float, power: float = POWER
) -> int | None:
    """Return how many runs of each of two samples probably decide, or None if more than a million are needed.

    `difference` of the means and `margin` are in the unit of the values; `variance` is the sum of both samples'
    variances. The result is the smaller of two numbers. To show a difference, n = (z(1 - s/2) + z(power))^2 x
    variance / difference^2. To show equivalence, n = (z(1 - s) + z((1 + power)/2))^2 x variance / (margin -
    |difference|)^2 (Chow, Shao & Wang, Sample Size Calculations in Clinical Research, 2nd edition, 2008, sections
    3.2.1 and 3.2.3).
    """
    different = normal_quantile(1 - significance / 2) + normal_quantile(power)
    equal = normal_quantile(1 - significance) + normal_quantile((1 + power) / 2)
    numbers = []
    if difference:
        numbers.append(different**2 * variance / difference**2)
    if margin > abs(difference):
        numbers.append(equal**2 * variance / (margin - abs(difference)) ** 2)
    if not numbers or min(numbers) > MOST:
        return None
    return max(2, math.ceil(min(numbers)))
