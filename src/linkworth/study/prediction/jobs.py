"""Makes the predictions of a study on all cores: one job for each workload, the long ones first."""

import contextlib
from collections.abc import Generator, Sequence
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

import msgspec

from linkworth.catalog import fabrics
from linkworth.catalog.assignment import parse_assignment
from linkworth.catalog.startup import Startup, load
from linkworth.errors import LinkworthError
from linkworth.model.number_range import SECONDS
from linkworth.model.rates import RateSource
from linkworth.model.settings import ReplaySettings
from linkworth.model.study import RunRecord, Study, StudyWorkload
from linkworth.mpi.transports import POLLING
from linkworth.predict.calibrate import MeasuredTime
from linkworth.predict.drawn import DEFAULT_DRAWS
from linkworth.skeleton.program import operations, parse
from linkworth.skeleton.progress import StepProgress
from linkworth.skeleton.rates import RateRequest, rates_for
from linkworth.study.inputs import measured_on
from linkworth.study.matrix import PlannedRun, has_skeleton, is_bench, layout
from linkworth.study.outcome import Outcome
from linkworth.study.prediction.fabric import fabric_of
from linkworth.study.prediction.library import library_of
from linkworth.study.prediction.pool import KILLED, on_all_cores
from linkworth.study.prediction.replays import Made, ReplayJob, ReplayTarget, arrangement_of, make
from linkworth.study.store import Store, now

if TYPE_CHECKING:
    from linkworth.scale import ScaleRequest


class NotYet(LinkworthError):
    """A prediction depends on runs that are not made yet."""

    exit_code = 4


def prepare(
    store: Store, runs: Sequence[PlannedRun], progress: StepProgress
) -> tuple[list[ReplayJob], dict[str, Outcome], list[str]]:
    """Return the jobs of predictions, the outcomes that failed already, and sentences on those that must wait.

    The runs that time the computation of bundled programs are made here, one after another, while the cores are idle.
    """
    records = {record.run: record for record in store.records()}
    uncertain = _uncertain(store)
    jobs, failed, waiting = [], {}, []
    groups: dict[tuple[str, int | None], list[PlannedRun]] = {}
    for planned in runs:
        groups.setdefault((planned.workload.name, planned.ranks), []).append(planned)
    for members in groups.values():
        targets = []
        for planned in members:
            try:
                targets.append(_target(planned, store.study))
            except LinkworthError as error:
                failed[planned.run] = Outcome(state="failed", cause=str(error))
        try:
            if targets:
                workload = members[0].workload
                draws = DEFAULT_DRAWS if workload.name in uncertain or workload.recorded_ranks else 0
                jobs.append(_job(store, members[0], targets, records, draws, progress))
        except NotYet as error:
            waiting.append(str(error))
        except LinkworthError as error:
            failed |= {target.run: Outcome(state="failed", cause=str(error)) for target in targets}
    return sorted(jobs, key=_work, reverse=True), failed, list(dict.fromkeys(waiting))


def is_recorded(workload: StudyWorkload, study: Study) -> bool:
    """Return whether the predictions of a workload replay a recording of its run."""
    named = bool(workload.recording or workload.recorded_ranks or study.prediction.record_on)
    return not is_bench(workload) and (named or not has_skeleton(workload))


def is_behind(planned: PlannedRun, study: Study) -> bool:
    """Return whether a run makes the predictions of its workload: it is replayed, or its time scales them."""
    workload, wanted = planned.workload, study.prediction
    if planned.mode == "trace":
        return is_recorded(workload, study) and not workload.recording
    scales = planned.environment.name == wanted.measured_on and planned.repetition >= 0
    return planned.mode == "measure" and scales and workload.name not in wanted.measured


def _target(planned: PlannedRun, study: Study) -> ReplayTarget:
    return ReplayTarget(
        run=planned.run,
        fabric=fabric_of(planned.environment),
        arrangement=arrangement_of(planned.nodes, planned.ranks_per_node, planned.environment.placement),
        cpu_factor=planned.environment.cpu_factor * planned.workload.cpu_factor,
        library=library_of(planned.environment, study, recorded=is_recorded(planned.workload, study)),
        mpi_settings=planned.environment.mpi_settings,
        polls=planned.environment.transport in POLLING,
    )


def _job(
    store: Store,
    planned: PlannedRun,
    targets: list[ReplayTarget],
    records: dict[str, RunRecord],
    draws: int,
    progress: StepProgress,
) -> ReplayJob:
    workload = planned.workload
    measured = _measured(store, planned, records)
    rates: RateSource | None = None
    scaling: ScaleRequest | None = None
    if is_bench(workload):
        trace = store.trace(workload.name)
    elif not is_recorded(workload, store.study):
        wanted = store.study.prediction
        rates = rates_for(
            parse(workload.command),
            RateRequest(machine=wanted.machine, calibrate_with=wanted.calibrate_with),
            planned.ranks or 1,
            scaled=measured is not None,
            progress=progress,
        )
        trace = store.trace(f"{workload.name}-{planned.ranks}")
    elif workload.recording:
        trace = Path(workload.recording)
        if not trace.exists():
            raise LinkworthError(f"{workload.name} cannot be predicted: there is no recording {trace}")
    else:
        recorded = {
            one.ranks: _recording(store, one, records)
            for one in store.planned
            if one.mode == "trace" and one.workload.name == workload.name
        }
        trace = recorded.get(planned.ranks) or next(iter(recorded.values()))
        if workload.recorded_ranks and planned.ranks not in recorded:
            trace = store.trace(f"{workload.name} scaled to {planned.ranks}")
            scaling = _scaling(planned, list(recorded.values()), trace)
            counts = ", ".join(map(str, recorded))
            progress.step(f"{workload.name}: recordings on {counts} ranks are scaled to {planned.ranks}")
    return ReplayJob(
        workload=workload.name,
        command=workload.command,
        ranks=planned.ranks,
        trace=trace,
        scaling=scaling,
        rates=rates,
        machine=store.study.prediction.machine,
        draws=draws,
        measured=measured,
        counted="counters" in store.study.measure,
        startup=_startup(store.study),
        targets=targets,
    )


def _scaling(planned: PlannedRun, recordings: list[Path], trace: Path) -> "ScaleRequest":
    """Return how recordings become the trace of a prediction."""
    from linkworth.scale import ScaleRequest

    assert planned.ranks is not None
    return ScaleRequest(
        traces=recordings,
        ranks=planned.ranks,
        output=trace,
        weak=planned.workload.weak,
        grid=planned.workload.grid(planned.ranks),
        replace=True,
    )


def _recording(store: Store, planned: PlannedRun, records: dict[str, RunRecord]) -> Path:
    """Return the trace of a recording. Raises NotYet before it is made, and LinkworthError if it failed."""
    name = planned.workload.name
    made = records.get(planned.run)
    trace = store.trace(name, planned.environment.name)
    if made is None:
        raise NotYet(f"the predictions of {name} wait for its recording")
    if made.state != "done" or not trace.exists():
        raise LinkworthError(f"{name} could not be recorded: {made.cause or f'{trace} is gone'}")
    return trace


def _startup(study: Study) -> Startup | None:
    """Return the cost of MPI_Init that the study names; None without one."""
    name = study.prediction.startup
    return load(Path(name)) if name else None


def _uncertain(store: Store) -> set[str]:
    """Return the workloads that are predicted on a fabric whose parameters have a spread, in any environment."""
    found = set()
    for planned in store.planned:
        if planned.mode == "predict" and planned.workload.name not in found:
            with contextlib.suppress(LinkworthError):  # the run itself reports it
                if any(msgspec.structs.astuple(fabric_of(planned.environment).spread)):
                    found.add(planned.workload.name)
    return found


def _measured(store: Store, planned: PlannedRun, records: dict[str, RunRecord]) -> MeasuredTime | None:
    """Return the time that scales a workload's computation, if the study has one.

    Raises NotYet for runs that are not made yet, and LinkworthError for runs that cannot scale a prediction.
    """
    wanted = store.study.prediction
    known = wanted.measured.get(planned.workload.name)
    if known is not None:
        name, seconds = parse_assignment(known, "measured", "SECONDS", SECONDS)
        return MeasuredTime(fabrics.get(name), seconds)
    environment = measured_on(store.study)
    if environment is None or is_bench(planned.workload):
        return None
    if "measure" in environment.modes:
        seconds, placement = _median_time(store, planned, records), "block"
    elif planned.workload.name in store.study.published_seconds:
        seconds, placement = store.study.published_seconds[planned.workload.name], environment.placement
    else:
        return None
    ranks, nodes, per_node = layout(store.study, planned.workload, environment)
    if None not in (ranks, planned.ranks) and ranks != planned.ranks:
        raise LinkworthError(
            f"{planned.workload.name} is measured on {ranks} ranks in {wanted.measured_on}, which cannot scale a "
            f"prediction on {planned.ranks} ranks; give both the same ranks, or leave measured_on out"
        )
    recorded = is_recorded(planned.workload, store.study)
    library = library_of(environment, store.study, recorded=recorded)
    return MeasuredTime(
        fabric_of(environment),
        seconds,
        arrangement_of(nodes, per_node, placement),
        settings=ReplaySettings(mpi_library=library),
    )


def _median_time(store: Store, planned: PlannedRun, records: dict[str, RunRecord]) -> float:
    """Return the median time of a workload's runs in the environment `measured_on`.

    Raises NotYet for runs that are not made yet, and LinkworthError if none is good.
    """
    runs = [
        one
        for one in store.planned
        if one.mode == "measure"
        and one.workload.name == planned.workload.name
        and is_behind(one, store.study)
    ]
    where = store.study.prediction.measured_on
    found = [records[one.run] for one in runs if one.run in records]
    if len(found) < len(runs):
        raise NotYet(f"the predictions of {planned.workload.name} wait for its runs in {where}")
    times = [record.metrics["seconds"] for record in found if record.state == "done"]
    if not times:
        raise LinkworthError(
            f"{planned.workload.name} has no good run in {where} to scale its computation by"
        )
    return median(times)


def _work(job: ReplayJob) -> float:
    """Estimate a job's length: those with most computation have most iterations on the largest problems."""
    if job.rates is None:
        return float(job.trace.stat().st_size) if job.trace.exists() else 0.0
    try:
        return sum(operations(parse(job.command), job.ranks or 1).values())
    except LinkworthError:
        return 0.0


def run_jobs(jobs: Sequence[ReplayJob], processes: int | None = None) -> Generator[Made, None, None]:
    """Make the jobs and yield each run's outcome as it arrives. Closing the iterator cancels jobs not begun."""
    began = now()
    with contextlib.closing(on_all_cores(make, jobs, processes)) as done:
        for job, made in done:
            if made is None:
                outcome = Outcome(state="failed", cause=KILLED)
                made = [
                    Made(run=each.run, outcome=outcome, started=began, ended=now()) for each in job.targets
                ]
            yield from made
