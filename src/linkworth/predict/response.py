"""Time of a program on one network as a function of its computation, from few replays."""

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import msgspec

from linkworth.model.fabric import Fabric
from linkworth.model.prediction import Layout, Prediction
from linkworth.model.settings import ReplaySettings
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

    def is_like(self, other: "Response") -> bool:
        """Return whether another response to the same trace has the same replays."""
        own, its = ((each.fabric, each.layout, each.settings, list(each.beside)) for each in (self, other))
        return own == its

    def at(self, scale: float) -> Prediction:
        """Return the replay with the computation times `scale`."""
        if scale not in self._known:
            levels = self.settings.cpu_factor_at
            settings = msgspec.structs.replace(
                self.settings, cpu_factor_at={level: factor / scale for level, factor in levels.items()}
            )
            self.add(scale, self._replayed(scale, settings))
        return self._known[scale].prediction

    def add(self, scale: float, found: Replay) -> None:
        """Take a replay that was made elsewhere."""
        self._known[scale] = found

    def with_cpu_factor(self, factor: float) -> Replay | None:
        """Return the replay with just this CPU factor; None if there is none."""
        return next((found for scale, found in self._known.items() if 1 / scale == factor), None)

    @cached_property
    def file_seconds(self) -> float:
        """Return the recorded time in calls to files on the path that decides. It is the same on every network and CPU."""
        self.at(SMALLEST_SCALE)
        alone = self._known[SMALLEST_SCALE]
        return alone.prediction.compute_seconds if alone.result.input_output_seconds else 0.0

    @property
    def known(self) -> list[float]:
        """The scales that were replayed, except that without computation."""
        # Another thread may add a replay meanwhile.
        return [scale for scale in list(self._known) if scale > SMALLEST_SCALE]

    def slope(self, scale: float) -> float:
        """Return the derivative of the time by the scale."""
        return self.at(scale).seconds_per_inverse_cpu_speed / scale

    def with_seed(self, scale: float, seed: int) -> float:
        """Return the time with another seed of the noise."""
        return self._replayed(scale, msgspec.structs.replace(self.settings, seed=seed)).prediction.seconds

    def seconds(self, scales: "npt.NDArray[np.float64]") -> "npt.NDArray[np.float64]":
        """Return the time at each scale: between two replays the larger of their tangents, or their chord if that is less.

        Without contention the time is the longest of many paths, so it is convex and lies between these.
        """
        import numpy as np

        self.at(SMALLEST_SCALE)
        known = np.array(sorted(self._known))
        times = np.array([self.at(scale).seconds for scale in known])
        slopes = np.array([self.slope(scale) for scale in known])
        if len(known) == 1:
            return np.full_like(scales, times[0])
        low = np.clip(np.searchsorted(known, scales, side="right") - 1, 0, len(known) - 2)
        high = low + 1
        chord = times[low] + (scales - known[low]) * (times[high] - times[low]) / (known[high] - known[low])
        last = times[high] + (scales - known[high]) * slopes[high]
        tangents = np.maximum(times[low] + (scales - known[low]) * slopes[low], last)
        result: npt.NDArray[np.float64] = np.where(scales > known[-1], last, np.minimum(chord, tangents))
        return result

    def _replayed(self, scale: float, settings: ReplaySettings) -> Replay:
        return replay_in_detail(
            self.trace.engine,
            self.fabric,
            self.layout,
            cpu_factor=1 / scale,
            tolerate_cut=self.trace.incomplete,
            settings=settings,
            beside=self.beside,
        )
