"""Slurm through its own commands: sbatch, squeue, sacct, scontrol, scancel (see
docs/explanation/batch-systems.md)."""

import getpass
import os
import re
import shlex
from collections.abc import Iterable, Iterator

from linkworth.errors import EnvironmentLacksError
from linkworth.model.mpi import MpiInstallation
from linkworth.model.place import Binding, Place
from linkworth.places.batch import (
    VERSION_SECONDS,
    BatchRequest,
    BatchState,
    BatchSystem,
    JobId,
    JobShape,
    Phase,
    call,
    clock,
    job_name,
    unanswered,
)
from linkworth.places.host_list import expand
from linkworth.places.place import OpenPlace
from linkworth.places.slurm_steps import SlurmSteps
from linkworth.units import plural

# Job states of squeue(1), "JOB STATE CODES", that have not ended and use nodes, or will.
_PENDING = {
    "PENDING",
    "CONFIGURING",
    "REQUEUED",
    "REQUEUE_FED",
    "REQUEUE_HOLD",
    "RESV_DEL_HOLD",
    "SPECIAL_EXIT",
}
_RUNNING = {"RUNNING", "COMPLETING", "SUSPENDED", "STOPPED", "STAGE_OUT", "RESIZING", "SIGNALING"}
_CAUSES = {
    "TIMEOUT": "Slurm stopped it at its time limit",
    "DEADLINE": "Slurm stopped it at its deadline",
    "OUT_OF_MEMORY": "it used more memory than Slurm gave it (ask for more with Slurm's option mem)",
    "NODE_FAIL": "a node of the job failed",
    "BOOT_FAIL": "a node of the job did not start",
    "PREEMPTED": "Slurm stopped it for a job of higher priority",
    "CANCELLED": "it was cancelled",
    "LAUNCH_FAILED": "Slurm could not launch it on its nodes",
    "REVOKED": "Slurm moved it to another cluster",
}

_KEPT_DAYS = 30
"""Days of accounting that are searched for a job of a killed linkworth."""


_CPU_BIND = {"core": "cores", "socket": "sockets", "numa": "ldoms", "none": "none"}
_MANAGERS = {
    "openmpi": ("pmix",),
    "mpich": ("pmi2", "pmix"),
    "mvapich": ("pmi2",),
    "cray": ("cray_shasta", "pmi2"),
}
"""Process management interfaces of srun that each kind of MPI may use, best first."""


class Slurm(BatchSystem):
    """A Slurm cluster."""

    name = "slurm"
    title = "Slurm"
    help = "Run as a Slurm job; inside a Slurm job, as one of its steps."
    queue_word = "PARTITION"
    directive = "#SBATCH"
    version_command = ("sbatch", "--version")
    submit_command = ("sbatch", "--parsable")
    submitted = r"(?m)^(\d+)(?:;.*)?\s*\Z"
    cancel_command = ("scancel", "--quiet")
    job_variable = "SLURM_JOB_ID"
    index = "$SLURM_ARRAY_TASK_ID"
    list_nodes = 'scontrol show hostnames "$SLURM_JOB_NODELIST"'
    on_each_node = (
        'srun --mpi=none --ntasks-per-node=1 --ntasks="$SLURM_JOB_NUM_NODES" --nodes="$SLURM_JOB_NUM_NODES"'
    )

    prepares = (
        "export SLURM_OVERLAP=1 "
        "${SLURM_CPUS_PER_TASK:+SRUN_CPUS_PER_TASK=${SRUN_CPUS_PER_TASK:-$SLURM_CPUS_PER_TASK}}"
    )
    """Input environment variables of srun(1).

    Without the first one the program's step waits until the previous step (of the probe or the counters) has ended, and
    the wait counts as the program's time. Without the second one ranks with threads get a core each since 22.05, not the
    job's `--cpus-per-task`. Older versions neither know nor need them.
    """

    def __init__(self) -> None:
        # Ended jobs do not change, so they are not queried again.
        self._ended: dict[JobId, BatchState] = {}

    def directives(self, request: BatchRequest) -> Iterator[str]:
        """Yield the options of a job."""
        yield f"--job-name={job_name(request)}"
        # sbatch removes quotes like a shell.
        yield f"--chdir={shlex.quote(str(request.folder))}"
        yield f"--output={shlex.quote(str(request.log).replace('%', '%%'))}"
        # An array's elements share the log.
        yield "--open-mode=append"
        yield f"--ntasks={request.tasks}"
        # If Slurm restarts a job after a failed node, a measurement would run twice silently.
        yield "--no-requeue"
        if request.nodes:
            yield f"--nodes={request.nodes}"
        if request.tasks_per_node:
            yield f"--ntasks-per-node={request.tasks_per_node}"
        if request.seconds:
            yield f"--time={clock(request.seconds)}"
        for option, value in (
            ("partition", request.partition),
            ("constraint", request.constraint),
            ("account", request.account),
        ):
            if value:
                yield f"--{option}={value}"
        if request.array:
            limit = f"%{request.at_once}" if request.at_once else ""
            yield f"--array=0-{request.array - 1}{limit}"
        yield from request.options

    def ways(self, mpi: MpiInstallation, shape: JobShape) -> list[str]:
        """Return srun with each interface of the cluster that fits the MPI, then the MPI's own launcher."""
        here = process_managers()
        size = ["--ntasks", str(shape.ranks), "--kill-on-bad-exit=1"]
        if shape.nodes:
            size += ["--nodes", str(shape.nodes)]
        if shape.ranks_per_node:
            size += ["--ntasks-per-node", str(shape.ranks_per_node)]
        if shape.binding:
            size += [f"--cpu-bind={_CPU_BIND[shape.binding]}"]
        found = [
            shlex.join(["srun", f"--mpi={manager}", *size])
            for manager in _MANAGERS.get(mpi.kind, ("pmi2", "pmix"))
            if manager in here
        ]
        return found + super().ways(mpi, shape)

    def check_binding(self, binding: Binding) -> None:
        """Raise EnvironmentLacksError if srun would not bind, for lack of the plugin task/affinity."""
        if binding in ("", "none"):
            return
        said = call(["scontrol", "show", "config"], system="Slurm").out
        plugins = next(
            (line.partition("=")[2] for line in said.splitlines() if line.startswith("TaskPlugin ")), ""
        )
        if "affinity" not in plugins:
            raise EnvironmentLacksError(
                f"this Slurm cluster binds no ranks (TaskPlugin is {plugins.strip() or 'not told'}, not task/affinity); "
                "leave the binding out"
            )

    def description(self) -> str:
        """Return the version, the partitions with their nodes, and the interfaces of srun."""
        try:
            nodes = call(
                ["sinfo", "--noheader", "--format=%P %D %T"], system="Slurm", seconds=VERSION_SECONDS
            ).out
        except EnvironmentLacksError:
            nodes = ""
        partitions = partitions_of(nodes)
        if not partitions:
            raise EnvironmentLacksError("no cluster answers (sinfo); is this a login node?")
        try:
            managers = ", ".join(manager for manager in process_managers() if manager != "none")
        except EnvironmentLacksError:
            managers = ""
        parts = [
            self.version(),
            *(f"partition {name}: {plural(count, 'node')}" for name, count in partitions.items()),
        ]
        if managers:
            parts.append(f"srun starts ranks through {managers}")
        if self.is_inside():
            parts.append("this is inside a job, whose nodes run programs at once")
        return "; ".join(parts)

    def is_inside(self) -> bool:
        """Return whether this process runs inside a Slurm job."""
        return bool(os.environ.get(self.job_variable)) and bool(os.environ.get("SLURM_JOB_NODELIST"))

    def steps(self, place: Place) -> OpenPlace:
        """Return the job's nodes as a place."""
        return SlurmSteps(place, self)

    def elements(self, job: JobId, count: int) -> list[JobId]:
        """Return `12_0`, `12_1`, ... of an array."""
        return [f"{job}_{number}" for number in range(count)] if count else [job]

    def find(self, token: str) -> JobId | None:
        """Look up the job's name in squeue, and in the accounting if there is one."""
        # A filter by name needs the whole name, and one user has few jobs.
        user = getpass.getuser()
        answer = call(
            ["squeue", "--noheader", "--states=all", f"--user={user}", "--format=%F %j"], system="Slurm"
        )
        if answer.code != 0:
            raise unanswered("squeue", answer)
        kept = ["--allocations", f"--user={user}", f"--starttime=now-{_KEPT_DAYS}days"]
        more = call(
            ["sacct", "--noheader", "--parsable2", "--delimiter= ", *kept, "--format=JobID,JobName%100"],
            system="Slurm",
        )
        for line in [*answer.out.splitlines(), *(more.out.splitlines() if more.code == 0 else [])]:
            job, _, name = line.strip().partition(" ")
            if name.endswith(f"-{token}"):
                return job.partition("_")[0]
        return None

    def state(self, jobs: Iterable[JobId]) -> dict[JobId, BatchState]:
        """Query squeue, then the accounting for forgotten jobs, or the controller without accounting."""
        every = list(jobs)
        wanted = [job for job in every if job not in self._ended]
        found = _from_squeue(wanted) if wanted else {}
        missing = [job for job in wanted if job not in found]
        if missing:
            found |= _from_sacct(missing)
        for job in wanted:
            if job not in found:
                found |= _from_scontrol(job)
        self._ended |= {job: state for job, state in found.items() if state.phase == "ended"}
        known = self._ended | found
        return {job: known.get(job, BatchState(phase="unknown")) for job in every}


def _from_squeue(jobs: list[JobId]) -> dict[JobId, BatchState]:
    answer = call(
        [
            "squeue",
            "--noheader",
            "--array",
            "--states=all",
            "--format=%i|%T|%r|%N",
            f"--jobs={','.join(jobs)}",
        ],
        system="Slurm",
    )
    # squeue refuses the whole query when it knows none of the jobs. Any other refusal is the controller's.
    if answer.code != 0 and "Invalid job id" not in answer.said:
        said = answer.said.strip().splitlines() or [f"exit code {answer.code}"]
        raise EnvironmentLacksError(f"Slurm does not answer: {said[-1]}")
    found = {}
    for line in answer.out.splitlines():
        job, _, rest = line.strip().partition("|")
        state, _, rest = rest.partition("|")
        reason, _, nodes = rest.partition("|")
        if job in jobs:
            found[job] = _state(state, reason=reason, nodes=nodes)
    for job, known in found.items():
        # squeue reports no exit code, which is clear only after a success.
        if known.phase == "ended" and known.state != "COMPLETED":
            found[job] = _from_scontrol(job).get(job, known)
    return found


def _from_sacct(jobs: list[JobId]) -> dict[JobId, BatchState]:
    answer = call(
        [
            "sacct",
            "--noheader",
            "--parsable2",
            "--allocations",
            "--array",
            "--format=JobID,State,ExitCode,NodeList",
            f"--jobs={','.join(jobs)}",
        ],
        system="Slurm",
    )
    if answer.code != 0:
        # Without accounting storage sacct fails, which is usual on small clusters.
        return {}
    found = {}
    for line in answer.out.splitlines():
        fields = line.split("|")
        if len(fields) == 4 and fields[0] in jobs:
            found[fields[0]] = _state(fields[1], exit_code=fields[2], nodes=fields[3])
    return found


def _from_scontrol(job: JobId) -> dict[JobId, BatchState]:
    answer = call(["scontrol", "show", "job", "--oneliner", job], system="Slurm")
    if answer.code != 0:
        return {}
    fields = dict(re.findall(r"(\w+)=(\S*)", answer.out))
    if "JobState" not in fields:
        return {}
    return {
        job: _state(
            fields["JobState"],
            reason=fields.get("Reason", ""),
            exit_code=fields.get("ExitCode", ""),
            nodes=fields.get("NodeList", ""),
        )
    }


def _state(text: str, *, reason: str = "", exit_code: str = "", nodes: str = "") -> BatchState:
    """Make a state from Slurm's words. sacct writes `CANCELLED by 1000`. Exit codes are `code:signal`."""
    word = text.split()[0].rstrip("+") if text.split() else ""
    phase: Phase = "pending" if word in _PENDING else "running" if word in _RUNNING else "ended"
    code, _, signal = exit_code.partition(":")
    number = int(code) if code.isdecimal() else None
    if number == 0 and signal.isdecimal() and int(signal):
        number = -int(signal)
    cause = _CAUSES.get(word, "")
    if word == "FAILED" and reason in ("NodeDown", "SystemFailure", "JobLaunchFailure"):
        cause = f"Slurm could not run it: {reason}"
    return BatchState(
        phase=phase,
        state=word,
        cause=cause if phase == "ended" else "",
        exit_code=None if phase != "ended" else 0 if word == "COMPLETED" else number,
        timed_out=word in ("TIMEOUT", "DEADLINE"),
        nodes=expand(nodes) if nodes and nodes != "(null)" else [],
        reason=reason if phase == "pending" and reason != "None" else "",
    )


def process_managers() -> list[str]:
    """Return the process management interfaces that `srun --mpi=list` prints."""
    answer = call(["srun", "--mpi=list"], system="Slurm")
    return re.findall(r"^\s*([a-z]\w*)\s*$", answer.said + answer.out, re.MULTILINE)


def partitions_of(text: str) -> dict[str, int]:
    """Count the nodes of each partition (the default first) that are not down, from `sinfo --format='%P %D %T'`."""
    found: dict[str, int] = {}
    default = ""
    for line in text.splitlines():
        words = line.split()
        if len(words) != 3 or not words[1].isdecimal():
            continue
        name = words[0].rstrip("*")
        default = name if words[0].endswith("*") else default
        usable = not re.match(r"down|drain|fail|unknown|reboot|power", words[2])
        found[name] = found.get(name, 0) + (int(words[1]) if usable else 0)
    return dict(sorted(found.items(), key=lambda item: item[0] != default))
