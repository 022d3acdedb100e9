"""LSF through bsub, bjobs and bkill.

Written from the manuals and tested with stand-ins of the commands: no LSF was available.
"""

import re
import shlex
from collections.abc import Iterable, Iterator

from linkworth.errors import UsageError
from linkworth.places.batch import (
    BatchRequest,
    BatchState,
    BatchSystem,
    JobId,
    Phase,
    call,
    job_name,
    unanswered,
)
from linkworth.units import plural

# States of bjobs(1).
_PENDING = {"PEND", "PSUSP", "WAIT"}
_RUNNING = {"RUN", "USUSP", "SSUSP", "PROV", "UNKWN"}
# Termination reasons of LSF (IBM Spectrum LSF, "Termination reasons displayed by bacct, bhist, and bjobs").
_CAUSES = {
    "TERM_RUNLIMIT": "LSF stopped it at its time limit (-W)",
    "TERM_DEADLINE": "LSF stopped it at its deadline",
    "TERM_WINDOW": "LSF stopped it when the queue's window closed",
    "TERM_CPULIMIT": "LSF stopped it at its limit of CPU time",
    "TERM_MEMLIMIT": "it used more memory than LSF gave it",
    "TERM_SWAPLIMIT": "it used more memory than LSF gave it",
    "TERM_PREEMPT": "LSF stopped it for a job of higher priority",
    "TERM_OWNER": "it was cancelled",
    "TERM_FORCE_OWNER": "it was cancelled",
    "TERM_ADMIN": "it was cancelled by an administrator",
    "TERM_FORCE_ADMIN": "it was cancelled by an administrator",
    "TERM_ZOMBIE": "a node of the job failed",
    "TERM_CWD_NOTEXIST": "its folder cannot be reached on the node: use one that the nodes share",
}
_TIME_LIMITS = {"TERM_RUNLIMIT", "TERM_DEADLINE", "TERM_WINDOW"}


class Lsf(BatchSystem):
    """An LSF cluster."""

    name = "lsf"
    title = "LSF"
    help = "Run as an LSF job (bsub)."
    directive = "#BSUB"
    version_command = ("bsub", "-V")
    submit_command = ("bsub",)
    reads_script = True
    submitted = r"Job <(\d+)> is submitted"
    cancel_command = ("bkill",)
    job_variable = "LSB_JOBID"
    # LSF counts from 1.
    index = "$((LSB_JOBINDEX - 1))"
    node_file = "$LSB_DJOB_HOSTFILE"
    # Hosts and their numbers of slots. LSB_HOSTS, with a word for each rank, is too long in large jobs.
    list_nodes = "printf '%s %s\\n' $LSB_MCPU_HOSTS | cut -d' ' -f1 | sort -u"

    def directives(self, request: BatchRequest) -> Iterator[str]:
        """Yield the options of a job."""
        limit = f"%{request.at_once}" if request.at_once else ""
        yield f'-J "{job_name(request)}{f"[1-{request.array}]{limit}" if request.array else ""}"'
        yield f"-cwd {shlex.quote(str(request.folder))}"
        yield f"-o {shlex.quote(str(request.log))}"
        # A measurement must not be repeated silently.
        yield "-rn"
        yield f"-n {request.tasks}"
        each = request.tasks_per_node or (-(-request.tasks // request.nodes) if request.nodes else None)
        if request.nodes and each and (filled := -(-request.tasks // each)) != request.nodes:
            raise UsageError(
                f"`nodes` {request.nodes}: LSF fills {plural(filled, 'node')} with the {request.tasks} ranks, {each} on each; "
                f"give a multiple of {request.nodes} as `ranks`"
            )
        if each:
            yield f'-R "span[ptile={each}]"'
        if request.constraint:
            yield f'-R "select[{request.constraint}]"'
        if request.seconds:
            # Minutes, rounded up.
            yield f"-W {-int(-request.seconds // 60)}"
        if request.partition:
            yield f"-q {request.partition}"
        if request.account:
            yield f"-P {request.account}"
        yield from request.options

    def elements(self, job: JobId, count: int) -> list[JobId]:
        """Return `12[1]`, `12[2]`, ... of an array."""
        return [f"{job}[{number}]" for number in range(1, count + 1)] if count else [job]

    def find(self, token: str) -> JobId | None:
        """Look up the job's name in bjobs, including ended jobs."""
        answer = call(["bjobs", "-a", "-noheader", "-o", "jobid job_name delimiter='|'"], system="LSF")
        # bjobs fails if there is no job at all.
        if answer.code != 0 and "No job found" not in answer.said and "No unfinished job" not in answer.said:
            raise unanswered("bjobs", answer)
        for line in answer.out.splitlines():
            job, _, name = line.strip().partition("|")
            if name.partition("[")[0].endswith(f"-{token}"):
                return job
        return None

    def state(self, jobs: Iterable[JobId]) -> dict[JobId, BatchState]:
        """Query bjobs for these jobs, including ended ones."""
        wanted = list(jobs)
        fields = "jobid jobindex stat exit_code exec_host exit_reason pend_reason delimiter='|'"
        answer = call(["bjobs", "-a", "-noheader", "-o", fields, *wanted], system="LSF")
        # bjobs also fails if it knows only some of the jobs.
        if answer.code != 0 and not answer.out.strip() and "not found" not in answer.said:
            raise unanswered("bjobs", answer)
        known = {}
        for line in answer.out.splitlines():
            parts = line.strip().split("|")
            if len(parts) < 7:
                continue
            job, index, state, code, hosts, exited, pending = parts[:7]
            name = job if index in ("0", "-", "") else f"{job}[{index}]"
            known[name] = _state(state, code, hosts, exited, pending)
        return {job: known.get(job, BatchState(phase="unknown")) for job in wanted}


def _state(state: str, code: str, hosts: str, exited: str, pending: str) -> BatchState:
    phase: Phase = "pending" if state in _PENDING else "running" if state in _RUNNING else "ended"
    term = re.search(r"TERM_\w+", exited)
    cause = ""
    if phase == "ended" and term:
        cause = _CAUSES.get(term[0], f"LSF ended it ({exited})")
    # Format `4*node1:4*node2`: slots before the host's name.
    names = [host.partition("*")[2] or host for host in hosts.split(":") if host not in ("", "-")]
    number = int(code) if code.removeprefix("-").isdecimal() else None
    return BatchState(
        phase=phase,
        state=state,
        cause=cause,
        exit_code=None if phase != "ended" else 0 if state == "DONE" else number,
        timed_out=term is not None and term[0] in _TIME_LIMITS,
        nodes=list(dict.fromkeys(names)),
        reason="" if phase != "pending" or pending == "-" else pending,
    )
