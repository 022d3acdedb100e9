"""Files of hosts: every notation, each wrong line by its number, and runs over an ssh that has no network."""

from functools import partial

import pytest
from fake_installation import described
from hypothesis import given
from hypothesis import strategies as st
from mpi_programs import UNTIL_STOPPED, compiled, despite_faults, each_launcher, settling
from ssh_hosts import two_hosts

from linkworth.errors import EnvironmentLacksError, UsageError
from linkworth.measure import plan, run
from linkworth.measure.open_place import open_place
from linkworth.model.place import Place
from linkworth.places import hosts as hostfile
from linkworth.places.hosts import HostfileLauncher, HostfilePlace, HostSlots, share
from linkworth.places.job import Job


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("node1\nnode2\n", [("node1", None), ("node2", None)]),
        ("# all\nnode1 slots=4 max_slots=8\n\nnode2 slots=2 # old\n", [("node1", 4), ("node2", 2)]),
        ("node1:4\nme@node2.cluster:16 ifname=eth1\n", [("node1", 4), ("me@node2.cluster", 16)]),
        ("n1\nn1\nn2\nn1\n", [("n1", 3), ("n2", None)]),
        ("10.0.0.1 slots=1", [("10.0.0.1", 1)]),
    ],
)
def test_every_notation(text, expected):
    assert hostfile.parse(text, "hosts") == [HostSlots(*pair) for pair in expected]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("node1\nnode2 slots=many\n", "hosts:2: 'many' is no number of slots"),
        ("node1:0", "hosts:1: '0' is no number of slots"),
        ("node1:4 slots=4", "hosts:1: node1 has its slots twice"),
        ("node1 4", "hosts:1: '4' is not understood"),
        ("\n--host", "hosts:2: '--host' is no host name"),
        ("# nothing\n", "hosts: there is no host in it"),
    ],
)
def test_wrong_lines_are_named(text, sentence):
    with pytest.raises(UsageError, match=sentence):
        hostfile.parse(text, "hosts")


@given(
    st.lists(st.none() | st.integers(1, 64), min_size=1, max_size=8),
    st.integers(1, 300),
    st.none() | st.integers(1, 40),
)
def test_every_rank_has_one_place(slots, ranks, each):
    hosts = [HostSlots(f"n{number}", count) for number, count in enumerate(slots)]
    if each is not None and each * len(hosts) < ranks:
        with pytest.raises(UsageError, match="do not fit"):
            share(hosts, ranks, each)
        return
    shared = share(hosts, ranks, each)
    assert sum(shared.values()) == ranks
    assert all(count > 0 for count in shared.values())
    if each is not None:
        assert max(shared.values()) <= each
    elif all(slots) and ranks <= sum(slots):
        assert all(shared.get(host.name, 0) <= host.slots for host in hosts)
    elif not all(slots):
        assert max(shared.values()) - min(shared.get(host.name, 0) for host in hosts) <= 1


@given(st.lists(st.one_of(st.none(), st.integers(1, 20)), min_size=1, max_size=8), st.integers(1, 200))
def test_who_names_a_number_of_nodes_has_them_all_used_as_evenly_as_slots_allow(slots, ranks):
    hosts = [HostSlots(f"n{number}", count) for number, count in enumerate(slots)]
    shared = share(hosts, ranks, spread=True)
    assert sum(shared.values()) == ranks
    if None in slots or ranks <= sum(slots):
        assert len(shared) == min(ranks, len(hosts))
        assert all(shared.get(host.name, 0) <= (host.slots or ranks) for host in hosts)
        most = max(shared.values())
        assert all(shared.get(host.name, 0) >= most - 1 or shared[host.name] == host.slots for host in hosts)


@pytest.mark.parametrize(
    ("kind", "version", "expected"),
    [
        ("openmpi", "4.1.4", ["--mca", "plm_rsh_agent", "ssh", "--host", "a:2,b:1", "--map-by", "slot"]),
        ("openmpi", "5.0.1", ["--prtemca", "plm_ssh_agent", "ssh", "--host", "a:2,b:1", "--map-by", "slot"]),
        ("mpich", "5.0.2", ["-launcher", "ssh", "-hosts", "a:2,b:1"]),
    ],
)
def test_each_launcher_is_told_in_its_own_words(kind, version, expected):
    hosts = [HostSlots("a", 2), HostSlots("b", 2)]
    launcher = HostfileLauncher(hosts, described(kind, version), each=None, cores=8, transport="")
    assert launcher.arguments(Job(command=["./x"], ranks=3)) == [
        "/opt/bin/mpiexec",
        "-n",
        "3",
        *expected,
        "./x",
    ]
    crowded = HostfileLauncher(hosts, described(kind, version), each=None, cores=2, transport="")
    assert ("mpi_yield_when_idle" in crowded.arguments(Job(command=["./x"], ranks=3))) is (kind == "openmpi")
    with pytest.raises(EnvironmentLacksError, match="cannot be started over ssh"):
        HostfileLauncher(hosts, described("cray", "8"), each=None, cores=2, transport="")
    if kind == "openmpi":
        with pytest.raises(UsageError, match=r"takes no user in the name of a host; .*ssh/config"):
            HostfileLauncher(
                [HostSlots("me@a", 1)], described(kind, version), each=None, cores=2, transport=""
            )
    unequal = HostfileLauncher(hosts, described(kind, version), each=8, cores=8, transport="", spread=True)
    with pytest.raises(UsageError, match="make 16 ranks, but `ranks` is 8"):
        unequal.placement(8)


@pytest.mark.parametrize(
    ("text", "each", "cores"),
    [
        ("a slots=2\nb slots=8", None, 10),
        ("a slots=4\nb slots=4", None, 2),
        ("a\nb", None, 4),
        ("a\nb", 4, 2),
        ("\ufeffa\nb", 4, 2),
    ],
)
def test_ranks_share_cores_as_soon_as_one_host_has_too_few(text, each, cores, tmp_path, commands):
    commands("ssh", 'case "$*" in *" a "*) echo 2;; *) echo 8;; esac')
    file = tmp_path / "hosts"
    file.write_text(text)
    with HostfilePlace(Place(kind="hostfile", name=str(file), ranks_per_node=each)) as opened:
        assert opened.cores == cores


@pytest.fixture
def hosts(tmp_path, monkeypatch):
    """A file of two hosts, which are reached without a network."""
    file, path = two_hosts(tmp_path)
    monkeypatch.setenv("PATH", path)
    return file


@pytest.mark.requires("namespaces", "mpi", "c++")
@pytest.mark.parametrize("mpi", each_launcher())
def test_ranks_run_on_the_hosts_of_the_file(hosts, tmp_path, monkeypatch, mpi, record_property):
    program = compiled(mpi, tmp_path)
    for name, value in settling(mpi).items():
        monkeypatch.setenv(name, value)
    out = tmp_path / "out"
    with open_place(Place(kind="hostfile", name=str(hosts))) as opened:
        assert opened.nodes == ["hosta", "hostb"]
        workload = plan.workload([str(program), "well"], 4, opened)
        result = despite_faults(
            mpi,
            partial(run.run, plan.plan(workload, opened=opened), folder=out, timeout=UNTIL_STOPPED),
            record_property,
            ending=lambda result: (result.state == "timeout", (out / "output.txt").read_text()),
        )
    assert result.state == "complete", result.message
    assert "ranks 4" in (out / "output.txt").read_text()
    assert (result.where, result.nodes) == ("hostfile", ["hosta", "hostb"])
    assert [node.node for node in result.counters] == ["hosta", "hostb"]
    assert result.facts["cores"].startswith("hosta ")


@pytest.mark.requires("namespaces")
def test_a_host_that_does_not_answer_is_named(hosts):
    hosts.write_text("hosta\nnowhere\n")
    with (
        pytest.raises(
            EnvironmentLacksError, match=r"nowhere cannot be reached by ssh without a password: .*resolve"
        ),
        open_place(Place(kind="hostfile", name=str(hosts))),
    ):
        pass
    with pytest.raises(UsageError, match=r"`nodes` 3: .* has 2 hosts"):
        open_place(Place(kind="hostfile", name=str(hosts), nodes=3))
