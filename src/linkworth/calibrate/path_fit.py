"""Shared state of a path's fit: the points, the path as known so far, and the reasons for its fields."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from linkworth.calibrate import measured
from linkworth.calibrate.measured import MeasuredPoint
from linkworth.calibrate.replayed import message_seconds
from linkworth.catalog.derived import overhead_at, wire_bytes
from linkworth.model.fabric import Fabric

SMALL_BYTES = 64
LARGE_BYTES = 65536
BOUND = 1.1
"""Message time over wire time from which on overhead, not the wire, bounds a stream."""


class FieldReason(NamedTuple):
    """Reason for the value of a field of the path."""

    measured: bool
    points: tuple[MeasuredPoint, ...]
    note: str


class PathFit:
    """A path under fit."""

    def __init__(self, points: Sequence[MeasuredPoint], base: Fabric, inside_a_node: bool) -> None:
        self.inside = inside_a_node
        self.base = base.intranode if inside_a_node else base.link
        self.fabric = msgspec.structs.replace(base, rails=1)
        self.in_turn = measured.of_kind(points, measured.IN_TURN)
        self.stream = [point for point in measured.of_kind(points, measured.STREAM) if point.bytes > 0]
        self.both = [point for point in measured.of_kind(points, measured.BOTH_WAYS) if point.bytes > 0]
        self.multipair = measured.of_kind(points, measured.MULTIPAIR)
        # One pair of osu_mbw_mr is osu_bw.
        single = [point for point in self.multipair if point.pairs == 1]
        self.stream = _joined(self.stream, single)
        self.path = self.base
        self.reasons: dict[str, FieldReason] = {}
        self.streaming: dict[int, float] = {}
        """Seconds of a stream's slowest stage, by message size."""
        self.duplex_field = (
            "intranode_duplex_bytes_per_second" if inside_a_node else "duplex_bytes_per_second"
        )
        self.duplex: float = getattr(base, self.duplex_field)
        """Bytes per second of both directions together: of a rail, or inside a node of a rank."""
        self.pair = base.tcp.pair_bytes_per_second
        """The same for windows between two ranks over TCP."""
        self.total = base.intranode_total_bytes_per_second
        """Bytes per second of all messages inside a node."""
        self.alternating: dict[int, float] = {}
        """The same for a message each way, of a test in both directions."""
        self.hides_latency = not inside_a_node and base.progress == "asynchronous"
        """An adapter moves the messages, so that latency may depend on their size."""
        self.bound_sides = (0.0, 0.0)
        """Overheads of the last size whose stream shows them, the smaller first."""
        self.small_overhead = 0.0

    def set(self, **fields: object) -> None:
        """Set fields of the path."""
        self.path = msgspec.structs.replace(self.path, **fields)

    def replayed(self, kind: str, size: int, pairs: int = 1) -> float:
        """Return the seconds of a message in the replay of a test on the current path."""
        name = "intranode" if self.inside else "link"
        fabric = msgspec.structs.replace(
            self.fabric,
            tcp=msgspec.structs.replace(self.fabric.tcp, pair_bytes_per_second=self.pair),
            intranode_total_bytes_per_second=self.total,
            **{self.duplex_field: self.duplex, name: self.path},
        )
        return message_seconds(fabric, kind, size, pairs=pairs, inside_a_node=self.inside)

    def wire(self, size: int) -> float:
        """Return the seconds of a message's bytes in a stream.

        Inside a node the total ceiling may be lower.
        """
        alone = wire_bytes(self.path, size) / self.path.bandwidth_bytes_per_second
        return max(alone, size / self.total) if self.inside else alone

    def stage_seconds(self, point: MeasuredPoint) -> float:
        """Return the time of a stream's slowest stage for a message: the measured time less the replay's cost of
        starting and ending a window."""
        size = point.bytes
        slowest = max(
            self.wire(size),
            overhead_at(self.path.send_overhead, size),
            overhead_at(self.path.receive_overhead, size),
            self.path.gap_seconds,
        )
        added = max(0.0, self.replayed(measured.STREAM, size) - slowest)
        return max(point.seconds - added, 0.5 * point.seconds)

    def stage_of_both_seconds(self, point: MeasuredPoint) -> float:
        """Return the time of the slowest stage for a message each way, as `stage_seconds`."""
        size = point.bytes
        overheads = (self.path.send_overhead, self.path.receive_overhead)
        slowest = max(
            self.wire_of_both(size),
            sum(overhead_at(curve, size) for curve in overheads),
            self.path.gap_seconds,
        )
        added = max(0.0, 2 * self.replayed(measured.BOTH_WAYS, size) - slowest)
        return max(2 * point.seconds - added, point.seconds)

    def wire_of_both(self, size: int) -> float:
        """Return the seconds of a message each way on the link."""
        together = 2 * wire_bytes(self.path, size) / self.duplex
        return max(self.wire(size), together)

    def flow(self, size: int) -> float:
        """Return the seconds of an undisturbed message's bytes on the path."""
        beyond = max(0, wire_bytes(self.path, size) - self.path.burst_bytes)
        return beyond / self.path.bandwidth_bytes_per_second

    def smallest(self, points: list[MeasuredPoint]) -> list[MeasuredPoint]:
        """Return the points of short messages, or else the shortest."""
        small = [point for point in points if point.bytes <= SMALL_BYTES]
        return small or points[:1]

    def large(self, points: list[MeasuredPoint]) -> list[MeasuredPoint]:
        """Return the points of large messages, from a sixteenth of the largest up; none if the largest is short."""
        if not points or points[-1].bytes < LARGE_BYTES:
            return []
        return [point for point in points if point.bytes >= max(LARGE_BYTES, points[-1].bytes / 16)]

    def found(self, field: str, points: Sequence[MeasuredPoint], note: str) -> None:
        """Record that a field is measured."""
        self.reasons[field] = FieldReason(True, tuple(points), note)

    def keep(self, field: str, note: str) -> None:
        """Record that a field is the base's."""
        self.reasons[field] = FieldReason(False, (), note)


def _joined(streams: Sequence[MeasuredPoint], others: Sequence[MeasuredPoint]) -> list[MeasuredPoint]:
    """Return points of both by size; of a size in both, the geometric mean of the seconds."""
    other = {point.bytes: point for point in others}
    both = {
        point.bytes: point._replace(
            seconds=math.sqrt(point.seconds * other.get(point.bytes, point).seconds),
            sources=tuple(dict.fromkeys([*point.sources, *other.get(point.bytes, point).sources])),
        )
        for point in streams
    }
    return [found for _, found in sorted((other | both).items())]
