"""Dependence of the time on a fabric's latency and bandwidth."""

import math
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from pathlib import Path

import msgspec

from linkworth.model.fabric import Fabric
from linkworth.model.prediction import SensitivityGrid
from linkworth.model.settings import ReplaySettings
from linkworth.replay.layout import Arrangement
from linkworth.replay.run import replay
from linkworth.trace.read import TraceFile, opened

_AS_RECORDED = ReplaySettings()
_DEFAULT = Arrangement()
LATENCY_FACTORS = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)
BANDWIDTH_FACTORS = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)
_NEAR = 0.03
"""Largest error of an estimate at the place of a quadrant that is replayed to check it."""


def sensitivity(
    trace: Path | TraceFile,
    fabric: Fabric,
    arrangement: Arrangement = _DEFAULT,
    *,
    cpu_factor: float = 1.0,
    settings: ReplaySettings = _AS_RECORDED,
    latency_factors: tuple[float, ...] = LATENCY_FACTORS,
    bandwidth_factors: tuple[float, ...] = BANDWIDTH_FACTORS,
) -> SensitivityGrid:
    """Return the times of a trace, open or at a path, on `fabric` with every pair of factors of its latency and bandwidth.

    Replayed are the pairs in which one factor is 1, and two of each quadrant between them: its corner and its middle. The
    others are estimated from these. Where that is wrong in the middle of a quadrant, all its pairs are replayed.
    """
    trace = opened(trace)
    trace.require_every_rank()
    layout = arrangement.layout(trace.engine.ranks)
    latencies = [fabric.link.latency_seconds * factor for factor in latency_factors]
    bandwidths = [fabric.link.bandwidth_bytes_per_second * factor for factor in bandwidth_factors]

    def seconds_at(place: tuple[int, int]) -> float:
        return replay(
            trace.engine,
            _with_link(fabric, latencies[place[0]], bandwidths[place[1]]),
            layout,
            cpu_factor=cpu_factor,
            tolerate_cut=trace.incomplete,
            settings=settings,
        ).seconds

    row, column = latency_factors.index(1.0), bandwidth_factors.index(1.0)
    quadrants = list(product(_sides(latency_factors), _sides(bandwidth_factors)))
    places = [(row, each) for each in range(len(bandwidths))]
    places += [(each, column) for each in range(len(latencies)) if each != row]
    places += [
        place for rows, columns in quadrants for place in {_corner(rows, columns), _middle(rows, columns)}
    ]
    # The engine runs without the interpreter's lock, so threads use all cores.
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        known = dict(zip(places, pool.map(seconds_at, places), strict=True))

        def added(i: int, j: int) -> float:
            return known[i, column] + known[row, j] - known[row, column]

        for rows, columns in quadrants:
            corner, middle = _corner(rows, columns), _middle(rows, columns)
            beyond = known[corner] - added(*corner)

            def estimate(i: int, j: int, beyond: float = beyond, corner: tuple[int, int] = corner) -> float:
                far = math.log(latency_factors[i], latency_factors[corner[0]])
                wide = math.log(bandwidth_factors[j], bandwidth_factors[corner[1]])
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


def _sides(factors: Sequence[float]) -> list[list[int]]:
    """Return the places of the factors below and above 1, the farthest first."""
    places = range(len(factors))
    sides = (
        [each for each in places if factors[each] < 1],
        [each for each in reversed(places) if factors[each] > 1],
    )
    return [side for side in sides if side]


def _corner(rows: Sequence[int], columns: Sequence[int]) -> tuple[int, int]:
    return rows[0], columns[0]


def _middle(rows: Sequence[int], columns: Sequence[int]) -> tuple[int, int]:
    return rows[len(rows) // 2], columns[len(columns) // 2]


def _with_link(fabric: Fabric, latency: float, bandwidth: float) -> Fabric:
    link = msgspec.structs.replace(fabric.link, latency_seconds=latency, bandwidth_bytes_per_second=bandwidth)
    return msgspec.structs.replace(fabric, link=link)
