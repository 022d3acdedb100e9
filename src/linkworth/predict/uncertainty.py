"""Intervals of predicted times, and draws of a fabric's parameters from their spread."""

import math
import random
from collections.abc import Sequence

import msgspec

from linkworth.model.fabric import Spread
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


class Draw(msgspec.Struct, frozen=True):
    """Factors of the parameters."""

    latency: float
    bandwidth: float
    overhead: float
    compute_factor: float


def draws(spread: Spread, samples: int, seed: int) -> list[Draw]:
    """Return the factors of each sample. They depend only on seed and spread, and share their random numbers."""
    source = random.Random(seed)

    def factor(relative: float) -> float:
        sigma = math.sqrt(math.log1p(relative * relative))
        return math.exp(sigma * source.gauss(0.0, 1.0) - sigma * sigma / 2)

    shares = (spread.latency, spread.bandwidth, spread.overhead, spread.computation)
    return [Draw(*map(factor, shares)) for _ in range(samples)]


def quantile(ordered: Sequence[float], share: float) -> float:
    """Return the quantile by linear interpolation (Hyndman and Fan, type 7)."""
    place = share * (len(ordered) - 1)
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])
