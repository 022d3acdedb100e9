"""Computation on another machine: the ratio of the kernels, their spread, and machines of which nothing is known."""

from pathlib import Path

import msgspec
import pytest
from synthetic import Call, write_trace

from linkworth.catalog import machines
from linkworth.cli.main import main
from linkworth.model.machine import KernelTime, Machine
from linkworth.skeleton.machine import text
from linkworth.skeleton.rates import reference_seconds

TIMES = {"npb:ep.W": 1.0, "npb:cg.A": 2.0, "npb:mg.A": 4.0}


def machine_file(folder, name, alone, full, cg=1.0):
    """Write the file of a machine that takes these multiples of TIMES, and yet another one for CG."""
    kernels = [
        KernelTime(
            program=workload[4:6],
            workload=workload,
            seconds=seconds * alone * (cg if "cg" in workload else 1),
            seconds_on_all_cores=seconds * full * (cg if "cg" in workload else 1),
            seconds_per_operation={"gaussian pairs": 1e-8, 'a "quoted" one': 2e-8},
        )
        for workload, seconds in TIMES.items()
    ]
    machine = Machine(
        name=name,
        title="made up",
        nodes=1,
        sockets_per_node=1,
        cores_per_node=4,
        memory_bytes_per_node=10**10,
        processor="a processor",
        fabrics=["shm"],
        memory_bytes_per_second=2e10,
        kernels=kernels,
    )
    path = folder / f"{name}.toml"
    path.write_text(text(machine))
    assert machines.get(str(path)) == machine
    return str(path)


@pytest.fixture
def trace(tmp_path):
    computes = [Call("MPI_Wtime", "local").after(1.0)]
    return str(write_trace(tmp_path / "t.lwt", [computes] * 4))


@pytest.fixture
def predicted(json_of):
    return lambda trace, *options: json_of("predict", trace, "--on", "gbe", *options)


def test_the_kernels_scale_and_their_spread_widens(tmp_path, trace, predicted):
    # Four ranks recorded on one node of four cores; two of them on each of two nodes of the other machine.
    slow = machine_file(tmp_path, "slow", alone=1.0, full=2.0)
    fast = machine_file(tmp_path, "fast", alone=0.5, full=1.0)
    even = predicted(trace, "--recorded-on", slow, "--machine", fast)
    assert even["predictions"][0]["compute_seconds"] == pytest.approx(0.25)
    assert even["settings"]["cores_per_node"] == 4
    crowded = predicted(trace, "--recorded-on", slow, "--machine", fast, "--nodes", "1")
    assert crowded["predictions"][0]["compute_seconds"] == pytest.approx(0.5)
    odd = machine_file(tmp_path, "odd", alone=0.5, full=1.0, cg=8.0)
    uneven = predicted(trace, "--recorded-on", slow, "--machine", odd)
    assert uneven["predictions"][0]["compute_seconds"] == pytest.approx(0.25 * 8 ** (1 / 3))
    assert "by kernel" in uneven["calibration"]["between_machines"]
    widths = [
        each["predictions"][0]["interval"]["high_seconds"] / each["predictions"][0]["interval"]["low_seconds"]
        for each in (even, uneven)
    ]
    assert widths[1] > 5 * widths[0]


@pytest.mark.parametrize("more", [{"one_machine": True}, {"scaling": 1}, {"scaling": 4}])
def test_the_times_on_all_cores_count_if_the_ranks_shared_a_machine(more, tmp_path, predicted):
    # Nodes of a lab are one machine, and a scaled trace has no ranks of its own that ran.
    nodes = [{"rank": rank, "host": f"node{rank}", "state": "complete"} for rank in range(4)]
    metadata = {"ranks": nodes, **more}
    if "scaling" in more:
        scaling = {
            "ranks": [2, 4],
            "grid": [4],
            "roles": "",
            "role_count": 1,
            "ranks_on_a_node": more["scaling"],
        }
        metadata = {"ranks": [], "source": "scaled", "scaling": scaling}
    work = [[Call("MPI_Wtime", "local").after(1.0)]] * 4
    path = str(write_trace(tmp_path / "t.lwt", work, **metadata))
    slow = machine_file(tmp_path, "slow", alone=1.0, full=2.0)
    fast = machine_file(tmp_path, "fast", alone=0.5, full=1.0)
    found = predicted(path, "--recorded-on", slow, "--machine", fast, "--nodes", "4")
    together = more != {"scaling": 1}
    assert found["calibration"]["cpu_factor"] == pytest.approx(4.0 if together else 2.0)


def test_a_core_speed_of_the_catalog_stands_for_kernels(tmp_path, trace, predicted):
    here = machine_file(tmp_path, "here", alone=1.0, full=1.0)
    found = predicted(trace, "--recorded-on", here, "--machine", "xeon-e5-2650v3-x2")
    speeds = [reference_seconds(each) / seconds for each, seconds in TIMES.items()]
    own = (speeds[0] * speeds[1] * speeds[2]) ** (1 / 3)
    assert found["calibration"]["cpu_factor"] == pytest.approx(0.42 / own)


def test_a_trace_of_another_processor_is_doubtful(tmp_path, predicted):
    def warnings(processor):
        ranks = [{"rank": rank, "host": "node", "processor": processor} for rank in range(4)]
        path = str(
            write_trace(tmp_path / "p.lwt", [[Call("MPI_Wtime", "local").after(1.0)]] * 4, ranks=ranks)
        )
        machines = ["--recorded-on", "xeon-e5-2650v3-x2", "--machine", "raspberry-pi-4"]
        return " ".join(predicted(path, *machines)["warnings"])

    other = "AMD EPYC 7763 64-Core Processor"
    assert f"recorded on {other}, and xeon-e5-2650v3-x2 has Intel Xeon E5-2650 v3" in warnings(other)
    assert "recorded on" not in warnings("Intel(R) Xeon(R) CPU E5-2650 v3 @ 2.30GHz")


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["--machine", "azure-hb120rs-v3"], "nothing is known about the speed of azure-hb120rs-v3's CPU (AMD EPYC 7V73X"),
        ([], "name the machine to predict for with --machine as well"),
        (["--machine", "xeon"], "no machine is called 'xeon'"),
        (["--machine", "absent.toml"], "absent.toml"),
        (["--machine", "xeon-e5-2650v3-x2", "--measured", "gbe=2"], "--recorded-on: --measured sets the CPU factor"),
    ],
)  # fmt: skip
def test_what_does_not_scale_is_refused(options, why, trace, refused):
    given = ["predict", trace, "--on", "gbe", "--recorded-on", "xeon-e5-2650v3-x2", *options]
    assert why in refused(*given)


def test_machines_of_one_name_are_told_apart(tmp_path, trace, predicted):
    """A machine's file has its host's name, and many hosts are called alike."""
    folders = [tmp_path / "here", tmp_path / "there"]
    for folder in folders:
        folder.mkdir()
    here, there = (
        machine_file(folder, "node1", alone=slow, full=slow)
        for folder, slow in zip(folders, (1.0, 0.5), strict=True)
    )
    scaled = predicted(trace, "--recorded-on", here, "--machine", there)
    assert scaled["predictions"][0]["compute_seconds"] == pytest.approx(0.5)
    same = predicted(trace, "--recorded-on", here, "--machine", here)
    assert same["predictions"][0]["compute_seconds"] == pytest.approx(1.0)


def test_a_machine_that_was_disturbed_warns_wherever_it_is_used(tmp_path, trace, predicted):
    quiet = machine_file(tmp_path, "quiet", alone=1.0, full=2.0)
    busy = machine_file(tmp_path, "busy", alone=1.0, full=2.0)
    known = machines.get(busy)
    Path(busy).write_text(text(msgspec.structs.replace(known, disturbed="others kept 1.0 cores busy")))
    doubt = "busy may be faster than its file: others kept 1.0 cores busy; measure it again when it is quiet"
    for machine in (busy, quiet):
        assert doubt in predicted(trace, "--recorded-on", busy, "--machine", machine)["warnings"]
    found = predicted("npb:ep.S", "-n", "2", "--machine", busy)
    assert doubt in found["warnings"]
    found = predicted("npb:ep.S", "-n", "2", "--machine", quiet)
    assert not any("faster than its file" in each for each in found["warnings"])


def test_a_program_without_a_recording_takes_the_rates_of_a_measured_machine(tmp_path, json_of):
    kernels = [
        KernelTime(
            program="ep",
            workload="npb:ep.W",
            seconds=1.0,
            seconds_on_all_cores=1.0,
            seconds_per_operation={"gaussian pairs": 1e-6, "reductions": 1e-6},
        )
    ]
    machine = Machine(
        name="m", title="m", nodes=1, sockets_per_node=1, cores_per_node=4, memory_bytes_per_node=10**10,
        processor="p", fabrics=["shm"], kernels=kernels,
    )  # fmt: skip
    (tmp_path / "m.toml").write_text(text(machine))
    given = ["predict", "npb:ep.S", "-n", "4", "--on", "gbe", "--machine", str(tmp_path / "m.toml")]
    rates = json_of(*given)["calibration"]["rates"]
    assert rates["seconds_per_operation"]["gaussian pairs"] == 1e-6
    assert main([*given, "--recorded-on", "m.toml"]) == 2
