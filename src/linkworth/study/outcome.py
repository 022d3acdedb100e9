"""Result of one attempt at a run, as recorded: metrics in SI units, named as in `linkworth.study.metrics`."""

import math
import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from statistics import fmean

import msgspec

from linkworth.errors import IncompleteError, LinkworthError, UsageError
from linkworth.measure.ending import was_interrupted
from linkworth.measure.parsers.numbers import cut_number
from linkworth.model.bench import BenchResult
from linkworth.model.call_profile import CallProfile
from linkworth.model.counters import NodeCounters
from linkworth.model.run import CoreUse, RunResult
from linkworth.model.study import RecordState, StudyWorkload
from linkworth.places.counters import sums, uncounted

DRAWN_SECONDS = "drawn_seconds"
"""Series of a prediction's times under draws of the fabric's parameters, draw by draw."""
SCALED_FROM = "trace scaled from"
"""Fact of a prediction that replays a scaled trace: the rank counts of its recordings."""


MOST_SAMPLES = 60
"""Most samples of a run's use of cores; a figure shows no more."""


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """Result of one attempt."""

    state: RecordState
    cause: str = ""
    interrupted: bool = False
    """The user stopped it, so it does not count."""
    hopeless: bool = False
    """Another attempt would end the same way."""
    metrics: dict[str, float] = msgspec.field(default_factory=dict)
    series: dict[str, list[float]] = msgspec.field(default_factory=dict)
    rows: list[dict[str, float | str]] = msgspec.field(default_factory=list)
    counters: list[NodeCounters] = msgspec.field(default_factory=list)
    core_use: list[CoreUse] = msgspec.field(default_factory=list)
    facts: dict[str, str] = msgspec.field(default_factory=dict)
    command: list[str] = msgspec.field(default_factory=list)


def of_run(result: RunResult, workload: StudyWorkload, output: str, *, counted: bool) -> Outcome:
    """Return the outcome of a run. `output` is the program's output; `counted`: the counters are wanted."""
    figures, missing = _figures(workload.figures, output)
    iterations = result.iteration_seconds
    state, cause = _state(result, workload, missing)
    metrics = {"elapsed_seconds": result.seconds}
    if result.reported_seconds is not None:
        metrics["reported_seconds"] = result.reported_seconds
    metrics["seconds"] = result.reported_seconds if result.reported_seconds is not None else result.seconds
    if iterations:
        metrics["iteration_seconds"] = fmean(iterations)
    counters = _of_all(result.counters, len(result.nodes)) if counted else []
    if counted:
        metrics |= of_counters(counters)
        cores = [use for node in result.core_use for use in node.mean]
        if cores:
            metrics["core_utilisation"] = fmean(cores)
    return Outcome(
        state=state,
        cause=cause,
        interrupted=was_interrupted(result),
        metrics=metrics | figures,
        series={"iteration_seconds": iterations} if iterations else {},
        counters=counters,
        core_use=[thinned(use) for use in result.core_use] if counted else [],
        facts=_facts(result),
        command=result.command,
    )


def of_profile(profile: CallProfile, workload: StudyWorkload, output: str, *, counted: bool) -> Outcome:
    """Return the outcome of a run with a profile of its MPI calls."""
    outcome = of_run(profile.run, workload, output, counted=counted)
    shares = {
        "compute_share": profile.computation_share,
        "communication_share": profile.mpi_share,
        "init_seconds": profile.init_seconds,
    }
    return msgspec.structs.replace(outcome, metrics=outcome.metrics | shares)


def of_bench(result: BenchResult) -> Outcome:
    """Return the outcome of a micro-benchmark: its rows, the least latency and the most bandwidth."""
    metrics = dict(result.values)
    latencies = [row.latency_seconds for row in result.rows if row.latency_seconds is not None]
    rates = [
        row.bandwidth_bytes_per_second for row in result.rows if row.bandwidth_bytes_per_second is not None
    ]
    if latencies:
        metrics.setdefault("latency_seconds", min(latencies))
    if rates:
        metrics.setdefault("bandwidth_bytes_per_second", max(rates))
    counters = _of_all(result.carried.counters, result.nodes) if result.carried else []
    facts = {"mpi": result.mpi, "where": result.where, "ranks": str(result.ranks), **result.facts}
    if result.nodes:
        facts["nodes"] = str(result.nodes)
    if result.carried:
        facts |= {"transport used": result.carried.transport, "carried": result.carried.verdict}
    if result.warnings:
        facts["warnings"] = "; ".join(result.warnings)
    return Outcome(
        state="done",
        metrics=metrics | of_counters(counters),
        rows=[bench_row(row) for row in result.rows],
        counters=counters,
        facts={name: text for name, text in facts.items() if text},
        command=[f"bench:{result.test}"],
    )


def of_error(error: LinkworthError) -> Outcome:
    """Return the outcome of a run that an error ended. Another attempt with unusable input would end the same way."""
    stopped_by = error.stopped_by if isinstance(error, IncompleteError) else ""
    return Outcome(
        state="timeout" if stopped_by == "timeout" else "failed",
        cause=str(error),
        interrupted=stopped_by == "interrupted",
        hopeless=isinstance(error, UsageError),
    )


def bench_row(row: msgspec.Struct) -> dict[str, float | str]:
    """Return a row without its missing figures."""
    return {name: value for name, value in msgspec.structs.asdict(row).items() if value not in (None, "")}


def _of_all(counters: list[NodeCounters], nodes: int) -> list[NodeCounters]:
    """Return the counters, none if those of some nodes are missing: their sums would be too small."""
    return [] if uncounted(counters, nodes) else counters


def of_counters(counters: Sequence[NodeCounters]) -> dict[str, float]:
    """Return sums over all nodes and NICs, and the bytes sent by each used NIC (`d0_sent_bytes`).

    The loopback of messages inside a node is no NIC: it only has bytes of its own.
    """
    if not counters:
        return {}
    every = [nic for node in counters for nic in node.nics]
    metrics = {name: float(value) for name, value in sums(counters).items()}
    for name in sorted({nic.nic for nic in every if nic.sent_bytes}):
        metrics[f"{name}_sent_bytes"] = float(sum(nic.sent_bytes for nic in every if nic.nic == name))
    return metrics


def thinned(use: CoreUse, most: int = MOST_SAMPLES) -> CoreUse:
    """Return the use of cores in at most `most` samples; neighbours become their mean, weighted by length."""
    together = -(-len(use.times) // most)
    if together <= 1:
        return use
    lengths = [end - start for start, end in pairwise([0.0, *use.times])]
    times, samples = [], []
    for start in range(0, len(use.times), together):
        part = slice(start, start + together)
        weights = lengths[part]
        total = sum(weights)
        times.append(use.times[part][-1])
        samples.append(
            [
                round(sum(weight * share for weight, share in zip(weights, core, strict=True)) / total, 4)
                for core in zip(*use.samples[part], strict=True)
            ]
        )
    return msgspec.structs.replace(use, times=times, samples=samples)


def shares_cores(facts: Mapping[str, str]) -> bool:
    """Return whether a record's facts have the remark of a run whose ranks shared cores."""
    return any("ranks share" in facts.get(name, "") for name in ("remark", "warnings"))


def _state(result: RunResult, workload: StudyWorkload, missing: str) -> tuple[RecordState, str]:
    if result.state == "timeout":
        return "timeout", result.message
    if result.state != "complete":
        return "failed", result.message
    if result.verified is False:
        return "unverified", "the program reported a wrong result"
    if result.verified is None and workload.command[0].startswith("npb:"):
        return "unverified", "the program did not verify its result"
    if missing:
        return "failed", missing
    if result.message:  # complete, but a full disk lost its output
        return "failed", result.message
    return "done", ""


def _figures(patterns: Mapping[str, str], output: str) -> tuple[dict[str, float], str]:
    figures, missing = {}, []
    for name, pattern in patterns.items():
        found = re.search(pattern, output, re.MULTILINE)
        if not found:
            missing.append(f"the output has nothing for {name} (figures: {pattern})")
            continue
        text = found[1] or ""
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        whole = cut_number(found) if math.isfinite(value) else ""
        if whole:
            missing.append(f"{name} is {text!r}, a part of {whole!r} in the output; correct its expression")
        elif math.isfinite(value):
            figures[name] = value
        else:
            missing.append(f"{name} is {text!r} in the output, which is no finite number")
    return figures, "; ".join(missing)


def _facts(result: RunResult) -> dict[str, str]:
    facts = {
        "mpi": result.mpi,
        "launcher": result.launcher,
        "where": result.where,
        "transport": result.transport,
        "ranks": str(result.ranks),
        "nodes": ", ".join(result.nodes),
        "cores": str(result.cores),
        "remark": result.remark,
        **result.facts,
    }
    return {name: text for name, text in facts.items() if text}
