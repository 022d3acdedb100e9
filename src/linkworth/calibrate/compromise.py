"""Compromises between points: a line through them, and overheads on which two tests disagree."""

import math
from collections.abc import Sequence


def slope(xs: Sequence[float], ys: Sequence[float], weights: Sequence[float]) -> float:
    """Return the slope of the line of least weighted squares."""
    total = sum(weights)
    mean_x = sum(w * x for w, x in zip(weights, xs, strict=True)) / total
    mean_y = sum(w * y for w, y in zip(weights, ys, strict=True)) / total
    spread = sum(w * (x - mean_x) ** 2 for w, x in zip(weights, xs, strict=True))
    joint = sum(w * (x - mean_x) * (y - mean_y) for w, x, y in zip(weights, xs, ys, strict=True))
    return joint / spread if spread > 0 else 0.0


def compromise(seconds: float, both: float, staged: float, wire: float) -> float:
    """Return each side's overhead with the least error if half of the latencies' overhead is more than a stream allows.

    The error is the sum of the squares of both relative misses; its least is searched on a grid between the two.
    """

    def miss(each: float) -> float:
        latency = (seconds - both + 2 * each) / seconds
        stream = max(each, wire) / staged
        return math.log(latency) ** 2 + math.log(stream) ** 2

    steps = 40
    shares = (step / steps for step in range(steps + 1))
    return min(((1 - share) * staged + share * both / 2 for share in shares), key=miss)
