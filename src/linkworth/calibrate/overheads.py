"""Fit of a path's CPU time and protocol: latency, overheads by size, eager limit."""

import math
import statistics
from collections.abc import Sequence

from linkworth import units
from linkworth.calibrate import measured, protocol
from linkworth.calibrate.compromise import compromise
from linkworth.calibrate.curve import Overheads, simplify
from linkworth.calibrate.measured import MeasuredPoint
from linkworth.calibrate.path_fit import BOUND, SMALL_BYTES, PathFit
from linkworth.catalog.derived import overhead_at

CURVE_TOLERANCE = 0.01
"""Largest miss of a simplified overhead curve, as a share of a message's time, unless the measurement is noisier."""
CPU_BOUND = 1.04
"""Message time over wire time from which on a stream shows its sides' overheads, if latencies leave a rest."""
NEARLY = 1.2
SHARES = (0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
SHARE_GAIN = 0.005
"""Least improvement of a stream's fit that justifies unequal overheads; less is noise."""
SMALL_MISS = 0.02
"""Relative miss (root mean square) that the base's eager limit may add before it is given up."""
LEAST_LATENCY_SHARE = 0.05
"""Least share of the shortest message's time for the latency, if the measured overheads leave less."""


class OverheadFit(PathFit):
    """Fits the part of ping-pongs that is not bytes."""

    def fit_latency(self, small: float | None) -> None:
        """Fit the latency from the shortest messages, less overheads: `small` seconds a side if known."""
        points = self.smallest(self.in_turn)
        rest = {point.bytes: point.seconds - self.flow(point.bytes) for point in points}
        whole = max(0.0, statistics.median(rest.values()))
        if small is not None:
            overhead = min(small, whole * (1 - LEAST_LATENCY_SHARE) / 2)
            note = "what is left of the shortest messages' half round trip without overheads and bytes"
        else:
            share = self.base_overhead_share()
            overhead = whole * share / 2
            note = (
                f"the overheads' share of the shortest messages' time, {units.percent(share)}, is the base's; "
                "only a test of the message rate (bandwidth) measures it"
            )
        latency = max(0.0, whole - 2 * overhead)
        if small is not None and (self.hides_latency or self.alternating):
            # An overhead below the difference of latencies and streams would be too short for its stream.
            sides = {size: sum(self.shown_sides(size) or (small, small)) for size in rest}
            overhead = min(overhead, statistics.median(sides.values()) / 2)
            latency = min(seconds - sides[size] for size, seconds in rest.items())
            latency = max(latency, LEAST_LATENCY_SHARE * whole)
        self.set(latency_seconds=latency)
        self.found("latency_seconds", points, note)
        self.small_overhead = overhead

    def fit_overheads(self, small: float | None) -> None:
        """Fit both sides' overheads by size, and the eager limit."""
        path = self.path
        handshake = 2 * path.latency_seconds + 2 * self.flow(0) + 3 * self.small_overhead
        costs = [
            protocol.CpuCost(point.bytes, self.cost(point, handshake), point.noise * point.seconds)
            for point in self.in_turn
        ]
        limits = protocol.eager_limits(costs, handshake)
        base = self.base.eager_limit_bytes
        if expected := [found for found in limits if found.bytes <= base < found.first_rendezvous_bytes]:
            limits = expected
        if limits:
            fits = [(self.missed_with(costs, handshake, found.bytes), found) for found in limits]
            found = min(fits)[1]
            limit = base if expected else found.bytes
            self.say_limit(found, limit)
        else:
            limit = self.limit_without_evidence(costs, handshake)
        self.set_overheads(self.overheads(costs, handshake, limit))
        self.set(eager_limit_bytes=limit)
        used = [*self.in_turn, *((self.stream or self.both) if small is not None else [])]
        note = (
            "the stream's message rate gives the larger of both sides', the latency their sum; if the stream has no figure "
            "for a size, both sides are equal, else the receiver's is the larger"
            if small is not None
            else "the sum of both sides by size, in equal halves; how much of the shortest messages' time it is, is the base's"
        )
        for side in ("send_overhead", "receive_overhead"):
            self.found(side, used, note)
        if self.path.added_latency:
            self.found(
                "added_latency",
                used,
                "what a size adds to the latencies beyond its bytes and the overheads that streams show",
            )

    def cost(self, point: MeasuredPoint, handshake: float) -> float:
        """Return the part of a message's time that is neither latency nor bytes.

        On a link with a bucket, the replay gives the time of the bytes: it depends on the messages before.
        """
        if not self.path.burst_bytes:
            return point.seconds - self.flow(point.bytes) - self.path.latency_seconds
        size = point.bytes
        curves = (self.path.send_overhead, self.path.receive_overhead, self.path.added_latency)
        own = sum(overhead_at(curve, size) for curve in curves)
        own += handshake if size > self.path.eager_limit_bytes else 0.0
        return point.seconds - self.replayed(measured.IN_TURN, size) + own

    def missed_with(self, costs: Sequence[protocol.CpuCost], handshake: float, limit: int) -> float:
        """Return the sum of squared relative misses of the replay with this eager limit and its overheads."""
        kept = self.path
        self.set_overheads(self.overheads(costs, handshake, limit))
        self.set(eager_limit_bytes=limit)
        missed = sum(
            math.log(self.replayed(point.kind, point.bytes) / point.seconds) ** 2
            for point in [*self.in_turn, *self.stream]
        )
        self.path = kept
        return missed

    def overheads(self, costs: Sequence[protocol.CpuCost], handshake: float, limit: int) -> list[Overheads]:
        """Return both sides' curves for an eager limit: the costs without the handshake, in few points."""
        kept = self.path
        self.set(eager_limit_bytes=limit)
        sides: list[Overheads] = []
        for point, cost in zip(self.in_turn, costs, strict=True):
            asks = cost.bytes > limit
            if not sides or (asks and sides[-1].bytes <= limit):
                self.bound_sides = (self.small_overhead, self.small_overhead)
            sides.append(self.sides(point, max(0.0, cost.seconds - (handshake if asks else 0.0))))
        self.path = kept
        eager = simplify([side for side in sides if side.bytes <= limit])
        asked = [side for side in sides if side.bytes > limit]
        if eager and asked:
            if asked[0].bytes > limit + 1:
                # Flat up to the first measured size: moving that point would tilt the line behind it.
                asked.insert(0, asked[0]._replace(bytes=limit + 1))
            if eager[-1].bytes < limit:
                eager.append(self.at_limit(eager, limit))
        return [*eager, *simplify(asked)]

    def overheads_of_streams(self, small: float) -> list[Overheads]:
        """Return the curve of equal sides without latencies. They bound the streams that the path does not bound."""
        sides, each = [], small
        for point in self.stream:
            staged, wire = self.streaming[point.bytes], self.wire(point.bytes)
            each = staged if staged > BOUND * wire else min(each, wire)
            sides.append(Overheads(point.bytes, each, each, CURVE_TOLERANCE * staged))
        return simplify(sides)

    @staticmethod
    def at_limit(eager: Sequence[Overheads], limit: int) -> Overheads:
        """Extend the curve to the limit along its last two points."""
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
            max(0.0, last.added_seconds + further * (last.added_seconds - before.added_seconds)),
            last.added_tolerance_seconds,
        )

    def say_limit(self, found: protocol.EagerLimit, limit: int) -> None:
        """Record the reason for the eager limit."""
        note = (
            f"a {found.shape} of {found.evidence:.0f} standard deviations between {found.bytes} and "
            f"{found.first_rendezvous_bytes} bytes"
        )
        self.found(
            "eager_limit_bytes",
            self.in_turn,
            note + ("; in it the base's limit" if limit != found.bytes else ""),
        )

    def limit_without_evidence(self, costs: Sequence[protocol.CpuCost], handshake: float) -> int:
        """Return the base's eager limit, or another if the base's is impossible."""
        base = self.base.eager_limit_bytes
        if protocol.explains([cost for cost in costs if cost.bytes > base], handshake):
            self.keep("eager_limit_bytes", "no step of a handshake stands out of the latencies")
            return base
        limit = protocol.first_that_explains(costs, handshake)
        points = len(self.in_turn) + len(self.stream)
        with_base, without = (self.missed_with(costs, handshake, each) for each in (base, limit))
        if with_base <= without + points * SMALL_MISS**2:
            self.keep("eager_limit_bytes", "no step of a handshake stands out of the latencies")
            return base
        self.found(
            "eager_limit_bytes",
            self.in_turn,
            f"no step stands out, and messages below it take less than a handshake; the base's {base} bytes cannot be",
        )
        return limit

    def sides(self, point: MeasuredPoint, both: float) -> Overheads:
        """Divide the overheads of a size between the sides."""
        size = point.bytes
        allowed = max(CURVE_TOLERANCE, 1.5 * point.noise)
        tolerance = allowed * point.seconds
        each = both / 2
        staged = self.streaming.get(size)
        if self.hides_latency and self.streaming:
            return self.sides_and_latency(point, both, tolerance)
        wire = self.wire(size)
        if staged is not None and size in self.alternating and staged > BOUND * wire:
            shown = _smaller_and_larger(staged, self.alternating[size])
            if sum(shown) <= both:
                return Overheads(size, *shown, min(tolerance, allowed * staged), both - sum(shown), tolerance)
        if staged is not None and each > staged:
            # No CPU takes longer than its stream, so the rest is latency.
            return Overheads(
                size, staged, staged, min(tolerance, allowed * staged), both - 2 * staged, tolerance
            )
        if staged is None or not self.stream:
            return Overheads(size, each, each, tolerance)
        if staged <= BOUND * wire:
            # Together the sides take no longer than a message each way. The rest is latency.
            shown_both = min(both, self.alternating.get(size, both))
            receive = shown_both * self.receivers_share(size, shown_both)
            return Overheads(size, shown_both - receive, receive, tolerance, both - shown_both, tolerance)
        larger = min(staged, both)
        tolerance = min(tolerance, allowed * staged)
        return Overheads(size, both - larger, larger, tolerance)

    def sides_and_latency(self, point: MeasuredPoint, both: float, tolerance: float) -> Overheads:
        """Divide the overheads of a size between the sides, as far as streams show them. The rest is latency.

        One side bounds a stream in one direction, and both bound one in both directions. If the link bounds the
        stream, the sides take no longer than for the last shorter size that they bounded.
        """
        size, seconds = point.bytes, point.seconds
        added_tolerance = tolerance
        smaller, larger = self.bound_sides
        wire, pair = self.wire(size), self.alternating.get(size)
        if shown := self.shown_sides(size):
            smaller, larger = self.bound_sides = shown
            tolerance = min(tolerance, CURVE_TOLERANCE * larger)
        elif pair is not None and pair > BOUND * self.wire_of_both(size):
            smaller = larger = min(wire, pair / 2)
        elif size in self.streaming:
            smaller, larger = min(smaller, wire), min(larger, wire)
        if smaller + larger > both:
            larger = compromise(seconds, both, larger, wire)
            smaller = min(smaller, max(0.0, both - larger))
        added = max(0.0, both - smaller - larger)
        return Overheads(size, smaller, larger, tolerance, added, added_tolerance)

    def shown_sides(self, size: int) -> tuple[float, float] | None:
        """Return the overheads of a size, the smaller first, if they bound its stream."""
        staged, pair = self.streaming.get(size), self.alternating.get(size)
        if staged is None or staged <= CPU_BOUND * self.wire(size):
            return None
        return (staged, staged) if pair is None else _smaller_and_larger(staged, pair)

    def receivers_share(self, size: int, both: float) -> float:
        """Return the receiver's part of both sides' overhead, 0.5 to 1, from a stream that the wire bounds.

        The start and end of a window take longer if more of it is the receiver's. Returns 0.5 if the stream does not
        show it.
        """
        measured_seconds = next(point.seconds for point in self.stream if point.bytes == size)

        def miss(share: float) -> float:
            send, receive = [(0, self.small_overhead)], [(0, self.small_overhead)]
            if size > 0:
                send, receive = [*send, (size, both * (1 - share))], [*receive, (size, both * share)]
            kept = self.path
            self.set(send_overhead=send, receive_overhead=receive)
            missed = abs(math.log(self.replayed(measured.STREAM, size) / measured_seconds))
            self.path = kept
            return missed

        misses = [(miss(share), share) for share in SHARES]
        least, share = min(misses)
        return share if least < misses[0][0] - SHARE_GAIN else SHARES[0]

    def set_overheads(self, points: Sequence[Overheads]) -> None:
        """Set the overheads from a curve's points."""
        # A curve is flat before its first point, so shorter messages cost the same.
        sizes = [0 if point is points[0] and point.bytes <= SMALL_BYTES else point.bytes for point in points]
        send = [(size, point.send_seconds) for size, point in zip(sizes, points, strict=True)]
        receive = [(size, point.receive_seconds) for size, point in zip(sizes, points, strict=True)]
        added = [(size, point.added_seconds) for size, point in zip(sizes, points, strict=True)]
        if all(point.added_seconds <= point.added_tolerance_seconds for point in points):
            added = []
        self.set(send_overhead=send, receive_overhead=receive, added_latency=added)

    def base_overhead_share(self) -> float:
        """Return the overheads' share of a short message's time on the base."""
        base = self.base
        overheads = overhead_at(base.send_overhead, 0) + overhead_at(base.receive_overhead, 0)
        whole = overheads + base.latency_seconds
        return overheads / whole if whole > 0 else 0.5


def _smaller_and_larger(staged: float, pair: float) -> tuple[float, float]:
    """Return both sides' overheads, the smaller first, from a message's time in one direction and a pair's in both."""
    if staged < pair / 2 < NEARLY * staged:
        # Both directions need a little more than twice one direction's time: between the two.
        each = math.sqrt(staged * pair / 2)
        return each, each
    return min(max(0.0, pair - staged), staged), staged
