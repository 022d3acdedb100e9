"""Intervals of predicted times."""

import math
from collections.abc import Sequence

from linkworth.model.prediction import Interval

CONFIDENCE = 0.9


def interval(times: Sequence[float], predicted: float) -> Interval:
    """Return the central 90 % of the drawn times, widened to contain the prediction."""
    ordered = sorted(times)
    return Interval(
        low_seconds=min(predicted, quantile(ordered, (1 - CONFIDENCE) / 2)),
        high_seconds=max(predicted, quantile(ordered, (1 + CONFIDENCE) / 2)),
        confidence=CONFIDENCE,
        samples=len(ordered),
    )


def quantile(ordered: Sequence[float], share: float) -> float:
    """Return the quantile by linear interpolation (Hyndman and Fan, type 7)."""
    place = share * (len(ordered) - 1)
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])
