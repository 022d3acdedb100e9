"""Dependence of the time on a fabric's latency and bandwidth."""

import os
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
    """Replay a trace, open or at a path, on `fabric` with its latency and bandwidth multiplied by every pair of factors."""
    trace = opened(trace)
    trace.require_every_rank()
    layout = arrangement.layout(trace.engine.ranks)
    latencies = [fabric.link.latency_seconds * factor for factor in latency_factors]
    bandwidths = [fabric.link.bandwidth_bytes_per_second * factor for factor in bandwidth_factors]

    def seconds_at(point: tuple[float, float]) -> float:
        return replay(
            trace.engine,
            _with_link(fabric, *point),
            layout,
            cpu_factor=cpu_factor,
            tolerate_cut=trace.incomplete,
            settings=settings,
        ).seconds

    # The engine runs without the interpreter's lock, so threads use all cores.
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        seconds = list(pool.map(seconds_at, product(latencies, bandwidths)))
    width = len(bandwidths)
    return SensitivityGrid(
        fabric=fabric.name,
        latency_seconds=latencies,
        bandwidth_bytes_per_second=bandwidths,
        seconds=[seconds[start : start + width] for start in range(0, len(seconds), width)],
    )


def _with_link(fabric: Fabric, latency: float, bandwidth: float) -> Fabric:
    link = msgspec.structs.replace(fabric.link, latency_seconds=latency, bandwidth_bytes_per_second=bandwidth)
    return msgspec.structs.replace(fabric, link=link)
