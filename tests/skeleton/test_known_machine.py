"""The ranks of a program that is recorded for a machine of the catalog share the cores of its nodes."""

import msgspec
import pytest

from linkworth.catalog import fabrics, machines
from linkworth.model.machine import KernelTime
from linkworth.model.settings import ReplaySettings
from linkworth.predict.predict import predict
from linkworth.replay.layout import Arrangement
from linkworth.skeleton import RateRequest, parse, rates_for, record_skeleton

MACHINE = machines.get("xeon-e5-2650v3-x2")
CG = parse(["npb:cg.A"])


@pytest.fixture
def predicted(tmp_path):
    def run(app, ranks, nodes, machine=MACHINE.name, on="ib-fdr", **settings):
        program = parse([app])
        rates = rates_for(program, RateRequest(machine=machine), ranks)
        path = tmp_path / "skeleton.lwt"
        record_skeleton(program, ranks, rates, path, replace=True)
        return predict(path, [fabrics.get(on)], Arrangement(nodes=nodes), settings=ReplaySettings(**settings))

    return run


def test_ranks_share_the_cores_of_their_machine_or_those_given(predicted):
    alone, shared = predicted("npb:ep.S", 32, 2), predicted("npb:ep.S", 32, 1)
    assert (shared.settings.cores_per_node, shared.settings.thread_gain) == (20, 1.14)
    slowed = shared.predictions[0].compute_seconds / alone.predictions[0].compute_seconds
    assert slowed == pytest.approx(32 / (8 + 12 * 1.14), rel=1e-3)
    alone = predicted("npb:ep.S", 32, 2).predictions[0]
    assert predicted("npb:ep.S", 32, 1, cores_per_node=40).predictions[0].compute_seconds == pytest.approx(
        alone.compute_seconds
    )


def test_the_core_speeds_reproduce_the_published_times(predicted):
    """EP.C on 64 ranks, and EP.D on 16, took so long: core_speed in machines.toml has to follow the rates of EP."""
    assert predicted("npb:ep.C", 64, 2).predictions[0].seconds == pytest.approx(4.66, rel=0.01)
    boards = predicted("npb:ep.D", 16, 16, machine="raspberry-pi-4")
    assert boards.predictions[0].seconds == pytest.approx(233.69, rel=0.01)


def test_messages_in_a_node_share_the_machines_memory(predicted, monkeypatch):
    fast = predicted("npb:is.A", 16, 1).predictions[0].seconds
    slow_memory = msgspec.structs.replace(MACHINE, memory_bytes_per_second=1e9)
    monkeypatch.setattr(machines, "get", lambda _: slow_memory)
    assert predicted("npb:is.A", 16, 1).predictions[0].seconds > 1.5 * fast


def test_ranks_share_the_memory_of_their_machine(predicted):
    # Ranks that wait for messages would leave the memory to others.
    many = predicted("npb:mg.C", 64, 2, on="ideal")
    assert many.settings.memory_bandwidth_bytes_per_second == MACHINE.memory_bytes_per_second
    demand = many.settings.memory_demand_bytes_per_second
    alone = predicted(
        "npb:mg.C", 64, 2, on="ideal", cores_per_node=32, memory_bandwidth_bytes_per_second=1e15
    )
    slowed = many.predictions[0].compute_seconds / alone.predictions[0].compute_seconds
    assert slowed == pytest.approx(32 * demand / MACHINE.memory_bytes_per_second, rel=1e-3)
    assert slowed > 1.1 * 32 / (8 + 12 * 1.14), "the memory slows them more than the cores do"


def test_copies_on_all_cores_give_the_demand_and_a_measured_time_contains_it():
    times = KernelTime(
        program="cg",
        workload="npb:cg.A",
        seconds=1.0,
        seconds_on_all_cores=1.5,
        seconds_per_operation=rates_for(CG, RateRequest(machine=MACHINE.name)).seconds_per_operation,
    )
    machine = msgspec.structs.replace(MACHINE, kernels=[times])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(machines, "get", lambda _: machine)
        found = rates_for(CG, RateRequest(machine="own"), 20)
        for ranks_on_a_node in (1, 20):
            demand = found.memory_demand(ranks_on_a_node)
            assert 20 * demand == pytest.approx(1.5 * machine.memory_bytes_per_second)
        assert rates_for(CG, RateRequest(machine="own"), 20, scaled=True).memory_demand(20) is None


def test_the_caches_are_shared_by_the_ranks_of_the_predicted_layout(predicted):
    """A vector of CG.C on 16 ranks fits the cache of one board, and not a quarter of it."""
    alone = predicted("npb:cg.C", 16, 16, machine="raspberry-pi-4").settings
    four = predicted("npb:cg.C", 16, 4, machine="raspberry-pi-4").settings
    assert four.memory_demand_bytes_per_second > 2 * alone.memory_demand_bytes_per_second


@pytest.mark.parametrize("program", ["npb:ep.S", "imbalance:5"])
def test_a_program_without_counted_bytes_has_no_demand(predicted, program):
    assert predicted(program, 4, 2).settings.memory_bandwidth_bytes_per_second is None
