import errno
import os
import re
import shutil
import signal

import pytest
from fake_place import Places

from linkworth.errors import EnvironmentLacksError, IncompleteError, UsageError
from linkworth.study import resume as taking_up
from linkworth.study import runner
from linkworth.study.inputs import files_of
from linkworth.study.runner import run_study
from linkworth.study.runs.open_places import is_batch
from linkworth.study.status import status_of
from linkworth.study.store import Store

needs_mpi = pytest.mark.requires("mpi")

STUDY = """\
repetitions = 3
ranks = 4
workloads = [{ run = "true ${size}", name = "t${size}" }, { run = "false", name = "f" }]
environments = [{ name = "a" }, { name = "b", transport = "tcp" }]
retries = 1
seed = 7
[variables]
size = [1, 2]
"""


@pytest.fixture
def begin(tmp_path):
    def call(text=STUDY, **options):
        file = tmp_path / "s.toml"
        file.write_text(text)
        return taking_up.begin(file, folder=tmp_path / "s.study", **options)

    return call


@needs_mpi
def test_all_runs_are_made_once_in_the_order_of_the_seed(begin):
    store = begin()
    places = Places()
    status = run_study(store, opener=places)
    assert (status.total, status.done, status.open, status.exit_code) == (18, 18, 0, 0)
    assert len(places.jobs) == 18
    assert [record.run for record in store.records()] == [planned.run for planned in store.planned]
    assert sorted(places.log) == ["close a", "close b", "open a", "open b"]
    assert run_study(store, opener=places).done == 18
    assert len(places.jobs) == 18


def test_without_any_mpi_no_run_fails(begin, monkeypatch):
    monkeypatch.setattr(runner, "find_all", list)
    store = begin('workloads = ["npb:is.S"]\nenvironments = [{ name = "a" }]\nranks = 2\n')
    with pytest.raises(EnvironmentLacksError, match="no MPI was found"):
        run_study(store, opener=Places())
    assert store.records() == []


@needs_mpi
def test_records_have_the_files_that_a_command_names(begin, tmp_path):
    (tmp_path / "deck").write_text("1 step\n")
    store = begin(f'workloads = ["true {tmp_path}/deck no-file"]\nenvironments = ["gbe"]\nranks = 2\n')
    run_study(store, opener=Places())
    (before,) = store.records()
    assert sorted(before.files) == sorted([shutil.which("true"), f"{tmp_path}/deck"])
    (tmp_path / "deck").write_text("2 steps\n")
    assert files_of(before.command)[f"{tmp_path}/deck"] != before.files[f"{tmp_path}/deck"]


@needs_mpi
def test_a_failure_is_kept_with_its_causes_and_the_study_goes_on(begin):
    places = Places(lambda job: {"exit_code": 3 if job.command[0].endswith("false") else 0})
    store = begin()
    status = run_study(store, opener=places)
    assert (status.done, status.failed, status.exit_code) == (12, 6, 1)
    bad = [record for record in store.records() if record.state != "done"]
    assert {record.workload for record in bad} == {"f"}
    assert {record.attempts for record in bad} == {2}
    assert bad[0].failures == ["the program left with exit code 3"] == [bad[0].cause]
    assert places.log.count("open a") > 1  # a place in which something failed is opened anew

    status = run_study(store, opener=Places(), redo_failed=True)
    assert status.exit_code == 0
    assert len(list((store.folder / "superseded").iterdir())) == 6


@needs_mpi
def test_a_place_that_cannot_be_opened_and_a_hanging_run_are_recorded(begin):
    places = Places(lambda job: {"timed_out": True, "exit_code": -15} if "1" in job.command else {})
    places.broken.add("b")
    store = begin()
    status = run_study(store, opener=places)
    states = {(r.workload, r.environment): (r.state, r.cause) for r in store.records()}
    assert states["t2", "a"] == ("done", "")
    assert states["t1", "a"] == ("timeout", "it ran longer than 3600 s and was stopped")
    assert states["t2", "b"] == ("failed", "b cannot be opened")
    assert (status.done, status.timeout, status.failed) == (6, 3, 9)


@needs_mpi
def test_the_limit_of_a_batch_system_is_a_timeout_of_every_kind_of_run(begin):
    cause = "Slurm stopped it at its time limit"
    stopped = {"timed_out": True, "exit_code": 143, "cause": cause}
    kinds = 'workloads = ["bench:latency", "true"]\nmeasure = ["profile", "trace"]\n'
    store = begin(f'{kinds}environments = [{{ name = "a" }}]\nranks = 2\n')
    run_study(store, opener=Places(lambda job: stopped))
    ends = {
        (record.workload, record.mode): (record.state, cause in record.cause) for record in store.records()
    }
    assert len(ends) == 3
    assert set(ends.values()) == {("timeout", True)}


@needs_mpi
def test_figures_come_from_the_output(begin):
    text = """\
environments = [{ name = "a" }]
[[workloads]]
run = "true"
figures = { seconds = 'Loop time of ([0-9.]+)', steps_per_second = '([0-9.]+) steps' }
iteration_pattern = 'step took ([0-9.]+)'
"""
    store = begin(text)
    said = "step took 1\nstep took 2\nLoop time of 7.5 s\n3 steps"
    run_study(store, opener=Places(lambda job: {"stdout": said}))
    (record,) = store.records()
    assert record.metrics == {
        "elapsed_seconds": 1.0,
        "seconds": 7.5,
        "steps_per_second": 3.0,
        "iteration_seconds": 1.5,
    }
    assert record.series == {"iteration_seconds": [1.0, 2.0]}
    shutil.rmtree(store.folder)
    store = begin(text)
    run_study(store, opener=Places())
    (record,) = store.records()
    assert record.state == "failed" and "the output has nothing for seconds" in record.cause


@needs_mpi
def test_stopping_keeps_what_is_done_and_nothing_half(begin):
    store = begin()
    places = Places(lambda job: {"interrupted": True, "exit_code": -2} if len(places.jobs) == 6 else {})
    with pytest.raises(IncompleteError, match=r"5 of 18 runs are made, .*linkworth study resume"):
        run_study(store, opener=places)
    assert len(list((store.folder / "runs").iterdir())) == 5
    assert status_of(store).exit_code == 4
    assert run_study(store, opener=places).done == 18
    assert len(places.jobs) == 6 + 13


@needs_mpi
def test_an_interrupt_while_a_runs_folder_is_made_leaves_none(begin, monkeypatch):
    make = Store.fresh_folder

    def interrupted(store, run):
        folder = make(store, run)
        os.kill(os.getpid(), signal.SIGINT)
        return folder

    monkeypatch.setattr(Store, "fresh_folder", interrupted)
    store = begin()
    with pytest.raises(IncompleteError, match="0 of 18 runs are made"):
        run_study(store, opener=Places(), max_parallel=1)
    assert list((store.folder / "runs").iterdir()) == []


def test_steps_of_linkworths_own_job_are_not_made_at_once(begin, monkeypatch):
    monkeypatch.delenv("SLURM_JOB_ID", raising=False)
    store = begin('where = "slurm"\nranks = 2\nworkloads = ["true"]\nenvironments = [{ name = "a" }]')
    assert all(map(is_batch, store.planned))
    monkeypatch.setenv("SLURM_JOB_ID", "7")
    monkeypatch.setenv("SLURM_JOB_NODELIST", "n1")
    assert not any(map(is_batch, store.planned))


@needs_mpi
def test_a_half_run_is_made_anew(begin):
    store = begin()
    half = store.folder / "runs" / store.planned[0].run
    half.mkdir()
    (half / "output.txt").write_text("half")
    (half / ".run.json-x").write_text('{"state": ')
    run_study(store, opener=Places())
    assert sorted(path.name for path in half.iterdir()) == ["output.txt", "result.json", "run.json"]
    assert (half / "output.txt").read_text() == ""


def test_a_second_process_says_so_and_readers_may_look(begin):
    store = begin()
    with store.lock():
        assert store.running and status_of(store).running
        with pytest.raises(UsageError, match=rf"is being run by process {os.getpid()} on "):
            run_study(Store(store.folder))
    assert not store.running


@needs_mpi
def test_a_filter_makes_its_runs_only(begin):
    store = begin()
    status = run_study(store, opener=Places(), filters=["size=2 environment=a"])
    assert (status.total, status.done) == (3, 3)
    assert status_of(store).open == 15
    with pytest.raises(UsageError, match="`filter` fits no run"):
        run_study(store, filters=["workload=x"])


@needs_mpi
def test_a_changed_file_is_refused_then_followed(begin):
    store = begin()
    run_study(store, opener=Places())
    changed = STUDY.replace("repetitions = 3", "repetitions = 4").replace(
        'transport = "tcp"', 'transport = "shm"'
    )
    with pytest.raises(UsageError) as raised:
        begin(changed)
    sentence = str(raised.value)
    assert (
        "repetitions was 3, is 4" in sentence
        and "environment b: " in sentence
        and "`accept_changes`" in sentence
    )
    store = begin(changed, accept_changes=True)
    places = Places()
    assert run_study(store, opener=places).done == 24
    assert len(places.jobs) == 6 + 9  # one more block, and environment b anew
    assert len(list((store.folder / "superseded").iterdir())) == 9
    begin(changed + "# a remark alone changes nothing\n")


def test_a_changed_file_is_followed_before_the_first_result(begin):
    begin(STUDY.replace("repetitions = 3", "repetitions = 5"))
    assert begin().study.repetitions == 3


def test_a_study_that_a_full_disk_refuses_is_no_fault_of_the_file(begin, monkeypatch):
    def full(path, content):
        raise OSError(errno.ENOSPC, "No space left on device", str(path))

    monkeypatch.setattr("linkworth.study.store.write_atomically", full)
    with pytest.raises(EnvironmentLacksError, match=r"s\.study: No space left on device; make room"):
        begin()


@needs_mpi
def test_a_record_that_a_full_disk_refuses_is_not_half(begin, monkeypatch):
    from linkworth.study import store as module

    store = begin()
    real = module.write_atomically
    refused = []

    def full(path, content):
        if path.name == "run.json" and len(refused) < 1:
            refused.append(path)
            raise OSError(errno.ENOSPC, "No space left on device", str(path))
        real(path, content)

    monkeypatch.setattr(module, "write_atomically", full)
    with pytest.raises(
        IncompleteError, match="No space left on device; make room, then: linkworth study resume"
    ):
        run_study(store, opener=Places())
    assert store.records() == []
    assert run_study(store, opener=Places()).done == 18


@needs_mpi
def test_a_run_that_a_full_disk_failed_is_recorded_with_that_cause(begin, monkeypatch):
    from linkworth.measure import run as measured

    def full(path, content):
        raise OSError(errno.ENOSPC, "No space left on device", str(path))

    store = begin()
    monkeypatch.setattr(measured, "write_atomically", full)
    status = run_study(store, opener=Places())
    assert status.failed == 18
    assert "No space left on device; make room" in store.records()[0].cause


def test_a_damaged_folder_is_said_and_never_guessed(begin, tmp_path):
    store = begin()
    folder = store.folder / "runs" / store.planned[0].run
    folder.mkdir()
    (folder / "run.json").write_text("{}")
    assert store.records() == []
    assert re.search(r"run\.json is damaged .*the run is made again", store.unusable[store.planned[0].run])
    assert status_of(store).problems == store.unusable
    assert list(store.fresh_folder(store.planned[0].run).iterdir()) == []
    assert [each.name for each in (store.folder / "superseded").iterdir()] == [f"{store.planned[0].run}@1"]
    with pytest.raises(UsageError, match="is no study's folder"):
        Store(tmp_path)
    (store.folder / "study.json").write_text("{")
    with pytest.raises(UsageError, match=r"study\.json is damaged"):
        Store(store.folder)


def test_a_study_is_not_begun_in_a_folder_of_other_things(begin, tmp_path):
    (tmp_path / "s.study").mkdir()
    (tmp_path / "s.study" / "mine").write_text("")
    with pytest.raises(UsageError, match="is no study's folder; name another with `folder`"):
        begin()
