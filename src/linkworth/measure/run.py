"""Runs and measures a workload; the result is a folder with `result.json` and the raw output."""

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from linkworth.errors import EnvironmentLacksError, UsageError
from linkworth.measure import iterations as reading
from linkworth.measure import srun_check
from linkworth.measure.counters import CounterWatch
from linkworth.measure.ending import Ending, classify, refusal
from linkworth.measure.output import OutputStore
from linkworth.measure.parsers import npb
from linkworth.measure.plan import Plan
from linkworth.measure.ranks_found import NOT_ASKED, RanksFound, ranks_found
from linkworth.model.counters import NodeCounters
from linkworth.model.run import CoreUse, RunResult
from linkworth.mpi import build, preload
from linkworth.places.counters import uncounted
from linkworth.places.job import Job, Observer
from linkworth.units import plural
from linkworth.writing.documents import encode
from linkworth.writing.files import unwritable, write_atomically

APP_USAGE_ERROR = 2
"""Exit code of the bundled programs for an invalid rank count or class."""


def run(
    decided: Plan,
    *,
    timeout: float | None = None,
    folder: Path | None = None,
    watcher: Observer | None = None,
    inherit_stdin: bool = False,
    iterations: str | None = None,
) -> RunResult:
    """Run a planned workload without recording and return the measurements.

    With a `folder`, the raw output and `result.json` are stored there. `iterations` is a regular expression whose one
    group is the seconds of an iteration in a line of the program's output. A program that fails, dies or takes longer
    than `timeout` seconds is a result, not an error. Raises UsageError and EnvironmentLacksError if nothing could be
    run.
    """
    output = None
    if folder is not None:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise unwritable(folder, error) from None
        output = folder / "output.txt"
    with ranks_found(decided, folder) as found:
        result = execute(
            decided,
            output=output,
            environment=_environment(decided, found),
            found=found,
            timeout=timeout,
            watcher=watcher,
            inherit_stdin=inherit_stdin,
            iterations=iterations,
        )
    if folder is not None:
        write_atomically(folder / "result.json", encode(result, indent=2))
    return result


def must_yield(decided: Plan) -> bool:
    """Return whether ranks share cores and would keep them while they wait."""
    return decided.oversubscribed and decided.launcher.spins_when_crowded


def yielding_environment(decided: Plan) -> dict[str, str]:
    """Return the variables that let waiting ranks yield their core, if that is necessary and possible."""
    if not must_yield(decided):
        return {}
    try:
        return preload.environment(build.tracer(decided.mpi), yielding=True, behind=decided.preloaded)
    except EnvironmentLacksError:
        return {}


def _environment(decided: Plan, found: RanksFound) -> dict[str, str]:
    """Return the variables of a run without recording: yielding if needed, and the report of the rank count."""
    yielding = yielding_environment(decided)
    if yielding or not found.variables:
        return yielding
    return preload.environment(found.library, behind=decided.preloaded)


def execute(
    decided: Plan,
    *,
    output: Path | None,
    environment: Mapping[str, str],
    found: RanksFound = NOT_ASKED,
    timeout: float | None,
    watcher: Observer | None = None,
    inherit_stdin: bool = False,
    iterations: str | None = None,
) -> RunResult:
    """Run a plan with variables for its ranks, and check the number of ranks that were found.

    Raises UsageError if a bundled program refuses its input.
    """
    srun_check.check(decided)
    asked = reading.pattern(iterations) if iterations else None
    job = Job(
        command=decided.command,
        ranks=decided.workload.ranks,
        environment={**environment, **found.variables, **({reading.ASK: "1"} if decided.is_app else {})},
        timeout=timeout,
        record=None if output is None else output.parent,
        inherit_stdin=inherit_stdin,
    )
    started = datetime.now(UTC)
    series: list[float] = []
    try:
        # A bundled program's refusal becomes our own error; the launcher's messages only hide the sentence.
        stored = OutputStore(output, watcher, hold_stderr=decided.is_app)
    except OSError as error:
        raise UsageError(f"cannot write {output}: {error.strerror}") from None
    place = decided.opened
    counted: list[NodeCounters] = []
    used: list[CoreUse] = []
    try:
        reader = reading.IterationReader(stored, asked, own=decided.is_app)
        watch = CounterWatch(place.counters, reader) if place else None
        end = decided.launcher.run(job, watch or reader)
        if watch:
            counted, used = watch.finish()
        series = reader.finish() or reading.from_wrf_files(Path.cwd(), started.timestamp())
    finally:
        stored.close()
    stdout, stderr = stored.text("stdout"), stored.text("stderr")
    if decided.is_app and end.exit_code == APP_USAGE_ERROR:
        raise UsageError(
            refusal(stderr.splitlines(), "lw-npb") or f"{decided.workload.name} cannot use its arguments"
        )
    stored.release_stderr()
    ending = classify(end, stdout + stderr, timeout)
    trouble = found.trouble(decided)
    if trouble:
        ending = Ending("failed", trouble)
    unseen = found.unseen(decided) if ending.state == "complete" else ""
    unmatched = reader.unmatched() if ending.state == "complete" else ""
    report = npb.parse(stdout)
    nodes = end.nodes or (list(place.nodes) if place else [])
    counters = end.counters or counted
    return RunResult(
        workload=decided.workload.name,
        command=decided.workload.command,
        ranks=decided.workload.ranks,
        mpi=decided.mpi.library_version,
        launcher=decided.launcher.name,
        state=ending.state,
        exit_code=end.exit_code,
        seconds=end.seconds,
        reported_seconds=report.seconds,
        verified=report.verified,
        cores=decided.cores,
        started=started.isoformat(timespec="seconds"),
        output="" if output is None else str(output),
        message="; ".join(part for part in (ending.message, stored.lost) if part),
        where=place.name if place else "",
        nodes=nodes,
        transport=place.transport if place else "",
        iteration_seconds=series,
        counters=counters,
        core_use=used,
        facts=place.facts() if place else {},
        remark="; ".join(
            filter(None, [sharing(decided), unseen, unmatched, uncounted(counters, len(nodes))])
        ),
    )


def sharing(decided: Plan) -> str:
    """Return a sentence if ranks share cores, else ""."""
    if not decided.oversubscribed:
        return ""
    ranks, cores = decided.workload.ranks, decided.cores
    return (
        f"{ranks} ranks share {plural(cores, 'core')}: times include the wait for a core "
        "and do not apply to a machine with a core for each rank"
    )
