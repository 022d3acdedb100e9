"""Labs come up, keep to themselves, and leave nothing, however they end."""

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
from eventual import eventually
from run_program import output_of

from linkworth.errors import UsageError
from linkworth.lab import labs, state, system
from linkworth.lab.labs import Lab
from linkworth.lab.plan import MARK
from linkworth.lab.spec import LabSpec
from linkworth.places import proc

pytestmark = pytest.mark.requires("lab")


def said(lab, place, *command):
    """Return what a command prints in a place of a lab."""
    return output_of(lab.enter(place, list(command)), timeout=300)


def traces_of(lab):
    """Return what is on this machine of a lab: processes, mounts, groups and files."""
    mounts = Path("/proc/self/mounts").read_text().splitlines()
    links = output_of(["ip", "-o", "link"]).splitlines()
    groups = [place.cgroup for place in lab.state.places.values() if place.cgroup]
    return [
        *(f"process {pid}" for pid in proc.marked(MARK, lab.state.mark)),
        *(line for line in mounts if str(lab.folder) in line),
        *(line for line in links if "node1" in line or "bridge-d0" in line),
        *(group for group in groups if Path(group).parent.exists()),
        *([str(lab.folder)] if lab.folder.exists() else []),
    ]


@contextlib.contextmanager
def other_linkworth(own_labs, keep):
    """A process of its own that has brought a lab up and waits."""
    text = (
        "import time; from linkworth.lab import labs; from linkworth.lab.spec import LabSpec\n"
        "lab = labs.up(LabSpec(nodes=2), 'other')\n"
        f"{'lab.keep()' if keep else ''}\n"
        "print('up', flush=True); time.sleep(100)"
    )
    process = subprocess.Popen([sys.executable, "-c", text], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "up\n"
        known = state.read(own_labs / "other")
        assert known is not None
        yield process, Lab(known, own_labs / "other")
    finally:
        process.kill()
        process.wait()
        with contextlib.suppress(UsageError):
            labs.down("other")
        process.stdout.close()


def test_nodes_have_their_own_name_network_and_shared_memory():
    with labs.up(LabSpec(nodes=2, nics=2)) as lab:
        assert said(lab, "node2", "hostname") == "node2\n"
        assert "10.1.0.2/16" in said(lab, "node2", "ip", "-brief", "address")
        nics = said(lab, "node1", "ls", "/sys/class/net").split()
        assert {"d0", "d1", "m0", "lo"} <= set(nics)
        said(lab, "node1", "touch", "/dev/shm/of-node1")
        assert said(lab, "node2", "ls", "/dev/shm") == ""
        assert not Path("/dev/shm/of-node1").exists()


def test_the_head_is_reached_as_before_when_nodes_disappear():
    def address(lab):
        [bridge] = json.loads(said(lab, "head", "ip", "-j", "link", "show", "bridge-m0"))
        return bridge["address"]

    with labs.up(LabSpec(nodes=2)) as lab:
        before = address(lab)
        for node in lab.spec.node_names:
            said(lab, "head", "ip", "link", "delete", f"m0-{node}")
            assert address(lab) == before


def test_only_the_switchs_end_of_a_link_holds_no_more_than_its_buffer():
    def longest_wait(lab, place, nic):
        [queue] = json.loads(said(lab, place, "tc", "-j", "qdisc", "show", "dev", nic))
        return float(queue["options"]["lat"]) * 1e-6

    with labs.up(LabSpec(nodes=2, rate=1e8, buffer=40_000)) as lab:
        # 40 kB take 3.2 ms at 100 Mbit/s; a node's own queue never drops what fits into 20 ms.
        assert 2e-3 < longest_wait(lab, "head", "d0-node2") <= 3.2e-3
        assert longest_wait(lab, "node2", "d0") > 15e-3


def test_a_lab_leaves_nothing_and_ends_what_runs_in_it():
    with labs.up(LabSpec(nodes=2, rate=1e9)) as lab:
        left = subprocess.Popen(lab.enter("node1", ["sleep", "100"]))
        assert eventually(
            lambda: system.namespace_of(left.pid) == system.namespace_of(lab.state.places["node1"].pid)
        )
        assert len(traces_of(lab)) > 3
    assert left.wait(120) == -signal.SIGKILL
    assert traces_of(lab) == []


def test_a_named_lab_stays_until_it_is_taken_down():
    with labs.up(LabSpec(nodes=1), "mine") as lab:
        lab.keep()
    assert said(labs.get("mine"), "node1", "hostname") == "node1\n"
    with pytest.raises(UsageError, match="there is a lab mine already"):
        labs.up(LabSpec(nodes=1), "mine")
    labs.down("mine")
    assert traces_of(lab) == []
    with pytest.raises(UsageError, match="no lab mine is up"):
        labs.down("mine")


def test_a_lab_whose_folder_is_removed_ends():
    with labs.up(LabSpec(nodes=1), "mine") as lab:
        lab.keep()
    shutil.rmtree(lab.folder)
    assert eventually(lambda: traces_of(lab) == [])


def test_killing_the_linkworth_that_uses_a_lab_ends_the_lab(own_labs):
    with other_linkworth(own_labs, keep=False) as (process, lab):
        os.kill(process.pid, signal.SIGKILL)
        assert eventually(lambda: traces_of(lab) == [])
    assert labs.sweep() == []


@pytest.mark.parametrize("keep", [False, True])
def test_the_next_call_cleans_after_a_killed_lab_and_says_so(own_labs, keep):
    with other_linkworth(own_labs, keep) as (process, lab):
        # The groups are found without their places, which a lab that comes up has not stored yet.
        state.write(lab.folder, msgspec.structs.replace(lab.state, places={}))
        left = subprocess.Popen(lab.enter("node1", ["sleep", "100"]))
        assert eventually(lambda: left.pid in proc.marked(MARK, lab.state.mark))
        os.kill(lab.state.supervisor, signal.SIGKILL)
        process.kill()
        assert eventually(lambda: not lab.state.is_kept)
        [sentence] = labs.sweep()
        assert "the lab other had been killed" in sentence
        left.wait(120)
        assert traces_of(lab) == []


def test_a_lab_that_ends_during_the_search_was_not_killed(monkeypatch):
    read = state.read

    def read_at_the_end(folder):
        known = read(folder)
        lab.close()
        return known

    with labs.up(LabSpec(nodes=1)) as lab:
        monkeypatch.setattr(state, "read", read_at_the_end)
        assert labs.sweep() == []


def test_the_limit_that_prevents_a_lab_is_named(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    program = "from linkworth.lab import labs, spec; labs.up(spec.LabSpec(nodes=10))"
    limited = ["sh", "-c", 'ulimit -n 24; exec "$@"', "sh", sys.executable, "-c", program]
    done = subprocess.run(limited, capture_output=True, text=True, check=False)
    assert "the lab cannot be made: Too many open files" in done.stderr
    assert state.lab_folders(tmp_path / "linkworth/lab") == []


def test_a_folder_whose_name_launchers_split_keeps_no_lab(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    assert state.folder().is_relative_to(tmp_path)
    spaced = tmp_path / "with space"
    spaced.mkdir()
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(spaced))
    assert not state.folder().is_relative_to(tmp_path)


def test_two_labs_do_not_meet():
    with labs.up(LabSpec(nodes=2)) as one, labs.up(LabSpec(nodes=1)) as two:
        listening = "import socket; s = socket.create_server(('10.0.0.2', 5000)); print(s.accept()[1][0])"
        server = subprocess.Popen(
            one.enter("node2", [sys.executable, "-c", listening]), stdout=subprocess.PIPE, text=True
        )
        connect = [sys.executable, "-c", "import socket; socket.create_connection(('10.0.0.2', 5000), 3)"]
        there = lambda lab: subprocess.run(lab.enter("node1", connect), capture_output=True).returncode  # noqa: E731
        assert there(two) != 0
        assert eventually(lambda: there(one) == 0)
        assert server.communicate(timeout=300)[0] == "10.0.0.1\n"


def test_nothing_of_the_machines_network_changes():
    def network():
        words = [
            ["ip", "route", "show", "table", "all"],
            ["ip", "-brief", "address"],  # without the seconds that an address of DHCP is still valid
            ["tc", "qdisc", "show"],
        ]
        shown = "\n".join(map(output_of, words))
        return (
            re.sub(r" expires \d+sec", "", shown),
            Path("/proc/sys/net/ipv4/tcp_congestion_control").read_text(),
        )

    before = network()
    with labs.up(LabSpec(nodes=2, nics=2, rate=1e9, mtu=9000)):
        assert network() == before
    assert network() == before


def test_a_name_that_cannot_be_a_folder_is_refused():
    with pytest.raises(UsageError, match="cannot be a lab's name"):
        labs.up(LabSpec(nodes=1), "../elsewhere")
