"""Predictions of one workload: records it without running if possible, and replays it on each fabric.

Runs in its own process, so that the predictions of a study use all cores.
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING

import msgspec

from linkworth.bench.replayed.predict import predict as predict_bench
from linkworth.catalog import machines
from linkworth.catalog.derived import within_memory
from linkworth.catalog.startup import Startup
from linkworth.errors import LinkworthError, UsageError
from linkworth.model.collectives import CollectiveLibrary
from linkworth.model.fabric import Fabric
from linkworth.model.prediction import Prediction, PredictionSet
from linkworth.model.rates import RateSource
from linkworth.model.settings import ReplaySettings
from linkworth.predict.calibrate import MeasuredTime
from linkworth.predict.drawn import DrawnTimes
from linkworth.predict.extras import Extras
from linkworth.predict.predict import predict_with_draws
from linkworth.replay.layout import Arrangement
from linkworth.replay.mpi_settings import in_words
from linkworth.skeleton.program import check, parse
from linkworth.skeleton.record import record_skeleton
from linkworth.study import micro
from linkworth.study.outcome import DRAWN_SECONDS, SCALED_FROM, Outcome, of_bench, thinned
from linkworth.study.prediction import traffic
from linkworth.trace.read import open_trace, without_advice

if TYPE_CHECKING:
    from linkworth.scale import ScaleRequest

_MARKS_ITERATIONS = "stencil:"
"""The bundled program that calls MPI_Pcontrol at the start of each iteration, and after the last."""


def arrangement_of(nodes: int | None, ranks_per_node: int | None, placement: str) -> Arrangement:
    """Return the arrangement of a run. A placement that names the nodes replaces their number."""
    if placement not in ("block", "cyclic"):
        return Arrangement(placement=placement)
    return Arrangement(nodes=nodes, ppn=ranks_per_node, placement=placement)


class ReplayTarget(msgspec.Struct, frozen=True, kw_only=True):
    """One environment of a workload's predictions."""

    run: str
    fabric: Fabric
    arrangement: Arrangement
    cpu_factor: float
    library: CollectiveLibrary | None
    """MPI library whose collectives run; None: the recording one, else MPICH."""
    mpi_settings: dict[str, str] = msgspec.field(default_factory=dict)
    polls: bool = False
    """True if ranks that wait keep their cores busy."""


class ReplayJob(msgspec.Struct, frozen=True, kw_only=True):
    """The predictions of one workload on one number of ranks, which share a trace."""

    workload: str
    command: list[str]
    ranks: int | None
    trace: Path
    scaling: "ScaleRequest | None" = None
    """Recordings on fewer ranks, of which the trace is made; None: it exists, or `rates` make it."""
    rates: RateSource | None
    """Rates of a program recorded without running; None: the trace exists."""
    machine: str | None
    """Machine of the catalog, whose memory decides a micro-benchmark's longest message."""
    measured: MeasuredTime | None
    """Time that scales the computation."""
    counted: bool = False
    """True if the use of each core over time is wanted."""
    draws: int
    """Draws of the fabrics' parameters, if they have a spread: the same for all environments of the workload."""
    startup: Startup | None = None
    """Cost of MPI_Init; None: as recorded, or the default."""
    targets: list[ReplayTarget]


class Made(msgspec.Struct, frozen=True, kw_only=True):
    """A prediction that was made."""

    run: str
    outcome: Outcome
    started: str
    """Start of the prediction; those of a job share its time evenly."""
    ended: str


def make(job: ReplayJob) -> list[Made]:
    """Return the outcome of each of a job's runs; a failure is an outcome with its cause."""
    began = datetime.now(UTC)
    found = _outcomes(job)
    share = (datetime.now(UTC) - began) / max(1, len(found))
    return [
        Made(
            run=run,
            outcome=outcome,
            started=(began + number * share).isoformat(timespec="milliseconds"),
            ended=(began + (number + 1) * share).isoformat(timespec="milliseconds"),
        )
        for number, (run, outcome) in enumerate(found)
    ]


def _outcomes(job: ReplayJob) -> list[tuple[str, Outcome]]:
    if micro.is_micro(job.command):
        return [(target.run, _bench(job, target)) for target in job.targets]
    try:
        if job.rates is not None:
            _record(job, job.rates)
        if job.scaling is not None:
            from linkworth.scale import scale

            scale(job.scaling)
    except (LinkworthError, OSError) as error:
        return [(target.run, Outcome(state="failed", cause=str(error))) for target in job.targets]
    groups: dict[tuple[object, ...], list[ReplayTarget]] = {}
    for target in job.targets:
        key = (target.arrangement, target.cpu_factor, target.library, *sorted(target.mpi_settings.items()))
        groups.setdefault(key, []).append(target)
    return [found for group in groups.values() for found in _replayed(job, group)]


def _record(job: ReplayJob, rates: RateSource) -> None:
    """Record the program, unless the trace of an earlier call has the same computation."""
    try:
        known = open_trace(job.trace)
        if known.metadata.rates == rates and known.metadata.command == job.command and not known.incomplete:
            return
    except (LinkworthError, OSError):
        pass
    program = parse(job.command)
    record_skeleton(program, check(program, job.ranks), rates, job.trace, replace=True)


def _replayed(job: ReplayJob, group: Sequence[ReplayTarget]) -> list[tuple[str, Outcome]]:
    first = group[0]
    try:
        trace = open_trace(job.trace)
        recorded = trace.engine.ranks
        if job.ranks not in (None, recorded):
            raise UsageError(
                f"{job.workload} was recorded on {recorded} ranks and cannot be predicted on {job.ranks}; give the environment "
                f"in which it is recorded and the predicted one the same ranks"
            )
        found, drawn = predict_with_draws(
            trace,
            [target.fabric for target in group],
            first.arrangement,
            cpu_factor=first.cpu_factor,
            measured=job.measured,
            settings=ReplaySettings(
                mpi_library=first.library, samples=job.draws, mpi_settings=first.mpi_settings
            ),
            extras=Extras(loads=job.counted, startup=job.startup, interval=job.draws > 0),
        )
    except (LinkworthError, OSError) as error:
        return [(target.run, Outcome(state="failed", cause=without_advice(error))) for target in group]
    facts = {} if first.cpu_factor == 1.0 else {"cpu factor": f"{first.cpu_factor:.6g}"}
    if trace.metadata.scaling is not None:
        facts[SCALED_FROM] = f"{', '.join(map(str, trace.metadata.scaling.ranks))} ranks"
    if job.measured is not None:
        facts["scaled"] = f"to {job.measured.seconds:.6g} s on {job.measured.fabric.name}"
    outcomes = []
    for target, prediction in zip(group, found.predictions, strict=True):
        outcome = of_prediction(found, prediction, facts, target.fabric)
        outcomes.append(_with_polling(outcome) if target.polls else outcome)
    if job.command[0].startswith(_MARKS_ITERATIONS):
        outcomes = [
            _with_iterations(outcome, prediction.mark_seconds)
            for outcome, prediction in zip(outcomes, found.predictions, strict=True)
        ]
    if job.draws:
        outcomes = _with_draws(group, drawn, outcomes)
    return [(target.run, outcome) for target, outcome in zip(group, outcomes, strict=True)]


def _with_polling(outcome: Outcome) -> Outcome:
    """Return the outcome with the cores busy all the time: a rank computes or polls."""
    metrics = outcome.metrics
    if "core_utilisation" in metrics:
        metrics = metrics | {"core_utilisation": 1.0}
    core_use = [
        msgspec.structs.replace(
            use, mean=[1.0] * len(use.mean), samples=[[1.0] * len(sample) for sample in use.samples]
        )
        for use in outcome.core_use
    ]
    return msgspec.structs.replace(outcome, metrics=metrics, core_use=core_use)


def _with_iterations(outcome: Outcome, marks: Sequence[float]) -> Outcome:
    """Return the outcome with rank 0's iterations, between one mark and the next."""
    times = [end - start for start, end in pairwise(marks)]
    if not times:
        return outcome
    return msgspec.structs.replace(
        outcome,
        metrics=outcome.metrics | {"iteration_seconds": fmean(times)},
        series=outcome.series | {"iteration_seconds": times},
    )


def _with_draws(
    group: Sequence[ReplayTarget], drawn: DrawnTimes, outcomes: Sequence[Outcome]
) -> list[Outcome]:
    """Return the outcomes with the times under draws, from which the report derives certainty."""
    return [
        msgspec.structs.replace(
            outcome,
            series=outcome.series | {DRAWN_SECONDS: seconds},
            facts=outcome.facts
            | {
                "draws": f"{len(seconds)} of its spread"
                + (", assumed where none is given" if target.fabric.name in drawn.assumed else "")
            },
        )
        for target, outcome, seconds in zip(group, outcomes, drawn.seconds, strict=True)
    ]


def of_prediction(
    found: PredictionSet, prediction: Prediction, more_facts: Mapping[str, str], fabric: Fabric
) -> Outcome:
    """Return the outcome of a prediction."""
    metrics = {
        "seconds": prediction.seconds,
        **{f"critical_{part}_seconds": seconds for part, seconds in prediction.critical_path.items()},
        "internode_bytes": float(prediction.internode_bytes),
        "timed_internode_bytes": float(prediction.timed_internode_bytes),
        "messages": float(prediction.messages),
    }
    if fabric.link.header_in_mtu_bytes:
        metrics["sent_bytes"] = traffic.sent_bytes(prediction.internode_bytes, fabric)
        if fabric.aggregation == "roundrobin":
            metrics["retransmits"] = traffic.retransmits(prediction.internode_bytes, fabric)
    if prediction.efficiency is not None:
        metrics |= msgspec.structs.asdict(prediction.efficiency)
        # Useful time over the run time of all ranks is the share of computation; the rest is communication and waiting.
        metrics["compute_share"] = prediction.efficiency.parallel_efficiency
        metrics["core_utilisation"] = prediction.efficiency.parallel_efficiency
        metrics["communication_share"] = 1.0 - prediction.efficiency.parallel_efficiency
    calibration = found.calibration
    started = found.initialisation
    if started is not None:
        metrics["init_seconds"] = started.seconds
    facts = {
        "ranks": str(found.ranks),
        "nodes": str(found.nodes),
        "placement": found.placement,
        "region": found.region,
        "collectives of": found.collectives.library if found.collectives is not None else "",
        "computation": calibration.rates.description if calibration.rates else "as recorded",
    }
    if started is not None:
        facts["initialisation"] = started.source
    if prediction.mpi_settings:
        facts["MPI settings"] = in_words(prediction.mpi_settings)
    facts |= more_facts
    if found.warnings:
        facts["warnings"] = "; ".join(found.warnings)
    core_use = [thinned(use) for use in prediction.core_use]
    return Outcome(state="done", metrics=metrics, core_use=core_use, facts=facts)


def _bench(job: ReplayJob, target: ReplayTarget) -> Outcome:
    """Return the replay's result for a micro-benchmark's own calls."""
    asked = micro.parse(job.command)
    try:
        # plan.check_all refuses unknown ranks before anything runs.
        assert job.ranks is not None
        layout = target.arrangement.layout(job.ranks)
        machine = machines.get(job.machine) if job.machine else None
        found = predict_bench(
            asked.test,
            asked.settings,
            within_memory(target.fabric, machine.memory_bytes_per_second if machine else None),
            layout,
            memory_bytes_per_node=machine.memory_bytes_per_node if machine else None,
            replay_settings=ReplaySettings(mpi_library=target.library, mpi_settings=target.mpi_settings),
        )
    except (LinkworthError, OSError) as error:
        return Outcome(state="failed", cause=str(error))
    return of_bench(found)
