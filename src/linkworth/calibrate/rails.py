"""Joint capacity of several NICs: the rails' efficiency, and how messages are dealt over them.

Each test over several NICs is compared with the same test over one, if there is one.
The replay misses on several NICs what it misses on one, and no parameter of the rails may make up for it.
(For instance, windows of rendezvous messages both ways at once carry no more than one way's
under Open MPI over TCP, on any number of NICs.)
"""

import math
import statistics
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import msgspec

from linkworth.calibrate.measured import MeasuredPoint
from linkworth.calibrate.path_fit import LARGE_BYTES, FieldReason
from linkworth.calibrate.replayed import message_seconds
from linkworth.model.fabric import Fabric
from linkworth.model.number_range import LATENCY_SECONDS

_HALVINGS = 14
_CLEARLY_BETTER = 0.9
"""Share of the misses below which another size replaces the base's."""


_Key = tuple[str, int, int]
"""Kind of test, bytes and pairs."""


class FittedRails(NamedTuple):
    """The fabric with its rails' parameters, and the reasons for them, by field."""

    fabric: Fabric
    reasons: dict[str, FieldReason]


def fit_rails(
    fabric: Fabric, by_rails: Mapping[int, Sequence[MeasuredPoint]], on_one: Sequence[MeasuredPoint] = ()
) -> FittedRails:
    """Fit the efficiency of `fabric`'s rails, and which messages are striped how, to tests by number of rails.

    `on_one`: tests on one rail, which show the misses of the replay that are unrelated to the rails.
    """
    corrections = {_test(point): _miss(on_rails(fabric, 1), point) for point in on_one}
    tests = [_Test(rails, point, corrections) for rails, points in by_rails.items() for point in points]
    large = [test for test in tests if test.point.bytes >= LARGE_BYTES]
    if not large:
        note = f"no result over several NICs has messages of {LARGE_BYTES >> 10} KiB or more"
        return FittedRails(fabric, {"rail_efficiency": FieldReason(False, (), note)})
    fabric = _with_efficiency(fabric, large)
    reasons = {
        "rail_efficiency": FieldReason(
            True,
            tuple(test.point for test in large),
            "that large messages take as long in the replay, in the median test, against the same test over one NIC",
        )
    }
    if fabric.aggregation == "stripe":
        fabric = _fit_striping(fabric, tests, large, reasons)
    return FittedRails(fabric, reasons)


def on_rails(fabric: Fabric, rails: int) -> Fabric:
    """Return the fabric with this many rails."""
    return msgspec.structs.replace(fabric, rails=rails)


class _Test(NamedTuple):
    rails: int
    point: MeasuredPoint
    corrections: Mapping[_Key, float]

    def miss(self, fabric: Fabric) -> float:
        """Return the logarithm of replayed over measured time, less that of the same test over one rail."""
        return _miss(on_rails(fabric, self.rails), self.point) - self.corrections.get(_test(self.point), 0.0)


def _fit_striping(
    fabric: Fabric, tests: Sequence[_Test], large: Sequence[_Test], reasons: dict[str, FieldReason]
) -> Fabric:
    sizes = sorted({test.point.bytes for test in tests if test.point.bytes > 1})
    # Try the base's rest and none: least sizes up to the rest have the same effect.
    rests = sorted({0, fabric.stripe_rest_bytes})
    found, fabric = _better(
        fabric,
        [{"stripe_min_bytes": size, "stripe_rest_bytes": rest} for size in sizes for rest in rests],
        tests,
        large,
    )
    reasons["stripe_min_bytes"] = _reason(found, tests, "the measured size from which on striping")
    again, fabric = _better(fabric, [{"stripe_rest_bytes": rest} for rest in (0, *sizes)], tests, large)
    reasons["stripe_rest_bytes"] = _reason(
        found or again, tests, "the measured size up to which the rest of a message on one NIC"
    )
    return fabric


def _better(
    fabric: Fabric, candidates: Sequence[Mapping[str, int]], tests: Sequence[_Test], large: Sequence[_Test]
) -> tuple[bool, Fabric]:
    """Return whether a candidate fits clearly better, and the fabric with the best one."""
    others = [msgspec.structs.replace(fabric, **candidate) for candidate in candidates]
    best = min(others, key=lambda other: _misses(other, tests))
    if _misses(best, tests) < _CLEARLY_BETTER * _misses(fabric, tests):
        return True, _with_efficiency(best, large)
    return False, fabric


def _reason(found: bool, tests: Sequence[_Test], what: str) -> FieldReason:
    if found:
        return FieldReason(
            True, tuple(test.point for test in tests), f"{what} misses the results over several NICs least"
        )
    return FieldReason(False, (), "no measured size fits the results over several NICs clearly better")


def _with_efficiency(fabric: Fabric, large: Sequence[_Test]) -> Fabric:
    """Return the fabric with the efficiency at which half of the tests take longer in the replay than measured.

    The median ignores a few disturbed tests.
    """

    def typical_miss(efficiency: float) -> float:
        candidate = msgspec.structs.replace(fabric, rail_efficiency=efficiency)
        misses = [test.miss(candidate) for test in large if test.point.bytes >= fabric.stripe_min_bytes]
        return statistics.median(misses) if misses else 0.0

    low, high = 0.0, 1.0
    if typical_miss(high) >= 0:
        return msgspec.structs.replace(fabric, rail_efficiency=1.0)
    if typical_miss(low) <= 0:
        return msgspec.structs.replace(fabric, rail_efficiency=0.0)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if typical_miss(middle) > 0:
            low = middle
        else:
            high = middle
    return msgspec.structs.replace(fabric, rail_efficiency=(low + high) / 2)


def _misses(fabric: Fabric, tests: Sequence[_Test]) -> float:
    return sum(abs(test.miss(fabric)) for test in tests)


def _miss(fabric: Fabric, point: MeasuredPoint) -> float:
    seconds = message_seconds(fabric, point.kind, point.bytes, pairs=point.pairs)
    # A message may cost nothing on the base `ideal`.
    return math.log(max(seconds, LATENCY_SECONDS.least) / point.seconds)


def _test(point: MeasuredPoint) -> _Key:
    return point.kind, point.bytes, point.pairs
