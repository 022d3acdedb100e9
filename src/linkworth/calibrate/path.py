"""Fits one way of messages, between nodes or inside a node: latency, bandwidth, gap, overheads by size, eager limit.

The terms are those of the replay (LogGP by message size, docs/explanation/replay.md). An undisturbed message of n bytes takes
o_s(n) + L + w(n)/B + o_r(n), and behind the eager limit a handshake more; a stream of them takes, each, the slowest of o_s(n),
w(n)/B, o_r(n) and the gap. The first is exactly what the replay gives for a ping-pong; of a window of messages it gives a little
more than the second, so that part is taken off by replaying the same windows, a few times in turn with the fit.
"""

import math
import statistics
from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from linkworth.calibrate import measured, protocol
from linkworth.calibrate.compromise import compromise, slope
from linkworth.calibrate.curve import Overheads, simplify
from linkworth.calibrate.measured import Point
from linkworth.calibrate.replayed import message_seconds
from linkworth.catalog.derived import overhead_at, wire_bytes
from linkworth.model.fabric import Fabric, Path

TURNS = 6
CONVERGED = 1e-4
SMALL_BYTES = 64
LARGE_BYTES = 65536
CURVE_TOLERANCE = 0.01
"""Share of a message's time by which a simplified overhead curve may miss, where the measurement is not noisier."""
SHARES = (0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
SHARE_GAIN = 0.005
"""By how much a stream must be met better for unequal overheads; less is noise."""
SMALL_MISS = 0.02
"""What the base's eager limit may add to the misses, relative and in the mean, before it is given up."""
LEAST_LATENCY_SHARE = 0.05
"""Of the shortest message's time: overheads that are measured larger than the rest leave at least this for the latency."""
BUCKET_BYTES = 1024
FASTER_THAN_ITS_WIRE = 0.85
"""Share of what latency and bytes would take, below which a message has been let through at once."""
BOUND = 1.1
"""A stream is bound by overhead, not by the wire, where its message takes this many times the wire's time."""


class Found(NamedTuple):
    """Why a field of the path has its value."""

    measured: bool
    points: tuple[Point, ...]
    note: str


class FittedPath(NamedTuple):
    """A path and the reason for each of its fields, by the field's name."""

    path: Path
    reasons: dict[str, Found]


class _Fit:
    def __init__(self, points: Sequence[Point], base: Fabric, inside_a_node: bool) -> None:
        self.inside = inside_a_node
        self.base = base.intranode if inside_a_node else base.link
        self.fabric = msgspec.structs.replace(base, rails=1)
        self.in_turn = measured.of_kind(points, measured.IN_TURN)
        self.stream = [point for point in measured.of_kind(points, measured.STREAM) if point.bytes > 0]
        self.both = [point for point in measured.of_kind(points, measured.BOTH_WAYS) if point.bytes > 0]
        self.multipair = measured.of_kind(points, measured.MULTIPAIR)
        # One pair of osu_mbw_mr is osu_bw.
        single = [point for point in self.multipair if point.pairs == 1]
        known = {point.bytes for point in self.stream}
        self.stream = sorted(
            [*self.stream, *(point for point in single if point.bytes not in known)],
            key=lambda point: point.bytes,
        )
        self.path = self.base
        self.reasons: dict[str, Found] = {}
        self.streaming: dict[int, float] = {}
        self._small = 0.0

    def run(self) -> FittedPath:
        for turn in range(TURNS):
            before = self.path
            self.streaming = {point.bytes: self._stage_seconds(point) for point in self.stream}
            self._fit_bandwidth()
            if turn == 0:
                self._fit_bucket()
            small = self._fit_small_overhead()
            self._fit_gap()
            if self.in_turn:
                self._fit_latency(small)
                self._fit_overheads(small)
            elif small is not None:
                self._set_overheads([Overheads(0, small, small, 0.0)])
            if _same(before, self.path):
                break
        self._explain_the_rest()
        return FittedPath(self.path, self.reasons)

    def _set(self, **fields: object) -> None:
        self.path = msgspec.structs.replace(self.path, **fields)

    def _replayed(self, kind: str, size: int, pairs: int = 1) -> float:
        name = "intranode" if self.inside else "link"
        fabric = msgspec.structs.replace(self.fabric, **{name: self.path})
        return message_seconds(fabric, kind, size, pairs=pairs, inside_a_node=self.inside)

    def _wire(self, size: int) -> float:
        """Return the seconds of a message's bytes in a stream.

        Inside a node messages are copied side by side, up to the ceiling of all.
        """
        if self.inside:
            return size / self.fabric.intranode_total_bytes_per_second
        return wire_bytes(self.path, size) / self.path.bandwidth_bytes_per_second

    def _stage_seconds(self, point: Point) -> float:
        """Return what the slowest stage takes for a message of a stream: the measured time less what starting and ending a window
        adds to it in the replay."""
        size = point.bytes
        slowest = max(
            self._wire(size),
            overhead_at(self.path.send_overhead, size),
            overhead_at(self.path.receive_overhead, size),
            self.path.gap_seconds,
        )
        added = max(0.0, self._replayed(measured.STREAM, size) - slowest)
        return max(point.seconds - added, 0.5 * point.seconds)

    def _fit_bandwidth(self) -> None:
        """Without MTU the bandwidth is that of message data; with one it is that of the wire, so headers count as they do in the
        replay."""
        points = self._large(self.stream)
        if several := self._faster_together():
            times = [(point, point.seconds) for point in several]
            points = several
            note = "from the largest messages of several pairs, which together carry more than one"
        elif points and not self.inside:
            times = [(point, self.streaming[point.bytes]) for point in points]
            note = "from the largest messages of the streams"
        elif (points := self._large(self.both)) and not self.inside:
            times = [(point, 2 * point.seconds) for point in points]
            note = "half of what both directions carry together"
        elif len(points := self._large(self.in_turn)) >= 2:
            return self._fit_bandwidth_to_slope(points)
        else:
            return self._keep(
                "bandwidth_bytes_per_second", f"no result has messages of {LARGE_BYTES >> 10} KiB or more"
            )
        bandwidth = statistics.median(
            wire_bytes(self.path, point.bytes) / seconds for point, seconds in times
        )
        self._set(bandwidth_bytes_per_second=bandwidth)
        self._found("bandwidth_bytes_per_second", points, note)
        return None

    def _faster_together(self) -> list[Point]:
        """Return the large messages of the most pairs, where they carry clearly more than one pair: its CPUs are the bound."""
        pairs = max((point.pairs for point in self.multipair), default=1)
        points = self._large([point for point in self.multipair if point.pairs == pairs])
        alone = {point.bytes: point.seconds for point in self.stream}
        if self.inside or pairs == 1:
            return []
        return [point for point in points if alone.get(point.bytes, 0.0) > BOUND * point.seconds]

    def _fit_bucket(self) -> None:
        """Fit the bucket of a shaped link, out of which short messages pass faster than the streams' bandwidth allows."""
        self._set(burst_bytes=0)
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
            self._set(latency_seconds=0.0, send_overhead=half, receive_overhead=half)
            self._set(burst_bytes=bucket, eager_limit_bytes=1 << 30)
            total = sum(
                math.log(self._replayed(point.kind, point.bytes) / point.seconds) ** 2 for point in points
            )
            self.path = kept
            return total

        bucket = min((round(1000 * 1.15**step) for step in range(50)), key=missed)
        half = [(0, shortest / 2)]
        self._set(burst_bytes=bucket, latency_seconds=0.0, send_overhead=half, receive_overhead=half)
        self._found("burst_bytes", points, "messages that take less than their bytes take in a stream")

    def _fit_bandwidth_to_slope(self, points: list[Point]) -> None:
        """Fit a line to the times of large messages. Inside a node a stream's time is the CPUs', only the rest is the path's."""
        xs = [float(wire_bytes(self.path, point.bytes)) for point in points]
        ys = [point.seconds - self._copying(point.bytes) for point in points]
        per_byte = slope(xs, ys, [1 / point.seconds**2 for point in points])
        # No overhead is below zero: no message may be faster than its bytes on the path.
        shortest = self.in_turn[0].seconds
        per_byte = min([per_byte, *((y - shortest) / x for x, y in zip(xs, ys, strict=True))])
        # Less than a fiftieth of the whole is within the errors of the two.
        per_byte = max(per_byte, points[-1].seconds / xs[-1] / 50)
        self._set(bandwidth_bytes_per_second=1 / per_byte)
        self._found("bandwidth_bytes_per_second", points, "slope of the times of large messages")

    def _copying(self, size: int) -> float:
        """Return the CPU time of a message inside a node, where a stream is bound by it."""
        staged = self.streaming.get(size, 0.0)
        return staged if self.inside and staged > BOUND * self._wire(size) else 0.0

    def _fit_small_overhead(self) -> float | None:
        """Return the overhead of either side for the shortest messages; None where only the wire shows in the streams."""
        points = self._smallest(self.stream)
        bound = [
            self.streaming[point.bytes]
            for point in points
            if self.streaming[point.bytes] > BOUND * self._wire(point.bytes)
        ]
        if not bound:
            return None
        return statistics.median(bound)

    def _fit_gap(self) -> None:
        several = [point for point in self.multipair if point.pairs > 1 and point.bytes <= SMALL_BYTES]
        if not several or self.inside:
            return
        most = max(several, key=lambda point: (point.pairs, -point.bytes))
        alone = next((point for point in self.stream if point.bytes == most.bytes), None)
        if most.seconds <= BOUND * self._wire(most.bytes):
            return
        if alone is not None and most.seconds < alone.seconds / most.pairs * BOUND:
            self._set(gap_seconds=0.0)
            self._found(
                "gap_seconds",
                [most],
                f"{most.pairs} pairs send {most.pairs} times as many messages as one pair",
            )
            return
        gap = self.path.gap_seconds
        if gap > 0 and self.reasons.get("gap_seconds"):
            # What starting and ending a window adds is known by the replay of the last turn's gap.
            gap *= most.seconds / self._replayed(measured.MULTIPAIR, most.bytes, most.pairs)
        else:
            gap = most.seconds
        self._set(gap_seconds=gap)
        self._found("gap_seconds", [most], f"{most.pairs} pairs together send no more messages a second")

    def _fit_latency(self, small: float | None) -> None:
        points = self._smallest(self.in_turn)
        rest = {point.bytes: point.seconds - self._flow(point.bytes) for point in points}
        whole = max(0.0, statistics.median(rest.values()))
        if small is not None:
            overhead = min(small, whole * (1 - LEAST_LATENCY_SHARE) / 2)
            note = "what is left of the shortest messages' half round trip without overheads and bytes"
        else:
            share = self._base_overhead_share()
            overhead = whole * share / 2
            note = (
                f"the overheads' share of the shortest messages' time, {share:.0%}, is the base's: only a test of the message "
                "rate (bandwidth) tells it"
            )
        self._set(latency_seconds=max(0.0, whole - 2 * overhead))
        self._found("latency_seconds", points, note)
        self._small = overhead

    def _fit_overheads(self, small: float | None) -> None:
        path = self.path
        handshake = 2 * path.latency_seconds + 2 * self._flow(0) + 3 * self._small
        costs = [
            protocol.CpuCost(
                point.bytes,
                self._cost(point, handshake),
                point.noise * point.seconds,
            )
            for point in self.in_turn
        ]
        limits = protocol.eager_limits(costs, handshake)
        base = self.base.eager_limit_bytes
        if expected := [found for found in limits if found.bytes <= base < found.first_rendezvous_bytes]:
            limits = expected
        if limits:
            fits = [(self._missed_with(costs, handshake, found.bytes), found) for found in limits]
            found = min(fits)[1]
            limit = base if expected else found.bytes
            self._say_limit(found, limit)
        else:
            limit = self._limit_without_evidence(costs, handshake)
        self._set_overheads(self._overheads(costs, handshake, limit))
        self._set(eager_limit_bytes=limit)
        used = [*self.in_turn, *(self.stream if small is not None else [])]
        note = (
            "the stream's message rate gives the larger of both sides', the latency their sum; where a stream says nothing of a "
            "size both sides are equal, else the receiver's is the larger"
            if small is not None
            else "the sum of both sides by size, in equal halves; how much of the shortest messages' time it is, is the base's"
        )
        for side in ("send_overhead", "receive_overhead"):
            self._found(side, used, note)

    def _cost(self, point: Point, handshake: float) -> float:
        """Return what of a message's time is neither latency nor bytes.

        On a link with a bucket the replay tells what the bytes take: a message meets what the last ones left in it.
        """
        if not self.path.burst_bytes:
            return point.seconds - self._flow(point.bytes) - self.path.latency_seconds
        size = point.bytes
        own = overhead_at(self.path.send_overhead, size) + overhead_at(self.path.receive_overhead, size)
        own += handshake if size > self.path.eager_limit_bytes else 0.0
        return point.seconds - self._replayed(measured.IN_TURN, size) + own

    def _missed_with(self, costs: Sequence[protocol.CpuCost], handshake: float, limit: int) -> float:
        """Return the sum of squared relative misses of the replay with this eager limit and the overheads that go with it."""
        kept = self.path
        self._set_overheads(self._overheads(costs, handshake, limit))
        self._set(eager_limit_bytes=limit)
        missed = sum(
            math.log(self._replayed(point.kind, point.bytes) / point.seconds) ** 2
            for point in [*self.in_turn, *(point for point in self.stream if point.kind == measured.STREAM)]
        )
        self.path = kept
        return missed

    def _overheads(self, costs: Sequence[protocol.CpuCost], handshake: float, limit: int) -> list[Overheads]:
        """Return both sides' curves for an eager limit: the costs without the handshake, in as few points as will do."""
        kept = self.path
        self._set(eager_limit_bytes=limit)
        sides = [
            self._sides(point, max(0.0, cost.seconds - (handshake if cost.bytes > limit else 0.0)))
            for point, cost in zip(self.in_turn, costs, strict=True)
        ]
        self.path = kept
        eager = simplify([side for side in sides if side.bytes <= limit])
        asked = simplify([side for side in sides if side.bytes > limit])
        if eager and asked:
            asked = [asked[0]._replace(bytes=limit + 1), *asked[1:]]
            if eager[-1].bytes < limit:
                eager.append(self._at_limit(eager, limit))
        return [*eager, *asked]

    @staticmethod
    def _at_limit(eager: Sequence[Overheads], limit: int) -> Overheads:
        """Go on to the limit as the curve went between its last two points."""
        last = eager[-1]
        if len(eager) == 1:
            return last._replace(bytes=limit)
        before = eager[-2]
        further = (limit - last.bytes) / (last.bytes - before.bytes)
        return Overheads(
            limit,
            max(0.0, last.send_seconds + further * (last.send_seconds - before.send_seconds)),
            max(0.0, last.receive_seconds + further * (last.receive_seconds - before.receive_seconds)),
            last.tolerance_seconds,
        )

    def _say_limit(self, found: protocol.EagerLimit, limit: int) -> None:
        note = (
            f"a {found.shape} of {found.evidence:.0f} standard deviations between {found.bytes} and "
            f"{found.first_rendezvous_bytes} bytes"
        )
        self._found(
            "eager_limit_bytes",
            self.in_turn,
            note + ("; in it the base's limit" if limit != found.bytes else ""),
        )

    def _limit_without_evidence(self, costs: Sequence[protocol.CpuCost], handshake: float) -> int:
        base = self.base.eager_limit_bytes
        if protocol.explains([cost for cost in costs if cost.bytes > base], handshake):
            self._keep("eager_limit_bytes", "no step of a handshake stands out of the latencies")
            return base
        limit = protocol.first_that_explains(costs, handshake)
        points = len(self.in_turn) + len(self.stream)
        with_base, without = (self._missed_with(costs, handshake, each) for each in (base, limit))
        if with_base <= without + points * SMALL_MISS**2:
            self._keep("eager_limit_bytes", "no step of a handshake stands out of the latencies")
            return base
        self._found(
            "eager_limit_bytes",
            self.in_turn,
            f"no step stands out, and messages below it take less than a handshake; the base's {base} bytes cannot be",
        )
        return limit

    def _sides(self, point: Point, both: float) -> Overheads:
        """Share the overheads of a size between the sides."""
        size = point.bytes
        allowed = max(CURVE_TOLERANCE, 1.5 * point.noise)
        tolerance = allowed * point.seconds
        each = both / 2
        staged = self.streaming.get(size)
        if staged is None:
            return Overheads(size, each, each, tolerance)
        wire = self._wire(size)
        if each > staged:
            each = compromise(point.seconds, both, staged, wire)
            return Overheads(size, each, each, min(tolerance, allowed * staged))
        if staged <= BOUND * wire:
            receive = both * self._receivers_share(size, both)
            return Overheads(size, both - receive, receive, tolerance)
        larger = min(staged, both)
        tolerance = min(tolerance, allowed * staged)
        return Overheads(size, both - larger, larger, tolerance)

    def _receivers_share(self, size: int, both: float) -> float:
        """Return which part of both sides' overhead the receiver has, 0.5 to 1, by what a stream that the wire binds takes.

        Starting and ending a window takes longer the more of it is the receiver's. Equal halves where the stream does not tell.
        """
        measured_seconds = next(point.seconds for point in self.stream if point.bytes == size)

        def miss(share: float) -> float:
            send, receive = [(0, self._small)], [(0, self._small)]
            if size > 0:
                send, receive = [*send, (size, both * (1 - share))], [*receive, (size, both * share)]
            kept = self.path
            self._set(send_overhead=send, receive_overhead=receive)
            missed = abs(math.log(self._replayed(measured.STREAM, size) / measured_seconds))
            self.path = kept
            return missed

        misses = [(miss(share), share) for share in SHARES]
        least, share = min(misses)
        return share if least < misses[0][0] - SHARE_GAIN else SHARES[0]

    def _set_overheads(self, points: Sequence[Overheads]) -> None:
        send, receive = ([(point.bytes, point[column]) for point in points] for column in (1, 2))
        if send[0][0] <= SMALL_BYTES:
            # Shorter messages cost the same either way: a curve is flat before its first point.
            send[0], receive[0] = (0, send[0][1]), (0, receive[0][1])
        self._set(send_overhead=send, receive_overhead=receive)

    def _flow(self, size: int) -> float:
        """Return the seconds of a message's bytes on the path, undisturbed."""
        beyond = max(0, wire_bytes(self.path, size) - self.path.burst_bytes)
        return beyond / self.path.bandwidth_bytes_per_second

    def _base_overhead_share(self) -> float:
        base = self.base
        overheads = overhead_at(base.send_overhead, 0) + overhead_at(base.receive_overhead, 0)
        whole = overheads + base.latency_seconds
        return overheads / whole if whole > 0 else 0.5

    def _smallest(self, points: list[Point]) -> list[Point]:
        small = [point for point in points if point.bytes <= SMALL_BYTES]
        return small or points[:1]

    def _large(self, points: list[Point]) -> list[Point]:
        if not points or points[-1].bytes < LARGE_BYTES:
            return []
        return [point for point in points if point.bytes >= max(LARGE_BYTES, points[-1].bytes / 16)]

    def _found(self, field: str, points: Sequence[Point], note: str) -> None:
        self.reasons[field] = Found(True, tuple(points), note)

    def _keep(self, field: str, note: str) -> None:
        self.reasons[field] = Found(False, (), note)

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
                self._keep(field, note)


def fit_path(points: Sequence[Point], base: Fabric, *, inside_a_node: bool = False) -> FittedPath:
    """Fit the way between nodes, or inside a node, to the points of tests on one rail; what they do not tell stays the base's."""
    return _Fit(points, base, inside_a_node).run()


def _same(one: Path, other: Path) -> bool:
    """Whether another turn of the fit changed nothing that counts."""
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
