"""Comparison of repeated runs."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from linkworth.model.statistics import Better, Bounds, Comparison, Verdict
from linkworth.statistics.bootstrap import FEW, MANY, ratio_interval
from linkworth.statistics.describe import CONFIDENCE, checked, runs_to_decide
from linkworth.statistics.means import degrees_of_freedom, difference_test, equivalence_test
from linkworth.statistics.student import normal_quantile, t_quantile

if TYPE_CHECKING:
    from numpy.typing import NDArray

MARGIN = 0.05
"""Default relative difference that does not matter."""
SIGMAS = 3.0


def compare(
    a: Sequence[float], b: Sequence[float], better: Better = "lower", *, margin: float = MARGIN
) -> Comparison:
    """Compare runs of `b` with runs of the baseline `a`.

    The verdict is `same` only if the equivalence test shows it at the level 1 - CONFIDENCE, and `faster` or `slower`
    (better or worse, for metrics other than times) if the test of difference does and the interval agrees; else
    `undecided`. A real difference inside the margin is `same`. The three-sigma rule of the literature (the intervals
    mean +- 3 standard deviations overlap) is reported too. It decides nothing, since by it more noise makes more things
    equal. Raises ValueError for empty samples, values that are not finite, and a margin that is not above 0.
    """
    if not margin > 0:
        raise ValueError(f"a margin of {margin}: give a relative difference above 0")
    first, second = checked(a), checked(b)
    positive = bool(first.min() > 0 and second.min() > 0)
    mean_a, mean_b = float(first.mean()), float(second.mean())
    repeated = len(first) > 1 and len(second) > 1
    p_different, exact = difference_test(first, second) if repeated else (None, False)
    p_equivalent = equivalence_test(first, second, margin) if repeated and positive else None
    relative = mean_b / mean_a - 1 if mean_a > 0 else None
    sigmas, overlap = _sigmas(first, second)
    interval = _interval(first, second) if repeated and positive else None
    significance = 1 - CONFIDENCE
    verdict: Verdict = "undecided"
    if p_equivalent is not None and p_equivalent <= significance * (1 + 1e-9):
        verdict = "same"
    elif (
        p_different is not None and p_different <= significance * (1 + 1e-9) and not _contains_equal(interval)
    ):
        verdict = "faster" if (mean_b < mean_a) == (better == "lower") else "slower"
    needed = None
    if verdict == "undecided" and repeated and mean_a > 0:
        variance = float(first.var(ddof=1) + second.var(ddof=1))
        needed = runs_to_decide(mean_b - mean_a, variance, margin * mean_a, significance=significance)
        # These runs did not decide: the estimate is from a lucky draw, and more runs are needed in any case.
        needed = needed and max(needed, min(len(first), len(second)) + 1)
    return Comparison(
        better=better,
        runs_a=len(first),
        runs_b=len(second),
        relative_difference=relative,
        interval=interval,
        sigmas=sigmas,
        three_sigma="unknown" if overlap is None else "within" if overlap else "outside",
        p_different=p_different,
        exact=exact,
        p_equivalent=p_equivalent,
        margin=margin,
        verdict=verdict,
        reason=_reason(verdict, p_different, p_equivalent, margin, needed),
        runs_to_decide=needed,
    )


def sigma_overlap(a: Sequence[float], b: Sequence[float]) -> bool | None:
    """Return whether the intervals mean +- 3 standard deviations of two samples overlap; None below two values."""
    return _sigmas(checked(a), checked(b))[1]


def _sigmas(a: "NDArray[Any]", b: "NDArray[Any]") -> tuple[float | None, bool | None]:
    """Return the distance of the means in sums of both standard deviations, and whether it is at most 3."""
    if len(a) < 2 or len(b) < 2:
        return None, None
    distance = abs(float(b.mean()) - float(a.mean()))
    deviations = float(a.std(ddof=1)) + float(b.std(ddof=1))
    return distance / deviations if deviations else None, distance <= SIGMAS * deviations


def _interval(a: "NDArray[Any]", b: "NDArray[Any]") -> Bounds:
    """Return the interval of the ratio of the means - 1; for few and for many values by the delta method."""
    few = min(len(a), len(b)) < FEW
    if not few and len(a) + len(b) < MANY:
        return ratio_interval(a, b, confidence=CONFIDENCE)
    ratio = float(b.mean() / a.mean())
    of_a, of_b = (float(each.var(ddof=1)) / len(each) / float(each.mean()) ** 2 for each in (a, b))
    error = math.sqrt(of_a + of_b)
    if few:
        # The ratio's logarithm: no bound is below 0, and an exchange of a and b inverts it.
        half = t_quantile((1 + CONFIDENCE) / 2, degrees_of_freedom(of_a, of_b, len(a), len(b))) * error
        low, high = (ratio * math.exp(each) - 1 for each in (-half, half))
        return Bounds(low=low, high=high, confidence=CONFIDENCE, method="Student's t")
    half = normal_quantile((1 + CONFIDENCE) / 2) * ratio * error
    return Bounds(low=ratio - 1 - half, high=ratio - 1 + half, confidence=CONFIDENCE, method="normal")


def _contains_equal(interval: Bounds | None) -> bool:
    """Return whether the interval of the relative difference contains 0, which few runs of unequal spread may leave."""
    return interval is not None and interval.low <= 0 <= interval.high


def _reason(
    verdict: Verdict, p_different: float | None, p_equivalent: float | None, margin: float, needed: int | None
) -> str:
    if p_different is None:
        return "one run of a side does not show its spread"
    if verdict == "same":
        return f"the equivalence test finds them within {margin:.3g} of each other (p = {p_equivalent:.3g})"
    if verdict != "undecided":
        return f"the permutation test and Welch's test find them different (p = {p_different:.3g})"
    equivalent = "no equivalence test of values that are not positive"
    if p_equivalent is not None:
        equivalent = f"nor the same within {margin:.3g} (p = {p_equivalent:.3g})"
    more = f"; about {needed} runs of each would decide" if needed else ""
    if p_different <= 1 - CONFIDENCE:
        return f"the test of difference finds one (p = {p_different:.3g}), but the interval contains 0{more}"
    return f"neither shown different (p = {p_different:.3g}) {equivalent}{more}"
