"""Ranks that MPI did not find: reports as the preload library writes them, and a script that hides its MPI."""

import os
import signal
import sys
import tempfile
from pathlib import Path

import fake_installation as fake
import pytest
from fake_launcher import FakeLauncher
from mpi_programs import compiled, usable_mpis

from linkworth.errors import LinkworthError
from linkworth.measure import call_profile, plan, run
from linkworth.measure.plan import Plan
from linkworth.measure.ranks_found import RanksFound, own_launcher, ranks_found
from linkworth.model.workload import Workload
from linkworth.mpi import preload
from linkworth.mpi.target import NO_TARGET
from linkworth.places.given import GivenLauncher
from linkworth.places.local import LocalPlace
from linkworth.trace import record


def judged(tmp_path, reports, ranks=2, launcher=None, recorded=(), script="wrap.sh"):
    file = tmp_path / "ranks"
    file.write_text(reports)
    workload = Workload(name="wrap.sh", command=[str(script)], ranks=ranks)
    decided = Plan(
        workload, ["wrap.sh"], NO_TARGET, fake.described("mpich", "5.0.2"), launcher or FakeLauncher(), None
    )
    return RanksFound(file).trouble(decided, recorded)


@pytest.fixture
def given(tmp_path):
    return GivenLauncher([str(fake.script(tmp_path / "mpirun", "")), "-n", "2", "./program"])


def test_the_ranks_that_were_asked_for_are_no_trouble(tmp_path):
    assert judged(tmp_path, "2 Open MPI v5.0.11, package: x\n") == ""
    # A program of a single rank that a script starts before.
    assert judged(tmp_path, "1 Open MPI v5.0.11\n2 Open MPI v5.0.11\n") == ""
    assert judged(tmp_path, "") == ""
    assert judged(tmp_path, "4 Open MPI v5.0.11\n", ranks=0) == ""


def test_copies_of_rank_0_of_1_name_the_mpi_that_fits(tmp_path, given):
    sentence = (
        "MPI reported 2 separate programs of one rank each instead of 2 ranks: it uses openmpi-5.0.99, and was started with "
        "mpich-5.0.2; choose its own with `mpi` openmpi-5.0.99"
    )
    reports = "1 Open MPI v5.0.99, package: x\n" * 2
    assert judged(tmp_path, reports) == sentence
    assert judged(tmp_path, reports, launcher=given) == sentence
    assert "4 separate programs" in judged(tmp_path, "", ranks=4, recorded=[1, 1, 1, 1])


def test_a_run_that_is_stopped_before_its_ranks_start_leaves_no_folder(tmp_path, given, monkeypatch):
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.iterdir())
    decided = Plan(
        Workload(name="x", command=["x"], ranks=2),
        ["x"],
        NO_TARGET,
        fake.described("mpich", "5.0.2"),
        given,
        None,
    )
    with pytest.raises(KeyboardInterrupt), ranks_found(decided):
        assert sorted(tmp_path.iterdir()) != before
        os.kill(os.getpid(), signal.SIGINT)
    assert sorted(tmp_path.iterdir()) == before


def test_another_number_of_ranks_is_trouble(tmp_path, given):
    assert "MPI reported 3 ranks instead of 2" in judged(tmp_path, "3 MPICH Version: 5.0.2\n")
    # The check does not always understand the user's own launcher.
    assert judged(tmp_path, "3 MPICH Version: 5.0.2\n", launcher=given) == ""


def test_a_script_that_starts_as_many_ranks_on_each_rank_is_trouble(tmp_path):
    script = fake.script(tmp_path / "wrap.sh", "mpiexec.mpich -n 2 ./program")
    reports = "2 MPICH Version: 5.0.2\n" * 2
    said = judged(tmp_path, reports, script=script)
    assert said.startswith(
        "MPI reported 2 programs of 2 ranks each, because wrap.sh starts mpiexec.mpich by itself"
    )
    # Two programs, one after the other.
    assert judged(tmp_path, reports, script=fake.script(script, "./program; ./program")) == ""


def test_another_library_than_the_tracers_is_trouble(tmp_path):
    sentence = judged(tmp_path, "0 Open MPI v5.0.99, package: x\n")
    assert sentence == (
        "it uses openmpi-5.0.99, and was started with mpich-5.0.2: choose its own with `mpi` openmpi-5.0.99"
    )


class Elsewhere(LocalPlace):
    """A place whose ranks share no temporary folder with this machine."""

    def __init__(self, name):
        super().__init__()
        self.name = name


def report_copies(job):
    """Report what two programs find that the launcher of another MPI started: one rank each."""
    assert Path(library_of(job)).read_bytes() == preload.ranks_library().read_bytes()
    with Path(job.environment["LINKWORTH_RANKS"]).open("a") as file:
        file.write("1 Open MPI v5.0.99, package: x\n" * 2)


def library_of(job):
    return job.environment["LD_PRELOAD"].partition(":")[0]


@pytest.mark.requires("mpi")
@pytest.mark.parametrize("place", ["hostfile", "slurm", "pbs", "lsf"])
def test_ranks_elsewhere_report_through_a_folder_that_is_shared(tmp_path, monkeypatch, place):
    current = tmp_path / "current"
    current.mkdir()
    monkeypatch.chdir(current)
    for folder in (tmp_path / "run", None):
        launcher = FakeLauncher(effect=report_copies)
        result = run.run(
            plan.plan(plan.workload(["true"], 2), opened=Elsewhere(place))._replace(launcher=launcher),
            folder=folder,
        )
        assert (result.state, result.exit_code) == ("failed", 0)
        assert "MPI reported 2 separate programs of one rank each instead of 2 ranks" in result.message
        for file in (launcher.jobs[0].environment["LINKWORTH_RANKS"], library_of(launcher.jobs[0])):
            assert Path(file).is_relative_to(folder or current)
            assert not Path(file).exists()
        assert not list(current.iterdir())


@pytest.mark.requires("mpi")
def test_ranks_of_the_users_own_launcher_report_through_the_current_folder(tmp_path, monkeypatch, given):
    monkeypatch.chdir(tmp_path)
    workload = Workload(name="program", command=given.command, ranks=2)
    decided = Plan(workload, given.command, NO_TARGET, fake.described("mpich", "5.0.2"), given, None)
    with ranks_found(decided) as found:
        (file,) = found.variables.values()
        assert Path(file).is_relative_to(tmp_path) and found.library.is_relative_to(tmp_path)
        assert found.library.read_bytes() == preload.ranks_library().read_bytes()
    assert not list(tmp_path.glob(".linkworth-ranks-*"))

    def refused(prefix, dir=None):
        if dir is not None:
            raise PermissionError(13, "Permission denied")
        (tmp_path / "temporary").mkdir()
        return str(tmp_path / "temporary")

    monkeypatch.setattr(tempfile, "mkdtemp", refused)
    with ranks_found(decided) as found:
        assert Path(found.variables[preload.RANKS]).parent == tmp_path / "temporary"


def test_the_reports_of_a_job_that_outlived_linkworth_count(tmp_path):
    left = tmp_path / "ranks-found"
    left.mkdir()
    (left / "ranks").write_text("3 Open MPI v5.0.99\n")
    result = run.run(
        plan.plan(plan.workload(["true"], 2), opened=Elsewhere("slurm"))._replace(launcher=FakeLauncher()),
        folder=tmp_path,
    )
    assert "MPI reported 3 ranks instead of 2" in result.message
    assert not left.exists()


@pytest.fixture
def hiding(tmp_path):
    """A script whose program cannot be found by reading it, and whose MPI is not the first of this machine."""
    first = usable_mpis()[0]
    other = next((mpi for mpi in usable_mpis() if mpi.kind != first.kind), None)
    if other is None:
        pytest.skip("all MPIs here are of one kind")
    compiled(other, tmp_path)
    return other, str(fake.script(tmp_path / "hiding.sh", f"cd {tmp_path}; p=nds; exec ./e$p"))


@pytest.mark.requires("several-mpis", "c++")
def test_a_script_that_hides_another_mpi_fails_with_its_name(hiding, tmp_path):
    other, script = hiding
    result = run.run(plan.plan(plan.workload([script], 2)))
    assert (result.state, result.exit_code) == ("failed", 0)
    assert "instead of 2 ranks" in result.message
    assert result.message.endswith(f"`mpi` {other.name}")
    assert run.run(plan.plan(plan.workload([script], 2), mpi=other.name)).state == "complete"
    with pytest.raises(LinkworthError, match=f"hiding.sh: .*`mpi` {other.name}") as raised:
        record.record(plan.plan(plan.workload([script], 2)), output=tmp_path / "trace.lwt")
    assert raised.value.exit_code == 1
    with pytest.raises(LinkworthError, match=f"hiding.sh: .*`mpi` {other.name}"):
        call_profile.profile(plan.plan(plan.workload([script], 2)), folder=tmp_path / "profile")
    assert not list(tmp_path.glob("*.parts"))


def of_pypi(name):
    """Return an MPI whose library begins with a name."""
    found = (mpi for mpi in usable_mpis() if Path(mpi.library).name.startswith(name))
    mpi = next(found, None)
    if mpi is None:
        pytest.skip(f"no MPI here has {name}")
    return mpi


@pytest.mark.requires("mpi")
@pytest.mark.parametrize("library", ["libmpi.so.12", "libmpich.so.12", "libmpi.so.40"])
def test_mpi4py_from_pypi_needs_no_variable(tmp_path, library):
    pytest.importorskip("mpi4py._mpiabi", reason="mpi4py is not installed, or no wheel of PyPI")
    mpi = of_pypi(library)
    script = tmp_path / "sum.py"
    script.write_text("from mpi4py import MPI\nprint(MPI.COMM_WORLD.allreduce(7))\n")
    workload = plan.workload([sys.executable, str(script)], 2)
    assert workload.name == "sum.py"
    result = run.run(plan.plan(workload, mpi=mpi.name), folder=tmp_path / "run")
    assert (result.state, result.message) == ("complete", "")
    assert (tmp_path / "run/output.txt").read_text().count("14") == 2
    summary = record.record(plan.plan(workload, mpi=mpi.name), output=tmp_path / "trace.lwt")
    assert (summary.state, summary.ranks) == ("complete", 2)


@pytest.mark.requires("mpi", "c++")
def test_a_program_whose_ranks_are_not_reported_is_named(tmp_path):
    mpi = usable_mpis()[0]
    program = str(compiled(mpi, tmp_path))
    started = run.run(plan.plan(plan.workload(["env", "-u", "LD_PRELOAD", program], 2), mpi=mpi.name))
    assert started.state == "complete"
    assert "whether MPI found 2 ranks is not known" in started.remark and "env -i" in started.remark
    started = run.run(plan.plan(plan.workload(["env", "A=1", program], 2), mpi=mpi.name))
    assert (started.state, "is not known" in started.remark) == ("complete", False)


def test_the_launcher_that_a_script_starts_is_found(tmp_path):
    script = tmp_path / "solver"
    script.write_text('#!/bin/sh\n# not srun\nexec "/usr/bin/mpirun" -np 4 /usr/lib/solver "$@"\n')
    assert own_launcher([str(script), "input"]) == "mpirun"
    assert own_launcher(["sh", str(script)]) == "mpirun"
    script.write_text("#!/bin/sh\nexec /usr/lib/solver\n")
    assert own_launcher([str(script)]) == ""
    assert own_launcher([sys.executable, "-c", "pass"]) == ""
