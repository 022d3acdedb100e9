"""Lines NAME=VALUE UNIT of a result."""

import re

import msgspec
import pytest

from linkworth.measure.figures import figures
from linkworth.model.counters import NicCounters, NodeCounters
from linkworth.model.run import CoreUse, RunResult
from linkworth.places.counters import LEAST_CPU_TIME
from linkworth.study.metrics import metric

LINE = re.compile(r"^[a-z_]+=-?[0-9.e+-]+ \S+$")


def result(**more):
    fields = {
        "workload": "w",
        "command": [],
        "ranks": 4,
        "mpi": "m",
        "launcher": "local",
        "state": "complete",
        "exit_code": 0,
        "seconds": 2.5,
    }
    return RunResult(**{**fields, **more})


def nic(name, sent):
    return NicCounters(
        nic=name, sent_bytes=sent, received_bytes=1, sent_packets=2, received_packets=3, dropped_packets=4
    )


def values(given):
    return {figure.name: figure.value for figure in figures(given)}


def test_every_line_can_be_picked_out_and_keeps_its_digits():
    given = result(
        reported_seconds=0.1 + 0.2,
        verified=True,
        iteration_seconds=[3.0, 1.0, 0.5],
        counters=[
            NodeCounters(node="a", nics=[nic("lo", 9), nic("d0", 100)], tcp_retransmits=5),
            NodeCounters(node="b", nics=[nic("d0", 50)]),
        ],
        core_use=[CoreUse(node="a", mean=[0.5, 1.0])],
    )
    lines = [figure.line for figure in figures(given)]
    assert all(LINE.match(line) for line in lines)
    assert "reported_seconds=0.30000000000000004 s" in lines
    found = values(given)
    assert (found["seconds"], found["elapsed_seconds"], found["iteration_seconds"], found["iterations"]) == (
        0.1 + 0.2,
        2.5,
        1.5,
        3,
    )
    assert (found["sent_bytes"], found["retransmits"], found["dropped_packets"]) == (150, 5, 8)
    assert found["core_utilisation"] == 0.75
    bounded = msgspec.structs.replace(given, facts={LEAST_CPU_TIME: "from readings"})
    assert "core_utilisation" not in values(bounded)
    assert "sent_bytes" not in values(msgspec.structs.replace(given, nodes=["a", "b", "c"]))
    for figure in figures(given):
        assert metric(figure.name).unit in (figure.unit, ""), f"{figure.name} has another unit in studies"


@pytest.mark.parametrize("more", [{"state": "failed"}, {"verified": False}, {"state": "timeout"}])
def test_a_run_that_did_not_go_well_has_no_times(more):
    found = values(result(**more))
    assert "seconds" not in found
    assert found["complete"] == (1 if more.get("verified") is False else 0)


@pytest.mark.requires("mpi")
def test_the_command_line_prints_nothing_else(linkworth):
    done = linkworth("run", "-n", "1", "--figures", "--", "sh", "-c", "echo hello")
    assert done.returncode == 0, done.stderr
    assert all(LINE.match(line) for line in done.stdout.splitlines())
    assert "complete=1 1" in done.stdout.splitlines()
    assert "hello" in done.stderr
    both = linkworth("run", "--figures", "--json", "--", "true")
    assert (both.returncode, "--figures and --json" in both.stderr) == (2, True)
