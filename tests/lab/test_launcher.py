"""MPI programs on the nodes of a lab: ranks in blocks, messages on the data NICs."""

import contextlib
from pathlib import Path

import fake_installation as fake
import pytest
from collector import Collector
from fake_installation import described
from hypothesis import given
from hypothesis import strategies as st
from mpi_programs import despite_faults, each_launcher, each_mpi
from sending_program import MESSAGE_BYTES, compile_into

from linkworth.errors import EnvironmentLacksError, UsageError
from linkworth.lab import labs
from linkworth.lab.labs import Lab
from linkworth.lab.launcher import LabLauncher
from linkworth.lab.place import LabPlace, open_lab
from linkworth.lab.plan import HeldPlace
from linkworth.lab.spec import LabSpec
from linkworth.lab.state import LabState
from linkworth.model.place import Place
from linkworth.mpi import transports
from linkworth.places.counters import LEAST_CPU_TIME, difference
from linkworth.places.job import Job


def lab_of(nodes):
    """A lab that is only described."""
    names = ["head", *LabSpec(nodes=nodes).node_names]
    known = LabState(
        name="described", mark="0", spec=LabSpec(nodes=nodes), scoped=True, owner=1, owner_started=1, supervisor=1,
        supervisor_started=1, own_user_namespace=False, places={name: HeldPlace(pid=1, started=1) for name in names},
    )  # fmt: skip
    return Lab(known, Path("/nowhere"))


def launcher(nodes, ranks_per_node=None, nodes_of_run=None):
    where = Place(kind="lab", name="described", nodes=nodes_of_run, ranks_per_node=ranks_per_node)
    return LabLauncher(lab_of(nodes), described("openmpi", "4.1.4"), where)


@given(st.integers(1, 12), st.integers(1, 200))
def test_ranks_are_spread_evenly_in_blocks(nodes, ranks):
    counts = launcher(nodes).slots(ranks)
    assert sum(counts.values()) == ranks
    assert max(counts.values()) - min(counts.values()) <= 1
    assert list(counts) == LabSpec(nodes=nodes).node_names[: len(counts)]


def test_ranks_per_node_and_hosts_are_those_of_the_lab():
    assert launcher(3, 4).slots(6) == {"node1": 4, "node2": 2}
    assert launcher(3, 4).nodes_of(6) == ["node1", "node2"]
    with pytest.raises(UsageError, match="13 ranks do not fit on 3 nodes of 4 ranks each"):
        launcher(3, 4).slots(13)
    with pytest.raises(UsageError, match="`nodes` 3 and `ppn` 4 make 12 ranks, but `ranks` is 8"):
        launcher(4, 4, nodes_of_run=3).slots(8)
    words = launcher(2).arguments(Job(command=["./program", "x"], ranks=3, environment={"A": "1"}))
    assert words[:3] == ["/nowhere/enter", "head", "/opt/bin/mpiexec"]
    assert words[words.index("--host") + 1] == "node1:2,node2:1"
    assert words[words.index("btl_tcp_if_include") + 1] == "d0"
    assert words[words.index("plm_rsh_agent") + 1] == "/nowhere/agent"
    assert words[-2:] == ["./program", "x"]
    assert "A=1" in words


@pytest.mark.parametrize(
    ("version", "settles"), [("4.0.2", True), ("4.1.3", True), ("4.2.0", False), ("5.0.2", False)]
)
def test_ranks_of_an_mpich_that_hangs_at_the_end_settle_before_it(version, settles, monkeypatch):
    monkeypatch.setattr(LabLauncher, "_yielding", lambda _: {"LD_PRELOAD": "tracer"})
    monkeypatch.setattr("linkworth.lab.launcher.cores", lambda: 2)  # a rank on a single core yields as well
    lab = lab_of(2)
    mpich = fake.described("mpich", version)
    starter = LabLauncher(lab, mpich, Place(kind="lab"))
    words = starter.arguments(Job(command=["./program"], ranks=1))
    assert ("LINKWORTH_SETTLE=1" in words, "LD_PRELOAD=tracer" in words) == (settles, settles)


def test_folders_of_preload_libraries_are_combined_too(monkeypatch):
    """The tracer, and the library that reports the ranks, may lie in folders with spaces, and are then searched by name."""
    tracer = {"LD_PRELOAD": "tracer.so", "LD_LIBRARY_PATH": "/a b"}
    monkeypatch.setattr(LabLauncher, "_yielding", lambda _: tracer)
    monkeypatch.setattr("linkworth.lab.launcher.cores", lambda: 2)
    monkeypatch.delenv("LD_PRELOAD", raising=False)
    starter = LabLauncher(lab_of(2), fake.described("mpich", "4.0.2"), Place(kind="lab"))
    words = starter.arguments(Job(command=["./program"], ranks=2, environment={"LD_LIBRARY_PATH": "/c d"}))
    assert "LD_LIBRARY_PATH=/a b:/c d" in words


def test_an_mpi_with_another_launcher_is_refused():
    lab = lab_of(2)
    with pytest.raises(EnvironmentLacksError, match="cray-8 cannot start programs in a lab"):
        LabLauncher(lab, described("cray", "8"), Place(kind="lab"))


LOOPBACK_SEGMENT_BYTES = 65536 + 14
"""The most that a segment takes on lo: its MTU and the Ethernet header that the kernel counts."""
ETHERNET_SEGMENT_BYTES = 1500 + 14


def sent_once(node, nic, segment_bytes):
    """Return what a NIC sent, less the most that the segments which TCP sent again can have taken.

    TCP sends segments again on lo as well, without any loss: a receiver that was preempted while it had its socket locked
    acknowledges late, and the sender's timer (a loss probe, or 200 ms) runs out. A busy machine showed one to three segments of
    a message of 8 MiB sent again, and nothing else beside 5 % for what the ranks tell each other as they start.
    """
    sent = {counted.nic: counted.sent_bytes for counted in node.nics}[nic]
    return sent - node.tcp_retransmits * segment_bytes


def sent_by(program, mpi, opened, note):
    """Run it on two ranks; return how it ended, what it said and what the nodes counted meanwhile."""

    def run():
        before = opened.counters()
        said = Collector()
        end = opened.launcher(mpi).run(Job(command=[program], ranks=2, timeout=40), said)
        return end, said, difference(before, opened.counters())

    return despite_faults(mpi, run, note, ending=lambda ran: (ran[0].timed_out, ran[1].text))


@pytest.mark.requires("lab")
@pytest.mark.parametrize("mpi", each_launcher())
def test_messages_between_nodes_are_counted_on_the_nic(mpi, tmp_path, record_property):
    program = str(compile_into(tmp_path, mpi))
    with open_lab(Place(kind="lab", name="unshaped", nodes=2)) as opened:
        end, said, counted = sent_by(program, mpi, opened, record_property)
        assert end.exit_code == 0, said.text
        assert {line.split()[-1] for line in said.text.splitlines() if "rank" in line} == {"node1", "node2"}
        sent = {nic.nic: nic.sent_bytes for nic in counted[0].nics}
        assert sent["d0"] >= MESSAGE_BYTES
        assert sent_once(counted[0], "d0", ETHERNET_SEGMENT_BYTES) < 1.1 * MESSAGE_BYTES, counted[0]
        assert sent["lo"] < 0.1 * MESSAGE_BYTES
        assert counted[0].tcp_segments_sent > 0
        assert LEAST_CPU_TIME in opened.facts() or sum(counted[0].core_seconds) > 0


@pytest.mark.requires("lab")
@pytest.mark.parametrize("mpi", [each for each in each_mpi() if not str(each.id).endswith("-abi")])
def test_a_transport_uses_what_it_says_within_a_node(mpi, tmp_path, record_property):
    program = str(compile_into(tmp_path, mpi))
    with labs.up(LabSpec(nodes=1)) as lab:
        for name in transports.names(mpi):
            opened = LabPlace(lab, Place(kind="lab", name="x", transport=name), [])
            end, said, [counted] = sent_by(program, mpi, opened, record_property)
            assert end.exit_code == 0, (name, said.text)
            sent = {nic.nic: nic.sent_bytes for nic in counted.nics}
            if name in transports.SOCKETS:
                assert sent["lo"] >= MESSAGE_BYTES, name
                assert sent_once(counted, "lo", LOOPBACK_SEGMENT_BYTES) < 1.1 * MESSAGE_BYTES, (name, counted)
            elif name in transports.POLLING:
                assert sent["lo"] < 0.1 * MESSAGE_BYTES, name
            assert sent["d0"] < 0.01 * MESSAGE_BYTES


@pytest.mark.requires("lab")
def test_a_place_with_fewer_nodes_than_asked_is_refused():
    with contextlib.ExitStack() as stack:
        stack.enter_context(labs.up(LabSpec(nodes=2), "two"))
        with pytest.raises(UsageError, match="the lab two has 2 nodes; 3 were asked for"):
            open_lab(Place(kind="lab", name="two", nodes=3))
        with open_lab(Place(kind="lab", name="two", nodes=1)) as opened:
            assert opened.nodes == ["node1"]
        assert labs.find("two") is not None
