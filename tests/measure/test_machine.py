"""Diagnosis of other machines, from made-up /sys and /proc trees, and of this one."""

import json
import shutil
import sys

import fake_installation as fake
import msgspec
import pytest
from run_program import output_of
from unprivileged import without_rights

from linkworth.measure.machine import hardware, kernel
from linkworth.measure.machine.tools import cache, mpi_checks
from linkworth.model.environment import Diagnosis
from linkworth.mpi import search


def tree(folder, files):
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def test_infiniband_and_roce_ports_with_their_rate(tmp_path):
    sys = tree(
        tmp_path,
        {
            "class/infiniband/mlx5_0/ports/1/rate": "200 Gb/sec (4X HDR)\n",
            "class/infiniband/mlx5_0/ports/1/link_layer": "InfiniBand\n",
            "class/infiniband/mlx5_0/ports/1/state": "4: ACTIVE\n",
            "class/infiniband/mlx5_1/ports/1/rate": "25 Gb/sec (1X EDR)\n",
            "class/infiniband/mlx5_1/ports/1/link_layer": "Ethernet\n",
            "class/infiniband/mlx5_1/ports/1/state": "1: DOWN\n",
        },
    )
    first, second = hardware.infiniband(sys)
    assert (first.name, first.present) == ("mlx5_0 port 1", True)
    assert first.detail == "InfiniBand, 200 Gb/sec (4X HDR), 4: ACTIVE"
    assert (second.name, second.present) == ("mlx5_1 port 1", False)


def test_ports_and_nics_are_physical_ones_with_their_rate(tmp_path):
    (only,) = hardware.infiniband(tmp_path)
    assert (only.name, only.present) == ("RDMA devices", False)
    sys = tree(
        tmp_path,
        {
            "class/net/eno1/device/vendor": "0x8086\n",
            "class/net/eno1/speed": "25000\n",
            "class/net/eno1/operstate": "up\n",
            "class/net/eno2/device/vendor": "0x8086\n",
            "class/net/eno2/speed": "-1\n",
            "class/net/eno2/operstate": "down\n",
            "class/net/lo/operstate": "unknown\n",
        },
    )
    found = {check.name: (check.present, check.detail) for check in hardware.ethernet(sys)}
    assert found == {"eno1": (True, "25,000 Mb/s, up"), "eno2": (False, "speed unknown, down")}


@pytest.mark.parametrize(
    ("flags", "steady"), [("fpu constant_tsc nonstop_tsc", True), ("fpu constant_tsc", False), ("fpu", False)]
)
def test_the_clock_is_steady_only_when_it_is_also_nonstop(tmp_path, flags, steady):
    proc = tree(tmp_path / "proc", {"cpuinfo": f"model name\t: Some CPU\nflags\t\t: {flags}\n"})
    (check,) = hardware.clock(tmp_path / "sys", proc)
    assert check.present is steady
    assert hardware.processor(proc) == "Some CPU"


def test_memory_is_in_bytes(tmp_path):
    assert (
        hardware.memory_bytes(tree(tmp_path, {"meminfo": "MemTotal:       24731732 kB\n"})) == 24731732 * 1024
    )
    assert hardware.memory_bytes(tmp_path / "absent") == 0


@pytest.mark.parametrize(("content", "present"), [("1\n", True), ("0\n", False), (None, False)])
def test_mptcp_as_the_kernel_says(tmp_path, content, present):
    if content:
        tree(tmp_path, {"sys/net/mptcp/enabled": content})
    check = next(each for each in kernel.features(tmp_path) if each.name == "MPTCP")
    assert check.present == present


def test_a_missing_container_tool_is_named_with_its_package(monkeypatch):
    monkeypatch.setattr(
        shutil, "which", lambda tool, **_: None if tool == "systemd-nspawn" else f"/usr/bin/{tool}"
    )
    checks = {check.name: check for check in kernel.features()}
    assert (checks["systemd-nspawn"].present, checks["LXC"].present) == (False, True)
    assert checks["systemd-nspawn"].remedy == "apt-get install systemd-container"


def test_what_could_not_be_tried_is_not_called_absent(tmp_path, monkeypatch):
    monkeypatch.setattr(
        shutil, "which", lambda tool, **_: None if tool in ("ip", "tc") else f"/usr/bin/{tool}"
    )
    checks = {check.name: check for check in kernel.features()}
    assert checks["veth"].present is None
    assert "iproute2" in checks["veth"].detail


@pytest.mark.requires("user-namespaces")
def test_a_user_without_rights_finds_the_kernel_features_that_root_finds():
    program = "from linkworth.measure.machine.kernel import features; print([c.name for c in features() if c.present])"
    found = [output_of([*user, sys.executable, "-c", program]) for user in ([], without_rights())]
    assert found[0] == found[1]


def test_an_mpi_whose_compiler_or_launcher_does_not_work_says_why(tmp_path, monkeypatch):
    monkeypatch.setattr(search, "find_all", list)
    broken = fake.script(tmp_path / "mpicc", "echo 'mpicc: line 1: gcc: command not found' >&2\nexit 127")
    mpi = msgspec.structs.replace(fake.described("mpich", "5"), mpicc=str(broken))
    one, two, three = mpi_checks(
        [mpi, msgspec.structs.replace(mpi, mpiexec=""), msgspec.structs.replace(mpi, mpicc="")]
    )
    assert (one.present, two.present, three.present) == (False, False, False)
    assert "gcc: command not found" in one.detail
    assert "no launcher" in two.detail
    assert "no compiler wrapper" in three.detail


@pytest.mark.parametrize(("kind", "present"), [("intel", True), ("openmpi", False)])
def test_the_tracer_of_an_mpi_without_wrapper_takes_that_of_the_same_abi(
    tmp_path, monkeypatch, kind, present
):
    wrapper = str(fake.script(tmp_path / "mpicc", "exit 0"))
    mpich = msgspec.structs.replace(fake.described("mpich", "4.0"), mpicc=wrapper)
    monkeypatch.setattr(search, "find_all", lambda: [mpich])
    (check,) = mpi_checks([fake.described(kind, "2021.1")])
    assert check.present is present
    assert ("bundled programs need its own" in check.detail and wrapper in check.detail) is present


def test_a_cache_that_cannot_be_written_must_have_been_filled(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache().present
    monkeypatch.setattr("os.access", lambda *_: False)
    assert cache().present is False
    (tmp_path / "linkworth" / "mpi").mkdir(parents=True)
    assert cache().present is None


def test_a_cache_whose_recorder_cannot_be_loaded_is_no_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "a:home"))
    assert cache().present is False
    assert cache().remedy == "export XDG_CACHE_HOME=FOLDER"


def test_doctor_agrees_with_itself(linkworth):
    done = linkworth("doctor", "--json")
    found = msgspec.json.decode(done.stdout, type=Diagnosis)
    assert json.loads(done.stdout)["schema"] == "linkworth.doctor/1"
    assert done.returncode == (0 if found.can_record else 3)
    works = {check.name for check in found.checks if check.group == "recording" and check.present}
    assert found.can_record is bool(works & {mpi.name for mpi in found.mpis})
    table = linkworth("doctor")
    for check in found.checks:
        assert check.name in table.stdout
