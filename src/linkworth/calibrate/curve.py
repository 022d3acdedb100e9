"""Reduction of a fabric's overhead curves to few points."""

from collections.abc import Sequence
from typing import NamedTuple


class Overheads(NamedTuple):
    """Both sides' overhead for one message size, and how far a curve may miss them."""

    bytes: int
    send_seconds: float
    receive_seconds: float
    tolerance_seconds: float


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
        abs(point.send_seconds - chosen[0].send_seconds) <= point.tolerance_seconds
        and abs(point.receive_seconds - chosen[0].receive_seconds) <= point.tolerance_seconds
        for point in points
    )
    return chosen[:1] if flat else chosen


def _miss(points: Sequence[Overheads], first: int, last: int) -> float | None:
    """Return the sum of squared misses of a line between two points; None if one exceeds its tolerance."""
    start, end = points[first], points[last]
    total = 0.0
    for point in points[first + 1 : last]:
        share = (point.bytes - start.bytes) / (end.bytes - start.bytes)
        send = start.send_seconds + share * (end.send_seconds - start.send_seconds) - point.send_seconds
        receive = (
            start.receive_seconds
            + share * (end.receive_seconds - start.receive_seconds)
            - point.receive_seconds
        )
        if max(abs(send), abs(receive)) > point.tolerance_seconds:
            return None
        total += (send / point.tolerance_seconds) ** 2 + (receive / point.tolerance_seconds) ** 2
    return total
