"""Error of a prediction from its fabric's parameters: replays with parameters drawn from their spread."""

import math
import os
import random
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

import msgspec

from linkworth.errors import UsageError
from linkworth.model.fabric import Fabric, Path, Spread
from linkworth.model.prediction import Interval
from linkworth.model.scaling import Scaling
from linkworth.model.settings import ReplaySettings

CONFIDENCE = 0.9


def interval(
    fabric: Fabric,
    predicted: float,
    seconds_with: Callable[[Fabric, float], float],
    *,
    samples: int,
    seed: int,
) -> Interval:
    """Return the central 90 % of `samples` times of `seconds_with(fabric, cpu_scale)`, each with its own draw.

    The interval is widened to contain the `predicted` seconds, which a wide spread can leave outside: the median of a
    draw is below its mean. Each parameter with a spread is multiplied by a lognormal factor with mean 1 and that
    relative standard deviation. The factors of latency, bandwidth, overhead and computation are independent, and the
    same for all message sizes. Draws depend on `seed` alone, so every fabric of a comparison gets the same ones.
    Raises UsageError without a spread.
    """
    if not any(msgspec.structs.astuple(fabric.spread)):
        raise UsageError(
            f"{fabric.name} has no spread of its parameters to sample from; give one with `spread`, such as "
            "`spread` latency=0.1 `spread` bandwidth=0.03, or [spread] in the fabric's file"
        )
    taken = draws(fabric.spread, samples, seed)
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        times = sorted(pool.map(lambda draw: seconds_with(drawn(fabric, draw), draw.compute_factor), taken))
    return Interval(
        low_seconds=min(predicted, quantile(times, (1 - CONFIDENCE) / 2)),
        high_seconds=max(predicted, quantile(times, (1 + CONFIDENCE) / 2)),
        confidence=CONFIDENCE,
        samples=samples,
    )


def widened(found: Interval, scaling: Scaling | None) -> Interval:
    """Return the interval of a scaled trace: each end moves by the error that the scaling had at a recorded count."""
    error = scaling.time_error() if scaling is not None else None
    if error is None:
        return found
    return msgspec.structs.replace(
        found, low_seconds=found.low_seconds / (1 + error), high_seconds=found.high_seconds * (1 + error)
    )


def with_spread(fabric: Fabric, settings: ReplaySettings) -> Fabric:
    """Return a fabric with the spread in the settings instead of its own."""
    return msgspec.structs.replace(fabric, spread=msgspec.structs.replace(fabric.spread, **settings.spread))


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


def drawn(fabric: Fabric, draw: Draw) -> Fabric:
    """Return a fabric with a draw's parameters."""

    def times(curve: Sequence[tuple[int, float]], factor: float) -> list[tuple[int, float]]:
        return [(size, seconds * factor) for size, seconds in curve]

    def path(way: Path) -> Path:
        return msgspec.structs.replace(
            way,
            latency_seconds=way.latency_seconds * draw.latency,
            bandwidth_bytes_per_second=way.bandwidth_bytes_per_second * draw.bandwidth,
            send_overhead=times(way.send_overhead, draw.overhead),
            receive_overhead=times(way.receive_overhead, draw.overhead),
            added_latency=times(way.added_latency, draw.latency),
        )

    return msgspec.structs.replace(fabric, link=path(fabric.link), intranode=path(fabric.intranode))


def quantile(ordered: Sequence[float], share: float) -> float:
    """Return the quantile by linear interpolation (Hyndman and Fan, type 7)."""
    place = share * (len(ordered) - 1)
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])
