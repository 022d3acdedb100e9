"""Sharing of memory and cores by the ranks of a node, from times that were measured in known layouts."""

import math
from collections.abc import Sequence

import msgspec

from linkworth.errors import UsageError
from linkworth.model.settings import ReplaySettings
from linkworth.predict.calibrate import MeasuredTime, of_measured_run, scale_about
from linkworth.predict.response import Response
from linkworth.trace.read import TraceFile
from linkworth.units import duration

NODE_BYTES_PER_SECOND = 1e9
"""Stands for a node's memory bandwidth, of which only the ranks' shares matter."""
_NO_SHARE = 1e-9
"""Demand of ranks that do not slow each other down: settings that tell so, unlike those without a demand."""
_STEPS = 24
_NEAR = 1e-3
_MET = 0.1
"""Largest relative miss of a given time that needs no warning."""


def fitted(
    trace: TraceFile, measured: Sequence[MeasuredTime], settings: ReplaySettings
) -> tuple[MeasuredTime | None, ReplaySettings]:
    """Return the time that scales the computation, and the settings with the share of a node that a rank demands.

    The time with fewest ranks on a node scales the computation. The demand of memory is the one with which the other
    times are met best: by the logarithm of the miss, on average. One time gives a demand if the machine's cores and memory
    are known. Raises UsageError for a layout of another number of ranks, two times of one layout, and settings that give
    the memory already.
    """
    if not measured:
        return None, settings
    ranks = trace.engine.ranks
    for each in measured:
        place = each.arrangement
        if place is not None and (place.nodes or 0) * (place.ppn or 0) != ranks:
            raise UsageError(
                f"`measured` {each.title}: that layout has {(place.nodes or 0) * (place.ppn or 0)} ranks, but the program has "
                f"{ranks}; give times of the same ranks"
            )
    ordered = sorted(measured, key=lambda each: each.arrangement.ppn or 0 if each.arrangement else 0)
    first, others = ordered[0]._replace(others=tuple(ordered[1:])), ordered[1:]
    if not others:
        return first, _with_waits(trace, first, settings)
    if len({each.title for each in measured}) < len(measured):
        raise UsageError("`measured`: a layout has two times; give each layout once")
    if settings.memory_bandwidth_bytes_per_second is not None:
        raise UsageError(
            "`measured` in several layouts gives what ranks demand of a node's memory; leave `memory_bandwidth` and "
            "`memory_demand` out"
        )
    if first.arrangement == ordered[-1].arrangement:
        return first, settings

    def miss(share: float) -> float:
        """Return the mean logarithm of replayed over measured if a rank demands this share of a node."""
        with_share = _with(settings, share)
        scale = scale_about(_response(trace, first, with_share), first.seconds)
        times = [_response(trace, each, with_share).about(scale).seconds for each in others]
        return sum(math.log(t / each.seconds) for t, each in zip(times, others, strict=True)) / len(others)

    # A rank that demands a whole node by itself is as slow as its share of it, whatever it demands beyond.
    low, high = _NO_SHARE, 1.0
    if miss(low) >= 0:
        return first, _with(settings, low)
    if miss(high) <= 0:
        return first, _with(settings, high)
    for _ in range(_STEPS):
        middle = (low + high) / 2
        found = miss(middle)
        if abs(found) < _NEAR:
            break
        low, high = (middle, high) if found < 0 else (low, middle)
    return first, _with(settings, (low + high) / 2)


def _with_waits(trace: TraceFile, measured: MeasuredTime, settings: ReplaySettings) -> ReplaySettings:
    """Return the settings with the share of a node for which a rank waits, if the trace was recorded for a known machine.

    A rank takes as long as the machine's core speed says, and waits for memory in the rest of the measured time: by
    itself, or for the memory that the others take.
    """
    rates, place = trace.metadata.rates, measured.arrangement
    if rates is None or settings.memory_bandwidth_bytes_per_second is not None:
        return settings
    # The measured time contains the waits that a counted demand would add.
    unshared = settings if not rates.memory_demands else _with(settings, _NO_SHARE)
    if rates.cores_on_memory is None or place is None or place.ppn is None:
        return unshared
    slower = scale_about(_response(trace, measured, unshared), measured.seconds)
    wait = max(0.0, min(slower - 1, slower * rates.cores_on_memory / place.ppn))
    return _with(settings, max(_NO_SHARE, wait / (1 + wait) / rates.cores_on_memory))


def contradictions(
    trace: TraceFile, measured: MeasuredTime, settings: ReplaySettings, scale: float
) -> list[str]:
    """Return a sentence for each given time that computation of the fitted `scale` does not meet.

    One speed of computation, and one share of a node, cannot meet any set of times.
    """
    found = []
    for other in measured.others:
        seconds = _response(trace, other, settings).about(scale).seconds
        if abs(seconds / other.seconds - 1) > _MET:
            found.append(
                f"the times given for {measured.title} and {other.title} do not agree: with the computation scaled to "
                f"{duration(measured.seconds)} on {measured.title}, the model takes {duration(seconds)} on {other.title}, where "
                f"{duration(other.seconds)} was given; check both, or leave out the one that you trust less"
            )
    return found


def _with(settings: ReplaySettings, share: float) -> ReplaySettings:
    return msgspec.structs.replace(
        settings,
        memory_demand_bytes_per_second=share * NODE_BYTES_PER_SECOND,
        memory_bandwidth_bytes_per_second=NODE_BYTES_PER_SECOND,
    )


def _response(trace: TraceFile, measured: MeasuredTime, settings: ReplaySettings) -> Response:
    assert measured.arrangement is not None
    layout = measured.arrangement.layout(trace.engine.ranks)
    return Response(trace, measured.fabric, layout, of_measured_run(settings))
