"""A job whose submission linkworth did not live to see is found again, here of a made-up batch system."""

from pathlib import Path

import pytest
from collector import Collector
from fake_installation import described

from linkworth.places import batch_launcher
from linkworth.places.batch import BatchRequest, BatchState, JobShape
from linkworth.places.batch_launcher import BatchLauncher
from linkworth.places.job import Job
from linkworth.places.job_folder import JobFolder
from linkworth.places.slurm import Slurm


class Killed(BaseException):
    """Stands for the kill of linkworth: no code handles it."""


class Scheduler(Slurm):
    """Runs each job at once, knows it by its token, and may be the end of its caller."""

    def __init__(self):
        super().__init__()
        self.jobs = {}
        self.kills = True
        self.forgets = False
        self.in_an_array = 0

    def submit(self, request, script):
        if self.in_an_array:
            JobFolder(script.parent).intend("of the array", 1, self.in_an_array)
        job = str(len(self.jobs) + 1)
        self.jobs["of the array" if self.in_an_array else request.token] = job
        for name, text in {
            "started": "1.0",
            "stdout": f"by job {job}",
            "finished": "3.5",
            "end": "0",
        }.items():
            (script.parent / name).write_text(text)
        if self.kills:
            raise Killed
        return job

    def find(self, token):
        return None if self.forgets else self.jobs.get(token)

    def state(self, jobs):
        return {job: BatchState(phase="ended") for job in jobs}


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.setattr(batch_launcher.build, "size_probe", lambda _: Path("/probe"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    said = []

    def call(scheduler):
        request = BatchRequest(name="x", body="", folder=tmp_path, log=tmp_path / "log")
        launcher = BatchLauncher(
            scheduler,
            described("mpich", "4.2.0"),
            request=request,
            shape=lambda ranks: JobShape(ranks=ranks),
            say=said.append,
        )
        supervisor = Collector()
        end = launcher.run(Job(command=["./x"], ranks=2, record=tmp_path / "run"), supervisor)
        return end, supervisor.data["stdout"], said[-1]

    return call


@pytest.mark.parametrize("elements", [0, 3])
def test_a_job_is_found_again_though_its_identity_was_not_written_down(run, elements, tmp_path):
    scheduler = Scheduler()
    scheduler.in_an_array = elements
    with pytest.raises(Killed):
        run(scheduler)
    scheduler.kills = False
    end, text, said = run(scheduler)
    assert (end.exit_code, end.seconds, text) == (0, 2.5, b"by job 1")
    assert said == f"found slurm job {'1_1' if elements else '1'} of this run again"
    assert len(scheduler.jobs) == 1
    assert JobFolder(tmp_path / "run/job").record.job == ("1_1" if elements else "1")


def test_results_of_a_job_that_the_batch_system_has_forgotten_count(run):
    scheduler = Scheduler()
    with pytest.raises(Killed):
        run(scheduler)
    scheduler.kills, scheduler.forgets = False, True
    assert run(scheduler)[1] == b"by job 1"
    assert len(scheduler.jobs) == 1


def test_a_submission_that_never_came_about_is_made(run, tmp_path):
    scheduler = Scheduler()
    with pytest.raises(Killed):
        run(scheduler)
    (tmp_path / "run/job/end").unlink()
    scheduler.jobs.clear()
    scheduler.kills = False
    end, text, said = run(scheduler)
    assert (end.exit_code, text, said) == (0, b"by job 1", "submitted slurm job 1")
