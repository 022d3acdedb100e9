"""The share of a node that its ranks demand, from times in several layouts."""

import pytest
from synthetic import recv, send, write_trace

from linkworth.catalog import fabrics
from linkworth.errors import UsageError
from linkworth.model.settings import ReplaySettings
from linkworth.predict import predict, request
from linkworth.predict.sharing import fitted
from linkworth.replay.layout import Arrangement
from linkworth.skeleton.rates import RateRequest
from linkworth.trace.read import open_trace


@pytest.fixture
def path(tmp_path):
    """Four ranks that compute for a second each; a message at the end."""
    ranks = [
        [send(1, 8).after(1.0)],
        [recv(0, 8).after(1.0)],
        [send(3, 8).after(1.0)],
        [recv(2, 8).after(1.0)],
    ]
    return write_trace(tmp_path / "four.lwt", ranks)


def predicted(trace, *times, nodes=2, on="gbe"):
    """Return the prediction that follows from known times, such as gbe:4x1=10, the time that scales it, and the settings."""
    measured, settings = fitted(trace, request.measured_times(times), ReplaySettings())
    found = predict(trace, [fabrics.get(on)], Arrangement(nodes=nodes), measured=measured, settings=settings)
    return found, measured, settings


def test_two_layouts_give_the_share_and_others_follow(path):
    # Alone a rank takes 10 s; four share a node and take 24 s, so each demands 0.6 of it.
    found, first, settings = predicted(open_trace(path), "gbe:1x4=24", "gbe:4x1=10")
    assert first is not None and first.title == "gbe:4x1"
    assert settings.memory_bandwidth_bytes_per_second is not None
    share = settings.memory_demand_bytes_per_second / settings.memory_bandwidth_bytes_per_second
    assert share == pytest.approx(0.6, rel=2e-3)
    assert found.predictions[0].seconds == pytest.approx(12.0, rel=0.01)  # two ranks demand 1.2 of a node


@pytest.mark.parametrize("machine", ["xeon-e5-2650v3-x2", "raspberry-pi-4"])
def test_a_measured_time_contains_the_waits_of_a_counted_demand(machine):
    """A skeleton that was kept without a measured time is predicted as one that is made for it."""

    def seconds(scaled):
        with request.traced("npb:mg.A", 16, RateRequest(machine=machine), scaled=scaled) as path:
            trace = open_trace(path)
            assert (not trace.metadata.rates.memory_demands) == scaled
            return predicted(trace, "gbe:8x2=1.5", nodes=4, on="ib-fdr")[0].predictions[0].seconds

    assert seconds(scaled=False) == pytest.approx(seconds(scaled=True), rel=1e-3)


def test_layouts_without_sharing_change_nothing(path):
    found, *_ = predicted(open_trace(path), "gbe:4x1=10", "gbe:1x4=9.5")
    assert found.predictions[0].seconds == pytest.approx(10.0, rel=1e-4)


def test_on_a_known_machine_one_time_gives_the_share():
    with request.traced("npb:ep.S", 4, RateRequest(machine="raspberry-pi-4"), scaled=True) as path:
        trace = open_trace(path)

        def seconds(nodes, *texts):
            return predicted(trace, *texts, nodes=nodes)[0].predictions[0].seconds

        alone = predict(trace, [fabrics.get("gbe")], Arrangement(nodes=4)).predictions[0].seconds
        # Twice as slow as its core, a rank waits for memory half of the time. Four such ranks demand two nodes.
        assert seconds(1, f"gbe:4x1={2 * alone}") == pytest.approx(4 * alone, rel=0.01)
        assert seconds(4, f"gbe:1x4={4 * alone}") == pytest.approx(2 * alone, rel=0.01)
        # Ranks that are as fast as their cores do not wait.
        assert seconds(1, f"gbe:4x1={0.9 * alone}") == pytest.approx(0.9 * alone, rel=0.01)


def test_what_ranks_share_is_in_the_interval_unless_it_was_measured(path):
    warned: list[int] = []

    def high(*texts):
        found, *_ = predicted(open_trace(path), *texts)
        warned.append(sum("up to 2 times slower" in warning for warning in found.warnings))
        assert found.predictions[0].interval is not None
        return found.predictions[0].interval.high_seconds / found.predictions[0].seconds

    # Two ranks on a node may take twice as long as one; a power between 0 and 1 is below 0.95 in 19 of 20 draws.
    assert high("gbe:4x1=10") == pytest.approx(2**0.95, rel=0.05)
    assert high("gbe:2x2=10") < 1.1
    assert high("gbe:4x1=10", "gbe:1x4=24") < 1.7
    assert warned == [1, 0, 0]


def test_times_that_contradict_each_other_are_named(path):
    def warned(*texts):
        found, *_ = predicted(open_trace(path), *texts)
        return [warning for warning in found.warnings if "do not agree" in warning]

    # Four ranks that share a node are at most four times as slow, and never faster than alone.
    (slow,) = warned("gbe:4x1=10", "gbe:1x4=60")
    assert "scaled to 10.0 s on gbe:4x1, the model takes 40.0 s on gbe:1x4, where 60.0 s was given" in slow
    assert len(warned("gbe:4x1=10", "gbe:1x4=5")) == 1
    # Two networks in one layout have one speed of computation.
    assert len(warned("gbe:2x2=10", "ib-fdr:2x2=5")) == 1
    assert warned("gbe:2x2=10", "ib-fdr:2x2=10") == warned("gbe:4x1=10", "gbe:1x4=24") == []


def test_faults(path, refused):
    trace = open_trace(path)
    with pytest.raises(UsageError, match="each needs its layout"):
        request.measured_times(["gbe=1", "gbe:4x1=1"])
    with pytest.raises(UsageError, match="gbe:8x1: that layout has 8 ranks, but the program has 4"):
        fitted(trace, request.measured_times(["gbe:8x1=10"]), ReplaySettings())
    with pytest.raises(UsageError, match="a layout has two times"):
        fitted(trace, request.measured_times(["gbe:4x1=10", "gbe:4x1=11"]), ReplaySettings())
    refused("predict", path, "--on", "gbe", "--measured", "gbe:0x4=3")
    sweep = ["sweep", path, "--on", "gbe", "--vary", "latency=x1,x2", "--measured", "gbe:2x2=9"]
    assert "a sweep has layouts of its own" in refused(*sweep)
