"""Times a small run of a program on one rank here, once, and stores the result in the user's cache."""

import contextlib
import hashlib
import os
import platform
import shlex
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from linkworth.errors import EnvironmentLacksError, LinkworthError
from linkworth.measure.ending import was_interrupted
from linkworth.measure.machine.hardware import processor
from linkworth.measure.plan import Plan, plan
from linkworth.measure.run import execute
from linkworth.model.json_errors import JSON_ERRORS
from linkworth.model.rates import PhaseTimes, TimingQuality
from linkworth.model.workload import Workload
from linkworth.mpi import cache
from linkworth.places.counters import node_counters
from linkworth.places.job import Observer, Stream
from linkworth.skeleton.progress import StepProgress
from linkworth.writing.documents import encode
from linkworth.writing.files import write_atomically


class BusyCores:
    """Counter over all processes of the machine, from its creation on."""

    def __init__(self, proc: Path = Path("/proc")) -> None:
        self._proc = proc
        self._start = time.monotonic()
        self._before = self._read()
        self._own_before = _own_seconds()

    @property
    def cores(self) -> int:
        """Cores of the machine; 0 if unknown."""
        return len(self._before)

    def mean(self) -> float | None:
        """Return the mean number of busy cores until now; None if the kernel does not report it."""
        elapsed = time.monotonic() - self._start
        now = self._read()
        if not self._before or len(now) != len(self._before) or elapsed <= 0:
            return None
        return max(0.0, sum(now) - sum(self._before)) / elapsed

    def others(self) -> float:
        """Return the mean number of cores that other programs than this one and its children kept busy; 0 if unknown."""
        own = (_own_seconds() - self._own_before) / (time.monotonic() - self._start)
        return max(0.0, (self.mean() or 0.0) - own)

    def _read(self) -> list[float]:
        return node_counters("", self._proc / "net", self._proc / "stat").core_seconds


def _own_seconds() -> float:
    """Return the CPU time of this process and of its children that ended."""
    return sum(os.times()[:4])


_ELSE = "or name the machine with `machine`, or a measured time with `measured` FABRIC=SECONDS"


class _Phase(msgspec.Struct, frozen=True):
    name: str
    mean_seconds: float


class PhaseReport(msgspec.Struct, frozen=True):
    """Used fields of a program's `--json --timers`."""

    seconds: float
    verified: bool
    phases: list[_Phase]


class _Listener(Observer):
    """Keeps a job's standard output."""

    def __init__(self) -> None:
        self.stdout = bytearray()

    def output(self, stream: Stream, data: bytes) -> None:
        if stream == "stdout":
            self.stdout += data


def phase_times(
    command: Sequence[str],
    mpi: str | None,
    progress: StepProgress,
    *,
    anew: bool = False,
    most_runs: int = 3,
    enough_seconds: float = 3.0,
) -> PhaseTimes:
    """Return the phase times of a bundled program (`["npb:lu.W"]`) on one rank of this machine.

    The least time of each phase over several runs counts, since it is freest of noise. After two, no run
    follows once all took `enough_seconds` together. The times are stored for this machine and this build of the
    program, with the date and the machine's load; `anew` ignores stored times. Raises EnvironmentLacksError if the
    program cannot run here.
    """
    workload = shlex.join(command)
    try:
        decided = plan(Workload(name=workload, command=[*command, "--json", "--timers"], ranks=1), mpi)
    except EnvironmentLacksError as error:
        raise EnvironmentLacksError(
            f"the computation has no speed: {workload} cannot be timed here, because {error}; {_ELSE}"
        ) from None
    kept = _kept_file(decided)
    if not anew and (known := _read(kept)) is not None:
        return known
    progress.plan(1)
    progress.step(f"timing {workload} on 1 rank (kept for later)")
    reports: list[PhaseReport] = []
    watch = BusyCores()
    while len(reports) < 2 or (len(reports) < most_runs and sum(r.seconds for r in reports) < enough_seconds):
        reports.append(_run(decided))
    busy_cores = watch.mean()
    now = datetime.now(UTC)
    totals = [report.seconds for report in reports]
    times = PhaseTimes(
        workload=workload,
        seconds=min(totals),
        phases=least_phases(reports),
        mpi=f"{decided.mpi.kind} {decided.mpi.version}",
        date=now.date().isoformat(),
        quality=TimingQuality(
            time=now.strftime("%Y-%m-%dT%H:%MZ"),
            repetitions=len(totals),
            spread=max(totals) / min(totals) - 1,
            busy_cores=busy_cores,
            cores=watch.cores,
        ),
    )
    with contextlib.suppress(OSError):
        kept.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(kept, encode(times))
    return times


def _run(decided: Plan) -> PhaseReport:
    listener = _Listener()
    name = decided.workload.name
    try:
        result = execute(decided, output=None, environment={}, timeout=None, watcher=listener)
    except LinkworthError as error:
        raise EnvironmentLacksError(
            f"the computation has no speed: {name} cannot be timed here: {error}; choose another class with "
            f"`calibrate_with`, {_ELSE}"
        ) from None
    if result.state == "complete":
        with contextlib.suppress(msgspec.DecodeError):
            report = msgspec.json.decode(bytes(listener.stdout), type=PhaseReport)
            if report.verified and report.seconds > 0:
                return report
    if was_interrupted(result):
        raise KeyboardInterrupt
    raise EnvironmentLacksError(
        f"the computation has no speed: timing {name} here failed ({result.message or 'its output cannot be used'}); "
        f"choose another class with `calibrate_with`, {_ELSE}"
    )


def least_phases(reports: Sequence[PhaseReport]) -> dict[str, float]:
    """Return the least time of each phase, which is freest of noise."""
    phases = [{phase.name: phase.mean_seconds for phase in report.phases} for report in reports]
    return {name: min(run.get(name, 0.0) for run in phases) for name in phases[0]}


def _kept_file(decided: Plan) -> Path:
    """Return the file for this run, this machine and this build, whose folder's name has a hash of all its inputs."""
    program = Path(decided.command[0]).parent.name
    facts = [program, *decided.command[1:], platform.node(), processor()]
    return (
        cache.cache_folder()
        / "rates"
        / f"{hashlib.sha256(os.fsencode(chr(0).join(facts))).hexdigest()[:24]}.json"
    )


def _read(path: Path) -> PhaseTimes | None:
    try:
        return msgspec.json.decode(path.read_bytes(), type=PhaseTimes)
    except (OSError, *JSON_ERRORS):
        return None
