"""Dependence of the time on a fabric's latency and bandwidth."""

import math
from itertools import product
from pathlib import Path
from typing import NamedTuple

import msgspec

from linkworth.model.fabric import Fabric
from linkworth.model.prediction import Prediction, SensitivityGrid
from linkworth.model.settings import ReplaySettings
from linkworth.predict.shorter import replayed
from linkworth.predict.threads import ReplayThreads
from linkworth.replay.layout import Arrangement
from linkworth.trace.read import TraceFile, opened

FACTORS = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)
"""Factors of the latency, and of the bandwidth."""
_OWN = 3
"""Place of the fabric's own latency or bandwidth."""
_SIDES = ((0, 1, 2), (6, 5, 4))
"""Places below and above it, the farthest first."""
_NEAR = 0.03
"""Largest error of an estimate at the place of a quadrant that is replayed to check it."""
_NEAR_ON_ARM = 0.003
"""Largest relative difference between the bounds of a time, which contain it if it is convex."""


class _Point(NamedTuple):
    x: float
    seconds: float
    slope: float


def sensitivity(
    trace: Path | TraceFile,
    fabric: Fabric,
    arrangement: Arrangement = Arrangement(),
    *,
    cpu_factor: float = 1.0,
    settings: ReplaySettings = ReplaySettings(),
) -> SensitivityGrid:
    """Return the times of a trace, open or at a path, on `fabric` with every pair of factors of its latency and bandwidth.

    The pairs in which one factor is 1 form a cross. Replayed are its middle and the ends of its arms, and two pairs of each
    quadrant between them: its corner and its middle. The others are estimated from these. Where the slopes at both ends of
    an arm contradict the line between them, or the estimate is wrong in the middle of a quadrant, all its pairs are replayed.
    """
    trace = opened(trace)
    trace.require_every_rank()
    layout = arrangement.layout(trace.engine.ranks)
    latencies = [fabric.link.latency_seconds * factor for factor in FACTORS]
    bandwidths = [fabric.link.bandwidth_bytes_per_second * factor for factor in FACTORS]

    def at(place: tuple[int, int]) -> Prediction:
        there = _with_link(fabric, latencies[place[0]], bandwidths[place[1]])
        return replayed(trace, there, layout, cpu_factor=cpu_factor, settings=settings).prediction

    def seconds_at(place: tuple[int, int]) -> float:
        return at(place).seconds

    here = (_OWN, _OWN)
    arms = [[(each, _OWN) for each in side] for side in _SIDES]
    arms += [[(_OWN, each) for each in side] for side in _SIDES]
    quadrants = list(product(_SIDES, _SIDES))
    places = [here, *(arm[0] for arm in arms)]
    places += [place for rows, columns in quadrants for place in list(zip(rows, columns, strict=True))[:2]]
    with ReplayThreads() as pool:
        found = dict(zip(places, pool.map(at, places), strict=True))
        known = {place: each.seconds for place, each in found.items()}
        for end, *others in arms:
            along_latency = end[1] == _OWN
            slope = "seconds_per_latency_second" if along_latency else "seconds_per_inverse_bandwidth"
            xs = {
                place: latencies[place[0]] if along_latency else 1 / bandwidths[place[1]]
                for place in (here, end, *others)
            }
            one, other = (_Point(xs[each], known[each], getattr(found[each], slope)) for each in (here, end))
            estimates = [_between(one, other, xs[place]) for place in others]
            sure = [seconds for seconds in estimates if seconds is not None]
            near = len(sure) == len(others)
            known |= zip(others, sure if near else pool.map(seconds_at, others), strict=True)

        def added(i: int, j: int) -> float:
            return known[i, _OWN] + known[_OWN, j] - known[here]

        for rows, columns in quadrants:
            corner, middle, _ = zip(rows, columns, strict=True)
            beyond = known[corner] - added(*corner)

            def estimate(i: int, j: int, beyond: float = beyond, corner: tuple[int, int] = corner) -> float:
                far = math.log(FACTORS[i], FACTORS[corner[0]])
                wide = math.log(FACTORS[j], FACTORS[corner[1]])
                return added(i, j) + beyond * far * wide

            others = [place for place in product(rows, columns) if place not in known]
            near = abs(estimate(*middle) - known[middle]) <= _NEAR * known[middle]
            known |= zip(
                others,
                (estimate(*place) for place in others) if near else pool.map(seconds_at, others),
                strict=True,
            )
    return SensitivityGrid(
        fabric=fabric.name,
        latency_seconds=latencies,
        bandwidth_bytes_per_second=bandwidths,
        seconds=[[known[i, j] for j in range(len(bandwidths))] for i in range(len(latencies))],
    )


def _between(one: _Point, other: _Point, x: float) -> float | None:
    """Return the time at `x` between two points; None if their slopes and the line between them do not agree on it."""
    share = (x - one.x) / (other.x - one.x) if other.x != one.x else 0.0
    chord = one.seconds + share * (other.seconds - one.seconds)
    tangents = max(each.seconds + (x - each.x) * each.slope for each in (one, other))
    return (chord + tangents) / 2 if abs(chord - tangents) <= _NEAR_ON_ARM * chord else None


def _with_link(fabric: Fabric, latency: float, bandwidth: float) -> Fabric:
    link = msgspec.structs.replace(fabric.link, latency_seconds=latency, bandwidth_bytes_per_second=bandwidth)
    return msgspec.structs.replace(fabric, link=link)
