"""Measurement of this machine, with times of its programs put in place of runs."""

import math
import os
import subprocess
import sys

import msgspec
import pytest

from linkworth.catalog import machines
from linkworth.measure.machine.hardware import core_limit, cores, memory_bytes
from linkworth.skeleton import machine as measured
from linkworth.skeleton.calibrate import BusyCores
from linkworth.skeleton.progress import SilentProgress
from linkworth.skeleton.rates import reference_seconds


def test_one_hardware_thread_of_each_core_counts(tmp_path):
    for cpu, (siblings, socket) in enumerate((("0,2", "0"), ("1,3", "1"), ("0,2", "0"), ("1,3", "1"))):
        folder = tmp_path / f"devices/system/cpu/cpu{cpu}/topology"
        folder.mkdir(parents=True)
        (folder / "thread_siblings_list").write_text(siblings + "\n")
        (folder / "physical_package_id").write_text(socket + "\n")
    assert cores({0, 1, 2, 3}, tmp_path) == {0: "0", 1: "1"}
    assert cores({2, 3}, tmp_path) == {2: "0", 3: "1"}
    assert cores({5}, tmp_path) == {5: ""}


@pytest.mark.parametrize(
    ("groups", "files", "limit"),
    [
        ("0::/\n", {"cpu.max": "250000 100000\n"}, 2.5),
        ("0::/outside/the/container\n", {"cpu.max": "200000 100000\n"}, 2),
        ("0::/job/step\n", {"cpu.max": "max 100000\n", "job/cpu.max": "50000 100000\n"}, 0.5),
        ("3:cpuset:/\n1:cpu,cpuacct:/pod\n", {"cpu,cpuacct/pod/cpu.cfs_quota_us": "400000\n"}, 4),
        ("1:cpu:/\n", {"cpu/cpu.cfs_quota_us": "-1\n"}, math.inf),
        ("", {}, math.inf),
    ],
)
def test_the_cores_of_a_container_are_those_that_it_may_use(groups, files, limit, tmp_path):
    (tmp_path / "proc/self").mkdir(parents=True)
    (tmp_path / "proc/self/cgroup").write_text(groups)
    for name, text in files.items():
        path = tmp_path / "sys/fs/cgroup" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        if path.name == "cpu.cfs_quota_us":
            path.with_name("cpu.cfs_period_us").write_text("100000\n")
    assert core_limit(tmp_path / "sys", tmp_path / "proc") == limit


@pytest.mark.parametrize(
    ("groups", "name", "text", "memory"),
    [
        ("0::/\n", "memory.max", "1048576\n", 2**20),
        ("0::/pod\n", "pod/memory.max", "max\n", 2**31),
        ("4:memory:/pod\n", "memory/pod/memory.limit_in_bytes", "1048576\n", 2**20),
        ("4:memory:/pod\n", "memory/pod/memory.limit_in_bytes", "9223372036854771712\n", 2**31),
    ],
)
def test_the_memory_of_a_container_is_what_it_may_use(groups, name, text, memory, tmp_path):
    (tmp_path / "proc/self").mkdir(parents=True)
    (tmp_path / "proc/self/cgroup").write_text(groups)
    (tmp_path / "proc/meminfo").write_text("MemTotal:        2097152 kB\n")
    path = tmp_path / "sys/fs/cgroup" / name
    path.parent.mkdir(parents=True)
    path.write_text(text)
    assert memory_bytes(tmp_path / "proc", tmp_path / "sys") == memory


@pytest.mark.requires("mpi")
def test_the_programs_run_on_one_core_and_on_all(tmp_path, monkeypatch):
    monkeypatch.setattr(measured.apps, "names", lambda: ["npb:is", "stencil"])
    monkeypatch.setattr(measured, "_SHORTER", {"npb:is": "npb:is.S"})
    monkeypatch.setattr(measured, "_ARRAY_BYTES", 2**22)
    monkeypatch.setattr(measured, "_MEMORY_SECONDS", 0.0)  # as where a pause takes all of them
    found, _ = measured.measure_machine("here", None, SilentProgress())
    assert found.cores_per_node == len(cores(os.sched_getaffinity(0)))
    (kernel,) = found.kernels
    assert (kernel.program, kernel.workload) == ("is", "npb:is.S")
    assert 0 < kernel.seconds <= kernel.seconds_on_all_cores
    assert found.copy_bytes_per_second is not None and found.copy_bytes_per_second > 1e6
    assert found.core_speed == pytest.approx(reference_seconds("npb:is.S") / kernel.seconds)
    measured.write_machine(found, tmp_path / "here.toml")
    again = machines.get(str(tmp_path / "here.toml"))
    assert again.kernels[0].seconds == pytest.approx(kernel.seconds, rel=1e-3)


@pytest.mark.requires("mpi")
@pytest.mark.parametrize("step", ["programs on one core", "programs on all cores", "memory and copies"])
def test_other_programs_are_noticed_in_every_step(step, monkeypatch):
    """Other programs keep a core busy in one step only."""
    monkeypatch.setattr(measured.apps, "names", lambda: ["npb:is"])
    monkeypatch.setattr(measured, "_SHORTER", {"npb:is": "npb:is.S"})
    monkeypatch.setattr(measured, "cores", lambda _: {0: "0", 1: "0"})
    monkeypatch.setattr(measured, "_bandwidths", lambda _: (1e9, 2e9))
    steps = ["programs on one core", "programs on all cores", "memory and copies"]
    busy = iter([1.0 if each == step else 0.0 for each in steps])
    monkeypatch.setattr(measured.BusyCores, "others", lambda _: next(busy))
    found, warning = measured.measure_machine("here", None, SilentProgress())
    assert "other programs kept 1.0 cores busy" in warning
    assert found.disturbed in warning


def test_the_own_programs_are_not_others(tmp_path):
    stat = tmp_path / "stat"
    stat.write_text("cpu0 0 0 0 0\n")
    watch = BusyCores(tmp_path)
    subprocess.run([sys.executable, "-c", "sum(range(10**6))"], check=True)
    own = sum(os.times()[:4])
    stat.write_text("cpu0 1 0 0 0\n")  # a hundredth of a second, less than the child's
    assert watch.others() == 0
    stat.write_text(f"cpu0 {int(own * 100) + 1000} 0 0 0\n")
    assert watch.others() > 0


@pytest.mark.parametrize(
    ("name", "why"), [("here", "must end in .toml"), ("absent/here.toml", "there is no folder")]
)
def test_an_output_is_refused_before_the_measurement(name, why, tmp_path, refused):
    assert why in refused("machines", "measure", "-o", tmp_path / name)


def test_the_file_of_another_run_at_the_same_time_is_kept(tmp_path, monkeypatch, refused):
    path = tmp_path / "here.toml"

    def while_another_finishes(*_):
        measured.write_machine(machines.get("laptop"), path)
        return machines.get("raspberry-pi-4"), ""

    monkeypatch.setattr(measured, "measure_machine", while_another_finishes)
    assert "is a measurement, which would be lost" in refused("machines", "measure", "-o", path)
    assert 'name = "laptop"' in path.read_text()


def test_the_measured_machine_is_printed_as_json(tmp_path, monkeypatch, json_of):
    machine = machines.get("laptop")
    monkeypatch.setattr(
        measured, "measure_machine", lambda name, *_: (msgspec.structs.replace(machine, name=name), "")
    )
    document = json_of("machines", "measure", "-o", tmp_path / "here.toml", "--name", "laptop")
    assert (document["schema"], document["machine"]["name"]) == ("linkworth.machine/1", "laptop")
    document = json_of("machines", "measure", "-o", tmp_path / "unnamed.toml", "--name", " ")
    assert document["machine"]["name"] == measured.default_name()
