"""Flux through `flux batch`, `flux jobs` and `flux cancel`.

Written from the manuals of flux-core and tested with a stand-in of the command: no Flux was available.
"""

import re
import shlex
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from linkworth.errors import EnvironmentLacksError
from linkworth.model.mpi import MpiInstallation
from linkworth.model.place import Binding
from linkworth.places.batch import (
    BatchRequest,
    BatchState,
    BatchSystem,
    JobId,
    JobShape,
    Phase,
    call,
    job_name,
    unanswered,
)
from linkworth.places.host_list import expand

# Job states of flux-jobs(1).
_PENDING = {"NEW", "DEPEND", "PRIORITY", "SCHED"}
_RUNNING = {"RUN", "CLEANUP"}
_CAUSES = {"TIMEOUT": "Flux stopped it at its time limit", "CANCELED": "it was cancelled"}
_NEVER_RAN = -128
"""Return code of a job that was cancelled before it started."""
_DIGITS = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
"""Digits of F58, the notation of job identities (RFC 19 of Flux)."""
_ELEMENT = "LINKWORTH_ELEMENT"
_BINDINGS = {"": "", "none": "off", "core": "per-task"}
_JOBS = ["flux", "jobs", "-n"]


class Flux(BatchSystem):
    """A Flux instance. Identities of jobs are decimal, those of an array's elements are joined by commas."""

    name = "flux"
    title = "Flux"
    help = "Run as a Flux job (flux batch)."
    directive = "# flux:"
    version_command = ("flux", "version")
    submit_command = ("flux", "batch")
    submitted = rf"\A\s*([ƒf]?[{_DIGITS}]+|\d+)\s*\Z"
    cancel_command = ("flux", "cancel")
    job_variable = "FLUX_JOB_ID"
    index = f"${_ELEMENT}"
    list_nodes = "flux exec -n uname -n | sort -u"
    on_each_node = "flux exec -n"

    def directives(self, request: BatchRequest) -> Iterator[str]:
        """Yield the options of a job."""
        yield f"--job-name={job_name(request)}"
        yield f"--cwd={shlex.quote(str(request.folder))}"
        yield f"--output={shlex.quote(str(request.log))}"
        yield f"--nslots={request.tasks}"
        if request.nodes:
            yield f"--nodes={request.nodes}"
        if request.seconds:
            yield f"--time-limit={request.seconds:g}s"
        if request.partition:
            yield f"--queue={request.partition}"
        if request.constraint:
            yield f"--requires={shlex.quote(request.constraint)}"
        if request.account:
            yield f"--setattr=bank={request.account}"
        yield from request.options

    def submit(self, request: BatchRequest, script: Path) -> JobId:
        """Write the script and submit it. Flux has no arrays: each element is a job, `at_once` of them at a time.

        Flux copies the script when it is submitted. Raises UsageError with Flux's message if it refuses.
        """
        if not request.array:
            return _decimal(super().submit(request, script))
        jobs: list[JobId] = []
        for number in range(request.array):
            options = [f"--env={_ELEMENT}={number}", *request.options]
            if 0 < request.at_once <= number:
                options.append(f"--dependency=afterany:{jobs[number - request.at_once]}")
            each = msgspec.structs.replace(request, array=0, name=f"{request.name}.{number}", options=options)
            jobs.append(self.submit(each, script))
        return ",".join(jobs)

    def ways(self, mpi: MpiInstallation, shape: JobShape) -> list[str]:
        """Return `flux run`, with PMIx first for Open MPI, then the MPI's own launcher."""
        size = ["-n", str(shape.ranks), *(["-N", str(shape.nodes)] if shape.nodes else [])]
        if affinity := _BINDINGS[shape.binding]:
            size += ["-o", f"cpu-affinity={affinity}"]
        plugins = [["-o", "pmi=pmix"], []] if mpi.kind == "openmpi" else [[]]
        return [shlex.join(["flux", "run", *plugin, *size]) for plugin in plugins] + super().ways(mpi, shape)

    def check_binding(self, binding: Binding) -> None:
        """Raise EnvironmentLacksError for a binding that `flux run` lacks."""
        if binding not in _BINDINGS:
            raise EnvironmentLacksError(
                f"Flux binds ranks to cores only, not to each {binding}; give core or none as the binding"
            )

    def version(self) -> str:
        """Return flux-core's version: the command prints that of each part on a line of its own."""
        words = super().version().split()
        return f"flux-core {words[-1]}" if words else ""

    def elements(self, job: JobId, count: int) -> list[JobId]:
        """Return the jobs of an array, "" for an element that was not submitted."""
        return (job.split(",") + [""] * count)[:count] if count else [job]

    def find(self, token: str) -> JobId | None:
        """Look up the names of the user's jobs, including ended ones."""
        answer = call([*_JOBS, "-a", "--format={id.f58}|{name}"], system="Flux")
        if answer.code != 0:
            raise unanswered("flux jobs", answer)
        found: dict[int, JobId] = {}
        for line in answer.out.splitlines():
            job, _, name = line.strip().partition("|")
            if name.endswith(f"-{token}"):
                number = re.search(r"\.(\d+)-\w+$", name)
                found[int(number[1]) if number else 0] = _decimal(job)
        return ",".join(found.get(number, "") for number in range(max(found) + 1)) if found else None

    def state(self, jobs: Iterable[JobId]) -> dict[JobId, BatchState]:
        """Query these jobs, including ended ones."""
        wanted = list(jobs)
        fields = "{id.f58}|{state}|{result}|{returncode}|{nodelist}|{annotations.sched.reason_pending}|{exception.note}"
        answer = call([*_JOBS, f"--format={fields}", *wanted], system="Flux")
        # flux jobs prints the jobs that it knows, and complains about each other one.
        if answer.code != 0 and not answer.out.strip() and "unknown" not in answer.said:
            raise unanswered("flux jobs", answer)
        known = {}
        for line in answer.out.splitlines():
            job, *rest = line.strip().split("|", 6)
            if len(rest) == 6:
                known[_decimal(job)] = _state(*rest)
        return {job: known.get(job, BatchState(phase="unknown")) for job in wanted}


def _decimal(job: str) -> JobId:
    """Return a job's identity in decimal: `ƒ2JL` is 4369. The letter before an F58 number depends on the locale."""
    if job.isdecimal():
        return job
    number = 0
    for digit in job[1:]:
        number = number * len(_DIGITS) + _DIGITS.index(digit)
    return str(number)


def _state(state: str, result: str, code: str, nodes: str, reason: str, note: str) -> BatchState:
    phase: Phase = "pending" if state in _PENDING else "running" if state in _RUNNING else "ended"
    number = int(code) if re.fullmatch(r"-?\d+", code) else None
    cause = ""
    if phase == "ended" and result != "COMPLETED":
        cause = _CAUSES.get(result) or (f"Flux ended it: {note}" if note else "")
    return BatchState(
        phase=phase,
        state=result or state,
        cause=cause,
        exit_code=number if phase == "ended" and number != _NEVER_RAN else None,
        timed_out=result == "TIMEOUT",
        nodes=expand(nodes),
        reason=reason if phase == "pending" else "",
    )
