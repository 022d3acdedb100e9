"""Latency that a program hides, and the least bandwidth that it can do with.

The time is a piecewise linear function of the link's latency, and of the inverse of its bandwidth. Every replay
returns its value and the slope of the current piece. A few steps of Newton's method therefore end on the very piece
where the function crosses the wanted time. If messages keep their order and do not compete, the function is the
longest of all paths, each of them linear. It is then convex, and steps from above never jump over the crossing. If
messages change places, it may bend the other way; a bracket keeps the steps. They do so before a link, or before a
CPU that completes the receives of one wait as they come. If messages compete, it may even jump. A search ends when
the added time, or the place of a jump, is met to a twentieth. The answer is interpolated between the nearest points.
"""

import math
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError
from typing import NamedTuple

import msgspec

from linkworth.model.fabric import Fabric
from linkworth.model.prediction import Prediction, Tolerance
from linkworth.predict.threads import ReplayThreads

SLOWER = (0.01, 0.02, 0.05)
"""Shares of additional time that studies of latency tolerance use."""
MOST_LATENCY_SECONDS = 1.0
LEAST_BANDWIDTH_BYTES_PER_SECOND = 1e3
_MOST_REPLAYS = 60
_FURTHEST_STEP = 100.0
"""Largest factor of one step beyond all known points: a far one costs a long replay, and shows little."""
_TOLERANCE = 5e-2
"""Share of the added time to which the last replay meets the wanted one. What is interpolated then meets it better."""
_NEXT_TO_EACH_OTHER = 5e-2
"""Relative distance of two latencies or bandwidths between which a jump counts as found."""


class _Point(NamedTuple):
    x: float
    seconds: float
    slope: float


class _Crossing(NamedTuple):
    x: float | None
    replays: int


def tolerance_lacks(fabric: Fabric) -> str:
    """Return a sentence on why a fabric has no tolerances; "" if it has."""
    if fabric.link.latency_seconds <= 0:
        return "its link has no latency, of which a program could bear more"
    if not math.isfinite(fabric.link.bandwidth_bytes_per_second):
        return "its link has no bound of bandwidth that could be lower"
    return ""


def tolerances(
    replayed_on: Callable[[Fabric], Prediction],
    fabrics: Sequence[Fabric],
    *,
    slower: Sequence[float] = SLOWER,
    starts: Sequence[Prediction] = (),
) -> list[Tolerance]:
    """Return the latency and bandwidth at which the program takes `1 + slower` times as long, by fabric and share in `slower`.

    `replayed_on` replays the program on a fabric; threads call it. `starts` are its results on the fabrics themselves, if the
    caller has them.
    """

    def replayed(fabric: Fabric, **link: float) -> Prediction:
        if pool.ended:
            raise CancelledError
        return replayed_on(msgspec.structs.replace(fabric, link=msgspec.structs.replace(fabric.link, **link)))

    def latencies(fabric: Fabric, start: Prediction) -> list[_Crossing]:
        def at(latency: float, found: Prediction | None = None) -> _Point:
            found = found or replayed(fabric, latency_seconds=latency)
            return _Point(latency, found.seconds, found.seconds_per_latency_second)

        return _crossings(at, at(fabric.link.latency_seconds, start), MOST_LATENCY_SECONDS, slower)

    def inverse_bandwidths(fabric: Fabric, start: Prediction) -> list[_Crossing]:
        def at(inverse: float, found: Prediction | None = None) -> _Point:
            bandwidth = 1 / inverse if inverse > 0 else math.inf
            found = found or replayed(fabric, bandwidth_bytes_per_second=bandwidth)
            return _Point(inverse, found.seconds, found.seconds_per_inverse_bandwidth)

        here = at(1 / fabric.link.bandwidth_bytes_per_second, start)
        return _crossings(at, here, 1 / LEAST_BANDWIDTH_BYTES_PER_SECOND, slower)

    with ReplayThreads() as pool:
        starts = starts or list(pool.map(replayed_on, fabrics))
        searches = [
            (fabric, pool.submit(latencies, fabric, start), pool.submit(inverse_bandwidths, fabric, start))
            for fabric, start in zip(fabrics, starts, strict=True)
        ]
        found = [(fabric, latency.result(), inverse.result()) for fabric, latency, inverse in searches]
    return [
        Tolerance(
            fabric=fabric.name,
            slower=share,
            latency_seconds=latency.x,
            bandwidth_bytes_per_second=None if inverse.x is None else 1 / inverse.x,
            replays=latency.replays + inverse.replays,
        )
        for fabric, by_latency, by_inverse in found
        for share, latency, inverse in zip(slower, by_latency, by_inverse, strict=True)
    ]


def _crossings(
    evaluate: Callable[[float], _Point], start: _Point, limit: float, slower: Sequence[float]
) -> list[_Crossing]:
    """Return where the function is `1 + slower` times its value at `start`, for each share."""
    known = [start]
    found = []
    for share in slower:
        before = len(known)
        x = _crossing(evaluate, known, share, limit)
        found.append(_Crossing(x, len(known) - before))
    return found


def _crossing(
    evaluate: Callable[[float], _Point], known: list[_Point], share: float, limit: float
) -> float | None:
    """Return the first point found at which the function is `1 + share` times the first; None if there is none to `limit`.

    The search begins between the nearest points that are `known`, and adds those that it evaluates.
    """
    target = known[0].seconds * (1 + share)
    if target == 0:  # a program that takes no time does nothing that the network could slow
        return None
    below, above = _around(known, target)
    guess = _guess(below, above, target, limit)
    for _ in range(_MOST_REPLAYS):
        if above is None and below.x >= limit:
            return None
        here = evaluate(min(guess, limit) if above is None else guess)
        known.append(here)
        if abs(here.seconds - target) <= _TOLERANCE * share * target:
            return _interpolated(known, target)
        if here.seconds < target:
            below = here
        else:
            above = here
        if above is not None and _jumps(below, above, target):
            return _interpolated(known, target)
        # Step along the piece's slope. From below, without any point above yet, also step ever further.
        guess = _step(here, target) if here.slope > 0 else 10 * here.x
        if above is None:
            guess = max(guess, below.x * (1 + 1e-9))
        elif not below.x < guess < above.x:
            guess = _between(below, above, target)
            if not below.x < guess < above.x:
                return above.x
    return guess


def _around(known: Sequence[_Point], target: float) -> tuple[_Point, _Point | None]:
    """Return the first point that reaches the target, if any does, and the last before it that does not, in their order."""
    above = min((point for point in known if point.seconds >= target), default=None)
    below = max(point for point in known if point.seconds < target and (above is None or point.x < above.x))
    return below, above


def _guess(below: _Point, above: _Point | None, target: float, limit: float) -> float:
    guess = _step(below, target) if below.slope > 0 else max(10 * below.x, limit * 1e-6)
    if above is None:
        return min(guess, _FURTHEST_STEP * below.x)
    return guess if below.x < guess < above.x else _between(below, above, target)


def _between(below: _Point, above: _Point, target: float) -> float:
    """Return the geometric mean of two points that are far apart, or else where the line between them reaches the target."""
    if 0 < 4 * below.x < above.x:
        return math.sqrt(below.x * above.x)
    part = (target - below.seconds) / (above.seconds - below.seconds)
    return below.x + min(max(part, 0.1), 0.9) * (above.x - below.x)


def _interpolated(known: Sequence[_Point], target: float) -> float:
    """Return where the function reaches the target, by the nearest points that are `known`.

    Where it is convex that is where their pieces do, and else where the line between them does.
    """
    below, above = _around(known, target)
    if above is None:
        return _step(below, target) if below.slope > 0 else below.x
    chord = (above.seconds - below.seconds) / (above.x - below.x)
    if below.slope <= chord <= above.slope:
        return min(_step(point, target) for point in (below, above) if point.slope > 0)
    return below.x + (target - below.seconds) / chord


def _jumps(below: _Point, above: _Point, target: float) -> bool:
    """Return whether the function jumps between two neighbouring points: neither's piece reaches the target there."""
    if above.x - below.x > _NEXT_TO_EACH_OTHER * above.x:
        return False
    return not any(point.slope > 0 and below.x < _step(point, target) < above.x for point in (below, above))


def _step(point: _Point, target: float) -> float:
    return point.x + (target - point.seconds) / point.slope
