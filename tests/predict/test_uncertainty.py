"""Intervals from the spread of a fabric's parameters."""

from pathlib import Path

import pytest
from synthetic import fabric, recv, send, way, write_trace

from linkworth.cli.main import main
from linkworth.errors import UsageError
from linkworth.model.fabric import Fabric, Spread
from linkworth.model.prediction import Interval
from linkworth.model.settings import ReplaySettings
from linkworth.predict import predict

MB = 1_000_000


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    """Ten times 1 MB: 10 ms of bytes at 1 GB/s, nothing else."""
    return write_trace(tmp_path / "two.lwt", [[send(1, MB)] * 10, [recv(0, MB)] * 10])


def within(trace: Path, on: Fabric, **settings: object) -> Interval:
    (found,) = predict(trace, [on], settings=ReplaySettings(samples=400, **settings)).predictions  # type: ignore[arg-type]
    assert found.interval is not None
    assert found.interval.low_seconds <= found.seconds <= found.interval.high_seconds
    return found.interval


def test_the_interval_of_bytes_is_that_of_the_bandwidth(trace: Path) -> None:
    on = fabric(way(bandwidth=1e9), spread=Spread(bandwidth=0.1))
    found = within(trace, on)
    # 90 % of a normal distribution lie within 1.645 standard deviations; 400 samples give the quantiles to some 2 %.
    assert found.low_seconds == pytest.approx(10e-3 * (1 - 0.1645), rel=0.03)
    assert found.high_seconds == pytest.approx(10e-3 * (1 + 0.1645), rel=0.05)
    assert (found.confidence, found.samples) == (0.9, 400)


def test_draws_follow_the_seed_alone(trace: Path) -> None:
    on = fabric(way(bandwidth=1e9), spread=Spread(bandwidth=0.1))
    assert within(trace, on, seed=3) == within(trace, on, seed=3)
    assert within(trace, on, seed=3) != within(trace, on, seed=4)


@pytest.mark.parametrize("seed", range(5))
def test_the_interval_holds_its_time_at_the_widest_spread(trace: Path, seed: int) -> None:
    settings = ReplaySettings(samples=10, seed=seed, spread={"latency": 1.0})
    (found,) = predict(trace, [fabric(way(latency=1.0, bandwidth=1e9))], settings=settings).predictions
    assert found.interval is not None
    assert found.interval.low_seconds <= found.seconds <= found.interval.high_seconds


def test_a_spread_without_sense_is_refused() -> None:
    assert main(["predict", "none.lwt", "--on", "gbe", "--samples", "10", "--spread", "latency=1e9"]) == 2


def test_threads_change_nothing(trace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    on = [fabric(way(latency=1e-5, bandwidth=rate), spread=Spread(bandwidth=0.1)) for rate in (1e8, 1e9)]
    found = []
    for cores in (1, 5):
        monkeypatch.setattr("os.sched_getaffinity", lambda _, cores=cores: set(range(cores)))
        found.append(predict(trace, on, settings=ReplaySettings(samples=40, noise=0.1)))
    assert found[0] == found[1]
    assert found[0].predictions[0].interval is not None


def test_a_spread_may_be_given_instead(trace: Path) -> None:
    on = fabric(way(bandwidth=1e9), spread=Spread(bandwidth=0.5))
    found = within(trace, on, spread={"bandwidth": 0.01})
    assert found.high_seconds / found.low_seconds == pytest.approx(1 + 2 * 0.01645, rel=0.01)
    # The overhead does not matter to this program.
    idle = within(trace, on, spread={"bandwidth": 0.0, "overhead": 0.3})
    assert idle.low_seconds == pytest.approx(idle.high_seconds)


def test_computation_varies_too(tmp_path: Path) -> None:
    path = write_trace(tmp_path / "one.lwt", [[send(0, 1).after(1.0), recv(0, 1)]])
    found = within(path, fabric(way(), spread=Spread(computation=0.05)))
    assert found.high_seconds == pytest.approx(1 + 1.645 * 0.05, rel=0.02)


def test_faults(trace: Path) -> None:
    with pytest.raises(UsageError, match="by hand has no spread"):
        predict(trace, [fabric(way())], settings=ReplaySettings(samples=20))


def test_a_spread_of_an_unknown_parameter_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["predict", "none.lwt", "--on", "gbe", "--samples", "10", "--spread", "width=1"]) == 2
    assert "there is no 'width'; choose latency, bandwidth" in capsys.readouterr().err
