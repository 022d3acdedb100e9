"""Reduction of a fabric's overhead curves to few points."""

from collections.abc import Sequence
from typing import NamedTuple


class Overheads(NamedTuple):
    """Both sides' overhead and the added latency for one message size, and how far a curve may miss each."""

    bytes: int
    send_seconds: float
    receive_seconds: float
    tolerance_seconds: float
    added_seconds: float = 0.0
    """Latency that the size adds."""
    added_tolerance_seconds: float = 0.0


def simplify(points: Sequence[Overheads]) -> list[Overheads]:
    """Return the fewest of the points, with the first and last, between which straight lines miss no other by more
    than its tolerance on either side. Of several such choices, the one with the least sum of squared misses is taken.
    """
    if len(points) <= 1:
        return list(points)
    best: list[tuple[int, float, int]] = [(0, 0.0, -1)]
    for last in range(1, len(points)):
        choices = []
        for first in range(last):
            miss = _miss(points, first, last)
            if miss is not None:
                count, total, _ = best[first]
                choices.append((count + 1, total + miss, first))
        best.append(min(choices))
    chosen = []
    at = len(points) - 1
    while at >= 0:
        chosen.append(points[at])
        at = best[at][2]
    chosen.reverse()
    flat = all(
        abs(value - first) <= tolerance
        for point in points
        for (value, tolerance), (first, _) in zip(_seconds(point), _seconds(chosen[0]), strict=True)
    )
    return chosen[:1] if flat else chosen


def _miss(points: Sequence[Overheads], first: int, last: int) -> float | None:
    """Return the sum of squared misses of a line between two points; None if one exceeds its tolerance."""
    start, end = points[first], points[last]
    total = 0.0
    for point in points[first + 1 : last]:
        share = (point.bytes - start.bytes) / (end.bytes - start.bytes)
        for (at_start, _), (at_end, _), (seconds, tolerance) in zip(
            _seconds(start), _seconds(end), _seconds(point), strict=True
        ):
            miss = at_start + share * (at_end - at_start) - seconds
            if abs(miss) > tolerance:
                return None
            total += (miss / tolerance) ** 2 if miss else 0.0
    return total


def _seconds(point: Overheads) -> tuple[tuple[float, float], ...]:
    """Return each curve's seconds and tolerance."""
    return (
        (point.send_seconds, point.tolerance_seconds),
        (point.receive_seconds, point.tolerance_seconds),
        (point.added_seconds, point.added_tolerance_seconds),
    )
