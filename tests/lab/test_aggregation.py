"""Several NICs as one: every way carries its share over every NIC, for plain TCP and for MPI."""

import subprocess
import sys
from functools import cache
from pathlib import Path

import msgspec
import pytest
from collector import Collector
from mpi_programs import compile_c, despite_faults, first_mpi
from run_program import output_of

from linkworth.errors import EnvironmentLacksError
from linkworth.lab import aggregation, kernel, labs, network
from linkworth.lab.launcher import LabLauncher
from linkworth.lab.place import LabPlace
from linkworth.lab.spec import LabSpec
from linkworth.model.counters import NicCounters
from linkworth.model.place import Place
from linkworth.places.counters import difference
from linkworth.places.job import Job

BYTES = 8_000_000
SPEC = LabSpec(nodes=2, nics=2, rate=200e6)

RECEIVE = """
import socket
own = socket.create_server(('', 5000)); print('listening', flush=True)
peer, _ = own.accept()
total = 0
while data := peer.recv(1 << 16): total += len(data)
print(total)
"""
# The second way of a connection of MPTCP comes up some time after the first byte, on a busy machine after all of them. What
# is not MPTCP has no such option. Linux's include/uapi/linux/mptcp.h: level 284, option 1 begins with the further subflows.
SEND = f"""
import socket, time
own = socket.create_connection(('10.0.0.2', 5000))
own.sendall(bytes(1))
until = time.monotonic() + 60
try:
    while own.getsockopt(284, 1, 64)[0] == 0 and time.monotonic() < until: time.sleep(0.01)
except OSError:
    pass
own.sendall(bytes({BYTES} - 1))
"""

PROGRAM = r"""
#include <mpi.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    char *data = calloc(1 << 20, 1);
    for (int i = 0; i < 8; i++) {
        if (rank == 0) MPI_Send(data, 1 << 20, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
        if (rank == 1) MPI_Recv(data, 1 << 20, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    free(data);
    MPI_Finalize();
    return 0;
}
"""


MPTCP = pytest.param("mptcp", marks=pytest.mark.requires("mptcp"))
ROUND_ROBIN = pytest.param("roundrobin", marks=pytest.mark.requires("nft"))


@pytest.fixture(params=[MPTCP, ROUND_ROBIN])
def spec(request):
    return msgspec.structs.replace(SPEC, aggregate=request.param)


@pytest.fixture
def lab(spec):
    with labs.up(spec) as up:
        yield up


def sent(opened, before):
    """Return the bytes that the first node has sent over each NIC."""
    nics: list[NicCounters] = difference(before, opened.counters())[0].nics
    return {nic.nic: nic.sent_bytes for nic in nics if nic.nic != "lo"}


def site_of(lab):
    return LabPlace(lab, Place(kind="lab", name=lab.name), [])


@pytest.mark.requires("lab")
def test_one_connection_goes_over_every_nic_in_equal_shares(lab, spec):
    variables = [f"{k}={v}" for k, v in aggregation.aggregation_for(spec).environment(spec).items()]
    opened = site_of(lab)
    before = opened.counters()
    there = subprocess.Popen(
        lab.enter("node2", ["env", *variables, sys.executable, "-c", RECEIVE]),
        stdout=subprocess.PIPE,
        text=True,
    )
    assert there.stdout and there.stdout.readline()
    output_of(lab.enter("node1", ["env", *variables, sys.executable, "-c", SEND]), timeout=300)
    assert int(there.communicate(timeout=300)[0]) == BYTES
    carried = sent(opened, before)
    total = sum(carried.values())
    assert total >= BYTES
    assert sorted(carried) == ["d0", "d1"]
    tolerance = 0.02 if spec.aggregate == "roundrobin" else 0.2
    assert all(abs(count / total - 0.5) < tolerance for count in carried.values()), carried


@cache
def program(mpi, folder):
    return compile_c(mpi, PROGRAM, folder / "send")


@pytest.mark.requires("lab", "openmpi")
@pytest.mark.parametrize("way", ["stripe", MPTCP, ROUND_ROBIN])
def test_messages_of_open_mpi_go_over_every_nic(way, tmp_path, record_property):
    mpi = first_mpi("openmpi")
    job = Job(command=[str(program(mpi, tmp_path))], ranks=2, timeout=300)
    with labs.up(msgspec.structs.replace(SPEC, aggregate=way)) as lab:
        opened = site_of(lab)

        def run():
            before = opened.counters()
            seen = Collector()
            end = opened.launcher(mpi).run(job, seen)
            return end, seen.text, sent(opened, before)

        end, said, carried = despite_faults(
            mpi, run, record_property, ending=lambda ran: (ran[0].timed_out, ran[1])
        )
        assert end.exit_code == 0, said
    total = sum(carried.values())
    assert total > 8 << 20
    assert all(0.3 < count / total < 0.7 for count in carried.values()), carried


@pytest.mark.requires("lab", "openmpi", "mptcp")
def test_a_tracer_and_mptcp_are_preloaded_together():
    mpi = first_mpi("openmpi")
    spec = msgspec.structs.replace(SPEC, nodes=1, aggregate="mptcp")
    with labs.up(spec) as lab:
        launcher = LabLauncher(lab, mpi, Place(kind="lab", nodes=1))
        words = launcher.arguments(
            Job(command=["program"], ranks=1, environment={"LD_PRELOAD": "/lib/other.so"})
        )
    library = aggregation.Mptcp().environment(spec)["LD_PRELOAD"]
    assert f"LD_PRELOAD={library}:/lib/other.so" in words


def test_the_library_of_mptcp_is_found_in_a_folder_with_a_space(tmp_path, monkeypatch):
    monkeypatch.delenv("LD_LIBRARY_PATH", raising=False)
    monkeypatch.setattr(aggregation, "compiled", lambda *_, **__: Path("/jane doe/ours.so"))
    variables = aggregation.Mptcp(enabled=tmp_path).environment(SPEC)
    assert variables == {"LD_PRELOAD": "ours.so", "LD_LIBRARY_PATH": "/jane doe"}


@pytest.mark.requires("lab", "tap")
def test_links_with_latency_come_of_a_switch_where_the_kernel_has_no_netem(monkeypatch):
    monkeypatch.setattr(kernel, "has_netem", lambda: False)
    spec = LabSpec(nodes=3, nics=2, rate=1e9, latency=5e-3, mtu=9000)
    with labs.up(spec) as lab:
        for target in ("10.0.0.3", "10.1.0.3"):
            said = output_of(lab.enter("node1", [sys.executable, "-c", RTT, target]))
            assert 0.0098 < float(said) < 0.1
        assert "mtu 9000" in output_of(lab.enter("node2", ["ip", "-o", "link", "show", "d1"]))
    assert not Path(f"/proc/{lab.state.places['node1'].pid}").exists()


RTT = """
import socket, sys, time
best = 9.0
for _ in range(5):
    own = socket.socket(); own.settimeout(60)
    began = time.perf_counter()
    try:
        own.connect((sys.argv[1], 9))
    except ConnectionRefusedError:
        best = min(best, time.perf_counter() - began)
print(best)
"""


def test_plans_delay_a_packet_once_and_need_no_aggregation_of_one_nic(monkeypatch):
    monkeypatch.setattr(kernel, "has_netem", lambda: True)
    spec = LabSpec(nodes=2, rate=1e9, latency=1e-3, loss=0.01)
    plan = network.plan_of(spec)
    assert [line for line in plan.head.tc if "netem" in line and "d0-node1 " in line]
    assert not [line for node in plan.nodes.values() for line in node.tc if "netem" in line]
    spec = LabSpec(nics=1, aggregate="bond")
    assert aggregation.aggregation_for(spec).interfaces(spec) == ["d0"]


def test_bonding_without_a_kernel_for_it_is_named(monkeypatch):
    monkeypatch.setattr(kernel, "has_bonding", lambda: False)
    with pytest.raises(EnvironmentLacksError, match=r"no bonding .*`aggregate` roundrobin"):
        aggregation.aggregation_for(LabSpec(nics=2, aggregate="bond"))


def test_mptcp_without_a_kernel_for_it_is_named(tmp_path):
    with pytest.raises(EnvironmentLacksError, match="built without MPTCP"):
        aggregation.Mptcp(tmp_path / "enabled")


@pytest.mark.parametrize("mode", ["balance-rr", "802.3ad"])
def test_a_bond_takes_every_nic_and_one_address(mode, monkeypatch):
    monkeypatch.setattr(kernel, "has_bonding", lambda: True)
    spec = LabSpec(nodes=2, nics=2, aggregate="bond", bond_mode=mode, mtu=9000)
    plan = aggregation.aggregation_for(spec).extend(network.plan_of(spec), spec)
    lines = plan.nodes["node2"].ip
    made = next(
        number
        for number, line in enumerate(lines)
        if line.startswith(f"link add bond0 type bond mode {mode}")
    )
    assert lines.index("link set d1 down") < made < lines.index("link set d1 master bond0")
    assert any(line.startswith("address add 10.0.0.2/16 dev bond0") for line in lines[made:])
    in_switch = [line for line in plan.head.ip if "bond-node2" in line]
    assert bool(in_switch) == (mode == "802.3ad")
    waited_for = [word for command in plan.head_last.commands for word in command.words if "bond" in word]
    assert waited_for == (["bond-node1", "bond-node2"] if mode == "802.3ad" else [])
