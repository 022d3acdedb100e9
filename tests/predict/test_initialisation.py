"""MPI_Init beside a prediction: recorded, measured by `bench init`, or a default with its source."""

import pytest
from synthetic import Call, collective, write_trace

from linkworth.catalog.startup import DEFAULT_INIT, load
from linkworth.errors import UsageError
from linkworth.model.startup import StartupFit, StartupResult, StartupRow
from linkworth.writing.documents import encode


@pytest.fixture
def startup(tmp_path):
    fit = StartupFit(base_seconds=0.1, seconds_per_rank=0.001, seconds_per_node=0.01)
    result = StartupResult(
        rows=[StartupRow(ranks=4, nodes=2, launch_seconds=[0.5], init_seconds=[0.124])],
        launch=StartupFit(base_seconds=0.5),
        init=fit,
        mpi="Fake MPI 1.0, of somebody",
        where="hostfile",
        date="2026-11-24T10:00:00+00:00",
        warnings=["not complete: 1 of 5 rounds"],
    )
    path = tmp_path / "startup.json"
    path.write_bytes(encode(result))
    return path


@pytest.fixture
def predicted(json_of):
    return lambda *words: json_of("predict", *words, "--on", "gbe")["initialisation"]


def test_a_recording_keeps_what_it_recorded(tmp_path, predicted):
    trace = str(write_trace(tmp_path / "a.lwt", [[collective("MPI_Barrier")]] * 2))
    assert predicted(trace) == {
        "seconds": 0.5,
        "source": "as recorded, on whatever machine that was",
        "launch_seconds": None,
    }
    bare = str(write_trace(tmp_path / "b.lwt", [[collective("MPI_Barrier")]] * 2, init=False))
    assert predicted(bare) is None
    session = [Call("MPI_Session_init", "init").lasting(0.2), collective("MPI_Barrier")]
    by_sessions = str(write_trace(tmp_path / "c.lwt", [session] * 2, init=False))
    assert predicted(by_sessions)["seconds"] == pytest.approx(0.2)


def test_a_measured_start_is_used(tmp_path, startup, printed, predicted):
    trace = str(write_trace(tmp_path / "a.lwt", [[collective("MPI_Barrier")]] * 4))
    found = predicted(trace, "--startup", str(startup))
    assert found["seconds"] == pytest.approx(0.1 + 4 * 0.001 + 2 * 0.01)
    assert found["launch_seconds"] == 0.5
    assert "Fake MPI 1.0 on up to 4 ranks" in found["source"]
    assert "not complete" in found["source"]
    assert "extrapolated" not in found["source"]
    found = predicted(trace, "--startup", str(startup), "--nodes", "4")
    assert found["source"].endswith("extrapolated to 4 ranks of 4 nodes")
    assert "MPI_Init comes before and takes 124 ms, and the launch 500 ms in all" in printed(
        "predict", trace, "--on", "gbe", "--startup", str(startup)
    )


def test_a_skeleton_gets_an_order_of_magnitude_with_its_source(predicted):
    found = predicted("npb:is.S", "-n", "4", "--machine", "xeon-e5-2650v3-x2")
    assert found["seconds"] == pytest.approx(DEFAULT_INIT.seconds(4, 2))
    assert "order of magnitude" in found["source"] and "bench init" in found["source"]


def test_another_file_is_refused(tmp_path):
    path = tmp_path / "other.json"
    path.write_text('{"schema": "linkworth.bench/1"}')
    with pytest.raises(
        UsageError, match=r"other\.json is not the JSON document of `linkworth bench init -o`"
    ):
        load(path)
    with pytest.raises(UsageError, match="No such file"):
        load(tmp_path / "none.json")
