"""Replays of one trace in one layout with one speed of its computation, which the parts of a prediction share."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import msgspec

from linkworth.catalog import fabrics as catalog
from linkworth.model.fabric import Fabric
from linkworth.model.prediction import Layout, Prediction
from linkworth.model.settings import Details, ReplaySettings
from linkworth.predict import breakdown
from linkworth.predict.response import SMALLEST_SCALE, Response
from linkworth.predict.threads import ReplayThreads
from linkworth.replay.run import Neighbour, Replay, replay_in_detail
from linkworth.trace.read import TraceFile

_NO_DETAILS = Details()


class ReplayCase(NamedTuple):
    """A trace, its layout and computation, and the programs beside it."""

    trace: TraceFile
    layout: Layout
    cpu_factor: float
    settings: ReplaySettings
    neighbours: Sequence[Neighbour] = ()
    made: Response | None = None
    """Replays on one network that exist already."""

    def replayed(
        self,
        fabric: Fabric,
        details: Details = _NO_DETAILS,
        settings: ReplaySettings | None = None,
        beside: Sequence[Neighbour] | None = None,
    ) -> Replay:
        """Replay the trace on a fabric, by default with the settings and the neighbours of the case."""
        return replay_in_detail(
            self.trace.engine,
            fabric,
            self.layout,
            cpu_factor=self.cpu_factor,
            tolerate_cut=self.trace.incomplete,
            settings=settings or self.settings,
            beside=self.neighbours if beside is None else beside,
            details=details,
        )

    def replay_on(
        self, fabrics: Sequence[Fabric], details: Details, began: Callable[[str], None], *, loads: bool
    ) -> tuple[list[Replay], list[Prediction]]:
        """Replay on each fabric and without a network, and break the times down.

        `began` gets the name of each replay. `loads`: `details` record the loads of links and cores.
        """

        def on_network(fabric: Fabric) -> Replay:
            began(fabric.name)
            made = self._made_on(fabric) if details == _NO_DETAILS else None
            found = made.with_cpu_factor(self.cpu_factor) if made is not None else None
            return found or self.replayed(fabric, details)

        def broken_down(fabric: Fabric, replay: Replay) -> Prediction:
            return self._broken_down(fabric, replay, ideal.result(), loads)

        with ReplayThreads() as pool:
            ideal = pool.submit(self._without_network, began)
            replays = list(pool.map(on_network, fabrics))
            ideal.result()
            return replays, list(pool.map(broken_down, fabrics, replays))

    def responses(self, fabrics: Sequence[Fabric], replays: Sequence[Replay]) -> list[Response]:
        """Return the time as a function of the computation on each fabric, from replays on it."""
        # A response scales all computation from 1, and factors of levels with it.
        levels = {level: factor / self.cpu_factor for level, factor in self.settings.cpu_factor_at.items()}
        from_one = msgspec.structs.replace(self.settings, cpu_factor_at=levels)
        found = [Response(self.trace, fabric, self.layout, from_one, self.neighbours) for fabric in fabrics]
        for response, replay in zip(found, replays, strict=True):
            response.add(1 / self.cpu_factor, replay)
            if made := self._made_on(response.fabric):
                response.add(SMALLEST_SCALE, made.without_computation())
        return found

    def _made_on(self, fabric: Fabric) -> Response | None:
        """Return the replays that exist if they are those of the prediction on this fabric."""
        made = self.made
        if made is None or self.neighbours or self.settings.cpu_factor_at:
            return None
        same = (made.fabric, made.layout, made.settings) == (fabric, self.layout, self.settings)
        return made if same else None

    def _without_network(self, began: Callable[[str], None]) -> Replay:
        began("no network")
        # Neighbours only change the computation on the nodes that they share.
        shared = self.settings.memory_demand_bytes_per_second or self.settings.cores_per_node
        return self.replayed(
            catalog.get("ideal"),
            settings=msgspec.structs.replace(self.settings, contention=False, mpi_settings={}),
            beside=self.neighbours if shared else [],
        )

    def _broken_down(self, fabric: Fabric, replay: Replay, ideal: Replay, loads: bool) -> Prediction:
        recording, marks = replay.result.recording, replay.result.mark_seconds
        return msgspec.structs.replace(
            replay.prediction,
            efficiency=breakdown.efficiency(replay, ideal),
            regions=breakdown.regions(
                replay, lambda level: self.replayed(fabric, Details(counted_level=level))
            ),
            loads=breakdown.loads(recording) if recording is not None and loads else [],
            core_use=breakdown.core_use(recording, self.layout) if recording is not None and loads else [],
            mark_seconds=marks[0] if marks else [],
        )
