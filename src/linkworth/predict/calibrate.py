"""Scaling of a trace's computation by one measured time."""

from typing import NamedTuple

import msgspec

from linkworth import _engine
from linkworth.errors import UsageError
from linkworth.model.fabric import Fabric
from linkworth.model.prediction import ComputationScale, Layout
from linkworth.model.settings import ReplaySettings
from linkworth.replay.run import replay
from linkworth.trace.read import TraceFile

_RELATIVE_TOLERANCE = 1e-6
_ROUGH_TOLERANCE = 1e-4
"""Tolerance at a jump of the time, as when messages or ranks compete; more precise than any measurement."""
_FINE_REPLAYS = 8
_MOST_REPLAYS = 60
_AS_RECORDED = ReplaySettings()
_SLOWEST = 1e9


class _Point(NamedTuple):
    scale: float
    """Factor of the computation."""
    seconds: float
    slope: float


def calibrated(
    trace: TraceFile,
    layout: Layout,
    *,
    cpu_factor: float,
    measured: tuple[Fabric, float] | None,
    settings: ReplaySettings = _AS_RECORDED,
) -> ComputationScale:
    """Return the scale of `trace`'s computation: by `cpu_factor`, or so that it takes the time measured on a fabric.

    Raises UsageError for an impossible time.
    """
    rates = trace.metadata.rates
    if measured is None:
        return ComputationScale(cpu_factor=cpu_factor, rates=rates)
    fabric, seconds = measured
    return ComputationScale(
        cpu_factor=cpu_factor_for(
            trace.engine, fabric, layout, seconds, tolerate_cut=trace.incomplete, settings=settings
        ),
        measured_fabric=fabric.name,
        measured_seconds=seconds,
        rates=rates,
    )


def cpu_factor_for(
    trace: _engine.Trace,
    fabric: Fabric,
    layout: Layout,
    seconds: float,
    *,
    tolerate_cut: bool = False,
    settings: ReplaySettings = _AS_RECORDED,
) -> float:
    """Return the CPU factor with which the replay of `trace` on `fabric` takes `seconds`.

    The time rises with the computation, piecewise linearly, and a replay gives the slope of its piece. Steps of
    Newton's method, kept inside a shrinking bracket, end on the piece that contains the time. Raises UsageError if
    the replay takes longer even without computation, or if the trace has no computation.
    """
    if not 0 < seconds < float("inf"):
        raise UsageError(f"`measured` {fabric.name}={seconds:g}: the measured time must be above 0 seconds")

    def replayed(scale: float) -> _Point:
        scaled = msgspec.structs.replace(
            settings,
            cpu_factor_at={level: factor / scale for level, factor in settings.cpu_factor_at.items()},
        )
        found = replay(
            trace, fabric, layout, cpu_factor=1 / scale, tolerate_cut=tolerate_cut, settings=scaled
        )
        return _Point(scale, found.seconds, found.seconds_per_inverse_cpu_speed / scale)

    low = replayed(1 / _SLOWEST)
    if low.seconds >= seconds:
        raise UsageError(
            f"`measured` {fabric.name}={seconds:g}: the communication alone takes {low.seconds:.4g} s on {fabric.name} in this "
            "layout, so the program cannot have run in that time there; check the time, the fabric, `nodes` and `ppn`"
        )
    high = replayed(1.0)
    while high.seconds < seconds:
        if high.scale > _SLOWEST:
            raise UsageError(
                f"`measured` {fabric.name}={seconds:g}: the trace contains no computation to scale to that time"
            )
        low = high
        high = replayed(4 * high.scale * seconds / high.seconds)
    here = high
    for turn in range(_MOST_REPLAYS):
        enough = _RELATIVE_TOLERANCE if turn < _FINE_REPLAYS else _ROUGH_TOLERANCE
        if abs(here.seconds - seconds) <= enough * seconds:
            break
        guess = here.scale + (seconds - here.seconds) / here.slope if here.slope > 0 else high.scale
        # Every third step halves the bracket: if messages compete, a piece's slope says little about the next.
        if turn % 3 == 2 or not low.scale < guess < high.scale:
            guess = (low.scale + high.scale) / 2
        here = replayed(guess)
        if here.seconds < seconds:
            low = here
        else:
            high = here
    return 1 / here.scale
