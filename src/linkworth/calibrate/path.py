"""Fits one path, between nodes or inside a node: latency, bandwidth, gap, overheads by size, eager limit.

The terms are those of the replay (LogGP by message size, docs/explanation/replay.md). An undisturbed message of n
bytes takes o_s(n) + L + w(n)/B + o_r(n), plus a handshake above the eager limit. Each message of a stream takes the
slowest of o_s(n), w(n)/B, o_r(n) and the gap. The first is exactly the replay's time of a ping-pong. A replayed
window of messages takes a little more than the second, so the fit replays the same windows, a few times in turn, and
subtracts that part.
"""

import math
import statistics
from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from linkworth.calibrate import measured
from linkworth.calibrate.compromise import slope
from linkworth.calibrate.measured import MeasuredPoint
from linkworth.calibrate.message_rate import Rate, fit_rate, most_pairs, one_pair_is_as_fast
from linkworth.calibrate.overheads import OverheadFit
from linkworth.calibrate.path_fit import BOUND, LARGE_BYTES, SMALL_BYTES, FieldReason
from linkworth.catalog.derived import overhead_at, wire_bytes
from linkworth.model.fabric import Fabric, Path
from linkworth.units import plural

TURNS = 6
CONVERGED = 1e-4
APART = 1.5
"""Factor between the largest messages from which on their times give a slope: that of close sizes is noise."""
MOSTLY_BYTES = 20.0
"""Time of a large message, in times of the shortest, from which on a handshake counts little beside its bytes."""
OVERLAPPED = 0.75
"""Share of a large message's time that one of a stream takes at most, if both sides' CPUs bound the stream inside a node."""
FULL_DUPLEX = 0.97
"""Share of both directions' bandwidth from which on they count as independent."""
BUCKET_BYTES = 1024
FASTER_THAN_ITS_WIRE = 0.85
"""Share of the time for latency and bytes below which a shaped link let a message through at once."""


class FittedPath(NamedTuple):
    """A path and the reason for each of its fields, by the field's name."""

    path: Path
    reasons: dict[str, FieldReason]
    duplex_bytes_per_second: float
    pair_bytes_per_second: float
    total_bytes_per_second: float

    def inside_a_node(self, base: Fabric) -> Fabric:
        """Return the base with this path inside its nodes."""
        return msgspec.structs.replace(
            base,
            intranode=self.path,
            intranode_duplex_bytes_per_second=self.duplex_bytes_per_second,
            intranode_total_bytes_per_second=self.total_bytes_per_second,
        )

    def between_nodes(self, base: Fabric) -> Fabric:
        """Return the base with this path between its nodes."""
        return msgspec.structs.replace(
            base,
            link=self.path,
            duplex_bytes_per_second=self.duplex_bytes_per_second,
            tcp=msgspec.structs.replace(base.tcp, pair_bytes_per_second=self.pair_bytes_per_second),
        )


class _Fit(OverheadFit):
    def run(self) -> FittedPath:
        for turn in range(TURNS):
            before = self.path
            self.alternating = {point.bytes: self.stage_of_both_seconds(point) for point in self.both}
            if self.stream:
                self.streaming = {point.bytes: self.stage_seconds(point) for point in self.stream}
            else:
                # Both sides' overheads bound messages both ways as one side's bounds a stream.
                self.streaming = {
                    size: seconds / 2
                    for size, seconds in self.alternating.items()
                    if seconds > BOUND * self.wire_of_both(size)
                }
            self._fit_bandwidth()
            self._fit_duplex()
            self._fit_total()
            if turn == 0:
                self._fit_bucket()
            small = self._fit_small_overhead()
            self._fit_rate()
            if self.in_turn:
                self.fit_latency(small)
                self.fit_overheads(small)
            elif small is not None:
                self.set_overheads(self.overheads_of_streams(small))
            if _same(before, self.path):
                break
        self._explain_the_rest()
        return FittedPath(self.path, self.reasons, self.duplex, self.pair, self.total)

    def _fit_bandwidth(self) -> None:
        """Fit the bandwidth: of message data without MTU, else of the wire, so that headers count as in the replay."""
        points = self.large(self.stream)
        if several := self._faster_together():
            times = [(point, point.seconds) for point in several]
            points = several
            note = "from the largest messages of several pairs, which together carry more than one"
        elif points and not (self.inside and self.in_turn):
            times = [(point, self.streaming[point.bytes]) for point in points]
            note = "from the largest messages of the streams"
        elif (points := self.large(self.both)) and not self.inside and not self._faster_in_turn(points):
            times = [(point, 2 * point.seconds) for point in points]
            note = "half of what both directions carry together"
        elif not (points := self.large(self.in_turn)):
            return self.keep(
                "bandwidth_bytes_per_second", f"no result has messages of {LARGE_BYTES >> 10} KiB or more"
            )
        elif points[-1].bytes >= APART * points[0].bytes:
            return self._fit_bandwidth_to_slope(points)
        elif points[-1].seconds >= MOSTLY_BYTES * self.in_turn[0].seconds:
            shortest = self.in_turn[0].seconds
            times = [(point, point.seconds - shortest) for point in points]
            note = "from the largest messages, without the time of the shortest"
        else:
            note = (
                "the large messages are of one size, and not long enough to tell their bytes from a handshake"
            )
            return self.keep("bandwidth_bytes_per_second", note)
        bandwidth = statistics.median(
            wire_bytes(self.path, point.bytes) / seconds for point, seconds in times
        )
        self.set(bandwidth_bytes_per_second=bandwidth)
        self.found("bandwidth_bytes_per_second", points, note)
        return None

    def _faster_together(self) -> list[MeasuredPoint]:
        """Return the large messages of the most pairs if they carry clearly more than one pair, bound by its CPUs."""
        pairs = max((point.pairs for point in self.multipair), default=1)
        points = self.large([point for point in self.multipair if point.pairs == pairs])
        alone = {point.bytes: point.seconds for point in self.stream}
        if self.inside or pairs == 1:
            return []
        return [point for point in points if alone.get(point.bytes, 0.0) > BOUND * point.seconds]

    def _fit_bucket(self) -> None:
        """Fit the bucket of a shaped link, which lets short messages pass faster than the streams' bandwidth."""
        self.set(burst_bytes=0)
        points = [
            point for point in self.in_turn if BUCKET_BYTES <= point.bytes <= LARGE_BYTES and not self.inside
        ]
        if len(points) < 3 or not self.stream:
            return
        shortest = self.in_turn[0].seconds
        ratios = [
            point.seconds
            / (shortest + wire_bytes(self.path, point.bytes) / self.path.bandwidth_bytes_per_second)
            for point in points
        ]
        if statistics.median(ratios) > FASTER_THAN_ITS_WIRE:
            return
        kept = self.path

        def missed(bucket: int) -> float:
            half = [(0, shortest / 2)]
            self.set(latency_seconds=0.0, send_overhead=half, receive_overhead=half)
            self.set(burst_bytes=bucket, eager_limit_bytes=1 << 30)
            total = sum(
                math.log(self.replayed(point.kind, point.bytes) / point.seconds) ** 2 for point in points
            )
            self.path = kept
            return total

        bucket = min((round(1000 * 1.15**step) for step in range(50)), key=missed)
        half = [(0, shortest / 2)]
        self.set(burst_bytes=bucket, latency_seconds=0.0, send_overhead=half, receive_overhead=half)
        self.found("burst_bytes", points, "messages that take less than their bytes take in a stream")

    def _faster_in_turn(self, both: list[MeasuredPoint]) -> bool:
        """Return whether large messages in turn show more bandwidth than half of what both directions carry."""
        points = self.large(self.in_turn)
        if not points or points[-1].bytes < APART * points[0].bytes:
            return False
        half = statistics.median(2 * point.seconds / wire_bytes(self.path, point.bytes) for point in both)
        return self._slope(points) < FULL_DUPLEX * half

    def _fit_bandwidth_to_slope(self, points: list[MeasuredPoint]) -> None:
        """Fit the bandwidth to the slope of the times of large messages."""
        self.set(bandwidth_bytes_per_second=1 / self._slope(points))
        self.found("bandwidth_bytes_per_second", points, "slope of the times of large messages")

    def _slope(self, points: list[MeasuredPoint]) -> float:
        """Return the seconds per byte of large messages. Inside a node, CPUs bound streams; the rest is the path's."""
        xs = [float(wire_bytes(self.path, point.bytes)) for point in points]
        ys = [point.seconds - copying for point, copying in zip(points, self._copying(points), strict=True)]
        per_byte = slope(xs, ys, [1 / point.seconds**2 for point in points])
        # Overheads are not negative: no message may be faster than its bytes on the path.
        shortest = self.in_turn[0].seconds
        per_byte = min([per_byte, *((y - shortest) / x for x, y in zip(xs, ys, strict=True))])
        # Less than a fiftieth of the whole is within the errors of both.
        return max(per_byte, points[-1].seconds / xs[-1] / 50)

    def _copying(self, points: list[MeasuredPoint]) -> list[float]:
        """Return the CPU time of each message inside a node, if it bounds a stream.

        The path bounds streams that mostly gain little over messages in turn: it carries one message after the other.
        """
        staged = [self.streaming.get(point.bytes, 0.0) for point in points]
        shares = [each / point.seconds for each, point in zip(staged, points, strict=True)]
        if not self.inside or statistics.median(shares) >= OVERLAPPED:
            return [0.0] * len(points)
        return [
            each if share < OVERLAPPED and each > BOUND * self.wire(point.bytes) else 0.0
            for each, share, point in zip(staged, shares, points, strict=True)
        ]

    def _fit_small_overhead(self) -> float | None:
        """Return the overhead of either side for the shortest messages; None if streams show the wire only."""
        points = self.smallest(self.stream or [point for point in self.both if point.bytes in self.streaming])
        bound = [
            self.streaming[point.bytes]
            for point in points
            if self.streaming[point.bytes] > BOUND * self.wire(point.bytes)
        ]
        if not bound:
            return None
        return statistics.median(bound)

    def _fit_rate(self) -> None:
        """Fit the least gap between messages and the packets' headers, from the message rates of several pairs."""
        points = most_pairs(self.multipair)
        if self.inside or not any(point.bytes <= SMALL_BYTES for point in points):
            return
        rates = [self._rate(point) for point in points]
        if one_pair_is_as_fast(rates):
            self.set(gap_seconds=0.0)
            self.found("gap_seconds", points, "several pairs send as many times the messages of one pair")
            return
        before = self.path.header_bytes
        fitted = fit_rate(self.path, rates)
        self.set(**fitted._asdict())
        note = "several pairs together send no more messages a second"
        if fitted.gap_seconds > 0:
            self.found("gap_seconds", points, note)
        if fitted.header_bytes != before or "header_bytes" in self.reasons:
            self.found("header_bytes", points, note + "; it includes what the adapter adds to each message")

    def _rate(self, point: MeasuredPoint) -> Rate:
        """Return a point's time on the link: the part of the measured time that it has of the replayed time."""
        size, pairs = point.bytes, point.pairs
        alone = self.streaming.get(size)
        if alone is None:
            alone = max(
                overhead_at(self.path.send_overhead, size), overhead_at(self.path.receive_overhead, size)
            )
        slowest = max(self.wire(size), alone / pairs, self.path.gap_seconds)
        share = slowest / self.replayed(measured.MULTIPAIR, size, pairs)
        return Rate(point, point.seconds * min(max(share, 0.5), 2.0), alone)

    def _fit_duplex(self) -> None:
        """Fit the limit of both directions together, if large messages are slower both ways than one way.

        It is that of a rank inside a node, the adapter's where one moves the messages, and else that of two ranks on a TCP
        connection.
        """
        points = self.large(self.both)
        if not points:
            return
        full = 2 * self.path.bandwidth_bytes_per_second
        share = statistics.median(self.replayed(point.kind, point.bytes) / point.seconds for point in points)
        of_pair = not (self.inside or self.hides_latency)
        limit = min(self.pair if of_pair else self.duplex, full) * share
        # No limit is below what was measured, also if the results contradict each other.
        limit = max(limit, min(point.bytes / point.seconds for point in points))
        if limit >= FULL_DUPLEX * full:
            limit = math.inf
        if of_pair:
            self.pair, field = limit, "tcp.pair_bytes_per_second"
        else:
            self.duplex, field = limit, self.duplex_field
        if limit < math.inf:
            self.found(field, points, "from the largest messages of both directions at once")
        else:
            self.reasons.pop(field, None)

    def _fit_total(self) -> None:
        """Fit the limit of all messages inside a node to the large ones of the most pairs."""
        most = max((point.pairs for point in self.multipair), default=1)
        points = self.large([point for point in self.multipair if point.pairs == most])
        if not self.inside or most == 1 or not points:
            return
        alone = self.path.bandwidth_bytes_per_second * most
        share = statistics.median(
            self.replayed(point.kind, point.bytes, most) / point.seconds for point in points
        )
        self.total = min(self.total, alone) * share
        note = f"from the largest messages of {plural(most, 'pair')} on one node"
        self.found("intranode_total_bytes_per_second", points, note)

    def _explain_the_rest(self) -> None:
        reasons = {
            "latency_seconds": "no result has latencies",
            "gap_seconds": "only several pairs at once (multipair, osu_mbw_mr) tell it from the overheads",
            "send_overhead": "no result has latencies or a rate of short messages",
            "receive_overhead": "no result has latencies or a rate of short messages",
            "eager_limit_bytes": "no result has latencies",
            "mtu_bytes": "packets cannot be told from the tests' times",
            "header_bytes": "packets cannot be told from the tests' times",
            "header_in_mtu_bytes": "packets cannot be told from the tests' times",
        }
        for field, note in reasons.items():
            if field not in self.reasons:
                self.keep(field, note)


def fit_path(points: Sequence[MeasuredPoint], base: Fabric, *, inside_a_node: bool = False) -> FittedPath:
    """Fit a path to the points of tests on one rail; fields that they do not determine stay the base's."""
    return _Fit(points, base, inside_a_node).run()


def _same(one: Path, other: Path) -> bool:
    """Return whether another turn of the fit changed nothing that counts."""
    pairs = [
        (one.latency_seconds, other.latency_seconds),
        (one.bandwidth_bytes_per_second, other.bandwidth_bytes_per_second),
        (one.gap_seconds, other.gap_seconds),
        *(
            (overhead_at(one.receive_overhead, size), overhead_at(other.receive_overhead, size))
            for size in (0, 4096, LARGE_BYTES, 1 << 20)
        ),
    ]
    return all(math.isclose(a, b, rel_tol=CONVERGED) for a, b in pairs)
