"""Eager limit, found as the step that the rendezvous protocol leaves in a curve of latencies."""

from collections.abc import Sequence
from typing import NamedTuple

STRONG_EVIDENCE = 3.0
"""Least evidence of a step, in standard deviations."""
LEAST_LIMIT_BYTES = 256
"""Steps at smaller sizes are those of inline sends, not of a protocol."""


class CpuCost(NamedTuple):
    """Part of a message's time that is neither link latency nor bytes: overheads and any handshake."""

    bytes: int
    seconds: float
    error_seconds: float
    """Standard deviation of `seconds`."""


class EagerLimit(NamedTuple):
    """Sizes between which the protocol changes."""

    bytes: int
    """Largest measured size that is sent at once."""
    first_rendezvous_bytes: int
    """Smallest measured size that asks first."""
    evidence: float
    """Evidence of the change, in standard deviations."""
    shape: str
    """`step`, or `bend` if only the copies' cost by byte ends there."""


def eager_limits(costs: Sequence[CpuCost], handshake_seconds: float) -> list[EagerLimit]:
    """Return the changes that are clearly evident and that a handshake can explain, by size.

    A step lies between two points if the straight lines through the two points before and the two after do not meet
    there. Its height is their least distance, and its evidence is that distance over its error. A bend is where they
    meet but the costs rise less afterwards: messages with a handshake are not copied on their way. A handshake
    explains either if the overheads behind it, less the handshake's time, are not below zero.
    """
    found = []
    for index in range(1, len(costs) - 2):
        if costs[index].bytes < LEAST_LIMIT_BYTES or not explains(costs[index + 1 :], handshake_seconds):
            continue
        step, bend = _evidence(*costs[index - 1 : index + 3])
        evidence, shape = max((step, "step"), (bend, "bend"))
        if evidence >= STRONG_EVIDENCE:
            found.append(EagerLimit(costs[index].bytes, costs[index + 1].bytes, evidence, shape))
    return found


def explains(costs: Sequence[CpuCost], handshake_seconds: float) -> bool:
    """Return whether all these sizes may have asked first: no overhead is below zero by more than its error."""
    return all(cost.seconds - handshake_seconds >= -2 * cost.error_seconds for cost in costs)


def first_that_explains(costs: Sequence[CpuCost], handshake_seconds: float) -> int:
    """Return the smallest size from which all may have used a handshake, or else the largest size."""
    for index, cost in enumerate(costs):
        if explains(costs[index + 1 :], handshake_seconds):
            return cost.bytes
    return costs[-1].bytes


def _evidence(before: CpuCost, left: CpuCost, right: CpuCost, after: CpuCost) -> tuple[float, float]:
    """Return the evidence of a step and of a bend between the inner two, in standard deviations; 0 for none."""
    left_slope = (left.seconds - before.seconds) / (left.bytes - before.bytes)
    right_slope = (after.seconds - right.seconds) / (after.bytes - right.bytes)
    gap = right.bytes - left.bytes
    at_left = right.seconds - right_slope * gap - left.seconds
    at_right = right.seconds - left.seconds - left_slope * gap
    from_right, from_left = gap / (after.bytes - right.bytes), gap / (left.bytes - before.bytes)
    error_left = _sum_of_errors(
        left.error_seconds, (1 + from_right) * right.error_seconds, from_right * after.error_seconds
    )
    error_right = _sum_of_errors(
        right.error_seconds, (1 + from_left) * left.error_seconds, from_left * before.error_seconds
    )
    if at_left * at_right > 0:
        return min(abs(at_left) / error_left, abs(at_right) / error_right), 0.0
    return 0.0, max(0.0, -at_right / error_right)


def _sum_of_errors(*errors: float) -> float:
    return float(sum(error**2 for error in errors) ** 0.5) or 1e-30
