"""A study whose runs are jobs of a real Slurm."""

import os
import shutil
import signal
import subprocess
import sys

import pytest
from eventual import eventually
from fake_installation import script

from linkworth.places.job_folder import JobFolder
from linkworth.study import resume as taking_up
from linkworth.study.runner import run_study

pytestmark = pytest.mark.requires("slurm", "mpi", "c++")

STUDY = """\
where = "slurm:main"
repetitions = {repetitions}
ranks = 1
seed = 3
workloads = [{{ run = "{program}", name = "job" }}]
environments = [{environments}]
"""
ONE = '{ name = "cluster" }'
TWO = '{ name = "one", nodes = 1, ranks = 2 }, { name = "two", nodes = 2, ranks = 2 }'


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    from slurm_cluster import SlurmCluster

    with (
        SlurmCluster(tmp_path_factory.mktemp("slurm") / "c", nodes=2) as found,
        pytest.MonkeyPatch.context() as monkeypatch,
    ):
        found.use(monkeypatch)
        yield found


def begin(tmp_path, seconds, environments=ONE, repetitions=6):
    said = f'echo "$SLURM_JOB_ID" >> {tmp_path}/made\necho "$SLURM_ARRAY_JOB_ID" >> {tmp_path}/arrays'
    program = script(tmp_path / "program", f"{said}\nsleep {seconds}")
    file = tmp_path / "s.toml"
    file.write_text(STUDY.format(program=program, environments=environments, repetitions=repetitions))
    return taking_up.begin(file, folder=tmp_path / "s.study")


@pytest.mark.slow  # a Slurm cluster is started, which takes its time over each job
def test_jobs_are_on_their_way_together_and_found_again_after_a_kill(cluster, tmp_path):
    store = begin(tmp_path, 3)
    command = [sys.executable, "-m", "linkworth", "study", "run", "s.toml", "--max-parallel", "3"]
    with (tmp_path / "said").open("w") as said:
        process = subprocess.Popen(command, cwd=tmp_path, stdout=said, stderr=said)
        made = tmp_path / "made"
        two = lambda: made.exists() and len(made.read_text().split()) >= 2  # noqa: E731
        assert eventually(two, during=process), (tmp_path / "said").read_text()
        process.send_signal(signal.SIGKILL)
        process.wait()
    under_way = len(list((store.folder / "runs").glob("*/job/job.json")))
    assert under_way >= 2
    status = run_study(store, max_parallel=3)
    assert (status.total, status.done) == (6, 6), status.problems
    jobs = made.read_text().split()
    assert len(jobs) == len(set(jobs)) == 6


@pytest.mark.slow  # a Slurm cluster is started, which takes its time over each job
def test_runs_that_ask_for_the_same_nodes_are_one_array(cluster, tmp_path):
    store = begin(tmp_path, 0, TWO, repetitions=2)
    status = run_study(store, max_parallel=2)
    assert (status.total, status.done) == (4, 4), status.problems
    scripts = [file.read_text() for file in (store.folder / "arrays").glob("*.sh")]
    assert len(scripts) == 2
    assert all("--array=0-1%1" in script for script in scripts)
    arrays = (tmp_path / "arrays").read_text().split()
    assert len(arrays) == 8 and len(set(arrays)) == 2
    for record in store.records():
        assert len(record.facts["nodes"].split(", ")) == (2 if record.environment == "two" else 1)


BENCHMARKS = """\
where = "slurm:main"
repetitions = 2
ranks = 2
seed = 3
workloads = [{ run = "bench:latency --sizes 1K --seconds 0.5", name = "one" }]
environments = [{ name = "cluster", nodes = 2 }]
"""


def deadly_sbatch(folder):
    """A sbatch that submits, and kills who called it before it can learn the job's number."""
    real = shutil.which("sbatch")
    version = f'[ "$1" = --version ] && exec "{real}" --version'
    submission = f'"{real}" --parsable "$2" > {folder}/submitted'
    wrapper = script(folder / "bin" / "sbatch", f'{version}\n{submission}\nkill -9 "$PPID"')
    return os.environ | {"PATH": f"{wrapper.parent}:{os.environ['PATH']}"}


@pytest.mark.slow  # a Slurm cluster is started, which takes its time over each job
def test_an_array_that_was_submitted_by_a_linkworth_that_was_killed_meanwhile_is_found(cluster, tmp_path):
    begin(tmp_path, 0, repetitions=3)
    command = [sys.executable, "-m", "linkworth", "study", "run", "s.toml", "--max-parallel", "3"]
    killed = subprocess.run(
        command, cwd=tmp_path, env=deadly_sbatch(tmp_path), check=False, capture_output=True
    )
    assert killed.returncode == -signal.SIGKILL
    status = run_study(taking_up.begin(tmp_path / "s.toml", folder=tmp_path / "s.study"), max_parallel=3)
    assert (status.total, status.done) == (3, 3), status.problems
    assert len((tmp_path / "made").read_text().split()) == 3
    array = (tmp_path / "submitted").read_text().strip()
    assert (tmp_path / "arrays").read_text().split() == [array] * 3


@pytest.mark.slow  # a Slurm cluster is started, which takes its time over each job
def test_a_micro_benchmark_is_found_again_after_a_kill(cluster, tmp_path):
    (tmp_path / "s.toml").write_text(BENCHMARKS)
    store = taking_up.begin(tmp_path / "s.toml", folder=tmp_path / "s.study")
    command = [sys.executable, "-m", "linkworth", "study", "run", "s.toml"]
    killed = subprocess.run(
        command, cwd=tmp_path, env=deadly_sbatch(tmp_path), check=False, capture_output=True
    )
    assert killed.returncode == -signal.SIGKILL
    job = (tmp_path / "submitted").read_text().strip()
    status = run_study(store)
    assert (status.total, status.done) == (2, 2), status.problems
    first, second = [
        JobFolder(file.parent).record for file in sorted((store.folder / "runs").glob("*/job/job.json"))
    ]
    assert sorted([first.job, second.job], key=int) == [job, str(int(job) + 1)]
    assert all(record.metrics["latency_seconds"] > 0 for record in store.records())
