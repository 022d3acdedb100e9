"""PBS (OpenPBS, PBS Professional) through qsub, qstat and qdel.

Written from the manuals and tested with stand-ins of the commands: no PBS was available.
"""

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping

import msgspec

from linkworth.places.batch import (
    BatchRequest,
    BatchState,
    BatchSystem,
    JobId,
    Phase,
    call,
    clock,
    job_name,
    unanswered,
)

# Job states of qstat(1B).
_PENDING = set("QHWT")
_RUNNING = set("RESUB")
# Exit_status of jobs that PBS itself ended (PBS Professional Administrator's Guide, "Job Exit Status Codes").
_CAUSES = {
    -24: "PBS stopped it: it used more cores than it asked for",
    -25: "PBS stopped it: it used more cores than it asked for",
    -26: "it used more virtual memory than PBS gave it",
    -27: "it used more memory than PBS gave it",
    -28: "PBS stopped it at its limit of CPU time",
    -29: "PBS stopped it at its time limit (walltime)",
}
_WALLTIME = -29
_BY_SIGNAL = 256
"""Exit_status of a job that a signal ended, minus the signal's number."""


class Pbs(BatchSystem):
    """A PBS server."""

    name = "pbs"
    title = "PBS"
    help = "Run as a PBS job (qsub)."
    directive = "#PBS"
    version_command = ("qsub", "--version")
    submit_command = ("qsub",)
    submitted = r"\A\s*(\d+(?:\[\])?(?:\.[\w.-]+)?)\s*\Z"
    cancel_command = ("qdel",)
    job_variable = "PBS_JOBID"
    index = "$PBS_ARRAY_INDEX"
    list_nodes = 'sort -u "$PBS_NODEFILE"'
    node_file = "$PBS_NODEFILE"

    def directives(self, request: BatchRequest) -> Iterator[str]:
        """Yield the options of a job."""
        # A name begins with a letter.
        yield f"-N {re.sub(r'^[^A-Za-z]', 'j', job_name(request, 15))}"
        yield "-j oe"
        yield f"-o {shlex.quote(str(request.log))}"
        # A measurement must not be repeated silently, but PBS refuses arrays that it may not repeat. Their scripts do.
        yield f"-r {'y' if request.array else 'n'}"
        # PBS needs the shape of the nodes. Its submit command has no plain number of tasks.
        nodes = request.nodes or -(-request.tasks // (request.tasks_per_node or request.tasks))
        each, more = (request.tasks_per_node, 0) if request.tasks_per_node else divmod(request.tasks, nodes)
        feature = f":{request.constraint}" if request.constraint else ""
        shares = [(more, each + 1), (nodes - more, each)]
        chunks = [f"{count}:ncpus={ranks}:mpiprocs={ranks}{feature}" for count, ranks in shares if count]
        yield f"-l select={'+'.join(chunks)}"
        if request.nodes and request.nodes > 1:
            yield "-l place=scatter"
        if request.seconds:
            yield f"-l walltime={clock(request.seconds)}"
        if request.partition:
            yield f"-q {request.partition}"
        if request.account:
            yield f"-A {request.account}"
        if request.array:
            limit = f"%{request.at_once}" if request.at_once else ""
            yield f"-J 0-{request.array - 1}{limit}"
        yield from request.options

    def script(self, request: BatchRequest) -> str:
        """Return the script. It changes its folder first, since PBS starts every job in the home folder."""
        body = f"cd {shlex.quote(str(request.folder))} || exit 1\n{request.body}"
        return super().script(msgspec.structs.replace(request, body=body))

    def elements(self, job: JobId, count: int) -> list[JobId]:
        """Return `12[0].server`, `12[1].server`, ... of an array `12[].server`."""
        return [job.replace("[]", f"[{number}]", 1) for number in range(count)] if count else [job]

    def find(self, token: str) -> JobId | None:
        """Look up the job's name in qstat."""
        for job, fields in _query([]).items():
            if fields.get("Job_Name", "").endswith(f"-{token}"):
                # An element stands for its array: 12[3].server belongs to 12[].server.
                return re.sub(r"\[\d+\]", "[]", job)
        return None

    def state(self, jobs: Iterable[JobId]) -> dict[JobId, BatchState]:
        """Query qstat for these jobs."""
        wanted = list(jobs)
        known = _query(wanted)
        return {job: _state(known[job]) if job in known else BatchState(phase="unknown") for job in wanted}


def _query(jobs: list[JobId]) -> dict[JobId, dict[str, str]]:
    """Return the attributes of jobs (none: all), including ended ones if the server keeps them.

    A server without history, the default of PBS, refuses -x even for running jobs. Text is read because the JSON of
    several versions is invalid with some values of variables.
    """
    answer = call(["qstat", "-x", "-f", *jobs], system="PBS")
    if "history" in answer.said:
        answer = call(["qstat", "-f", *jobs], system="PBS")
    found: dict[JobId, dict[str, str]] = {}
    fields: dict[str, str] = {}
    # Long values continue on lines that begin with a tab.
    for line in answer.out.replace("\n\t", "").splitlines():
        if line.startswith("Job Id: "):
            fields = found.setdefault(line.removeprefix("Job Id: ").strip(), {})
        else:
            name, _, value = line.strip().partition(" = ")
            fields.setdefault(name, value)
    if answer.code != 0 and not found and not re.search("Unknown Job|has finished", answer.said):
        raise unanswered("qstat", answer)
    return found


def _state(fields: Mapping[str, str]) -> BatchState:
    letter = fields.get("job_state", "")
    phase: Phase = "pending" if letter in _PENDING else "running" if letter in _RUNNING else "ended"
    status = fields.get("Exit_status", "")
    code = int(status) if re.fullmatch(r"-?\d+", status) else None
    hosts = re.findall(r"(?:^|\+)\(?([^/+:()]+)", fields.get("exec_host", ""))
    comment = fields.get("comment", "")
    cause = ""
    if phase == "ended":
        if code is None:
            cause = comment or "PBS removed it before it ran"
        elif code in _CAUSES:
            cause = _CAUSES[code]
        elif code < 0:
            cause = f"PBS could not run it (Exit_status {code}{f': {comment}' if comment else ''})"
        elif code > _BY_SIGNAL:
            cause = f"it was cancelled or stopped by signal {code - _BY_SIGNAL}"
    return BatchState(
        phase=phase,
        state=letter,
        cause=cause,
        exit_code=None
        if code is None or phase != "ended"
        else -(code - _BY_SIGNAL)
        if code > _BY_SIGNAL
        else code,
        timed_out=code == _WALLTIME,
        nodes=list(dict.fromkeys(hosts)),
        reason=comment if phase == "pending" else "",
    )
