"""Scaling of a trace's computation by one measured time."""

from typing import NamedTuple

import msgspec

from linkworth import units
from linkworth.errors import UsageError
from linkworth.model.fabric import Fabric
from linkworth.model.number_range import CPU_FACTOR
from linkworth.model.prediction import ComputationScale, Layout
from linkworth.model.settings import ReplaySettings
from linkworth.predict.response import SMALLEST_SCALE, Response
from linkworth.predict.threads import ReplayThreads
from linkworth.replay.layout import Arrangement
from linkworth.trace.read import TraceFile

_RELATIVE_TOLERANCE = 1e-6
_ROUGH_TOLERANCE = 1e-4
"""Tolerance at a jump of the time, as when messages or ranks compete; more precise than any measurement."""
_FINE_REPLAYS = 8
_MOST_REPLAYS = 60
_GAIN = 10.0
"""Factor by which a good step reduces the miss."""
_AS_RECORDED = ReplaySettings()
_LARGEST_SCALE = 1 / SMALLEST_SCALE


class MeasuredTime(NamedTuple):
    """A time of the program on a network."""

    fabric: Fabric
    seconds: float
    arrangement: Arrangement | None = None
    """None: that of the prediction."""
    others: tuple["MeasuredTime", ...] = ()
    """Further times of the program, which the fit of what ranks share meets as well as it can."""
    settings: ReplaySettings | None = None
    """None: those of the prediction."""

    @property
    def title(self) -> str:
        """Name as a user types it."""
        place = self.arrangement
        return self.fabric.name if place is None else f"{self.fabric.name}:{place.nodes}x{place.ppn}"


class KnownTime(NamedTuple):
    """A measured time and its replays."""

    response: Response
    """Replays on its network in its layout."""
    seconds: float
    scale: float
    """Scale of the computation with which they take that time."""


def check_cpu_factor(cpu_factor: float) -> None:
    """Raise UsageError if a factor of the cores' speed is out of range."""
    if cpu_factor not in CPU_FACTOR:
        raise UsageError(f"`cpu_factor` {units.plain(cpu_factor)}: give {CPU_FACTOR} (2 means twice as fast)")


def of_measured_run(settings: ReplaySettings) -> ReplaySettings:
    """Return the settings for the replay of a measured time: those of a run without settings of its MPI, on idle links."""
    return msgspec.structs.replace(settings, mpi_settings={}, background_load=0.0)


def calibrated(
    trace: TraceFile,
    layout: Layout,
    *,
    cpu_factor: float,
    measured: MeasuredTime | None,
    settings: ReplaySettings = _AS_RECORDED,
    for_draws: bool = False,
) -> tuple[ComputationScale, KnownTime | None]:
    """Return the scale of `trace`'s computation: by `cpu_factor`, and so that it takes the time measured on a fabric.

    With such a time, `cpu_factor` is relative to the cores that took it. The replays of that time are without settings of
    the MPI library, and on idle links. Raises UsageError for an impossible time, and for one beside CPU factors of levels.
    """
    rates = trace.metadata.rates
    if measured is None:
        return ComputationScale(cpu_factor=cpu_factor, rates=rates), None
    if settings.cpu_factor_at:
        raise UsageError("`cpu_factor_at`: `measured` sets the CPU factor; leave one of them out")
    fabric, place = measured.fabric, measured.arrangement
    there = layout if place is None else place.layout(trace.engine.ranks)
    own = msgspec.structs.replace(of_measured_run(measured.settings or settings), samples=settings.samples)
    response = Response(trace, fabric, there, own)
    if for_draws:
        with ReplayThreads(2) as pool:  # they need both
            list(pool.map(response.at, (SMALLEST_SCALE, 1.0)))
    scale = scale_for(response, measured.seconds)
    found = ComputationScale(
        cpu_factor=cpu_factor / scale,
        measured_fabric=fabric.name,
        measured_seconds=measured.seconds,
        rates=rates,
    )
    return found, KnownTime(response, measured.seconds, scale)


def scale_for(response: Response, seconds: float) -> float:
    """Return the scale of the computation with which the replay takes `seconds`.

    The time rises with the computation, piecewise linearly, and a replay gives the slope of its piece. Steps of
    Newton's method, kept inside a shrinking bracket, end on the piece that contains the time. If messages compete, a
    piece's slope says little about the next: after a step that gained little, the bracket is halved. If the time jumps
    over `seconds`, the nearest replay counts. Raises UsageError if the replay takes longer even without computation, or if
    the trace has no computation.
    """
    fabric = response.fabric
    if not 0 < seconds < float("inf"):
        raise UsageError(
            f"`measured` {fabric.name}={units.plain(seconds)}: the measured time must be above 0 seconds"
        )

    def time(scale: float) -> float:
        return response.at(scale).seconds

    low, high = SMALLEST_SCALE, 1.0
    while time(high) < seconds:
        if high > _LARGEST_SCALE or time(high) == 0:
            why = (
                f"the computation would take over {units.plain(_LARGEST_SCALE)} times as long as in the trace; check the time"
                if response.slope(high) > 0
                else "the trace contains no computation to scale to that time"
            )
            raise UsageError(f"`measured` {fabric.name}={units.plain(seconds)}: {why}")
        low, high = high, 4 * high * seconds / time(high)
    here, miss, halved = high, float("inf"), False
    for turn in range(_MOST_REPLAYS):
        enough = _RELATIVE_TOLERANCE if turn < _FINE_REPLAYS else _ROUGH_TOLERANCE
        before, miss = miss, abs(time(here) - seconds)
        if miss <= enough * seconds:
            break
        slope = response.slope(here)
        guess = here + (seconds - time(here)) / slope if slope > 0 else high
        halved = not low < guess < high or (not halved and miss > before / _GAIN)
        if halved:
            # A time that is met by steps along the slopes needs no replay without computation.
            if time(low) >= seconds:
                raise UsageError(
                    f"`measured` {fabric.name}={units.plain(seconds)}: the communication alone takes {time(low):.4g} s "
                    f"on {fabric.name} in this layout, so the program cannot have run in that time there; check the "
                    "time, the fabric, `nodes` and `ppn`"
                )
            guess = (low + high) / 2
        here = guess
        if time(here) < seconds:
            low = here
        else:
            high = here
    else:
        return min(response.known, key=lambda scale: abs(time(scale) - seconds))
    return here
