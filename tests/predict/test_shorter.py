"""Short runs of the bundled programs, and the time of the whole that follows from them."""

import pytest
from msgspec.structs import replace
from synthetic import recv, send, write_trace

from linkworth.catalog import fabrics
from linkworth.model.prediction import ReplayTimes
from linkworth.model.settings import ReplaySettings
from linkworth.predict import request
from linkworth.predict.breakdown import efficiency
from linkworth.predict.response import Response
from linkworth.predict.shorter import shorter_runs
from linkworth.replay.layout import Arrangement
from linkworth.replay.run import replay_in_detail
from linkworth.skeleton.rates import RateRequest
from linkworth.trace.read import open_trace

NODES = Arrangement(nodes=4).layout(16)


@pytest.fixture
def opened():
    """Open the skeleton of a program on 16 ranks."""

    def open_skeleton(program):
        rates = RateRequest(machine="xeon-e5-2650v3-x2")
        with request.traced(program, 16, rates) as path:
            return open_trace(path)

    return open_skeleton


def on(network):
    return lambda trace: replay_in_detail(trace, fabrics.get(network), NODES)


@pytest.mark.parametrize(
    ("program", "iterations"),
    [("cg.A", 15), ("mg.B", 20), ("ft.C", 20), ("bt.W", 200), ("sp.W", 400), ("lu.W", 300)],
)
def test_two_short_runs_give_the_time_of_the_whole(opened, program, iterations):
    trace = opened(f"npb:{program}")
    runs = shorter_runs(trace, ReplaySettings())
    assert runs is not None
    assert runs.iterations == iterations
    for network in ("gbe", "ib-hdr"):
        found, whole = runs.estimate(on(network)).prediction, on(network)(trace.engine).prediction
        assert found.seconds == pytest.approx(whole.seconds, rel=5e-3)
        assert found.messages == whole.messages
        assert found.timed_internode_bytes == whole.timed_internode_bytes


def test_three_short_runs_replace_the_whole_if_its_iterations_are_steady(opened):
    trace = opened("npb:lu.W")
    runs = shorter_runs(trace, ReplaySettings())
    found, whole = runs.steady(on("gbe")), on("gbe")(trace.engine)
    assert found.result.events == whole.result.events
    assert found.prediction.internode_bytes == whole.prediction.internode_bytes
    for field in ReplayTimes.__struct_fields__:
        assert getattr(found.prediction, field) == pytest.approx(getattr(whole.prediction, field), rel=1e-9)
    assert efficiency(found, 0.1).load_balance == pytest.approx(efficiency(whole, 0.1).load_balance, rel=1e-9)
    # Messages that compete take turns in another order in each iteration.
    trace = opened("npb:sp.W")
    runs = shorter_runs(trace, ReplaySettings())
    assert runs.steady(on("gbe")) is None
    whole = on("gbe")(trace.engine).prediction
    assert Response(trace, fabrics.get("gbe"), NODES, ReplaySettings()).at(1.0) == whole


def test_programs_with_few_or_differing_iterations_have_none(opened, tmp_path):
    for program in ("npb:ft.A", "npb:ep.S", "npb:is.S", "imbalance:1", "stencil:24x24x8 --iterations 50"):
        trace = opened(program)
        assert shorter_runs(trace, ReplaySettings()) is None
    trace = opened("npb:lu.W")
    older = replace(trace, metadata=replace(trace.metadata, linkworth="0.0.1"))
    assert shorter_runs(older, ReplaySettings()) is None
    assert shorter_runs(replace(trace, lacks="its second half"), ReplaySettings()) is None
    recorded = open_trace(write_trace(tmp_path / "two.lwt", [[send(1, 8)], [recv(0, 8)]]))
    assert shorter_runs(recorded, ReplaySettings()) is None
