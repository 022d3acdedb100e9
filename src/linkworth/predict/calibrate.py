"""Scaling of a trace's computation by one measured time."""

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import msgspec

from linkworth import units
from linkworth.errors import UsageError
from linkworth.model.fabric import Fabric
from linkworth.model.number_range import CPU_FACTOR
from linkworth.model.prediction import ComputationScale, Layout, Prediction
from linkworth.model.settings import ReplaySettings
from linkworth.predict.response import SMALLEST_SCALE, Response
from linkworth.predict.threads import ReplayThreads
from linkworth.replay.layout import Arrangement
from linkworth.trace.read import TraceFile

_RELATIVE_TOLERANCE = 5e-4
"""Largest miss of a measured time. Repeated runs differ by more."""
_MOST_REPLAYS = 60
_GAIN = 10.0
"""Factor by which a good step reduces the miss."""
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
    settings: ReplaySettings = ReplaySettings(),
    responses: Sequence[Response] = (),
    for_draws: bool = False,
) -> tuple[ComputationScale, KnownTime | None]:
    """Return the scale of `trace`'s computation: by `cpu_factor`, and so that it takes the time measured on a fabric.

    With such a time, `cpu_factor` is relative to the cores that took it. The replays of that time are without settings of
    the MPI library, and on idle links. They become part of the response among `responses` that is of the same network in
    the same layout. Another core begins meanwhile with replays of the others, and for draws with the other ends of all.
    Raises UsageError for an impossible time, and for one beside CPU factors of levels.
    """
    rates = trace.metadata.rates
    if measured is None:
        return ComputationScale(cpu_factor=cpu_factor, rates=rates), None
    if settings.cpu_factor_at:
        raise UsageError("`cpu_factor_at`: `measured` sets the CPU factor; leave one of them out")
    fabric, place = measured.fabric, measured.arrangement
    there = layout if place is None else place.layout(trace.engine.ranks)
    own = msgspec.structs.replace(of_measured_run(measured.settings or settings), samples=settings.samples)
    alone = Response(trace, fabric, there, own)
    response = next((each for each in responses if each.is_like(alone)), alone)
    with ReplayThreads(1) as pool:
        if response.shorter is not None:
            likely = scale_about(response, measured.seconds)
            for each in responses:
                if each is not response:
                    pool.submit(each.at, likely)
        elif for_draws:
            for each in dict.fromkeys([response, *responses]):
                pool.submit(each.at, SMALLEST_SCALE)
        scale = scale_for(response, measured.seconds)
        pool.shutdown(cancel_futures=True)  # all cores share the rest later
    found = ComputationScale(
        cpu_factor=cpu_factor / scale,
        measured_fabric=fabric.name,
        measured_seconds=measured.seconds,
        rates=rates,
    )
    return found, KnownTime(response, measured.seconds, scale)


def scale_about(response: Response, seconds: float) -> float:
    """Return what `scale_for` does for the time from short runs."""
    return _search(response.fabric, response.about, seconds, 1.0)


def scale_for(response: Response, seconds: float) -> float:
    """Return the scale of the computation with which the replay takes `seconds`.

    Raises UsageError if the replay takes longer even without computation, or if the trace has no computation.
    """
    start = 1.0 if response.shorter is None else scale_about(response, seconds)
    return _search(response.fabric, response.at, seconds, start)


def _search(fabric: Fabric, at: Callable[[float], Prediction], seconds: float, start: float) -> float:
    """Return the scale for which `at` gives the time `seconds`.

    The time rises with the computation, piecewise linearly, and a replay gives the slope of its piece. Steps of
    Newton's method, kept inside a shrinking bracket, end on the piece that contains the time. If messages compete, a
    piece's slope says little about the next: after a step that gained little, the bracket is halved. If the time jumps
    over `seconds`, the nearest replay counts.
    """
    if not 0 < seconds < math.inf:
        raise UsageError(
            f"`measured` {fabric.name}={units.plain(seconds)}: the measured time must be above 0 seconds"
        )
    low, high = SMALLEST_SCALE, math.inf
    here, miss, halved = start, math.inf, False
    misses: dict[float, float] = {}
    for _ in range(_MOST_REPLAYS):
        found = at(here)
        time, slope = found.seconds, found.seconds_per_inverse_cpu_speed / here
        before, miss = miss, abs(time - seconds)
        misses[here] = miss
        # The first step past the time may miss by more than the last before it.
        gained = miss <= before / _GAIN or high == math.inf
        if miss <= _RELATIVE_TOLERANCE * seconds:
            return here
        if time >= seconds:
            high = here
        elif here < _LARGEST_SCALE:
            low = here
        else:
            why = (
                f"the computation would take over {units.plain(_LARGEST_SCALE)} times as long as in the trace; check the time"
                if slope > 0
                else "the trace contains no computation to scale to that time"
            )
            raise UsageError(f"`measured` {fabric.name}={units.plain(seconds)}: {why}")
        if high < math.inf and high - low <= _RELATIVE_TOLERANCE * high:
            break
        guess = here + (seconds - time) / slope if slope > 0 else high
        halved = not low < guess < high or not (gained or halved)
        if halved and high < math.inf:
            # A time that is met by steps along the slopes needs no replay without computation.
            alone = at(low).seconds
            if alone >= seconds:
                raise UsageError(
                    f"`measured` {fabric.name}={units.plain(seconds)}: the communication alone takes {alone:.4g} s "
                    f"on {fabric.name} in this layout, so the program cannot have run in that time there; check the "
                    "time, the fabric, `nodes` and `ppn`"
                )
            guess = (low + high) / 2
        elif halved:
            guess = 4 * here
        here = min(guess, _LARGEST_SCALE)
    return min(misses, key=lambda scale: misses[scale])
