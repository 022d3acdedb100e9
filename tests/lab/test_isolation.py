"""Nodes that are containers: programs run inside, on the same links, and nothing of the containers stays."""

import os
import signal
from pathlib import Path

import pytest
from collector import Collector
from eventual import eventually
from mpi_programs import UNTIL_STOPPED, compile_c, despite_faults, first_mpi
from run_program import output_of

from linkworth.errors import EnvironmentLacksError
from linkworth.lab import cgroups, isolation, labs
from linkworth.lab.container import MARK_FILE
from linkworth.lab.place import LabPlace
from linkworth.lab.report import about
from linkworth.lab.spec import LabSpec
from linkworth.model.place import Place
from linkworth.mpi import preload
from linkworth.places import proc
from linkworth.places.job import Job

KINDS = [pytest.param(kind, marks=pytest.mark.requires(kind)) for kind in ("nspawn", "lxc")]

PROGRAM = r"""
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    int rank;
    char host[64] = "", inside[64] = "nothing\n", all[2][160], own[160];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    gethostname(host, sizeof host - 1);
    FILE *file = fopen("/etc/linkworth-container", "r");
    if (file) { if (!fgets(inside, sizeof inside, file)) return 2; fclose(file); }
    snprintf(own, sizeof own, "rank %d on %s in %s", rank, host, inside);
    MPI_Gather(own, sizeof own, MPI_BYTE, all, sizeof own, MPI_BYTE, 0, MPI_COMM_WORLD);
    if (rank == 0) for (int i = 0; i < 2; i++) fputs(all[i], stdout);
    MPI_Finalize();
    return 0;
}
"""


def said(lab, node, script):
    return output_of(lab.enter(node, ["sh", "-c", script]), timeout=300)


def left_of(lab):
    """Return processes, groups and mounts of a lab that are still there."""
    nodes = [place.pid for place in lab.state.places.values()] + [
        place.inside for place in lab.state.places.values()
    ]
    name = cgroups.marked(lab.state.mark)
    return [
        *(f"process {pid}" for pid in nodes if pid and proc.start_time(pid) is not None),
        # Not Path.glob, which stumbles over groups of other tests that go meanwhile.
        *(f"{folder}/{name}" for folder, groups, _ in os.walk("/sys/fs/cgroup") if name in groups),
        *(
            line
            for line in Path("/proc/self/mounts").read_text().splitlines()
            if "linkworth-container" in line
        ),
        *(
            path
            for path in (MARK_FILE, "/dev/shm/linkworth-container", str(lab.folder))
            if Path(path).exists()
        ),
    ]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "mpi_kind", [pytest.param(k, marks=pytest.mark.requires(k)) for k in ("openmpi", "mpich")]
)
def test_ranks_run_inside_and_nothing_stays(kind, mpi_kind, tmp_path, record_property):
    mpi = first_mpi(mpi_kind)
    program = compile_c(mpi, PROGRAM, tmp_path / "where")
    with labs.up(LabSpec(nodes=2, isolation=kind)) as lab:
        opened = LabPlace(lab, Place(kind="lab", name=lab.name), [])
        # Its own LD_PRELOAD keeps the lab from building the tracer, which takes long, to have waiting ranks yield.
        preloaded = {} if preload.must_settle(mpi) else {"LD_PRELOAD": ""}
        job = Job(command=[str(program)], ranks=2, timeout=UNTIL_STOPPED, environment=preloaded)

        def run():
            kept = Collector()
            return opened.launcher(mpi).run(job, kept), kept

        end, kept = despite_faults(
            mpi, run, record_property, ending=lambda ran: (ran[0].timed_out, ran[1].data["stderr"].decode())
        )
        assert end.exit_code == 0, kept.data["stderr"].decode()
        lines = [line for line in kept.data["stdout"].decode().splitlines() if line.startswith("rank")]
        assert lines == [f"rank 0 on node1 in {kind} node1", f"rank 1 on node2 in {kind} node2"]
    assert left_of(lab) == []


@pytest.mark.parametrize("kind", KINDS)
def test_a_container_has_its_own_system_and_the_shared_files(kind, tmp_path):
    with labs.up(LabSpec(nodes=1, nics=2, isolation=kind)) as lab:
        assert [node.processes for node in about(lab.state).nodes] == [0]
        (tmp_path / "input").write_text("shared\n")
        assert said(lab, "node1", f"cat {tmp_path}/input; echo back > {tmp_path}/output") == "shared\n"
        assert (tmp_path / "output").read_text() == "back\n"
        said(lab, "node1", "echo changed > /etc/linkworth-test")
        assert not Path("/etc/linkworth-test").exists()
        assert "node1-d1" in said(lab, "node1", "cat /etc/hosts")
        assert said(lab, "node1", "ls /sys/class/net").split() == ["d0", "d1", "lo", "m0"]
        own = {
            name: str(Path(f"/proc/self/ns/{name}").readlink())
            for name in ("mnt", "uts", "pid", "ipc", "net")
        }
        inside = said(
            lab, "node1", "for n in mnt uts pid ipc net; do readlink /proc/self/ns/$n; done"
        ).split()
        assert not set(inside) & set(own.values())
        assert said(lab, "node1", "touch /dev/shm/x; ls /dev/shm") == "x\n"
        assert not Path("/dev/shm/x").exists()


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_stays_when_the_supervisor_is_killed(kind):
    with labs.up(LabSpec(nodes=1, isolation=kind)) as lab:
        os.kill(lab.state.supervisor, signal.SIGKILL)

    def clean():
        labs.sweep()
        return left_of(lab) == []

    assert eventually(clean), left_of(lab)


def test_without_root_it_says_so(monkeypatch):
    monkeypatch.setattr(isolation, "_is_root", lambda: False)
    with pytest.raises(EnvironmentLacksError, match="`isolation` lxc needs root"):
        isolation.tool_of(LabSpec(isolation="lxc"))


def test_tools_that_are_missing_are_named_and_groups_removed_in_every_hierarchy(monkeypatch, tmp_path):
    monkeypatch.setattr(isolation, "_is_root", lambda: True)
    monkeypatch.setattr(isolation.kernel, "_SBIN", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(EnvironmentLacksError, match="systemd-nspawn; install systemd-container"):
        isolation.tool_of(LabSpec(isolation="nspawn"))
    (tmp_path / "session/linkworth-abc/node1/payload").mkdir(parents=True)
    (tmp_path / "session/other").mkdir()
    monkeypatch.setattr(cgroups, "_mounts", lambda: {"": tmp_path})
    cgroups.remove_marked("abc", anywhere=True)
    assert sorted(path.name for path in (tmp_path / "session").iterdir()) == ["other"]
