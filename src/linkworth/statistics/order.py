"""Warm-up: do the first runs differ from the later ones?"""

from typing import TYPE_CHECKING, Any

from linkworth import units
from linkworth.model.statistics import WarmUp
from linkworth.statistics.bootstrap import SEED

if TYPE_CHECKING:
    from numpy.typing import NDArray

FEWEST = 6
"""Least runs for a decision; with fewer, the later ones do not show what is usual."""
FIRST_RUNS = 3
ROBUST_DEVIATIONS = 5.0
"""Outlier limit in robust deviations: a normal value is as far from its median once in 1.7 million."""
NORMAL_MAD = 1.4826
"""Standard deviation of normal values over their median absolute deviation (Huber, Robust Statistics, 1981, section 5.1)."""
MATTERS = 0.01
"""Least change, as a share of the time, that is reported."""
SIGNIFICANT = 0.01
_PERMUTATIONS = 1999
_MOST_RUNS = 2000
"""Runs to examine of a longer series, from its start."""


def warm_up(values: "NDArray[Any]") -> WarmUp | None:
    """Return how many of the first values are warm-up, or None.

    Two rules, the first that applies. Either the first one to three runs (at most a fifth) are on one side of the
    later runs' median by more than five robust deviations, and no later run is. Or there is a change point in the
    first half, and the CUSUM range is as large in at most 1 of 100 random orders of the same values (the change-point
    analysis of Taylor, 2000, by permutation). Changes of the mean below 1 % are not reported.
    """
    values = values[:_MOST_RUNS]
    if len(values) < FEWEST or values.max() == values.min():
        return None
    return _first_runs(values) or _change_point(values)


def _first_runs(values: "NDArray[Any]") -> WarmUp | None:
    import numpy

    for count in range(min(FIRST_RUNS, len(values) // 5), 0, -1):
        first, later = values[:count], values[count:]
        median = float(numpy.median(later))
        spread = NORMAL_MAD * float(numpy.median(numpy.abs(later - median)))
        # More than half of a coarse clock's values may be equal: their whole range is then usual.
        limit = ROBUST_DEVIATIONS * (spread or float(later.max() - later.min()))
        away = first - median
        if not ((away > limit).all() or (away < -limit).all()) or (numpy.abs(later - median) > limit).any():
            continue
        change = _relative(first, later)
        if abs(change) >= MATTERS:
            least = float(numpy.abs(away).min())
            distance = f"{least / spread:.0f} robust deviations" if spread else "more than all others"
            runs = "the first run lies" if count == 1 else f"the first {count} runs lie"
            return WarmUp(runs=count, relative=change, reason=f"{runs} {distance} off the later runs' median")
    return None


def _change_point(values: "NDArray[Any]") -> WarmUp | None:
    import numpy

    n = len(values)
    observed, place = _cusum_range(values[None, :])
    count = int(place[0]) + 1
    if count > n // 2:
        return None
    rng = numpy.random.default_rng(SEED)
    as_large, done = 1, 1
    while done < _PERMUTATIONS + 1:
        rows = min(_PERMUTATIONS + 1 - done, max(1, 500_000 // n))
        ranges, _ = _cusum_range(rng.permuted(numpy.tile(values, (rows, 1)), axis=1))
        as_large += int((ranges >= observed[0] * (1 - 1e-12)).sum())
        done += rows
    share = as_large / done
    change = _relative(values[:count], values[count:])
    if share > SIGNIFICANT or abs(change) < MATTERS:
        return None
    return WarmUp(
        runs=count,
        relative=change,
        reason=f"a change after run {count}: {units.percent(share, 1)} of all orders of these times show one as clear",
    )


def _cusum_range(samples: "NDArray[Any]") -> "tuple[NDArray[Any], NDArray[Any]]":
    """Return, by row, the range of the cumulative sums of deviations from the mean, and where they are farthest from 0."""
    import numpy

    sums = numpy.cumsum(samples - samples.mean(axis=1, keepdims=True), axis=1)
    ranges = numpy.maximum(sums.max(axis=1), 0) - numpy.minimum(sums.min(axis=1), 0)
    return ranges, numpy.abs(sums[:, :-1]).argmax(axis=1)


def _relative(first: "NDArray[Any]", later: "NDArray[Any]") -> float:
    mean = float(later.mean())
    return float(first.mean()) / mean - 1 if mean else 0.0
