"""Time of a program on one network as a function of its computation, from few replays."""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import msgspec

from linkworth import _engine
from linkworth.model.fabric import Fabric
from linkworth.model.prediction import Layout, Prediction
from linkworth.model.settings import ReplaySettings
from linkworth.predict.shorter import ShorterRuns, shorter_runs
from linkworth.replay.run import Neighbour, Replay, on_known_machine, replay_in_detail
from linkworth.trace.read import TraceFile

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

SMALLEST_SCALE = 1e-9
"""Scale that stands for no computation."""


class Response:
    """Replays of one trace on one network, each with its computation times a factor, the scale.

    A time of the network that is twice as long everywhere has the effect of half the computation, in half the time. So these
    replays also give the time on a network that is faster or slower as a whole.
    """

    def __init__(
        self,
        trace: TraceFile,
        fabric: Fabric,
        layout: Layout,
        settings: ReplaySettings,
        beside: Sequence[Neighbour] = (),
    ) -> None:
        self.trace = trace
        self.fabric = fabric
        self.layout = layout
        self.settings = on_known_machine(settings, trace.metadata.rates, layout)
        self.beside = beside
        self._known: dict[float, Replay] = {}
        self._estimated: dict[float, Prediction] = {}
        self._short: dict[tuple[float, _engine.Trace], Replay] = {}

    def is_like(self, other: "Response") -> bool:
        """Return whether another response to the same trace has the same replays."""
        own, its = ((each.fabric, each.layout, each.settings, list(each.beside)) for each in (self, other))
        return own == its

    def at(self, scale: float) -> Prediction:
        """Return the replay with the computation times `scale`."""
        if scale not in self._known:
            self.add(scale, self.steady(scale) or self._replayed(self.trace.engine, scale))
        return self._known[scale].prediction

    def steady(self, scale: float) -> Replay | None:
        """Return the replay with the computation times `scale` from short runs; None if they show no steady state."""
        return self.shorter.steady(self._short_at(scale)) if self.shorter is not None else None

    def about(self, scale: float) -> Prediction:
        """Return the times at `scale` from short runs; without any, and at a known scale, those of the whole program."""
        if scale in self._known or (scale not in self._estimated and self.shorter is None):
            return self.at(scale)
        if scale not in self._estimated:
            assert self.shorter is not None
            self._estimated[scale] = self.shorter.estimate(self._short_at(scale)).prediction
        return self._estimated[scale]

    @cached_property
    def shorter(self) -> ShorterRuns | None:
        """Short runs whose times give that of the program; None if its iterations may differ in the replay."""
        return None if self.beside else shorter_runs(self.trace, self.settings)

    def add(self, scale: float, found: Replay) -> None:
        """Take a replay that was made elsewhere."""
        self._known[scale] = found

    def with_cpu_factor(self, factor: float) -> Replay | None:
        """Return the replay with just this CPU factor; None if only one of the whole program gives it."""
        known = next((found for scale, found in self._known.items() if 1 / scale == factor), None)
        return known or self.steady(1 / factor)

    @cached_property
    def file_seconds(self) -> float:
        """Return the recorded time in calls to files on the path that decides. It is the same on every network and CPU."""
        if self.shorter is not None:
            return 0.0  # no program with equal iterations uses files
        self.at(SMALLEST_SCALE)
        alone = self._known[SMALLEST_SCALE]
        return alone.prediction.compute_seconds if alone.result.input_output_seconds else 0.0

    @property
    def known(self) -> list[float]:
        """The scales that were replayed, except that without computation."""
        # Another thread may add a replay meanwhile.
        return [scale for scale in list(self._known) if scale > SMALLEST_SCALE]

    def with_seed(self, scale: float, seed: int) -> float:
        """Return the time with another seed of the noise."""
        return self._replayed(self.trace.engine, scale, seed).prediction.seconds

    def seconds(self, scales: "npt.NDArray[np.float64]") -> "npt.NDArray[np.float64]":
        """Return the time at each scale: between two replays the larger of their tangents, or their chord if that is less.

        Without contention the time is the longest of many paths, so it is convex and lies between these.
        """
        import numpy as np

        known = np.array(sorted({SMALLEST_SCALE, *list(self._known), *list(self._estimated)}))
        found = [self.about(scale) for scale in known]
        times = np.array([each.seconds for each in found])
        slopes = np.array([each.seconds_per_inverse_cpu_speed for each in found]) / known
        if len(known) == 1:
            return np.full_like(scales, times[0])
        low = np.clip(np.searchsorted(known, scales, side="right") - 1, 0, len(known) - 2)
        high = low + 1
        chord = times[low] + (scales - known[low]) * (times[high] - times[low]) / (known[high] - known[low])
        last = times[high] + (scales - known[high]) * slopes[high]
        tangents = np.maximum(times[low] + (scales - known[low]) * slopes[low], last)
        result: npt.NDArray[np.float64] = np.where(scales > known[-1], last, np.minimum(chord, tangents))
        return result

    def _short_at(self, scale: float) -> Callable[[_engine.Trace], Replay]:
        def replayed(run: _engine.Trace) -> Replay:
            if (scale, run) not in self._short:
                self._short[scale, run] = self._replayed(run, scale)
            return self._short[scale, run]

        return replayed

    def _replayed(self, trace: _engine.Trace, scale: float, seed: int | None = None) -> Replay:
        levels = self.settings.cpu_factor_at
        return replay_in_detail(
            trace,
            self.fabric,
            self.layout,
            cpu_factor=1 / scale,
            tolerate_cut=self.trace.incomplete,
            settings=msgspec.structs.replace(
                self.settings,
                cpu_factor_at={level: factor / scale for level, factor in levels.items()},
                seed=self.settings.seed if seed is None else seed,
            ),
            beside=self.beside,
        )
