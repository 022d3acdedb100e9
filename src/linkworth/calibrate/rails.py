"""What several NICs carry together: the rails' efficiency, and from which size on messages use them all."""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import msgspec

from linkworth.calibrate import measured
from linkworth.calibrate.measured import Point
from linkworth.calibrate.path_fit import LARGE_BYTES, Found
from linkworth.calibrate.replayed import message_seconds
from linkworth.model.fabric import Fabric

_HALVINGS = 14
_CLEARLY_BETTER = 0.9
"""Another size than the base's is taken where it leaves less than this share of the squared misses."""


class FittedRails(NamedTuple):
    """The fabric with its rails' parameters, and the reasons for them, by field."""

    fabric: Fabric
    reasons: dict[str, Found]


def fit_rails(fabric: Fabric, by_rails: Mapping[int, Sequence[Point]]) -> FittedRails:
    """Fit efficiency and least striped size of `fabric` to tests on several rails, given by their number."""
    reasons: dict[str, Found] = {}
    large = {
        rails: [point for point in _streams(points) if point.bytes >= LARGE_BYTES]
        for rails, points in by_rails.items()
    }
    used = [point for points in large.values() for point in points]
    if not used:
        note = f"no result over several NICs has messages of {LARGE_BYTES >> 10} KiB or more"
        return FittedRails(fabric, {"rail_efficiency": Found(False, (), note)})
    fabric = _fit_striping(fabric, large, by_rails, reasons, used)
    return FittedRails(fabric, reasons)


def on_rails(fabric: Fabric, rails: int) -> Fabric:
    """Return the fabric with that many rails."""
    return msgspec.structs.replace(fabric, rails=rails)


def _fit_striping(
    fabric: Fabric,
    large: Mapping[int, Sequence[Point]],
    by_rails: Mapping[int, Sequence[Point]],
    reasons: dict[str, Found],
    used: list[Point],
) -> Fabric:
    fabric = _with_efficiency(fabric, large)
    reasons["rail_efficiency"] = Found(
        True, tuple(used), "that the streams of large messages take as long in the replay"
    )
    if fabric.aggregation != "stripe":
        return fabric
    everything = {rails: list(points) for rails, points in by_rails.items()}
    sizes = sorted(
        {point.bytes for point in used}
        | {p.bytes for points in by_rails.values() for p in points if p.bytes > 1}
    )
    base_misses = _misses(fabric, everything)
    misses, size = min(
        (_misses(msgspec.structs.replace(fabric, stripe_min_bytes=size), everything), size) for size in sizes
    )
    if misses < _CLEARLY_BETTER * base_misses:
        fabric = _with_efficiency(msgspec.structs.replace(fabric, stripe_min_bytes=size), large)
        reasons["stripe_min_bytes"] = Found(
            True,
            tuple(p for points in by_rails.values() for p in points),
            "the measured size from which on striping misses the results over several NICs least",
        )
    else:
        reasons["stripe_min_bytes"] = Found(
            False, (), "no measured size fits the results over several NICs clearly better"
        )
    return fabric


def _with_efficiency(fabric: Fabric, large: Mapping[int, Sequence[Point]]) -> Fabric:
    """Return the fabric with the efficiency at which the replay's and the measured times have the same geometric mean."""

    def mean_miss(efficiency: float) -> float:
        candidate = msgspec.structs.replace(fabric, rail_efficiency=efficiency)
        misses = [
            math.log(_replayed(on_rails(candidate, rails), point) / point.seconds)
            for rails, points in large.items()
            for point in points
            if point.bytes >= fabric.stripe_min_bytes
        ]
        return sum(misses) / len(misses) if misses else 0.0

    low, high = 0.0, 1.0
    if mean_miss(high) >= 0:
        return msgspec.structs.replace(fabric, rail_efficiency=1.0)
    if mean_miss(low) <= 0:
        return msgspec.structs.replace(fabric, rail_efficiency=0.0)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if mean_miss(middle) > 0:
            low = middle
        else:
            high = middle
    return msgspec.structs.replace(fabric, rail_efficiency=(low + high) / 2)


def _misses(fabric: Fabric, by_rails: Mapping[int, Sequence[Point]]) -> float:
    return sum(
        math.log(_replayed(on_rails(fabric, rails), point) / point.seconds) ** 2
        for rails, points in by_rails.items()
        for point in points
    )


def _replayed(fabric: Fabric, point: Point) -> float:
    return message_seconds(fabric, point.kind, point.bytes, pairs=point.pairs)


def _streams(points: Sequence[Point]) -> list[Point]:
    """Return what is bound by bandwidth: streams, else ping-pongs."""
    streams = [point for point in points if point.kind in {measured.STREAM, measured.BOTH_WAYS}]
    return streams or [point for point in points if point.kind == measured.IN_TURN]
