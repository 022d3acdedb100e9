"""Predictions over fabrics, layouts, calibration and sensitivity, from traces made by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from synthetic import Call, collective, fabric, recv, send, way, write_trace

from linkworth.catalog import fabrics
from linkworth.errors import DamagedInputError, UsageError
from linkworth.predict import predict, sensitivity
from linkworth.predict.calibrate import MeasuredTime
from linkworth.predict.sensitivity import FACTORS
from linkworth.predict.sweep import arrangements, sweep
from linkworth.replay.layout import Arrangement, block
from linkworth.trace.read import Allowance, open_trace

MS = 1e-3
SLOW = fabric(way(latency=100e-6, bandwidth=1e8))
FAST = fabric(way(latency=1e-6, bandwidth=1e10))


@pytest.fixture
def trace(tmp_path):
    # 10 ms of computation, then 1 MB: 10 + 0.1 + 10 ms on the slow fabric.
    return write_trace(
        tmp_path / "two.lwt", [[send(1, 1_000_000).after(10 * MS)], [recv(0, 1_000_000)]], workload="two"
    )


def test_one_prediction_a_fabric_in_the_order_asked(trace):
    found = predict(trace, [SLOW, FAST], Arrangement(nodes=2))
    assert [round(each.seconds / MS, 3) for each in found.predictions] == [20.1, 10.101]
    assert (found.workload, found.ranks, found.nodes, found.ppn, found.region) == ("two", 2, 2, 1, "whole")
    assert found.warnings == []


def test_a_path_inside_a_node_is_no_network_between_nodes(trace):
    warned = [
        predict(trace, [fabrics.get(name)], Arrangement(nodes=nodes)).warnings
        for name, nodes in (("shm", 2), ("shm", 1), ("ideal", 2))
    ]
    assert [len(sentences) for sentences in warned] == [1, 0, 0]
    assert "shm joins no nodes" in warned[0][0]
    assert sweep(trace, [fabrics.get("shm")], [], arrangements([1, 2])).warnings == warned[0]


def test_computation_is_scaled_by_a_factor_or_a_measured_time(trace):
    (found,) = predict(trace, [SLOW], Arrangement(nodes=2), cpu_factor=4).predictions
    assert found.compute_seconds == pytest.approx(2.5 * MS)
    assert found.seconds == pytest.approx(12.6 * MS)
    found = predict(trace, [SLOW, FAST], Arrangement(nodes=2), measured=MeasuredTime(SLOW, 50.1 * MS))
    assert found.calibration.cpu_factor == pytest.approx(10 / 40, rel=1e-5)
    assert found.predictions[0].seconds == pytest.approx(50.1 * MS, rel=1e-5)
    assert found.predictions[1].seconds == pytest.approx(40.101 * MS, rel=1e-5)
    assert found.warnings == []
    minutes = predict(trace, [SLOW], Arrangement(nodes=2), measured=MeasuredTime(SLOW, 60 * 50.1 * MS))
    assert any("makes the computation take 300 times as long" in warning for warning in minutes.warnings)
    quicker = predict(trace, [SLOW], Arrangement(nodes=2), measured=MeasuredTime(SLOW, 11 * MS))
    assert quicker.predictions[0].seconds == pytest.approx(11 * MS, rel=1e-5)
    with pytest.raises(UsageError, match=r"the communication alone takes 0\.0101 s"):
        predict(trace, [FAST], Arrangement(nodes=2), measured=MeasuredTime(SLOW, 9 * MS))
    with pytest.raises(UsageError, match="above 0 seconds"):
        predict(trace, [FAST], Arrangement(nodes=2), measured=MeasuredTime(SLOW, 0.0))


def test_a_trace_with_little_or_no_computation_cannot_be_scaled(tmp_path):
    little = write_trace(tmp_path / "little.lwt", [[send(1, 8000).after(1e-9)], [recv(0, 8000)]])
    with pytest.raises(UsageError, match="would take over 1e9 times as long as in the trace"):
        predict(little, [SLOW], Arrangement(nodes=2), measured=MeasuredTime(SLOW, 1e9))
    path = write_trace(tmp_path / "bare.lwt", [[collective("MPI_Barrier")]] * 2)
    with pytest.raises(UsageError, match="no computation to scale"):
        predict(path, [SLOW], Arrangement(nodes=2), measured=MeasuredTime(SLOW, 1.0))
    nothing = write_trace(tmp_path / "nothing.lwt", [[]] * 2)
    with pytest.raises(UsageError, match="no computation to scale"):
        predict(nothing, [SLOW], Arrangement(nodes=2), measured=MeasuredTime(SLOW, 1.0))


@given(
    seconds=st.floats(min_value=0.0102, max_value=1e3),
    early=st.floats(min_value=0, max_value=0.02),
    late=st.floats(min_value=1e-4, max_value=0.02),
)
def test_calibration_meets_any_reachable_time(tmp_path_factory, seconds, early, late):
    # The slowest rank changes with the factor, so the time has a kink.
    path = write_trace(
        tmp_path_factory.mktemp("kink") / "kink.lwt",
        [[send(1, 1_000_000).after(early)], [recv(0, 1_000_000).after(late), Call("MPI_Wtime", "local")]],
    )
    found = predict(path, [SLOW], Arrangement(nodes=2), measured=MeasuredTime(SLOW, seconds))
    assert found.predictions[0].seconds == pytest.approx(seconds, rel=1e-5)


def test_unmodelled_calls_and_a_failed_verification_are_warned_of(tmp_path):
    path = write_trace(tmp_path / "odd.lwt", [[Call("MPI_Put", "local").lasting(1e-3)]], verified=False)
    warnings = predict(path, [SLOW]).warnings
    assert any("MPI_Put (1 call) is not modelled yet, or failed" in warning for warning in warnings)
    assert any("failed its own verification" in warning for warning in warnings)


def test_the_exit_code_of_a_failed_program_is_warned_of(tmp_path):
    path = write_trace(tmp_path / "failed.lwt", [[Call("MPI_Put", "local")]], exit_code=3)
    assert any("left with exit code 3" in warning for warning in predict(path, [SLOW]).warnings)


def both_on(cores):
    """Return two ranks of one node that share so many cores."""
    return [
        {"rank": rank, "host": "a", "state": "complete", "cores": cores, "first_core": 0} for rank in (0, 1)
    ]


@pytest.mark.parametrize(
    ("gap", "cores", "scaled", "warned"),
    [(1e-6, 1, False, True), (1e-6, 2, False, False), (1e-3, 1, False, False), (1e-6, 1, True, False)],
)
def test_short_computation_of_ranks_that_shared_cores_is_warned_of(tmp_path, gap, cores, scaled, warned):
    calls = [[send(1, 8).after(gap)] * 100, [recv(0, 8).after(gap)] * 100]
    path = write_trace(tmp_path / "short.lwt", calls, ranks=both_on(cores))
    measured = MeasuredTime(SLOW, 5.0) if scaled else None
    found = predict(path, [SLOW], Arrangement(nodes=2), cpu_factor=1.5, measured=measured)
    assert any("cold caches" in warning for warning in found.warnings) == warned


@pytest.mark.parametrize(
    ("cores", "gap", "scaled", "warned"),
    [
        (2, 0.3, False, True),
        (2, 0.3, True, False),
        (2, 0.11, False, False),
        (1, 0.3, False, False),
        (1, 1.0, False, True),
    ],
)
def test_time_without_a_core_that_sharing_does_not_explain_is_warned_of(tmp_path, cores, gap, scaled, warned):
    calls = [[collective("MPI_Barrier", 0), collective("MPI_Barrier", 0).after(gap, cpu=0.1)]] * 2
    path = write_trace(tmp_path / "idle.lwt", calls, ranks=both_on(cores))
    measured = MeasuredTime(SLOW, 5.0) if scaled else None
    found = predict(path, [SLOW], Arrangement(nodes=2), cpu_factor=1.5, measured=measured)
    assert any("did not compute for" in warning for warning in found.warnings) == warned


@pytest.mark.parametrize(
    ("busy", "seconds", "scaled", "warned"),
    [(0.2, 1.0, False, True), (0.2, 1.0, True, False), (0.2, 3.0, False, False), (0.05, 0.1, False, False)],
)
def test_computation_of_threads_beside_calls_is_warned_of(tmp_path, busy, seconds, scaled, warned):
    ranks = [{"rank": rank, "host": "a", "state": "complete", "helpers_seconds": busy} for rank in (0, 1)]
    calls = [[collective("MPI_Barrier", 0).after(seconds)]] * 2
    path = write_trace(tmp_path / "helpers.lwt", calls, ranks=ranks)
    measured = MeasuredTime(SLOW, 1.0) if scaled else None
    found = predict(path, [SLOW], Arrangement(nodes=2), measured=measured)
    assert any("that call no MPI were busy" in warning for warning in found.warnings) == warned


@pytest.mark.parametrize("cores", [1, 2])
def test_time_in_files_of_ranks_that_shared_cores_is_warned_of(tmp_path, cores):
    calls = [[Call("MPI_File_write_all", "local").lasting(1.0)]] * 2
    path = write_trace(tmp_path / "files.lwt", calls, ranks=both_on(cores))
    (warning,) = (each for each in predict(path, [SLOW]).warnings if "calls to files" in each)
    assert ("waits for a core" in warning) == (cores == 1)


def test_a_cut_trace_is_predicted_up_to_its_end(tmp_path):
    ranks = [{"rank": 0, "host": "a", "state": "cut"}, {"rank": 1, "host": "b", "state": "complete"}]
    path = write_trace(tmp_path / "cut.lwt", [[], [recv(0, 8).after(5 * MS)]], end=False, ranks=ranks)
    with pytest.raises(DamagedInputError, match="rank 0 did not reach MPI_Finalize"):
        predict(path, [SLOW], Arrangement(nodes=2))
    found = predict(open_trace(path, Allowance()), [SLOW], Arrangement(nodes=2))
    assert found.incomplete is not None
    assert found.predictions[0].seconds == pytest.approx(5 * MS)
    assert any("the trace is cut" in warning for warning in found.warnings)


def test_the_sensitivity_grid_holds_replays(trace):
    grid = sensitivity(trace, SLOW, Arrangement(nodes=2))
    assert grid.latency_seconds == pytest.approx([factor * 100e-6 for factor in FACTORS])
    assert grid.bandwidth_bytes_per_second == pytest.approx([factor * 1e8 for factor in FACTORS])
    for latency, row in zip(grid.latency_seconds, grid.seconds, strict=True):
        assert row == pytest.approx(
            [10 * MS + latency + 1e6 / rate for rate in grid.bandwidth_bytes_per_second]
        )


def test_pairs_of_factors_are_replayed_where_latency_and_bandwidth_hide_each_other(tmp_path):
    # 100 messages in turn, 10 ms of latency, beside one of 1 MB, 10 ms of bandwidth: the longer of them takes the time.
    turns = [
        [each for _ in range(50) for each in pair]
        for pair in ([send(1, 0), recv(1, 0)], [recv(0, 0), send(0, 0)])
    ]
    path = write_trace(tmp_path / "hidden.lwt", [*turns, [send(3, 1_000_000)], [recv(2, 1_000_000)]])
    found = sensitivity(path, SLOW, Arrangement(nodes=4))
    for i, latency in enumerate(found.latency_seconds):
        for j, bandwidth in enumerate(found.bandwidth_bytes_per_second):
            own = latency == SLOW.link.latency_seconds or bandwidth == SLOW.link.bandwidth_bytes_per_second
            assert found.seconds[i][j] == pytest.approx(
                max(100 * latency, latency + 1e6 / bandwidth), rel=0.003 if own else 0.031
            )


def test_no_fabric_and_an_impossible_factor_are_refused(trace):
    with pytest.raises(UsageError, match="`on`"):
        predict(trace, [])
    with pytest.raises(UsageError, match="`cpu_factor` -1"):
        predict(trace, [SLOW], cpu_factor=-1.0)


@pytest.mark.parametrize(
    ("ranks", "nodes", "ppn", "message"),
    [
        (8, 2, 3, "room for 6 ranks on 2 nodes, but the trace has 8; give `nodes` 3"),
        (8, 1, 3, "room for 3 ranks on 1 node, but the trace has 8; give `nodes` 3"),
        (8, 3, 4, "give `nodes` 2"),
        (2, 3, None, "only 2 ranks"),
        (4, 0, None, "`nodes` 0"),
        (4, None, -2, "`ppn` -2"),
    ],
)
def test_a_layout_that_does_not_fit_says_what_would(ranks, nodes, ppn, message):
    with pytest.raises(UsageError, match=message):
        block(ranks, nodes, ppn)


@given(st.integers(1, 300), st.integers(1, 40))
def test_even_blocks_differ_by_one_rank_at_most(ranks, nodes):
    if nodes > ranks:
        return
    placed = block(ranks, nodes).node_of_rank
    counts = [placed.count(node) for node in range(nodes)]
    assert placed == sorted(placed)
    assert max(counts) - min(counts) <= 1
