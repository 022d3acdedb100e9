"""Runs inside a Slurm job: each is a step of it."""

import json
import sys

import pytest
from eventual import eventually
from mpi_programs import compiled, usable_mpis
from slurm_cluster import SlurmCluster

from linkworth.errors import UsageError
from linkworth.measure.open_place import open_place
from linkworth.model.place import Place
from linkworth.places.slurm import Slurm
from linkworth.places.slurm_steps import SlurmSteps


@pytest.fixture
def variables(monkeypatch):
    for name, value in {
        "SLURM_JOB_ID": "7",
        "SLURM_JOB_NODELIST": "n[1-3]",
        "SLURM_JOB_CPUS_PER_NODE": "16(x2),8",
    }.items():
        monkeypatch.setenv(name, value)


def test_nodes_and_settings_are_those_of_the_job(variables):
    with open_place(Place(kind="slurm")) as opened:
        assert isinstance(opened, SlurmSteps)
        assert (opened.nodes, opened.cores) == (["n1", "n2", "n3"], 40)
    with open_place(Place(kind="slurm", nodes=2, ranks_per_node=4)) as opened:
        assert (opened.nodes, opened.cores) == (["n1", "n2"], 8)
    with pytest.raises(UsageError, match="inside the Slurm job 7"):
        open_place(Place(kind="slurm", name="long"))
    with pytest.raises(UsageError, match="`nodes` 4: this Slurm job has 3 nodes"):
        open_place(Place(kind="slurm", nodes=4))


def test_ranks_on_each_node_decide_how_many_nodes_are_used(variables):
    with open_place(Place(kind="slurm", ranks_per_node=2)) as opened:
        assert (opened.shape(2).nodes, opened.shape(3).nodes, opened.shape(6).nodes) == (1, 2, 3)
        with pytest.raises(UsageError, match="`ppn` 2: 7 ranks need 4 nodes; this Slurm job has 3"):
            opened.shape(7)
    with open_place(Place(kind="slurm")) as opened:
        assert (opened.shape(2).nodes, opened.shape(6).nodes) == (2, 3)


@pytest.mark.requires("slurm", "mpi", "c++")
def test_a_run_is_a_step_on_the_jobs_nodes(tmp_path, monkeypatch):
    mpi = usable_mpis()[0]
    program = compiled(mpi, tmp_path)
    with SlurmCluster(tmp_path / "cluster", nodes=2) as cluster:
        cluster.use(monkeypatch)
        command = f"{sys.executable} -m linkworth run --slurm -n 4 --mpi {mpi.name} --json -- {program} well"
        job = tmp_path / "job.sh"
        job.write_text(f"#!/bin/sh\n{command} > {tmp_path}/out.json 2> {tmp_path}/err\n")
        identity = cluster.run(
            "sbatch",
            "--parsable",
            "--nodes=2",
            "--ntasks=4",
            "--cpus-per-task=1",
            "-o",
            "/dev/null",
            str(job),
        ).strip()
        assert eventually(lambda: Slurm().state([identity])[identity].phase == "ended")
    assert "ranks 4" in (tmp_path / "err").read_text()
    result = json.loads((tmp_path / "out.json").read_text())
    assert (result["state"], result["nodes"], result["cores"]) == ("complete", ["n1", "n2"], 4)
    assert [node["node"] for node in result["counters"]] == ["n1", "n2"]
    assert result["facts"]["slurm job"] == identity
