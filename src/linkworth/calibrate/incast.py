"""Fit of TCP's losses at a switch's full port, to bursts of several senders to one receiver (`linkworth bench incast`).

The mean of the bursts counts, not their median: a retransmission timeout is rare and long, and a program meets it
as often as the benchmark does.
"""

import math
import statistics
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import msgspec

from linkworth.calibrate import measured
from linkworth.calibrate.measured import MeasuredPoint, Origin
from linkworth.calibrate.path_fit import FieldReason
from linkworth.calibrate.replayed import message_seconds
from linkworth.errors import UsageError
from linkworth.model.bench import PORT_BUFFER
from linkworth.model.fabric import Fabric

TEST = "incast"
_SHARES = [10 ** (step / 10) for step in range(-50, 1)]
_NO_LONGER = 1.001
"""Replay time with timeouts over that without; bursts at or below this carry no information on them."""
_DISTURBED = 1.5
"""Measured over replayed time of lossless bursts from which on something other than the network is in them."""


class FittedIncast(NamedTuple):
    """The fabric with its ports' buffer and losses, the reasons by field, and the points by buffer size."""

    fabric: Fabric
    reasons: dict[str, FieldReason]
    points: dict[int, list[MeasuredPoint]]
    notes: list[str]
    """Reasons to doubt the fit, in sentences."""


def fit_incast(fabric: Fabric, origins: Sequence[Origin], port_buffer: int | None) -> FittedIncast:
    """Fit `tcp.timeout_share` of a fabric whose link is fitted.

    `port_buffer`: bytes of the port for results that lack them, and for the fabric.

    Raises UsageError if the size of a port is unknown, or if results of several switches leave the fabric's open.
    """
    by_buffer: dict[int, list[Origin]] = {}
    for origin in origins:
        by_buffer.setdefault(_buffer(origin, port_buffer), []).append(origin)
    if len(by_buffer) > 1 and port_buffer is None:
        known = ", ".join(map(str, sorted(by_buffer)))
        raise UsageError(
            f"the incast results come from ports with different buffers ({known} bytes); give the fabric's: `port_buffer`"
        )
    points = {buffer: _points(found) for buffer, found in sorted(by_buffer.items())}
    buffer = port_buffer if port_buffer is not None else next(iter(points))
    everything = [point for found in points.values() for point in found]
    given = "given with the results" if port_buffer is not None else "the results' record of their switch"
    reasons = {"tcp.port_buffer_bytes": FieldReason(True, tuple(everything), given)}
    fabric = with_buffer(fabric, buffer)
    telling = [
        (held, point)
        for held, found in points.items()
        for point in found
        if _seconds(fabric, held, point, 1.0) > _NO_LONGER * _seconds(fabric, held, point, 0.0)
    ]
    if not telling:
        note = "no burst of the results is longer than what the port holds"
        return FittedIncast(fabric, reasons | {"tcp.timeout_share": FieldReason(False, (), note)}, points, [])

    def missed(share: float) -> float:
        return sum(
            abs(math.log(_seconds(fabric, held, point, share) / point.seconds)) for held, point in telling
        )

    share = float(f"{min([0.0, *_SHARES], key=missed):.3g}")
    reasons["tcp.timeout_share"] = FieldReason(
        True,
        tuple(point for _, point in telling),
        "misses the mean time of the bursts that overflow the port least",
    )
    whole = [
        point.seconds / _seconds(fabric, held, point, 0.0)
        for held, found in points.items()
        for point in found
        if (held, point) not in telling
    ]
    return FittedIncast(_with_tcp(fabric, timeout_share=share), reasons, points, _doubts(whole))


def _doubts(whole: Sequence[float]) -> list[str]:
    """Return warnings from lossless bursts, given their measured over replayed times."""
    if not whole or statistics.median(whole) <= _DISTURBED:
        return []
    late = f"{statistics.median(whole):.2g}"
    return [
        f"bursts that fit into the port's buffer took {late} times as long as their replay: other work was in "
        "the way (ranks that share cores, a busy machine). "
        "tcp.timeout_share counts all of it as timeouts and is too high; measure again"
    ]


def with_buffer(fabric: Fabric, buffer: int) -> Fabric:
    """Return the fabric with ports of so many bytes."""
    return _with_tcp(fabric, port_buffer_bytes=float(buffer))


def _with_tcp(fabric: Fabric, **changed: float) -> Fabric:
    return msgspec.structs.replace(fabric, tcp=msgspec.structs.replace(fabric.tcp, **changed))


def _seconds(fabric: Fabric, buffer: int, point: MeasuredPoint, share: float) -> float:
    lossy = _with_tcp(fabric, port_buffer_bytes=float(buffer), timeout_share=share)
    return message_seconds(lossy, TEST, point.bytes, pairs=point.pairs)


def _buffer(origin: Origin, port_buffer: int | None) -> int:
    said = origin.result.facts.get(PORT_BUFFER, "").removesuffix(" B")
    if said.isdecimal() and int(said) > 0:
        return int(said)
    if port_buffer is None:
        raise UsageError(
            f"{origin.file}: the buffer of the switch's port is not known; give it with `port_buffer` 512K (a switch's "
            "data sheet has it)"
        )
    return port_buffer


def _points(origins: Sequence[Origin]) -> list[MeasuredPoint]:
    found: Mapping[tuple[int, int], list[tuple[float, float, Origin]]] = measured.incast_rows(origins)
    return [
        measured.point((TEST, size, senders), values) for (senders, size), values in sorted(found.items())
    ]
