"""Makes the runs of a study one after another, and stores a record of each before the next begins."""

import contextlib
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager

import msgspec

from linkworth import __version__
from linkworth.catalog.decode import with_fields_of
from linkworth.errors import IncompleteError, LinkworthError
from linkworth.interrupts import deferred
from linkworth.measure.open_place import open_place
from linkworth.model.study import RunRecord
from linkworth.mpi.apps import is_app
from linkworth.mpi.find import find_all, no_mpi
from linkworth.places.arrays import MOST_ELEMENTS, Arrays
from linkworth.places.batch import BatchSystem
from linkworth.places.batch_place import BatchPlace
from linkworth.places.job import Observer
from linkworth.places.local import cores
from linkworth.places.place import OpenPlace
from linkworth.skeleton.progress import SilentProgress
from linkworth.study.filter import selected
from linkworth.study.inputs import files_of
from linkworth.study.matrix import PlannedRun
from linkworth.study.outcome import Outcome, of_error
from linkworth.study.plan import check_all
from linkworth.study.prediction.jobs import is_behind, prepare, run_jobs
from linkworth.study.progress import Estimate, Watch
from linkworth.study.runs.attempt import attempt, disk_or_file
from linkworth.study.runs.health import losses
from linkworth.study.runs.job_threads import JobThreads
from linkworth.study.runs.open_places import Opener, OpenPlaces, is_batch, place_of
from linkworth.study.runs.orphans import marked, stop_orphans
from linkworth.study.status import Status, status_of
from linkworth.study.store import Store, now
from linkworth.study.unapplied import FACT, sentences, unapplied
from linkworth.writing.folders import remove_folder


def run_study(
    store: Store,
    *,
    watch: Watch | None = None,
    filters: Sequence[str] = (),
    max_parallel: int | None = None,
    redo_failed: bool = False,
    opener: Opener = open_place,
) -> Status:
    """Make the open runs of a study (those that the filters select), and return its state afterwards.

    Raises UsageError if another process runs it or the study is impossible, and IncompleteError if it was stopped or
    the disk is full: it can be resumed.
    """
    with store.lock():
        runner = Runner(
            store,
            watch=watch or Watch(),
            chosen=selected(store.study, store.planned, filters),
            redo_failed=redo_failed,
            max_parallel=max_parallel,
            opener=opener,
        )
        check_all(store.study, runner.chosen)
        return msgspec.structs.replace(runner.run(), running=False)


class Runner:
    """Runs the open part of a study. The caller holds the folder's lock."""

    def __init__(
        self,
        store: Store,
        *,
        watch: Watch,
        chosen: list[PlannedRun],
        redo_failed: bool,
        max_parallel: int | None,
        opener: Opener,
    ) -> None:
        self.store = store
        self.watch = watch
        self.chosen = chosen
        self.redo_failed = redo_failed
        self.max_parallel = max_parallel
        self.places = OpenPlaces(opener, self.watch.say)
        self.estimate = Estimate(store.records())
        self.open: dict[str, PlannedRun] = {}
        self.waiting: list[str] = []
        self._parallel = 1
        self._arrays: Arrays | None = None

    def run(self) -> Status:
        """Make all open runs. Raises IncompleteError if the user or a full disk stops it: it can be resumed."""
        self.open = {planned.run: planned for planned in self.chosen if self._is_open(planned)}
        self._reopen_predictions()
        self.watch.begin(len(self.chosen), len(self.chosen) - len(self.open))
        for sentence in sentences(
            (each.environment.name, each.mode, unapplied(each)) for each in self.open.values()
        ):
            self.watch.say(sentence)
        for sentence in dict.fromkeys(self.store.unusable.values()):
            self.watch.say(sentence)
        stopped = stop_orphans(self.store.folder)
        if stopped:
            self.watch.say(f"stopped {stopped} processes that an earlier call had left running")
        try:
            with marked(self.store.folder), contextlib.closing(self.places):
                self._make([planned for planned in self.open.values() if planned.mode != "predict"])
            self._predict([planned for planned in self.open.values() if planned.mode == "predict"])
        except KeyboardInterrupt:
            raise self._stopped() from None
        return status_of(self.store, self.chosen, self.waiting)

    def _is_open(self, planned: PlannedRun) -> bool:
        record = self.store.record(planned)
        if record is not None and record.state != "done" and self.redo_failed:
            self.store.forget(planned.run)
            return True
        return record is None

    def _reopen_predictions(self) -> None:
        """Set aside the predictions of what is recorded or measured again, also those that the filter leaves out."""
        again = {each.workload.name for each in self.open.values() if is_behind(each, self.store.study)}
        chosen = {planned.run for planned in self.chosen}
        for planned in self.store.planned:
            if planned.mode == "predict" and planned.workload.name in again:
                self.store.forget(planned.run)
                if planned.run in chosen:
                    self.open[planned.run] = planned

    def _make(self, runs: Sequence[PlannedRun]) -> None:
        # Without any MPI all of them would fail, and stay failed once there is one.
        if any(_starts_bundled(planned) for planned in runs) and not find_all():
            raise no_mpi()
        jobs = [planned for planned in runs if is_batch(planned)]
        if (self.max_parallel or 1) > 1 and jobs:
            self._parallel = self.max_parallel or 1
            batch = self._batch_of(jobs)
            if batch is None:
                self._together(jobs, self._parallel, self._with_retries)
            else:
                for first in range(0, len(jobs), MOST_ELEMENTS):
                    self._as_arrays(jobs[first : first + MOST_ELEMENTS], batch)
            self._parallel = 1
            runs = [planned for planned in runs if not is_batch(planned)]
        for planned in runs:
            self.watch.started(planned)
            self._keep(planned, self._with_retries(planned))

    def _together(
        self,
        runs: Sequence[PlannedRun],
        most: int,
        work: Callable[[PlannedRun, Observer], RunRecord],
        held: AbstractContextManager[object] | None = None,
    ) -> None:
        """Make a limited number of runs at a time; exit `held` before their threads are joined."""
        with JobThreads(most, work) as threads, held or contextlib.nullcontext():
            for planned in runs:
                for made in threads.begin(planned):
                    self._keep(*made)
                self.watch.started(planned)
            for made in threads.rest():
                self._keep(*made)

    def _batch_of(self, runs: Sequence[PlannedRun]) -> BatchSystem | None:
        """Return the batch system that takes runs as arrays, or None if it cannot be reached.

        Also returns None if there are more kinds of jobs than may be active: each kind needs its own array.
        """
        kinds = {(repr(place_of(planned)), planned.ranks) for planned in runs}
        if len(kinds) > self._parallel:
            return None
        try:
            opened = self.places.get(runs[0])
        except (LinkworthError, OSError):
            return None  # each run reports its own error
        return opened.system if isinstance(opened, BatchPlace) else None

    def _as_arrays(self, runs: Sequence[PlannedRun], batch: BatchSystem) -> None:
        """Make runs as elements of job arrays, one array for those with the same nodes."""
        place = (self.store.folder / "arrays").absolute()
        arrays = Arrays(batch, place, expected=[planned.run for planned in runs], at_once=self._parallel)

        def work(planned: PlannedRun, watcher: Observer) -> RunRecord:
            with arrays.member(planned.run):
                return self._with_retries(planned, watcher)

        self._arrays = arrays
        try:
            self._together(runs, len(runs), work, contextlib.closing(arrays))
        finally:
            self._arrays = None

    def _with_retries(self, planned: PlannedRun, watcher: Observer | None = None) -> RunRecord:
        started = now()
        failures: list[str] = []
        while True:
            folder = None
            try:
                with deferred():  # an interrupt finds either no folder or all of it, with a name
                    folder = self.store.fresh_folder(planned.run)
                outcome = self._attempt(planned, watcher)
                if outcome.interrupted:
                    raise KeyboardInterrupt
            except KeyboardInterrupt:
                if folder is not None:
                    remove_folder(folder)
                raise
            if outcome.state in ("done", "unverified") or outcome.hopeless:
                break
            if len(failures) >= self.store.study.retries:
                break
            failures.append(outcome.cause)
            self.watch.say(f"{planned.run}: {outcome.cause}; trying again")
        return record_of(planned, outcome, started, failures)

    def _attempt(self, planned: PlannedRun, watcher: Observer | None) -> Outcome:
        try:
            opened: OpenPlace = self.places.get(planned)
        except LinkworthError as error:
            return of_error(error)
        except OSError as error:
            return Outcome(state="failed", cause=disk_or_file(error))
        if self._arrays is not None and isinstance(opened, BatchPlace):
            opened.queue = self._arrays
        trace = self.store.trace(planned.workload.name, planned.environment.name)
        folder = self.store.folder / "runs" / planned.run
        outcome = attempt(planned, self.store.study, opened, folder, trace, watcher)
        if outcome.state in ("failed", "timeout"):
            # A node or a link may have failed: the next run there starts with a new place.
            lost = [] if outcome.interrupted else losses(opened)
            self.places.drop(planned)
            if lost:
                cause = "; ".join([*lost, *([outcome.cause] if outcome.cause else [])])
                outcome = msgspec.structs.replace(outcome, cause=cause, hopeless=False)
        return outcome

    def _keep(self, planned: PlannedRun, record: RunRecord) -> None:
        try:
            self.store.write(record)
        except IncompleteError:
            if record.state == "done":
                raise
            # A run that a full disk stopped left part of its output: removing it makes room for the record.
            remove_folder(self.store.folder / "runs" / planned.run)
            self.store.write(record)
        self.open.pop(planned.run)
        self.estimate.add(record)
        self.watch.finished(record, self.estimate.remaining(self.open.values(), self._parallel))

    def _predict(self, runs: Sequence[PlannedRun]) -> None:
        if not runs:
            return
        started = now()
        jobs, failed, self.waiting = prepare(self.store, runs, _Said(self.watch))
        by_name = {planned.run: planned for planned in runs}
        for run, outcome in failed.items():
            self._keep(by_name[run], record_of(by_name[run], outcome, started, []))
        self._parallel = min(self.max_parallel or cores(), max(1, len(jobs)))
        with contextlib.closing(run_jobs(jobs, self.max_parallel)) as predictions:
            for made in predictions:
                self.store.fresh_folder(made.run)
                record = record_of(by_name[made.run], made.outcome, made.started, [], ended=made.ended)
                self._keep(by_name[made.run], record)

    def _stopped(self) -> IncompleteError:
        made = len(self.chosen) - len(self.open)
        queued = (self.max_parallel or 1) > 1 and any(is_batch(planned) for planned in self.open.values())
        return IncompleteError(
            f"stopped; {made} of {len(self.chosen)} runs are made, "
            f"{'submitted jobs go on, ' if queued else ''}the others follow with: "
            f"linkworth study resume {self.store.folder}"
        )


class _Said(SilentProgress):
    """Forwards the steps of a calibration as sentences."""

    def __init__(self, watch: Watch) -> None:
        self.watch = watch

    def step(self, text: str) -> None:
        self.watch.say(text)


def _starts_bundled(planned: PlannedRun) -> bool:
    """Return whether a run is that of a bundled program under an MPI of this machine."""
    return not is_batch(planned) and is_app(planned.workload.command[0])


def record_of(
    planned: PlannedRun, outcome: Outcome, started: str, failures: Sequence[str], *, ended: str = ""
) -> RunRecord:
    """Return the record of a run from its last attempt."""
    without = unapplied(planned)
    return with_fields_of(
        outcome,
        RunRecord,
        run=planned.run,
        workload=planned.workload.name,
        environment=planned.environment.name,
        mode=planned.mode,
        repetition=planned.repetition,
        attempts=len(failures) + 1,
        failures=list(failures),
        facts=outcome.facts | ({FACT: without} if without else {}),
        command=outcome.command or planned.workload.command,
        block=planned.block,
        order=planned.order,
        started=started,
        ended=ended or now(),
        definition=planned.definition,
        files={} if planned.mode == "predict" else files_of(planned.workload.command),
        inputs=planned.inputs,
        linkworth=__version__,
    )
