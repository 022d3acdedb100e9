"""Replays of one trace in one layout with one speed of its computation, which the parts of a prediction share."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import msgspec

from linkworth.catalog import fabrics as catalog
from linkworth.model.fabric import Fabric
from linkworth.model.prediction import Layout, Prediction
from linkworth.model.settings import Details, ReplaySettings
from linkworth.predict import breakdown
from linkworth.predict.response import Response
from linkworth.predict.threads import ReplayThreads
from linkworth.replay.run import Neighbour, Replay, replay_in_detail
from linkworth.trace.read import TraceFile


class ReplayCase(NamedTuple):
    """A trace, its layout and computation, and the programs beside it."""

    trace: TraceFile
    layout: Layout
    cpu_factor: float
    settings: ReplaySettings
    neighbours: Sequence[Neighbour] = ()

    def replayed(self, fabric: Fabric, details: Details = Details()) -> Replay:
        """Replay the trace on a fabric."""
        return replay_in_detail(
            self.trace.engine,
            fabric,
            self.layout,
            cpu_factor=self.cpu_factor,
            tolerate_cut=self.trace.incomplete,
            settings=self.settings,
            beside=self.neighbours,
            details=details,
        )

    def replay_on(
        self, responses: Sequence[Response], details: Details, began: Callable[[str], None], *, loads: bool
    ) -> tuple[list[Replay], list[Prediction]]:
        """Replay on the fabric of each response and without a network, and break the times down.

        A response that has that replay gives it, and else takes it. `began` gets the name of each replay. `loads`: `details`
        record the loads of links and cores.
        """

        def on_network(response: Response) -> Replay:
            began(response.fabric.name)
            made = response.with_cpu_factor(self.cpu_factor) if details == Details() else None
            found = made or self.replayed(response.fabric, details)
            response.add(1 / self.cpu_factor, found)
            return found

        def broken_down(response: Response, replay: Replay) -> Prediction:
            return self._broken_down(response.fabric, replay, ideal.result(), loads)

        with ReplayThreads() as pool:
            ideal = pool.submit(self._without_network, began)
            replays = list(pool.map(on_network, responses))
            ideal.result()
            return replays, list(pool.map(broken_down, responses, replays))

    def _without_network(self, began: Callable[[str], None]) -> float:
        began("no network")
        # Neighbours only change the computation on the nodes that they share.
        shared = self.settings.memory_demand_bytes_per_second or self.settings.cores_per_node
        levels = {level: factor / self.cpu_factor for level, factor in self.settings.cpu_factor_at.items()}
        settings = msgspec.structs.replace(
            self.settings, contention=False, mpi_settings={}, cpu_factor_at=levels
        )
        beside = self.neighbours if shared else []
        ideal = Response(self.trace, catalog.get("ideal"), self.layout, settings, beside)
        return ideal.about(1 / self.cpu_factor).seconds

    def _broken_down(self, fabric: Fabric, replay: Replay, ideal: float, loads: bool) -> Prediction:
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
