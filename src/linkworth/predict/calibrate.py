"""One measured time scales the computation of a trace."""

import msgspec

from linkworth import _engine
from linkworth.errors import UsageError
from linkworth.model.fabric import Fabric
from linkworth.model.prediction import Calibration, Layout
from linkworth.model.settings import ReplaySettings
from linkworth.replay.run import replay
from linkworth.trace.read import TraceFile

_RELATIVE_TOLERANCE = 1e-6
_ROUGH_TOLERANCE = 1e-4
"""Better than a time is measured: enough where the time jumps, as it does where messages or ranks compete."""
_FINE_REPLAYS = 8
_MOST_REPLAYS = 60
_AS_RECORDED = ReplaySettings()
_SLOWEST = 1e9


def calibrated(
    trace: TraceFile,
    layout: Layout,
    *,
    cpu_factor: float,
    measured: tuple[Fabric, float] | None,
    settings: ReplaySettings = _AS_RECORDED,
) -> Calibration:
    """Return how the computation of `trace` is scaled: by `cpu_factor`, or so that it takes the time measured on a fabric.

    Raises UsageError for a time that cannot be.
    """
    rates = trace.metadata.rates
    if measured is None:
        return Calibration(cpu_factor=cpu_factor, rates=rates)
    fabric, seconds = measured
    return Calibration(
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

    The time rises with the computation, piecewise linearly, so a secant that is kept inside a shrinking bracket finds it.
    Raises UsageError where even without computation the replay takes longer, or where the trace has no computation.
    """
    if not 0 < seconds < float("inf"):
        raise UsageError(f"--measured {fabric.name}={seconds:g}: the measured time must be above 0 seconds")

    def time_at(scale: float) -> float:
        scaled = msgspec.structs.replace(
            settings,
            cpu_factor_at={level: factor / scale for level, factor in settings.cpu_factor_at.items()},
        )
        return replay(
            trace, fabric, layout, cpu_factor=1 / scale, tolerate_cut=tolerate_cut, settings=scaled
        ).seconds

    low, low_seconds = 1 / _SLOWEST, time_at(1 / _SLOWEST)
    if low_seconds >= seconds:
        raise UsageError(
            f"--measured {fabric.name}={seconds:g}: the communication alone takes {low_seconds:.4g} s on {fabric.name} in this "
            "layout, so the program cannot have run in that time there; check the time, the fabric, --nodes and --ppn"
        )
    high, high_seconds = 1.0, time_at(1.0)
    while high_seconds < seconds:
        if high > _SLOWEST:
            raise UsageError(
                f"--measured {fabric.name}={seconds:g}: the trace holds no computation to scale to that time"
            )
        low, low_seconds = high, high_seconds
        high *= 4 * seconds / high_seconds
        high_seconds = time_at(high)
    for turn in range(_MOST_REPLAYS):
        secant = low + (high - low) * (seconds - low_seconds) / (high_seconds - low_seconds)
        # Every third step halves the bracket, so that a kink near one end cannot stall the secant.
        guess = (low + high) / 2 if turn % 3 == 2 else secant
        reached = time_at(guess)
        enough = _RELATIVE_TOLERANCE if turn < _FINE_REPLAYS else _ROUGH_TOLERANCE
        if abs(reached - seconds) <= enough * seconds:
            return 1 / guess
        if reached < seconds:
            low, low_seconds = guess, reached
        else:
            high, high_seconds = guess, reached
    return 1 / guess
