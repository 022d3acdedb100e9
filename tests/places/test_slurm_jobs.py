"""Runs as jobs of a real Slurm: started by the right process manager, followed, found again, cancelled, their ends explained."""

import os
import signal
import subprocess
import sys
import time

import pytest
from collector import Collector
from eventual import eventually
from fake_installation import script
from mpi_programs import despite_faults, first_mpi, settling
from slurm_cluster import SlurmCluster

from linkworth.advise.allocate.run import allocate
from linkworth.advise.allocate.submit import sbatch_lines
from linkworth.errors import EnvironmentLacksError, UsageError
from linkworth.measure import plan, run
from linkworth.measure.open_place import open_place
from linkworth.model.place import Place
from linkworth.places import pairing
from linkworth.places.batch import BatchRequest, JobShape
from linkworth.places.job_folder import JobFolder
from linkworth.places.slurm import Slurm

pytestmark = pytest.mark.requires("slurm", "mpi", "c++")


@pytest.fixture(scope="module")
def whole_cluster(tmp_path_factory):
    with SlurmCluster(tmp_path_factory.mktemp("slurm") / "c") as cluster:
        yield cluster


@pytest.fixture
def cluster(whole_cluster, monkeypatch):
    """The cluster, found by this test's commands; every node idle, so that tests do not wait for each other's jobs."""
    whole_cluster.use(monkeypatch)
    yield whole_cluster
    whole_cluster.run("scancel", "--user=root")
    whole_cluster.wait_idle()


def program_of(folder, text):
    return str(script(folder / "program", text))


class Doing(Collector):
    """An observer that does something once at the first tick while the program runs."""

    def __init__(self, action):
        super().__init__()
        self.action = action

    def tick(self, seconds):
        if seconds > 0.3 and self.action:
            action, self.action = self.action, None
            action()


def started(command, ranks, tmp_path, *, where=None, observer=None, mpi=None, say=None, timeout=None):
    with open_place(where or Place(kind="slurm"), say) as opened:
        workload = plan.workload(command, ranks, opened)
        return run.run(
            plan.plan(workload, mpi=mpi, opened=opened),
            folder=tmp_path / "out",
            watcher=observer,
            timeout=timeout,
        )


@pytest.mark.parametrize("kind", ["openmpi", "mpich"])
def test_a_program_runs_on_four_nodes_and_its_nodes_are_counted(
    cluster, tmp_path, monkeypatch, record_property, kind
):
    monkeypatch.chdir(tmp_path)
    where = Place(kind="slurm", nodes=4, ranks_per_node=2)
    mpi = first_mpi(kind)
    for name, value in settling(mpi).items():
        monkeypatch.setenv(name, value)

    def run():
        result = started(["npb:ep.S"], 8, tmp_path, where=where, mpi=mpi.name, timeout=60)
        return result, (tmp_path / "out/output.txt").read_text()

    result, said = despite_faults(
        mpi, run, record_property, ending=lambda ran: (ran[0].state == "timeout", ran[1])
    )
    assert (result.state, result.verified, result.where) == ("complete", True, "slurm"), result.message + said
    assert result.nodes == cluster.names
    assert [node.node for node in result.counters] == cluster.names
    assert all(node.core_seconds for node in result.counters)
    assert 0 < result.reported_seconds < result.seconds
    assert result.remark == ""
    assert result.facts["batch system"].startswith("slurm")


def test_a_wrong_process_manager_is_caught_before_the_run(cluster, tmp_path, monkeypatch):
    mpich = first_mpi("mpich")
    monkeypatch.chdir(tmp_path)
    right = pairing.ways(Slurm(), mpich, JobShape(ranks=4, nodes=2))
    wrong = [way.replace("--mpi=pmi2", "--mpi=none") for way in right if "pmi2" in way]
    monkeypatch.setattr(pairing, "ways", lambda *_: wrong)
    (tmp_path / "ran").mkdir()
    program = program_of(tmp_path, f"touch {tmp_path}/ran/$SLURM_PROCID")
    with pytest.raises(EnvironmentLacksError, match=r"--mpi=none.* started 4 copies of rank 0 of 1"):
        started([program], 4, tmp_path, where=Place(kind="slurm", nodes=2), mpi=mpich.name)
    assert list((tmp_path / "ran").iterdir()) == []
    # The next way is taken where there is one, and remembered: the second run tries none.
    monkeypatch.setattr(pairing, "ways", lambda *_: [*wrong, *right])
    for probed in (True, False):
        result = started([program], 4, tmp_path, where=Place(kind="slurm", nodes=2), mpi=mpich.name)
        assert result.state == "complete"
        assert JobFolder(tmp_path / "out/job").way == 1
        assert bool(JobFolder(tmp_path / "out/job").probe(0)) is probed
    assert len(list((tmp_path / "ran").iterdir())) == 4


def test_an_array_of_six(cluster, tmp_path):
    slurm = Slurm()
    request = BatchRequest(
        name="six",
        body=f"echo element > {tmp_path}/{slurm.index}\n[ {slurm.index} -ne 4 ] || exit 9",
        folder=tmp_path,
        log=tmp_path / "log",
        array=6,
        at_once=3,
    )
    job = slurm.submit(request, tmp_path / "job.sh")
    elements = slurm.elements(job, 6)
    assert elements == [f"{job}_{number}" for number in range(6)]
    states = {}

    def all_ended():
        states.update(slurm.state(elements))
        assert sum(state.phase == "running" for state in states.values()) <= 3
        return all(state.phase == "ended" for state in states.values())

    assert eventually(all_ended)
    assert [states[element].exit_code for element in elements] == [0, 0, 0, 0, 9, 0]
    assert [states[element].state for element in elements].count("COMPLETED") == 5
    assert all((tmp_path / str(number)).exists() for number in range(6))
    assert slurm.state(["999999"])["999999"].phase == "unknown"


def test_a_job_is_found_again_after_linkworth_was_killed(cluster, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    program = program_of(tmp_path, f"echo begun >> {tmp_path}/begun; sleep 3; echo done")
    command = [sys.executable, "-m", "linkworth", "run", "--slurm", "-n", "1", "-o", "out", "--", program]
    killed = subprocess.Popen(command, stderr=subprocess.PIPE)
    submitted = time.monotonic()
    assert eventually((tmp_path / "begun").exists, during=killed)
    os.kill(killed.pid, signal.SIGKILL)
    killed.communicate()
    job = JobFolder(tmp_path / "out/job").record.job
    said = []
    observer = Doing(None)
    result = started([program], 1, tmp_path, observer=observer, say=said.append)
    assert said == [f"found slurm job {job} of this run again"]
    assert (result.state, observer.text) == ("complete", "done\n")
    assert 2.9 < result.seconds < time.monotonic() - submitted
    assert (tmp_path / "begun").read_text() == "begun\n"
    # It is finished: the same command means a new run.
    started([program_of(tmp_path, "echo again")], 1, tmp_path, say=said.append)
    assert said[1].startswith("submitted slurm job")


def test_ctrl_c_cancels_the_job(cluster, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = started(
        [program_of(tmp_path, "sleep 600")],
        1,
        tmp_path,
        observer=Doing(lambda: os.kill(os.getpid(), signal.SIGINT)),
    )
    assert (result.state, result.message.startswith("it was interrupted")) == ("killed", True)
    job = JobFolder(tmp_path / "out/job").record.job
    assert Slurm().state([job])[job].state == "CANCELLED"


def test_a_job_that_someone_else_cancels_says_so(cluster, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = started(
        [program_of(tmp_path, "sleep 600")],
        1,
        tmp_path,
        observer=Doing(lambda: cluster.run("scancel", "--user=root")),
    )
    assert (result.state, result.message) == ("killed", "it was cancelled")


def test_linkworths_own_limit_counts_from_the_programs_start(cluster, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = started([program_of(tmp_path, "echo begun; sleep 600")], 1, tmp_path, timeout=1.0)
    assert (result.state, result.message) == ("timeout", "it ran longer than 1 s and was stopped")


def test_a_program_that_fails_is_no_failure_of_slurm(cluster, tmp_path, monkeypatch):
    odd = tmp_path / "it's 100% odd"
    odd.mkdir()
    monkeypatch.chdir(odd)
    result = started(
        [program_of(odd, "pwd; exit 6")], 1, odd, where=Place(kind="slurm", options=["--exclusive"])
    )
    assert (result.state, result.exit_code) == ("failed", 6)
    # srun does not report that it waited for the step before: the wait would count as the program's.
    lines = (odd / "out/output.txt").read_text().splitlines()
    assert str(odd) in lines
    assert not any("retrying" in line for line in lines)


def test_a_node_that_dies_is_the_cause(cluster, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    where = Place(kind="slurm", nodes=2, options=["--nodelist=n3,n4"])
    try:
        result = started(
            [program_of(tmp_path, "sleep 600")],
            2,
            tmp_path,
            where=where,
            observer=Doing(lambda: cluster.kill_node("n4")),
        )
    finally:
        cluster.start_node("n4")  # which registers itself, and is up again
    assert (result.state, result.message) == ("killed", "a node of the job failed")


@pytest.mark.slow  # Slurm looks for jobs beyond their limit every 30 s.
def test_slurms_time_limit_is_the_cause(cluster, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def shorten():
        job = JobFolder(tmp_path / "out/job").record.job
        # Slurm refuses an end in the past, as "now" is one second later.
        cluster.run("scontrol", "update", f"jobid={job}", "endtime=now+10seconds")

    result = started(
        [program_of(tmp_path, "sleep 600")],
        1,
        tmp_path,
        where=Place(kind="slurm", options=["--time=5"]),
        observer=Doing(shorten),
    )
    assert (result.state, result.message) == ("timeout", "Slurm stopped it at its time limit")


def test_what_slurm_refuses_is_said_in_its_words(cluster, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match=r"sbatch refused the job: .*partition"):
        started(["true"], 1, tmp_path, where=Place(kind="slurm", name="absent"))
    with pytest.raises(UsageError, match="give the number of ranks"):
        started(["true"], None, tmp_path)
    with pytest.raises(UsageError, match="`nodes` 2 and `ppn` 2 make 4 ranks, but `ranks` is 3"):
        started(["true"], 3, tmp_path, where=Place(kind="slurm", nodes=2, ranks_per_node=2))


def test_an_allocated_run_has_its_nodes_for_itself(cluster, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "queue.toml").write_text(
        '[[nodes]]\nname = "ib"\nfabric = "ib-fdr"\ncount = 4\ncores = 2\nusd_per_node_hour = 1\n'
        '[[programs]]\nname = "pair"\nranks = 2\nnodes = [2]\nseconds = { ib = 9.0 }\n'
        'command = "printenv SLURM_JOB_CPUS_PER_NODE"\n'
    )
    (line,) = sbatch_lines(*allocate(tmp_path / "queue.toml"))
    cluster.run("sh", "-c", f"{line} --wait --output=out")
    assert (tmp_path / "out").read_text().split() == ["2(x2)", "2(x2)"]
