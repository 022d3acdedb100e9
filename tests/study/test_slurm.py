"""A study whose runs are jobs of a real Slurm."""

import os
import signal
import subprocess
import sys
import time

import pytest

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
    from slurm_cluster import PATH, SlurmCluster

    with SlurmCluster(tmp_path_factory.mktemp("slurm") / "c", nodes=2) as found:
        before = dict(os.environ)
        os.environ |= {"PATH": PATH, **found.environment}
        yield found
        os.environ.clear()
        os.environ |= before


def begin(tmp_path, seconds, environments=ONE, repetitions=6):
    program = tmp_path / "program"
    said = f'echo "$SLURM_JOB_ID" >> {tmp_path}/made\necho "$SLURM_ARRAY_JOB_ID" >> {tmp_path}/arrays'
    program.write_text(f"#!/bin/sh\n{said}\nsleep {seconds}\n")
    program.chmod(0o755)
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
        until = time.monotonic() + 120
        while (not made.exists() or len(made.read_text().split()) < 2) and time.monotonic() < until:
            assert process.poll() is None, (tmp_path / "said").read_text()
            time.sleep(0.1)
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
