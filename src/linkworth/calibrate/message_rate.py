"""Fit of what one link carries for several pairs: the least gap between messages, and the bytes of their headers."""

import math
import statistics
from collections.abc import Callable, Sequence
from itertools import product
from typing import NamedTuple

import msgspec

from linkworth.calibrate.measured import MeasuredPoint
from linkworth.calibrate.path_fit import BOUND, SMALL_BYTES
from linkworth.catalog.derived import wire_bytes
from linkworth.model.fabric import Path

_LONGEST_BYTES = 4096
_HEADERS = range(0, 257, 4)
_BETTER = 0.02
"""Least improvement of the mean relative miss that justifies other headers than the base's."""


class Rate(NamedTuple):
    """Message of several pairs: its time on the link, and the time of one pair's CPUs."""

    point: MeasuredPoint
    seconds: float
    alone_seconds: float


class MessageRate(NamedTuple):
    """The path's gap and header bytes, with the bandwidth that gives large messages the same rate."""

    gap_seconds: float
    header_bytes: int
    bandwidth_bytes_per_second: float


def most_pairs(points: Sequence[MeasuredPoint]) -> list[MeasuredPoint]:
    """Return the short messages of the most pairs, and of more than half as many."""
    most = max((point.pairs for point in points), default=1)
    return [
        point
        for point in points
        if point.pairs > 1 and 2 * point.pairs >= most and point.bytes <= _LONGEST_BYTES
    ]


def one_pair_is_as_fast(rates: Sequence[Rate]) -> bool:
    """Return whether several pairs send as many messages as their CPUs allow."""
    short = [rate for rate in rates if rate.point.bytes <= SMALL_BYTES]
    return statistics.median(rate.seconds / (rate.alone_seconds / rate.point.pairs) for rate in short) < BOUND


def fit_rate(path: Path, rates: Sequence[Rate]) -> MessageRate:
    """Return the rate with the least mean relative miss. The headers stay the path's if others gain little."""
    short = [rate.seconds for rate in rates if rate.point.bytes <= SMALL_BYTES]
    gaps = [0.0, statistics.median(short), *short]
    miss = _miss_of(path, rates)
    own = min((miss(gap, path.header_bytes), gap) for gap in gaps)
    if path.mtu_bytes == 0 or path.header_in_mtu_bytes:
        return MessageRate(own[1], path.header_bytes, path.bandwidth_bytes_per_second)
    total, gap, header = min((miss(gap, header), gap, header) for gap, header in product(gaps, _HEADERS))
    if total > own[0] - _BETTER:
        gap, header = own[1], path.header_bytes
    return MessageRate(gap, header, path.bandwidth_bytes_per_second * _stretch(path, header))


def _stretch(path: Path, header: int) -> float:
    """Return the wire bytes of a large message with packets of this header, relative to those of the path."""
    return (path.mtu_bytes + header) / (path.mtu_bytes + path.header_bytes) if path.mtu_bytes else 1.0


def _miss_of(path: Path, rates: Sequence[Rate]) -> Callable[[float, int], float]:
    def miss(gap: float, header: int) -> float:
        bandwidth = path.bandwidth_bytes_per_second * _stretch(path, header)
        packets = msgspec.structs.replace(path, header_bytes=header)

        def of(rate: Rate) -> float:
            wire = wire_bytes(packets, rate.point.bytes) / bandwidth
            return abs(math.log(max(gap, wire, rate.alone_seconds / rate.point.pairs) / rate.seconds))

        return statistics.fmean(map(of, rates))

    return miss
