"""Short runs of the bundled programs, and the time of the whole that follows from them."""

import msgspec
import pytest
from synthetic import recv, send, write_trace

from linkworth.catalog import fabrics
from linkworth.predict import request
from linkworth.replay.layout import Arrangement
from linkworth.replay.run import replay
from linkworth.skeleton.rates import RateRequest
from linkworth.skeleton.shorter import shorter_runs
from linkworth.trace.read import open_trace


@pytest.fixture
def opened():
    """Open the skeleton of a program on 16 ranks."""

    def open_skeleton(program):
        rates = RateRequest(machine="xeon-e5-2650v3-x2")
        with request.traced(program, 16, rates) as path:
            return open_trace(path)

    return open_skeleton


@pytest.mark.parametrize(
    ("program", "iterations"),
    [("cg.A", 15), ("mg.B", 20), ("ft.C", 20), ("bt.W", 200), ("sp.W", 400), ("lu.W", 300)],
)
def test_two_short_runs_give_the_time_of_the_whole(opened, program, iterations):
    trace = opened(f"npb:{program}")
    runs = shorter_runs(trace.engine, trace.metadata)
    assert runs is not None
    assert 4 + 2 * runs.rest == iterations
    for network in ("gbe", "ib-hdr"):
        few, more, whole = (
            replay(of, fabrics.get(network), Arrangement(nodes=4).layout(16))
            for of in (runs.few, runs.more, trace.engine)
        )
        found = runs.whole(few, more)
        assert found.seconds == pytest.approx(whole.seconds, rel=5e-3)
        assert found.messages == whole.messages
        assert found.timed_internode_bytes == whole.timed_internode_bytes


def test_programs_with_few_or_differing_iterations_have_none(opened, tmp_path):
    for program in ("npb:ft.A", "npb:ep.S", "npb:is.S", "imbalance:1", "stencil:24x24x8 --iterations 50"):
        trace = opened(program)
        assert shorter_runs(trace.engine, trace.metadata) is None
    trace = opened("npb:lu.W")
    older = msgspec.structs.replace(trace.metadata, linkworth="0.0.1")
    assert shorter_runs(trace.engine, older) is None
    recorded = open_trace(write_trace(tmp_path / "two.lwt", [[send(1, 8)], [recv(0, 8)]]))
    assert shorter_runs(recorded.engine, recorded.metadata) is None
