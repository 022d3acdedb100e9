"""Replays of traces made by hand."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from synthetic import Call, write_trace

from linkworth import _engine
from linkworth.model.fabric import Fabric
from linkworth.model.prediction import Layout, Prediction
from linkworth.model.settings import ReplaySettings
from linkworth.replay.run import Replay, replay, replay_in_detail

AS_RECORDED = ReplaySettings()

Predict = Callable[..., Prediction]
Run = Callable[..., Replay]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Replay hand-made ranks in detail, one node a rank unless `nodes` places them; more arguments are settings."""

    def call(
        ranks: Sequence[Sequence[Call]],
        on: Fabric,
        nodes: list[int] | None = None,
        *,
        end: bool = True,
        tolerate_cut: bool = False,
        **settings: Any,
    ) -> Replay:
        trace = _engine.Trace(str(write_trace(tmp_path / "hand.lwt", ranks, end=end)))
        placed = nodes if nodes is not None else list(range(len(ranks)))
        layout = Layout(nodes=max(placed) + 1, node_of_rank=placed)
        return replay_in_detail(
            trace, on, layout, tolerate_cut=tolerate_cut, settings=ReplaySettings(**settings)
        )

    return call


@pytest.fixture
def predict(tmp_path: Path) -> Predict:
    """Replay hand-made ranks, one node a rank unless `nodes` places them."""

    def run(
        ranks: Sequence[Sequence[Call]],
        on: Fabric,
        nodes: list[int] | None = None,
        settings: ReplaySettings = AS_RECORDED,
        cpu_factor: float = 1.0,
    ) -> Prediction:
        trace = _engine.Trace(str(write_trace(tmp_path / "hand.lwt", ranks)))
        placed = nodes if nodes is not None else list(range(len(ranks)))
        layout = Layout(nodes=max(placed) + 1, node_of_rank=placed)
        prediction = replay(trace, on, layout, cpu_factor=cpu_factor, settings=settings)
        parts = (
            prediction.compute_seconds
            + prediction.overhead_seconds
            + prediction.latency_seconds
            + prediction.bandwidth_seconds
            + prediction.wait_seconds
        )
        assert parts == pytest.approx(prediction.seconds, rel=1e-12, abs=1e-15)
        return prediction

    return run
