"""Numbers that no replay is possible with: the engine refuses them by itself, and a time that is not finite."""

import math
from pathlib import Path
from typing import Any

import msgspec
import pytest
from synthetic import collective, fabric, irecv, isend, recv, send, waitall, way, write_trace

from linkworth import _engine
from linkworth.catalog import fabrics
from linkworth.model.fabric import SwitchLevel, Topology
from linkworth.model.settings import ReplayRequest, ReplaySettings

LIMITS = ("bandwidth_bytes_per_second", "restart_after_seconds", "port_buffer_bytes", "burst_seconds",
          "initial_window_bytes", "unexpected_copy_bytes_per_second", "intranode_total_bytes_per_second",
          "intranode_duplex_bytes_per_second",
          "combine_bytes_per_second", "duplex_bytes_per_second", "memory_bandwidth_bytes_per_second",
          "pair_bytes_per_second")  # fmt: skip
"""Numbers that may be infinite."""


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> _engine.Trace:
    calls = [collective("MPI_Allreduce", 100_000).after(1e-4)]
    ranks = [[*calls, send(1, 300_000)], [*calls, recv(0, 300_000)]]
    return _engine.Trace(str(write_trace(tmp_path_factory.mktemp("sensible") / "t.lwt", ranks)))


def request() -> dict[str, Any]:
    level = SwitchLevel(nodes_per_group=2, uplinks=1, bandwidth_bytes_per_second=1e9)
    topology = Topology(levels=[level], hop_latency_seconds=1e-6)
    fabric = msgspec.structs.replace(fabrics.get("gbe"), topology=topology)
    settings = ReplaySettings(
        cpu_factor_at={1: 2.0}, memory_bandwidth_bytes_per_second=1e9, cores_per_node=2, thread_gain=1.2
    )
    return msgspec.to_builtins(ReplayRequest(fabric=fabric, node_of_rank=[0, 1], settings=settings))  # type: ignore[no-any-return]


def replayed(trace: _engine.Trace, given: dict[str, Any]) -> float:
    (result,) = _engine.replay_together([(trace, msgspec.convert(given, ReplayRequest))])
    return result.seconds


def numbers(given: Any, place: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the places of all fractional numbers in the options."""
    if isinstance(given, float):
        return [place]
    if isinstance(given, dict):
        return [found for key, each in given.items() for found in numbers(each, (*place, key))]
    if isinstance(given, list | tuple):
        return [found for key, each in enumerate(given) for found in numbers(each, (*place, key))]
    return []


def put(given: dict[str, Any], place: tuple[Any, ...], value: float) -> None:
    """Set the number at a place; points of a curve are tuples."""
    holder: Any = given
    for key in place[:-1]:
        if isinstance(holder[key], tuple):
            holder[key] = list(holder[key])
        holder = holder[key]
    holder[place[-1]] = value


PYTHON_ONLY = {"spread", "worst_miss"}
PLACES = [place for place in numbers(request()) if not PYTHON_ONLY & {*place}]


@pytest.mark.parametrize("place", PLACES, ids=lambda place: ".".join(map(str, place)))
def test_the_engine_refuses_each_senseless_number_by_itself(
    trace: _engine.Trace, place: tuple[Any, ...]
) -> None:
    for value in (math.nan, math.inf, -math.inf, -1.0):
        given = request()
        put(given, place, value)
        if value == math.inf and place[-1] in LIMITS:
            assert math.isfinite(replayed(trace, given))
            continue
        with pytest.raises(_engine.ReplayError, match="no replay is possible with that; give"):
            replayed(trace, given)


@pytest.mark.parametrize("path", ["link", "intranode"])
def test_a_rate_that_no_time_follows_from_is_refused(trace: _engine.Trace, path: str) -> None:
    given = request()
    given["fabric"][path]["bandwidth_bytes_per_second"] = 1e-310
    with pytest.raises(_engine.ReplayError, match=f"{path}.bandwidth_bytes_per_second is 1e-310"):
        replayed(trace, given)


def test_a_word_that_the_engine_lacks_is_refused(trace: _engine.Trace) -> None:
    given = msgspec.convert(request(), ReplayRequest)
    fabric = msgspec.structs.replace(given.fabric, aggregation="bonded")  # type: ignore[arg-type]
    with pytest.raises(_engine.ReplayError, match="'bonded' is not known to the engine"):
        _engine.replay_together([(trace, msgspec.structs.replace(given, fabric=fabric))])


def test_a_time_that_is_not_finite_is_an_error(trace: _engine.Trace) -> None:
    given = request()
    given["cpu_factor"] = 5e-324
    with pytest.raises(_engine.ReplayError, match="no finite time"):
        replayed(trace, given)


def test_no_time_that_is_no_number_reaches_the_queue(tmp_path: Path) -> None:
    # An infinite rate over a bus of finite rate gives 0 x inf, which wrote beside the queue's lists.
    both = [
        [irecv(1 - rank, 300_000)] * 3 + [isend(1 - rank, 300_000)] * 3 + [waitall(*range(1, 7))]
        for rank in range(2)
    ]
    link = way(latency=1e-6, overhead=1e-6, gap_seconds=1e-3, eager=4096)
    on = ReplayRequest(fabric=fabric(link, duplex_bytes_per_second=1e9), node_of_rank=[0, 1])
    trace = _engine.Trace(str(write_trace(tmp_path / "t.lwt", both)))
    with pytest.raises(_engine.ReplayError, match="no finite time"):
        _engine.replay_together([(trace, on)])
