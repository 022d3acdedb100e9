"""Possible error of the fitted parameters: `[spread]` of a fabric."""

import statistics
from collections.abc import Iterable, Sequence

import msgspec

from linkworth.calibrate import measured
from linkworth.calibrate.measured import MeasuredPoint
from linkworth.calibrate.path_fit import LARGE_BYTES, SMALL_BYTES
from linkworth.model.calibration import FittedPoint
from linkworth.model.fabric import Spread

SHORT_BYTES = 1024
"""Largest message whose ping-pong shows the latency."""


def spread(points: Sequence[MeasuredPoint], fitted: Sequence[FittedPoint], base: Spread) -> Spread:
    """Return relative standard deviations: the differences of repetitions and files, and the misses of the fit, as
    independent errors. Latency comes from ping-pongs up to 1 KiB, bandwidth from messages of 64 KiB and more,
    overhead from streams of short messages or else from all ping-pongs. The computation's is the base's.
    """
    of_short = [p for p in points if p.kind == measured.IN_TURN and p.bytes <= SHORT_BYTES]
    of_long = [p for p in points if p.bytes >= LARGE_BYTES and p.kind != measured.IN_TURN]
    of_long = of_long or [p for p in points if p.bytes >= LARGE_BYTES]
    of_rate = [p for p in points if p.kind == measured.STREAM and p.bytes <= SMALL_BYTES]
    of_rate = of_rate or [p for p in points if p.kind == measured.IN_TURN]
    return msgspec.structs.replace(
        base,
        latency=_error(of_short, fitted, base.latency),
        bandwidth=_error(of_long, fitted, base.bandwidth),
        overhead=_error(of_rate, fitted, base.overhead),
    )


def _error(points: Sequence[MeasuredPoint], fitted: Iterable[FittedPoint], otherwise: float) -> float:
    if not points:
        return otherwise
    keys = {(point.kind, point.bytes, point.pairs) for point in points}
    misses = [
        point.residual
        for point in fitted
        if not point.inside_a_node and point.rails == 1 and (point.test, point.bytes, point.pairs) in keys
    ]
    noise = statistics.median(point.noise for point in points)
    missed = (sum(miss**2 for miss in misses) / len(misses)) ** 0.5 if misses else 0.0
    return float((noise**2 + missed**2) ** 0.5)
