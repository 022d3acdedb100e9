"""Runs one test in a place and returns its result."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import msgspec

from linkworth.bench import settings as options
from linkworth.bench.carrier import find_carrier
from linkworth.bench.naming import environment
from linkworth.bench.settings import BenchSettings
from linkworth.bench.stream import Both, ResultStream
from linkworth.bench.tests import BenchTest, named
from linkworth.bench.warnings import above_link, rates_of, row_warnings
from linkworth.errors import EnvironmentLacksError, IncompleteError, LinkworthError, StopCause, UsageError
from linkworth.measure.counters import CounterWatch
from linkworth.measure.ending import classify, refusal, stopped_by
from linkworth.measure.plan import Plan
from linkworth.measure.run import yielding_environment
from linkworth.model.bench import LINK_RATE, BenchResult, BenchRow
from linkworth.model.counters import NodeCounters
from linkworth.model.workload import Workload
from linkworth.mpi import build, find
from linkworth.mpi.target import NO_TARGET
from linkworth.places.job import Job, JobEnd, Observer
from linkworth.places.local import LocalPlace
from linkworth.places.place import OpenPlace, check_started_ranks
from linkworth.writing.documents import encode
from linkworth.writing.files import write_atomically

USAGE, MEMORY = 2, 3
"""Exit codes of lw-netbench."""


class BenchStopped(IncompleteError):
    """A test did not complete; `result` has the completed sizes."""

    def __init__(self, message: str, stopped_by: StopCause, result: BenchResult) -> None:
        super().__init__(message, stopped_by)
        self.result = result


class Prepared(NamedTuple):
    """A test that is ready to start."""

    test: BenchTest
    settings: BenchSettings
    plan: Plan
    opened: OpenPlace

    @property
    def job(self) -> Job:
        """Job that the launcher starts."""
        variables = environment(self.plan.mpi.kind) | yielding_environment(self.plan)
        return Job(command=self.plan.command, ranks=self.plan.workload.ranks, environment=variables)

    @property
    def arguments(self) -> list[str]:
        """The launcher's command line to show, without the library that makes waiting ranks yield their core."""
        job = Job(
            command=self.plan.command,
            ranks=self.plan.workload.ranks,
            environment=environment(self.plan.mpi.kind),
        )
        return self.plan.launcher.arguments(job)


def default_ranks(test: BenchTest, opened: OpenPlace) -> int:
    """Return the default number of ranks: one on each node, at least two; or all cores for a test of all ranks."""
    return max(2, len(opened.nodes), 0 if test.is_pair else opened.cores)


def prepare(
    test: str,
    *,
    opened: OpenPlace | None = None,
    mpi: str | None = None,
    ranks: int | None = None,
    settings: BenchSettings | None = None,
    planned: bool = False,
) -> Prepared:
    """Decide how a test runs, and build its program for the MPI unless it is only `planned`.

    `opened` is an open place (None: this machine), `mpi` a name as `find.choose` takes it.

    Raises UsageError and EnvironmentLacksError.
    """
    known = named([test])
    if len(known) != 1:
        raise UsageError(f"{test} stands for several tests; run them one by one")
    place = opened or LocalPlace()
    count = default_ranks(known[0], place) if ranks is None else ranks
    if count < 2:
        raise UsageError(f"`ranks` {count}: a network is measured between two ranks or more")
    check_started_ranks(count, place)
    given = settings or BenchSettings()
    words = options.arguments(known[0], given)
    chosen = find.choose(mpi)
    launcher = place.launcher(chosen)
    program = build.netbench(chosen, planned=planned)
    command = [str(program), *words]
    workload = Workload(name=f"bench {test}", command=command, ranks=count)
    return Prepared(known[0], given, Plan(workload, command, NO_TARGET, chosen, launcher, place), place)


def execute(
    prepared: Prepared,
    *,
    timeout: float | None = None,
    on_row: Callable[[BenchRow], None] | None = None,
    folder: Path | None = None,
    watcher: Observer | None = None,
) -> BenchResult:
    """Run a prepared test and return its result, with the NICs that carried its bytes.

    `on_row` is called for each completed size. With a `folder`, the next call finds a batch job again, and the result is
    stored as `result.json`. `watcher` observes the job's output. Raises UsageError and EnvironmentLacksError if it cannot
    run, and BenchStopped with the partial result after an interrupt or `timeout` seconds.
    """
    stream = ResultStream(on_row)
    watch = CounterWatch(prepared.opened.counters, Both(stream, watcher) if watcher else stream)
    started = datetime.now(UTC)
    job = msgspec.structs.replace(prepared.job, timeout=timeout, record=folder)
    end = prepared.plan.launcher.run(job, watch)
    counted, _ = watch.finish()
    result = _result(prepared, stream, end.counters or counted, started)
    if folder is not None:
        # Also after a failure: the job is over, and another attempt is another job.
        write_atomically(folder / "result.json", encode(result, indent=2))
    _raise_for_refusal(end, stream)
    if end.exit_code == 0 and stream.end is not None and not (end.timed_out or end.interrupted):
        return result
    ending = classify(end, "\n".join(stream.said), timeout)
    message = ending.message or "its results ended before all was measured"
    last = next((line for line in reversed(stream.said) if line.strip("- \n")), "")
    if end.interrupted or end.timed_out or result.rows:
        raise BenchStopped(f"{prepared.test.name}: {message}", stopped_by(ending), result)
    raise LinkworthError(f"{prepared.test.name}: {message}" + (f" ({last.strip()})" if last else ""))


def _raise_for_refusal(end: JobEnd, stream: ResultStream) -> None:
    sentence = refusal(stream.said, "lw-netbench")
    if end.exit_code and sentence:
        if end.exit_code == MEMORY or "not enough memory" in sentence:
            raise EnvironmentLacksError(sentence)
        raise UsageError(sentence)


def _result(
    prepared: Prepared, stream: ResultStream, counted: list[NodeCounters], started: datetime
) -> BenchResult:
    test, settings, plan = prepared.test, prepared.settings, prepared.plan
    begun, done = stream.start, stream.end
    members = begun.members if begun else []
    nodes = sorted({begun.node_names[begun.node_of_rank[rank]] for rank in members}) if begun else []
    facts = prepared.opened.facts() | {
        "precision": f"{settings.precision:g}",
        "seconds": f"{settings.seconds:g}",
        "ranks started": str(plan.workload.ranks),
        "among": settings.among,
    }
    if test.shows == "bandwidth" and test.name not in ("beff", "pingpong"):
        facts["window"] = str(settings.window)
    if prepared.opened.transport:
        facts["transport asked for"] = prepared.opened.transport
    if begun:
        facts |= {"nodes": ", ".join(nodes), "timer resolution": f"{begun.timer_resolution_seconds:.3g} s"}
    for name in ("asynchronous", "bidirectional", "pairs"):
        if getattr(settings, name):
            facts[name] = "yes"
    warnings = [
        *stream.warnings,
        *row_warnings(stream.rows, stream.drifts, settings.precision, settings.seconds),
    ]
    link = facts.get(LINK_RATE, "").removesuffix(" B/s")
    if link and len(nodes) > 1:
        found = above_link(test.name, rates_of(stream.rows), float(link), both_ways=settings.bidirectional)
        warnings += [found] if found else []
    if 0 < plan.cores < len(members):
        warnings.append(f"{len(members)} ranks share {plan.cores} cores: times include the wait for a core")
    return BenchResult(
        test=test.name,
        rows=stream.rows,
        ranks=len(members) or plan.workload.ranks,
        nodes=len(nodes),
        mpi=plan.mpi.library_version,
        where=prepared.opened.name,
        facts=facts,
        carried=find_carrier(
            payload=done.payload_bytes,
            between_nodes=done.payload_between_nodes_bytes,
            is_least=test.payload_is_least,
            counters=counted,
            nodes=len(nodes),
            transport=stream.names.text,
            memory_only=stream.names.uses_memory_only,
        )
        if done
        else None,
        date=started.isoformat(timespec="seconds"),
        warnings=warnings,
        values=stream.values,
    )
