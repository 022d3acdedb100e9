"""The predictions of one workload: records it without running where that can be done, and replays it on each fabric.

Runs in a process of its own, so that the predictions of a study use all cores.
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from linkworth.bench.settings import sizes_of
from linkworth.catalog.derived import half_round_trip_seconds, stream_bandwidth, stripe_width
from linkworth.errors import LinkworthError
from linkworth.model.bench import BenchResult, BenchRow
from linkworth.model.fabric import Fabric
from linkworth.model.prediction import Prediction, PredictionSet
from linkworth.model.rates import RateSource
from linkworth.predict.predict import predict
from linkworth.skeleton.program import check, parse
from linkworth.skeleton.record import record_skeleton
from linkworth.study import micro
from linkworth.study.outcome import Outcome, of_bench
from linkworth.trace.read import open_trace


class Target(msgspec.Struct, frozen=True, kw_only=True):
    """One environment of a workload's predictions."""

    run: str
    fabric: Fabric
    nodes: int | None
    ranks_per_node: int | None
    placement: str
    cpu_factor: float


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """The predictions of one workload on one number of ranks, which share a trace."""

    workload: str
    command: list[str]
    ranks: int | None
    trace: Path
    rates: RateSource | None
    """Of a program recorded without running; None: the trace is there."""
    measured: tuple[Fabric, float] | None
    """Fabric and seconds that scale the computation."""
    targets: list[Target]


class Made(msgspec.Struct, frozen=True, kw_only=True):
    """A prediction that was made."""

    run: str
    outcome: Outcome
    started: str
    """The predictions of a job share its time evenly."""
    ended: str


def make(job: Job) -> list[Made]:
    """Return the outcome of each of a job's runs; what goes wrong is an outcome with its cause."""
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


def _outcomes(job: Job) -> list[tuple[str, Outcome]]:
    if micro.is_micro(job.command):
        return [(target.run, _bench(job, target)) for target in job.targets]
    try:
        if job.rates is not None:
            _record(job, job.rates)
    except (LinkworthError, OSError) as error:
        return [(target.run, Outcome(state="failed", cause=str(error))) for target in job.targets]
    groups: dict[tuple[object, ...], list[Target]] = {}
    for target in job.targets:
        layout = (target.nodes, target.ranks_per_node, target.placement, target.cpu_factor)
        groups.setdefault(layout, []).append(target)
    return [found for group in groups.values() for found in _replayed(job, group)]


def _record(job: Job, rates: RateSource) -> None:
    """Record the program, unless the trace of an earlier call has the same computation."""
    try:
        known = open_trace(job.trace)
        if known.metadata.rates == rates and known.metadata.command == job.command and not known.incomplete:
            return
    except (LinkworthError, OSError):
        pass
    program = parse(job.command)
    record_skeleton(program, check(program, job.ranks), rates, job.trace, replace=True)


def _replayed(job: Job, group: Sequence[Target]) -> list[tuple[str, Outcome]]:
    first = group[0]
    try:
        found = predict(
            job.trace,
            [target.fabric for target in group],
            nodes=first.nodes,
            ppn=first.ranks_per_node,
            cpu_factor=first.cpu_factor,
            measured=job.measured,
            placement=first.placement,
        )
    except (LinkworthError, OSError) as error:
        return [(target.run, Outcome(state="failed", cause=str(error))) for target in group]
    return [
        (target.run, of_prediction(found, prediction))
        for target, prediction in zip(group, found.predictions, strict=True)
    ]


def of_prediction(found: PredictionSet, prediction: Prediction) -> Outcome:
    """Return the outcome of a prediction."""
    metrics = {
        "seconds": prediction.seconds,
        "critical_compute_seconds": prediction.compute_seconds,
        "critical_overhead_seconds": prediction.overhead_seconds,
        "critical_latency_seconds": prediction.latency_seconds,
        "critical_bandwidth_seconds": prediction.bandwidth_seconds,
        "critical_wait_seconds": prediction.wait_seconds,
        "internode_bytes": float(prediction.internode_bytes),
        "messages": float(prediction.messages),
    }
    if prediction.efficiency is not None:
        metrics |= msgspec.structs.asdict(prediction.efficiency)
        # Useful time over the run time of all ranks is the share of computation, and the rest communication and waiting.
        metrics["compute_share"] = prediction.efficiency.parallel_efficiency
        metrics["communication_share"] = 1.0 - prediction.efficiency.parallel_efficiency
    calibration = found.calibration
    facts = {
        "ranks": str(found.ranks),
        "nodes": str(found.nodes),
        "placement": found.placement,
        "region": found.region,
        "collectives of": found.collectives.library,
        "computation": calibration.rates.description if calibration.rates else "as recorded",
    }
    if calibration.measured_fabric is not None:
        facts["scaled"] = f"to {calibration.measured_seconds:.6g} s on {calibration.measured_fabric}"
    if calibration.cpu_factor != 1.0:
        facts["cpu factor"] = f"{calibration.cpu_factor:.6g}"
    if found.warnings:
        facts["warnings"] = "; ".join(found.warnings)
    return Outcome(state="done", metrics=metrics, facts=facts)


def _bench(job: Job, target: Target) -> Outcome:
    """Return what the fabric's parameters say of a micro-benchmark between two idle ranks."""
    asked = micro.parse(job.command)
    test = asked.test.name
    fabric = target.fabric
    between = (target.nodes or 2) > 1 and asked.settings.among != "pair-in-node"
    path = fabric.link if between else fabric.intranode
    if test not in ("latency", "bandwidth", "bibandwidth", "pingpong") or asked.settings.pairs:
        cause = f"bench:{test} has no prediction; latency, bandwidth, bibandwidth and pingpong have one"
        return Outcome(state="failed", cause=cause)
    rows = []
    for size in sizes_of(*asked):
        seconds = half_round_trip_seconds(path, size)
        if test == "latency":
            rows.append(BenchRow(bytes=size, latency_seconds=seconds))
        elif test == "pingpong":
            rows.append(
                BenchRow(bytes=size, latency_seconds=seconds, bandwidth_bytes_per_second=size / seconds)
            )
        else:
            width = stripe_width(fabric, size) if between else 1.0
            ways = 2 if test == "bibandwidth" else 1
            rate = ways * stream_bandwidth(path, size, width=width)
            rows.append(BenchRow(bytes=size, bandwidth_bytes_per_second=rate))
    facts = {"from": "the fabric's parameters, between two idle ranks"}
    return of_bench(BenchResult(test=test, rows=rows, nodes=2 if between else 1, facts=facts))
