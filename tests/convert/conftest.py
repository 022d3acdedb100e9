"""Fixtures of the tests of formats: a trace made by hand, one of a skeleton and one of a real run."""

from pathlib import Path

import message_traces
import pytest

from linkworth import _engine


@pytest.fixture(
    params=["by hand", "skeleton", pytest.param("recorded", marks=pytest.mark.requires("mpi", "c++"))]
)
def trace(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    if request.param == "by hand":
        return message_traces.every_message(tmp_path / "hand.lwt")[0]
    if request.param == "recorded":
        return message_traces.recorded(tmp_path)
    path = tmp_path / "skeleton.lwt"
    phases = _engine.skeleton_programs()["mg"]
    _engine.record_skeleton("mg", ["S"], 4, [1e-9] * len(phases), str(path), '{"workload": "npb:mg.S"}')
    return path
