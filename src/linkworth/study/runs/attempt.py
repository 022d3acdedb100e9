"""Makes one run, recording or micro-benchmark of a study in an open place."""

import errno
from pathlib import Path

import msgspec

from linkworth.errors import LinkworthError
from linkworth.measure import call_profile
from linkworth.measure import run as measured
from linkworth.measure.plan import plan
from linkworth.measure.plan import workload as rank_count
from linkworth.model.study import Study
from linkworth.model.trace import TraceSummary
from linkworth.model.workload import Workload
from linkworth.places.job import Observer
from linkworth.places.place import OpenPlace
from linkworth.study import micro
from linkworth.study.matrix import PlannedRun
from linkworth.study.outcome import Outcome, of_error, of_profile, of_run
from linkworth.trace.record import record

MOST_OUTPUT_BYTES = 64 << 20
"""Most bytes of a program's output to search for figures."""


def attempt(
    planned: PlannedRun,
    study: Study,
    opened: OpenPlace,
    folder: Path,
    trace: Path,
    watcher: Observer | None = None,
) -> Outcome:
    """Make a run in an open place; its files are in `folder`, and a recording is at `trace`.

    Any failure of the run is an outcome with its cause.
    """
    try:
        if micro.is_micro(planned.workload.command):
            return micro.measure(
                planned.workload.command,
                opened=opened,
                mpi=planned.environment.mpi,
                ranks=planned.ranks,
                timeout=time_limit(planned, study),
                folder=folder,
                watcher=watcher,
            )
        if planned.mode == "trace":
            return _recorded(planned, study, opened, trace, watcher)
        return _measured(planned, study, opened, folder, watcher)
    except LinkworthError as error:
        return of_error(error)
    except OSError as error:
        return Outcome(state="failed", cause=disk_or_file(error))


def disk_or_file(error: OSError) -> str:
    """Return a sentence on what the system refused."""
    what = f"{error.filename}: " if error.filename else ""
    full = error.errno in (errno.ENOSPC, errno.EDQUOT)
    return f"{what}{error.strerror}" + ("; make room and make it again" if full else "")


def as_workload(planned: PlannedRun, opened: OpenPlace) -> Workload:
    """Return the workload, with the rank count of the study or else the place's."""
    found = rank_count(planned.workload.command, planned.ranks, opened)
    return msgspec.structs.replace(found, name=planned.workload.name)


def time_limit(planned: PlannedRun, study: Study) -> float:
    """Return the time limit of a run in seconds."""
    return planned.workload.time_limit_seconds or study.time_limit_seconds


def _measured(
    planned: PlannedRun, study: Study, opened: OpenPlace, folder: Path, watcher: Observer | None
) -> Outcome:
    workload = as_workload(planned, opened)
    limit = time_limit(planned, study)
    counted = "counters" in study.measure
    iterations = planned.workload.iteration_pattern or None
    decided = plan(workload, planned.environment.mpi, opened)
    if "profile" in study.measure:
        profile = call_profile.profile(
            decided, timeout=limit, folder=folder, watcher=watcher, iterations=iterations
        )
        return of_profile(profile, planned.workload, _output(folder), counted=counted)
    result = measured.run(decided, timeout=limit, folder=folder, watcher=watcher, iterations=iterations)
    return of_run(result, planned.workload, _output(folder), counted=counted)


def _recorded(
    planned: PlannedRun, study: Study, opened: OpenPlace, trace: Path, watcher: Observer | None
) -> Outcome:
    summary = record(
        plan(as_workload(planned, opened), planned.environment.mpi, opened),
        output=trace,
        timeout=time_limit(planned, study),
        watcher=watcher,
        replace=True,
    )
    return of_recording(summary, trace)


def of_recording(summary: TraceSummary, trace: Path) -> Outcome:
    """Return the outcome of a recording."""
    state, _, why = summary.state.partition(": ")
    metrics = {"events": float(summary.events), "trace_bytes": float(summary.bytes)}
    if summary.seconds is not None:
        metrics["elapsed_seconds"] = summary.seconds
    good = state == "complete" and summary.verified is not False
    cause = why or ("" if good else "the program reported a wrong result")
    return Outcome(
        state="done" if good else "timeout" if state == "timeout" else "unverified" if not why else "failed",
        cause=cause,
        metrics=metrics,
        facts={"trace": trace.name, "ranks": str(summary.ranks)},
    )


def _output(folder: Path) -> str:
    path = folder / "output.txt"
    try:
        with path.open("rb") as file:
            return file.read(MOST_OUTPUT_BYTES).decode(errors="replace")
    except OSError:
        return ""
