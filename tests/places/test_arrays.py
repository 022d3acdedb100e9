"""Runs of several threads become arrays of a batch system, here a made-up one."""

import threading
from pathlib import Path
from types import SimpleNamespace

from eventual import eventually

from linkworth.errors import UsageError
from linkworth.places.arrays import ASK_SECONDS, Arrays, Gone
from linkworth.places.batch import BatchRequest, BatchState
from linkworth.places.job_folder import JobFolder, JobRecord

PATIENCE = 600.0


class Scheduler:
    """Numbers its jobs and remembers what was asked of it."""

    index = "$NUMBER"

    def __init__(self, refuses=False):
        self.submitted: list[BatchRequest] = []
        self.asked: list[list[str]] = []
        self.refuses = refuses

    def script(self, request):
        return request.body

    def submit(self, request, script):
        if self.refuses:
            raise UsageError("sbatch refused the job: no such account")
        self.submitted.append(request)
        script.write_text(request.body)
        return str(len(self.submitted))

    def elements(self, job, count):
        return [f"{job}_{number}" for number in range(count)] if count else [job]

    def state(self, jobs):
        self.asked.append(list(jobs))
        return {job: BatchState(phase="running") for job in self.asked[-1]}


def request(folder, name, tasks=2):
    return BatchRequest(
        name=name,
        body=f"echo {name}",
        folder=folder,
        log=folder / f"{name}.log",
        tasks=tasks,
        nodes=1,
        token=f"token of {name}",
    )


def started(arrays, folder, runs):
    """Submit each run in a thread of its own; return the jobs by run, or what was raised."""
    found: dict[str, object] = {}

    def work(run, tasks):
        try:
            with arrays.member(run):
                if tasks:
                    found[run] = arrays.submit(request(folder, run, tasks), folder / f"{run}.sh")
        except Exception as error:
            found[run] = error

    threads = [threading.Thread(target=work, args=item, daemon=True) for item in runs.items()]
    for thread in threads:
        thread.start()
    return found, threads


def joined(threads):
    for thread in threads:
        thread.join(PATIENCE)
        assert not thread.is_alive()


def test_runs_that_ask_for_the_same_are_one_array_each_with_its_own_script_and_log(tmp_path):
    scheduler = Scheduler()
    runs = {"a": 2, "b": 2, "c": 2, "wide": 4, "wider": 4, "never": 0}
    arrays = Arrays(scheduler, tmp_path / "arrays", expected=runs, at_once=3)
    found, threads = started(arrays, tmp_path, runs)
    joined(threads)
    assert sorted((each.array, each.tasks) for each in scheduler.submitted) == [(2, 4), (3, 2)]
    assert sum(each.at_once for each in scheduler.submitted) == 3
    assert len(set(found.values())) == 5
    for each in scheduler.submitted:
        for number, line in enumerate(each.body.splitlines()[1:-2]):
            run = Path(line.split()[3]).stem
            assert line.startswith(f"{number}) exec sh ") and f"{tmp_path}/{run}.log" in line
            assert (tmp_path / f"{run}.sh").read_text() == f"#!/bin/sh\necho {run}\n"
            job = next(str(job + 1) for job, one in enumerate(scheduler.submitted) if one is each)
            assert found[run] == f"{job}_{number}"


def test_each_run_knows_its_array_before_that_is_submitted(tmp_path):
    known = {}

    class Watched(Scheduler):
        def submit(self, request, script):
            known.update({run: JobFolder(tmp_path / run).record for run in ("a", "b")})
            self.token = request.token
            return super().submit(request, script)

    scheduler = Watched()
    arrays = Arrays(scheduler, tmp_path / "arrays", expected=["a", "b"], at_once=2)

    def work(run):
        folder = JobFolder(tmp_path / run)
        folder.place.mkdir()
        folder.keep(JobRecord(system="made up", job="", command=[run], ranks=2, token="its own"))
        with arrays.member(run):
            arrays.submit(request(tmp_path, run), folder.script)

    threads = [threading.Thread(target=work, args=[run], daemon=True) for run in ("a", "b")]
    for thread in threads:
        thread.start()
    joined(threads)
    assert {record.token for record in known.values()} == {scheduler.token} and scheduler.token
    assert sorted((record.element, record.elements) for record in known.values()) == [(0, 2), (1, 2)]
    [body] = [each.body for each in scheduler.submitted]
    for run, record in known.items():
        assert f"{record.element}) exec sh {tmp_path}/{run}/job.sh" in body
        assert record.job == "" and record.command == [run]


def test_one_run_alone_and_another_attempt_are_plain_jobs(tmp_path):
    scheduler = Scheduler()
    arrays = Arrays(scheduler, tmp_path, expected=["a", "b"], at_once=2)
    with arrays.member("b"):
        arrays.state(["77"])  # found again: it submits nothing
    with arrays.member("a"):
        first = arrays.submit(request(tmp_path, "a"), tmp_path / "a.sh")
        again = arrays.submit(request(tmp_path, "a"), tmp_path / "a.sh")
    assert (first, again) == ("1", "2")
    assert [each.array for each in scheduler.submitted] == [0, 0]


def test_what_the_scheduler_refuses_each_run_is_told(tmp_path):
    runs = {"a": 2, "b": 2}
    arrays = Arrays(Scheduler(refuses=True), tmp_path, expected=runs, at_once=2)
    found, threads = started(arrays, tmp_path, runs)
    joined(threads)
    assert all(isinstance(error, UsageError) and "no such account" in str(error) for error in found.values())
    assert found.keys() == runs.keys()


def test_threads_that_wait_go_when_it_is_closed_and_nothing_is_submitted(tmp_path):
    scheduler = Scheduler()
    arrays = Arrays(scheduler, tmp_path, expected=["a", "b", "late"], at_once=2)
    found, threads = started(arrays, tmp_path, {"a": 2, "b": 2})
    assert eventually(lambda: len(arrays._waiting) == 2)
    arrays.close()
    joined(threads)
    assert [type(error) for error in found.values()] == [Gone, Gone]
    assert scheduler.submitted == []


def test_one_question_is_for_all_jobs_that_are_followed(tmp_path, monkeypatch):
    now = [0.0]
    monkeypatch.setattr("linkworth.places.arrays.time", SimpleNamespace(monotonic=lambda: now[0]))
    scheduler = Scheduler()
    arrays = Arrays(scheduler, tmp_path, expected=[], at_once=2)
    assert arrays.state(["1_0"])["1_0"].phase == "running"
    arrays.state(["1_1"])
    for _ in range(5):
        arrays.state(["1_0"])
        arrays.state(["1_1"])
    assert scheduler.asked == [["1_0"], ["1_0", "1_1"]]
    now[0] += ASK_SECONDS + 0.1
    arrays.state(["1_0"])
    assert scheduler.asked[2:] == [["1_0", "1_1"]]
