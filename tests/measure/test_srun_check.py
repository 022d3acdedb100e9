"""A user's own srun that does not fit the MPI library, played by an srun that starts copies without a process manager."""

import os

import fake_installation as fake
import pytest
from mpi_programs import compiled, first_mpi

from linkworth.errors import UsageError
from linkworth.measure import plan, run, srun_check
from linkworth.places.given import GivenLauncher

pytestmark = pytest.mark.requires("mpich", "c++")


@pytest.fixture
def mpich():
    return first_mpi("mpich")


def srun(tmp_path, monkeypatch, text):
    fake.script(tmp_path / "bin/srun", f'echo "$@" >> {tmp_path}/calls; shift 2; {text}')
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")


def test_copies_of_rank_0_of_1_are_caught_before_the_run(tmp_path, monkeypatch, mpich):
    program = compiled(mpich, tmp_path)
    srun(tmp_path, monkeypatch, '"$@"; "$@"')
    workload = plan.workload(["srun", "-n", "2", str(program), "well"], None)
    with pytest.raises(
        UsageError, match=r"srun -n 2` started 2 copies of rank 0 of 1: .*srun needs --mpi=pmi2"
    ):
        run.run(plan.plan(workload))
    assert str(program) not in (tmp_path / "calls").read_text()


def test_a_fitting_srun_is_tried_once(tmp_path, monkeypatch, mpich):
    program = compiled(mpich, tmp_path)
    srun(tmp_path, monkeypatch, f'{mpich.mpiexec} -n 2 "$@"')
    workload = plan.workload(["srun", "-n", "2", str(program), "well"], None)
    for _ in range(2):
        assert run.run(plan.plan(workload)).state == "complete"
    assert (tmp_path / "calls").read_text().count("lw-size-probe") == 1


def test_what_is_no_mpi_program_is_not_tried(tmp_path, monkeypatch):
    srun(tmp_path, monkeypatch, '"$@"')
    decided = plan.plan(plan.workload(["srun", "-n", "2", "true"], None))
    assert isinstance(decided.launcher, GivenLauncher)
    srun_check.check(decided)
    assert not (tmp_path / "calls").exists()
