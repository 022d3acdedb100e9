"""Ranks bound to cores: the options of each launcher, and the cores that real ranks then have."""

import os

import fake_installation as fake
import pytest
from fake_installation import described
from mpi_programs import first_mpi

from linkworth.errors import EnvironmentLacksError, UsageError
from linkworth.measure import plan, run
from linkworth.measure.open_place import open_place
from linkworth.model.place import Place
from linkworth.places import local, slurm
from linkworth.places.batch import JobShape
from linkworth.places.hosts import HostfileLauncher, HostSlots
from linkworth.places.job import Job
from linkworth.places.local import LocalLauncher
from linkworth.places.mpiexec import mpiexec_options
from linkworth.places.slurm import Slurm


@pytest.mark.parametrize(
    ("kind", "version", "binding", "crowded", "expected"),
    [
        ("openmpi", "4.1.4", "core", False, ["--bind-to", "core"]),
        ("openmpi", "4.1.4", "socket", False, ["--bind-to", "socket"]),
        ("openmpi", "5.0.11", "socket", False, ["--bind-to", "package"]),
        ("openmpi", "5.0.11", "numa", True, ["--bind-to", "numa:overload-allowed"]),
        ("openmpi", "5.0.11", "none", True, ["--bind-to", "none"]),
        ("mpich", "4.0.2", "core", True, ["-bind-to", "core"]),
        ("cray", "8.1", "", False, []),
    ],
)
def test_each_launcher_has_its_own_words(kind, version, binding, crowded, expected):
    assert mpiexec_options(binding, described(kind, version), crowded=crowded) == expected


def test_a_launcher_that_is_not_known_to_bind_says_so():
    with pytest.raises(EnvironmentLacksError, match=r"cray-8\.1: its launcher takes no binding"):
        mpiexec_options("core", described("cray", "8.1"))


def test_srun_has_its_words(monkeypatch):
    monkeypatch.setattr(slurm, "process_managers", lambda: ["pmix"])
    bindings = ("", "core", "socket", "numa", "none")
    ways = [
        Slurm().ways(described("openmpi", "5.0.2"), JobShape(ranks=2, binding=binding))[0].split()[-1]
        for binding in bindings
    ]
    assert ways == [
        "--kill-on-bad-exit=1",
        *(f"--cpu-bind={unit}" for unit in ("cores", "sockets", "ldoms", "none")),
    ]


def test_more_ranks_than_cores_keep_the_binding_that_was_asked(monkeypatch):
    monkeypatch.setattr(local, "cores", lambda: 2)
    launcher = LocalLauncher(described("openmpi", "4.1.4"), binding="core")
    words = launcher.arguments(Job(command=["./x"], ranks=4))
    assert (
        words.count("--bind-to") == 1 and "core:overload-allowed" in words and "mpi_yield_when_idle" in words
    )
    hosts = HostfileLauncher(
        [HostSlots("a", 2)], described("openmpi", "4.1.4"), each=None, cores=2, transport="", binding="core"
    )
    words = hosts.arguments(Job(command=["./x"], ranks=4))
    assert words.count("--bind-to") == 1 and "core:overload-allowed" in words


def test_labs_and_the_users_own_launcher_take_no_binding():
    with pytest.raises(UsageError, match="nodes of a lab share the cores"):
        open_place(Place(kind="lab", name="gbe", binding="core"))
    with (
        open_place(Place(binding="core")) as opened,
        pytest.raises(UsageError, match="leave one of the two out"),
    ):
        plan.workload(["mpiexec", "-n", "2", "./x"], None, opened)


@pytest.mark.requires("mpi")
@pytest.mark.parametrize("kind", ["openmpi", "mpich"])
@pytest.mark.parametrize("binding", ["core", "none"])
def test_real_ranks_have_the_cores_that_were_asked(tmp_path, kind, binding):
    mpi = first_mpi(kind)
    with open_place(Place(binding=binding)) as opened:
        given = plan.workload(["grep", "Cpus_allowed_list", "/proc/self/status"], 2, opened)
        result = run.run(plan.plan(given, mpi=mpi.name, opened=opened), folder=tmp_path / "out")
    assert result.state == "complete" and result.facts["binding"] == binding
    lists = [line.split()[-1] for line in (tmp_path / "out" / "output.txt").read_text().splitlines()]
    every = os.sched_getaffinity(0)
    if binding == "core" and len(every) > 1:
        assert len(set(lists)) == 2 and all(each.isdecimal() for each in lists)
    else:
        assert len(lists) == 2 and len(set(lists)) == 1


@pytest.mark.parametrize("plugins", ["task/none", "task/cgroup,task/affinity"])
def test_a_slurm_that_binds_nothing_is_named(tmp_path, monkeypatch, plugins):
    fake.script(
        tmp_path / "scontrol",
        f"echo 'TaskPlugin              = {plugins}'\necho 'TaskPluginParam = (null type)'",
    )
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    Slurm().check_binding("")
    Slurm().check_binding("none")
    if "affinity" in plugins:
        Slurm().check_binding("core")
    else:
        with pytest.raises(EnvironmentLacksError, match="TaskPlugin is task/none, not task/affinity"):
            Slurm().check_binding("core")


@pytest.mark.requires("slurm", "mpi", "c++")
def test_a_job_of_a_real_slurm_binds_its_ranks(tmp_path, monkeypatch):
    from slurm_cluster import SlurmCluster

    monkeypatch.chdir(tmp_path)
    with SlurmCluster(tmp_path / "c", nodes=2, cpus=1, task_plugin="task/affinity") as cluster:
        cluster.use(monkeypatch)
        with open_place(Place(kind="slurm", nodes=2, ranks_per_node=1, binding="core")) as opened:
            given = plan.workload(["grep", "Cpus_allowed_list", "/proc/self/status"], 2, opened)
            result = run.run(plan.plan(given, opened=opened), folder=tmp_path / "out")
    assert result.state == "complete" and result.facts["binding"] == "core"
    lists = [line.split()[-1] for line in (tmp_path / "out" / "output.txt").read_text().splitlines()]
    assert len(lists) == 2 and all(each.isdecimal() for each in lists)
