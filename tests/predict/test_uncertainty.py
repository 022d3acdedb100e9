"""Intervals from the spread of a fabric's parameters."""

import msgspec
import numpy as np
import pytest
from synthetic import ANY, Call, collective, fabric, pcontrol, recv, send, way, write_trace

from linkworth.catalog.model_error import Misses, ModelErrors, model_errors
from linkworth.model.fabric import Spread
from linkworth.model.settings import ReplaySettings
from linkworth.model.trace import MpiInfo
from linkworth.predict import draws as draws_module
from linkworth.predict import predict
from linkworth.predict.calibrate import MeasuredTime
from linkworth.predict.predict import predict_with_draws
from linkworth.predict.response import Response
from linkworth.predict.warnings import other_library
from linkworth.replay.layout import Arrangement
from linkworth.trace.read import open_trace

MB = 1_000_000


@pytest.fixture(autouse=True)
def exact_model(monkeypatch):
    """Leave the parameters' spread as the only source of error."""
    exact = msgspec.structs.replace(model_errors(), prior=dict.fromkeys(model_errors().prior, 0.0), misses=[])
    monkeypatch.setattr(draws_module, "model_errors", lambda: exact)


@pytest.fixture
def trace(tmp_path):
    """Ten times 1 MB: 10 ms of bytes at 1 GB/s, nothing else."""
    return write_trace(tmp_path / "two.lwt", [[send(1, MB)] * 10, [recv(0, MB)] * 10])


def within(trace, on, **settings):
    (found,) = predict(trace, [on], settings=ReplaySettings(samples=400, **settings)).predictions
    assert found.interval is not None
    assert found.interval.low_seconds <= found.seconds <= found.interval.high_seconds
    return found.interval


def test_the_interval_of_bytes_is_that_of_the_bandwidth(trace):
    on = fabric(way(bandwidth=1e9), spread=Spread(bandwidth=0.1))
    found = within(trace, on)
    # 90 % of a normal distribution lie within 1.645 standard deviations; 400 samples give the quantiles to some 2 %.
    assert found.low_seconds == pytest.approx(10e-3 * (1 - 0.1645), rel=0.03)
    assert found.high_seconds == pytest.approx(10e-3 * (1 + 0.1645), rel=0.05)
    assert (found.confidence, found.samples) == (0.9, 400)


def test_time_in_files_is_as_sure_as_the_recording(tmp_path):
    write = Call("MPI_File_write_at", "local").lasting(1.0)
    trace = write_trace(tmp_path / "files.lwt", [[send(1, MB)] * 10, [*[recv(0, MB)] * 10, write]])
    found = within(trace, fabric(way(bandwidth=1e9), spread=Spread(bandwidth=0.1)))
    assert found.low_seconds == pytest.approx(1 + 10e-3 * (1 - 0.1645), rel=1e-3)
    assert found.high_seconds == pytest.approx(1 + 10e-3 * (1 + 0.1645), rel=1e-3)


def test_the_cpu_factor_of_a_level_has_the_same_interval_whatever_the_general_one(tmp_path):
    calls = [pcontrol(1), send(1, MB).after(1.0), pcontrol(0)]
    trace = write_trace(tmp_path / "level.lwt", [calls, [pcontrol(1), recv(0, MB), pcontrol(0)]])
    on = fabric(way(bandwidth=1e9), spread=Spread(computation=0.1))
    settings = ReplaySettings(samples=100, cpu_factor_at={1: 2.0})
    found = [
        predict(trace, [on], cpu_factor=factor, settings=settings).predictions[0] for factor in (1.0, 8.0)
    ]
    assert found[0].seconds == found[1].seconds == pytest.approx(0.5 + 1e-3)
    assert found[0].interval is not None and found[1].interval is not None
    assert found[1].interval.high_seconds == pytest.approx(found[0].interval.high_seconds, rel=1e-6)
    assert found[1].interval.low_seconds == pytest.approx(found[0].interval.low_seconds, rel=1e-6)


@pytest.mark.parametrize("seed", range(5))
def test_the_interval_holds_its_time_at_the_widest_spread(trace, seed):
    settings = ReplaySettings(samples=10, seed=seed, spread={"latency": 1.0})
    (found,) = predict(trace, [fabric(way(latency=1.0, bandwidth=1e9))], settings=settings).predictions
    assert found.interval is not None
    assert found.interval.low_seconds <= found.seconds <= found.interval.high_seconds


def test_threads_change_nothing(trace, monkeypatch):
    on = [fabric(way(latency=1e-5, bandwidth=rate), spread=Spread(bandwidth=0.1)) for rate in (1e8, 1e9)]
    found = []
    for cores in (1, 5):
        monkeypatch.setattr("os.sched_getaffinity", lambda _, cores=cores: set(range(cores)))
        found.append(predict(trace, on, settings=ReplaySettings(samples=40, noise=0.1)))
    assert found[0] == found[1]
    assert found[0].predictions[0].interval is not None


def test_a_spread_may_be_given_instead(trace):
    on = fabric(way(bandwidth=1e9), spread=Spread(bandwidth=0.5))
    found = within(trace, on, spread={"bandwidth": 0.01})
    assert found.high_seconds / found.low_seconds == pytest.approx(1 + 2 * 0.01645, rel=0.01)
    # The overhead does not matter to this program.
    idle = within(trace, on, spread={"bandwidth": 0.0, "overhead": 0.3})
    assert idle.low_seconds == pytest.approx(idle.high_seconds)


def test_computation_varies_too(tmp_path):
    path = write_trace(tmp_path / "one.lwt", [[send(0, 1).after(1.0), recv(0, 1)]])
    found = within(path, fabric(way(), spread=Spread(computation=0.05)))
    assert found.high_seconds == pytest.approx(1 + 1.645 * 0.05, rel=0.02)


def test_a_scaled_trace_is_less_sure_the_further_it_goes(tmp_path):
    work = [[Call("MPI_Wtime", "local").after(1.0)]] * 2
    still = fabric(way(), spread=Spread())

    def width(reached, measured=None, **scaling):
        of = {"ranks": [4, 8, 16], "grid": [reached], "roles": "all", "role_count": 1} | scaling
        trace = write_trace(tmp_path / "scaled.lwt", work, source="scaled", scaling=of)
        settings = ReplaySettings(samples=400, spread={"computation": 0.0})
        (found,) = predict(trace, [still], settings=settings, measured=measured).predictions
        return np.log(found.interval.high_seconds / found.interval.low_seconds)

    # 90 % of Student's t with 25 degrees of freedom lie within 1.708.
    assert width(32) == pytest.approx(2 * 1.708 * model_errors().scaling.computation, rel=0.1)
    assert width(32, short=True) == pytest.approx(
        2 * 1.708 * model_errors().scaling.short_computation, rel=0.1
    )
    assert width(64) == pytest.approx(2 * width(32), rel=0.01)
    assert width(64, ranks=[1, 4, 16]) == pytest.approx(width(32), rel=0.01)
    assert width(32, distributions=True) > 1.1 * width(32)
    known = MeasuredTime(still, 2.0, Arrangement(nodes=2))
    assert width(32, measured=known) == pytest.approx(0.0, abs=1e-9)
    assert width(32, measured=known, distributions=True) == pytest.approx(0.0, abs=1e-9)
    work = [[Call("MPI_File_sync", "local").lasting(1.0)]] * 2
    assert width(32) == pytest.approx(2 * 1.708 * model_errors().scaling.short_computation, rel=0.1)


EXCHANGE = [[send(1, MB)] * 10, [recv(0, MB)] * 10]
REDUCTION = [[collective("MPI_Allreduce", 8)] * 10] * 2


@pytest.mark.parametrize(
    ("calls", "network", "known", "factor"),
    [
        (EXCHANGE, {"bandwidth": 1e9}, "bytes", 2),
        (EXCHANGE, {"bandwidth": 1e9}, "messages", 1),
        (EXCHANGE, {"latency": 1e-3}, "messages", 2),
        (REDUCTION, {"latency": 1e-3}, "messages", 1),
    ],
)
def test_what_is_predicted_twice_as_often_may_be_half_of_it(calls, network, known, factor, tmp_path):
    left_out = {"ranks": 16, "calls": 0, "messages": 0, "bytes": 0, "compute": 0} | {known: 1.0}
    scaling = {"ranks": [4, 8, 16], "grid": [32], "roles": "all", "role_count": 1, "left_out": left_out}
    trace = write_trace(tmp_path / "scaled.lwt", calls, source="scaled", scaling=scaling)
    found = within(trace, fabric(way(**network), spread=Spread(bandwidth=0.001, latency=0.001)))
    # 90 % of what may be anything between a half and twice as much.
    assert found.high_seconds / found.low_seconds == pytest.approx(factor**1.8, rel=0.03)


def test_a_fabric_without_spread_gets_the_assumed_one(trace):
    found = within(trace, fabric(way(bandwidth=1e9)))
    assert found.high_seconds == pytest.approx(10e-3 * (1 + 0.1645), rel=0.05)


def test_a_response_is_exact_at_its_replays_and_near_between_them(tmp_path):
    steps = [send(1, MB).after(1e-3), recv(1, MB)] * 5
    path = write_trace(tmp_path / "steps.lwt", [steps, [recv(0, MB).after(2e-3), send(0, MB)] * 5])
    trace = open_trace(path)
    response = Response(trace, fabric(way(bandwidth=1e9)), Arrangement(nodes=2).layout(2), ReplaySettings())
    response.at(1.0)
    for scale in (0.0, 0.3, 0.7, 1.0, 1.5):
        there = Response(trace, response.fabric, response.layout, ReplaySettings()).at(scale or 1e-9).seconds
        assert response.seconds(np.array([scale]))[0] == pytest.approx(there, rel=0.1), scale
    # A network that is slower by a factor has the effect of less computation, in a longer time.
    slower = Response(trace, fabric(way(bandwidth=0.5e9)), response.layout, ReplaySettings()).at(1.0).seconds
    assert 2 * response.seconds(np.array([0.5]))[0] == pytest.approx(slower, rel=0.02)


def test_a_measured_time_is_exact_and_its_network_widens_the_others(tmp_path):
    path, little = (
        write_trace(
            tmp_path / f"{seconds}.lwt",
            [[send(1, MB).after(seconds), recv(1, 0)] * 10, [recv(0, MB), send(0, 0)] * 10],
        )
        for seconds in (1e-3, 1e-5)
    )
    spread = Spread(bandwidth=0.1, computation=1e-6)
    slow, fast = (
        msgspec.structs.replace(fabric(way(bandwidth=rate), spread=spread), name=name)
        for name, rate in (("slow", 1e9), ("fast", 1e11))
    )
    # 10 ms of bytes and 10 ms of computation: 10 % of the bytes are 10 % of the computation.
    at, beyond = (
        each.interval for each in predict(path, [slow, fast], measured=MeasuredTime(slow, 20e-3)).predictions
    )
    assert at is not None and beyond is not None
    assert at.low_seconds == pytest.approx(at.high_seconds, rel=0.01)
    assert beyond.low_seconds == pytest.approx(10.1e-3 - 1.8e-3, rel=0.04)
    assert beyond.high_seconds == pytest.approx(10.1e-3 + 1.6e-3, rel=0.04)
    # A network whose bytes take longer than the measured time is none of those that are possible. A faster one may
    # need many times the computation that was recorded.
    (at,) = predict(little, [slow], measured=MeasuredTime(slow, 10.2e-3)).predictions
    assert at.interval is not None
    assert [at.interval.low_seconds, at.interval.high_seconds] == pytest.approx([10.2e-3, 10.2e-3], rel=0.01)
    # Draws that two times leave possible have the same numbers in both.
    one, other = (
        np.array(predict_with_draws(little, [fast], measured=MeasuredTime(slow, time))[1].seconds[0])
        for time in (10.2e-3, 12e-3)
    )
    assert np.isclose(other - one, 1.8e-3, rtol=0.05).mean() > 0.4
    warned = predict(path, [fast], measured=MeasuredTime(slow, 14e-3)).warnings
    assert "71 % of the time given for slow is communication by the model" in warned[0]
    assert predict(path, [fast], measured=MeasuredTime(fast, 14e-3)).warnings == []


def test_a_measured_time_that_the_replay_jumps_over_is_met_as_nearly_as_possible(tmp_path):
    # The last rank's message comes first if it is computed before the 3 MB are there: at most 3 times as slowly.
    ranks = [
        [recv(ANY, 0), recv(ANY, 0).after(10e-3)],
        [send(2, 3 * MB), recv(3, 0)],
        [recv(1, 3 * MB), send(0, 0, name="MPI_Ssend").after(1e-3)],
        [send(0, 0, name="MPI_Ssend").after(2e-3), send(1, 0).after(10e-3)],
    ]
    path = write_trace(tmp_path / "jump.lwt", ranks)
    on = fabric(way(bandwidth=1e9))
    below, between = (predict(path, [on], measured=MeasuredTime(on, seconds)) for seconds in (30e-3, 40e-3))
    assert below.predictions[0].seconds == pytest.approx(30e-3) and below.warnings == []
    assert between.predictions[0].seconds == pytest.approx(36e-3, rel=1e-3)
    assert between.warnings == [
        "no computation leads to the time given for by hand, 40.0 ms: the replayed time jumps over it, and the nearest is "
        "36.0 ms, from which all other times follow"
    ]


def test_a_fabric_of_another_library_warns_and_leaves_its_overheads_open(trace):
    on = msgspec.structs.replace(fabric(way(overhead=1e-3), spread=Spread(overhead=0.1)), mpi="Intel MPI")
    near, far = (within(trace, on, mpi_library=library) for library in ("mpich", "openmpi"))
    assert far.high_seconds / far.low_seconds > 5 * near.high_seconds / near.low_seconds
    settings = ReplaySettings(mpi_library="openmpi-4.1")
    assert predict(trace, [on, on], settings=settings).warnings == [
        f"{on.name} was measured with Intel MPI, and the replay is of Open MPI, which may take a third or three times its "
        "overheads; calibrate with the library that will run"
    ]
    assert predict(trace, [on]).warnings == []  # the trace names no library
    recorded = MpiInfo(
        library="/usr/lib/libmpi.so.40.30.4", version="Open MPI v4.1.4, package: Debian OpenMPI"
    )
    assert "the replay is of Open MPI" in other_library(on, recorded, ReplaySettings())


def test_errors_of_a_kind_come_from_its_sources_and_an_assumption():
    shipped = model_errors()
    errors: ModelErrors = msgspec.structs.replace(
        shipped,
        prior=dict.fromkeys(shipped.prior, 0.3),
        prior_weight=2.0,
        misses=[
            Misses(source=name, pattern="exchanges", technology="tcp", points=9, spread=0.1)
            for name in ("a", "b")
        ],
    )
    assert errors.of("exchanges", "tcp") == (pytest.approx(0.05**0.5), 4)
    assert errors.without("b").of("exchanges", "tcp") == (pytest.approx((0.19 / 3) ** 0.5), 3)
    assert errors.of("collectives", "tcp") == (pytest.approx(0.3), 2)
    assert shipped.date and all(each.points >= 2 for each in shipped.misses)


def test_a_spread_of_an_unknown_parameter_or_without_sense_is_refused(refused):
    with_draws = ["predict", "none.lwt", "--on", "gbe", "--samples", "10", "--spread"]
    refused(*with_draws, "latency=1e9")
    assert "there is no 'width'; choose latency, bandwidth" in refused(*with_draws, "width=1")
