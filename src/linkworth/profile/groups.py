"""Group of network dependence, by a written rule (docs/explanation/groups.md) on a trace's profile."""

import math

import msgspec

from linkworth import units
from linkworth.model.prediction import Prediction
from linkworth.model.profile import Group
from linkworth.profile.scan import TraceScan

GROWN_MESSAGE_BYTES = float(1 << 20)
"""Message size from which latency is below a tenth of the message's time on every network of the catalog."""
MOST_GROWTH = 4096.0
"""Growth from the smallest to the largest useful problem: 16 times in each of three dimensions."""
SURFACE_LAW = -1 / 3
"""Exponent by which the bytes of neighbours' exchanges over computation move as a three-dimensional problem grows."""
TELLING_GROWTH = 4.0
"""Growth of computation from which a measured exponent counts fully: noise of 20 % moves it by less than 0.15."""
NEGLIGIBLE = 0.05
"""Saving up to which no network matters: it is within the spread of repeated runs."""
SMALL_TODAY = 0.25
DEPENDENT = 1 / 3
"""Share of which a network that removes 3/5 saves a fifth of the time: its nodes may cost a quarter more."""
HIGHLY = 0.5
"""Share from which communication takes longer than computation: the network outweighs the processors."""

HARDLY_COMPUTES = 0.98
"""Share from which a program may be a benchmark of the network, such as a ping-pong, whose computation never grows."""


class Balance(msgspec.Struct, frozen=True, kw_only=True):
    """Communication per second of computation on the reference network, along the critical path."""

    compute_seconds: float
    latency: float
    """Latency and overheads; they scale as 1 / computation when the problem grows."""
    global_bytes: float
    """Exchanges of all with all; they are the data itself, and stay."""
    other_bytes: float
    """Traffic to neighbours, partners and trees."""
    typical_message_bytes: float
    """Mean size of the message in which a byte travels."""

    @property
    def share(self) -> float:
        """Share of communication in the time."""
        ratio = self.latency + self.global_bytes + self.other_bytes
        return ratio / (1 + ratio)


def balance(prediction: Prediction, scan: TraceScan) -> Balance:
    """Return the balance of a replay on the reference network. Waiting is counted with its cause."""
    latency = prediction.latency_seconds + prediction.overhead_seconds
    transfer = prediction.bandwidth_seconds
    network = latency + transfer
    stretch = 1 + prediction.wait_seconds / network if network > 0 else 0.0
    compute = max(prediction.compute_seconds, 1e-12)
    from_all = scan.global_bytes / scan.message_bytes if scan.message_bytes else 0.0
    return Balance(
        compute_seconds=prediction.compute_seconds,
        latency=latency * stretch / compute,
        global_bytes=transfer * stretch * from_all / compute,
        other_bytes=transfer * stretch * (1 - from_all) / compute,
        typical_message_bytes=_typical_message(scan),
    )


def _typical_message(scan: TraceScan) -> float:
    total = sum(size.bytes for size in scan.message_sizes)
    if total == 0:
        return 0.0
    return sum(size.bytes * size.bytes / size.messages for size in scan.message_sizes) / total


def measured_exponent(now: Balance, smaller: Balance) -> float | None:
    """Return how the bytes of neighbours' exchanges moved against computation; None if the two runs do not show it.

    If the runs differ by less than `TELLING_GROWTH`, the logarithm of the growth weights the measurement against the
    surface law. Noise in a run's time then does not decide between the two.
    """
    growth = now.compute_seconds / max(smaller.compute_seconds, 1e-12)
    if growth <= 1 or min(now.other_bytes, smaller.other_bytes) < NEGLIGIBLE:
        return None
    exponent = min(0.0, max(-1.0, math.log(now.other_bytes / smaller.other_bytes) / math.log(growth)))
    weight = min(1.0, math.log(growth) / math.log(TELLING_GROWTH))
    return weight * exponent + (1 - weight) * SURFACE_LAW


def grown(now: Balance, exponent: float) -> Balance:
    """Return the balance of the problem grown until its typical message is `GROWN_MESSAGE_BYTES` long."""
    longer = GROWN_MESSAGE_BYTES / max(now.typical_message_bytes, 1.0)
    growth = min(MOST_GROWTH, max(1.0, longer**1.5))
    return Balance(
        compute_seconds=now.compute_seconds * growth,
        latency=now.latency / growth,
        global_bytes=now.global_bytes,
        other_bytes=now.other_bytes * growth**exponent,
        typical_message_bytes=now.typical_message_bytes * growth ** (2 / 3),
    )


def decide(now: Balance, smaller: Balance | None = None) -> tuple[Group, str]:
    """Return the group, and one sentence with the figures that decided."""
    measured = measured_exponent(now, smaller) if smaller is not None else None
    later = grown(now, SURFACE_LAW if measured is None else measured)
    from_all = later.global_bytes >= later.latency + later.other_bytes and later.global_bytes > 0
    figures = (
        f"on gigabit Ethernet with one rank per node {units.percent(now.share)} of the time is communication, "
        f"and {units.percent(later.share)} when the problem grows"
    )
    if measured is not None:
        figures += f" (bytes per computation move with exponent {measured:.2f}, by the smaller run)"
    elif smaller is not None:
        less = smaller.compute_seconds < now.compute_seconds
        why = "neighbours exchange too little" if less else "it computes as long as this one"
        figures += f" (the smaller run does not count: {why})"
    if later.share < NEGLIGIBLE and now.share < SMALL_TODAY:
        return "none", f"{figures}: no network can save more"
    if later.share >= HIGHLY and from_all:
        return "highly dependent", f"{figures}, most of it exchanges of all with all that grow with the data"
    if later.share >= DEPENDENT:
        return (
            "dependent",
            f"{figures}: a faster network pays, but computation grows faster than what it carries",
        )
    if now.share >= HARDLY_COMPUTES:
        return (
            "low",
            f"{figures}: it hardly computes, and if it measures the network, only the first figure counts",
        )
    return "low", f"{figures}: computation outgrows communication"
