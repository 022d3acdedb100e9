"""Interface to batch systems: job requests, submission, job states, and ways to start ranks in a job."""

import os
import re
import secrets
import shlex
import subprocess
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import ClassVar, Literal

import msgspec

from linkworth.errors import EnvironmentLacksError, UsageError
from linkworth.model.mpi import MpiInstallation
from linkworth.model.place import Binding, Place
from linkworth.places.mpiexec import mpiexec_options
from linkworth.places.place import OpenPlace

JobId = str
Phase = Literal["pending", "running", "ended", "unknown"]
CALL_SECONDS = 60.0
"""Time limit of a scheduler's answer. A slower one is overloaded or unreachable, which is an error."""
VERSION_SECONDS = 20.0


class BatchRequest(msgspec.Struct, frozen=True, kw_only=True):
    """Request of a job to a batch system."""

    name: str
    body: str
    """Shell commands, without the first line and without directives."""
    folder: Path
    """Folder where the job starts, on a file system that the nodes share."""
    log: Path
    """Output of the batch system and the script's shell, both streams. For an array: of all its elements."""
    tasks: int = 1
    nodes: int | None = None
    """None: as many nodes as the tasks need."""
    tasks_per_node: int | None = None
    seconds: float | None = None
    """Time limit. None: the partition's default."""
    partition: str = ""
    constraint: str = ""
    account: str = ""
    options: Sequence[str] = ()
    """More options, as the batch system's submit command takes them."""
    token: str = ""
    """Unique part of the job's name, by which `BatchSystem.find` finds it."""
    array: int = 0
    """0: one job. Otherwise that many equal jobs, numbered from 0 in the variable of `BatchSystem.index`."""
    at_once: int = 0
    """Elements of an array that may run at the same time. 0: no limit."""


class BatchState(msgspec.Struct, frozen=True, kw_only=True):
    """Current state of a job in a batch system."""

    phase: Phase
    """`unknown`: the batch system does not know the job any more (or not yet)."""
    state: str = ""
    """Batch system's own word: `TIMEOUT`, `F`, `EXIT`."""
    cause: str = ""
    """One sentence, if the job was ended from outside the program: time limit, memory, node, cancelled."""
    exit_code: int | None = None
    """Exit code of the script, None if unknown."""
    timed_out: bool = False
    nodes: list[str] = msgspec.field(default_factory=list)
    reason: str = ""
    """Reason of the batch system why the job does not run yet."""


class JobShape(msgspec.Struct, frozen=True, kw_only=True):
    """Number of ranks and nodes of a job, and the ranks' binding."""

    ranks: int
    nodes: int | None = None
    ranks_per_node: int | None = None
    binding: Binding = ""


class JobQueue(ABC):
    """Takes jobs and reports their states. Raises EnvironmentLacksError if it does not answer."""

    @abstractmethod
    def submit(self, request: BatchRequest, script: Path) -> JobId:
        """Write the script and submit it. Raises UsageError with the batch system's message if it refuses."""

    @abstractmethod
    def state(self, jobs: Iterable[JobId]) -> dict[JobId, BatchState]:
        """Return the state of every requested job (or element) with a few calls of the batch system."""


class BatchSystem(JobQueue):
    """A batch system behind its own commands, which is also the queue of its jobs.

    A subclass is all that linkworth knows about one batch system. Its methods raise EnvironmentLacksError if a command
    is absent or does not answer.
    """

    name: ClassVar[str]
    """Short name for options, study files and results: `slurm`."""
    title: ClassVar[str]
    """Name for sentences: `Slurm`."""
    help: ClassVar[str]
    """Sentence on the option that selects it."""
    queue_word: ClassVar[str] = "QUEUE"
    """Word for the name of a group of nodes: `PARTITION`."""
    directive: ClassVar[str]
    """Start of the lines of a script that the batch system reads: `#SBATCH`."""
    version_command: ClassVar[tuple[str, ...]]
    """Command that prints the version."""
    submit_command: ClassVar[tuple[str, ...]]
    """Command that submits the script whose path follows."""
    reads_script: ClassVar[bool] = False
    """True: the command reads the script from its standard input instead."""
    submitted: ClassVar[str]
    """Pattern in its output, with the job's identity as its first group."""
    cancel_command: ClassVar[tuple[str, ...]]
    job_variable: ClassVar[str]
    """Environment variable that every process of a job has."""
    index: ClassVar[str]
    """Shell expression that gives an array element its number from 0."""
    list_nodes: ClassVar[str]
    """Shell command inside a job that prints the names of its nodes, one per line."""
    node_file: ClassVar[str] = ""
    """Shell word for a file in a job with a line for each rank's node. A library built without the batch system needs it."""
    on_each_node: ClassVar[str] = ""
    """Shell words before a command inside a job that runs once on each node. "" if there are none."""
    prepares: ClassVar[str] = ":"
    """Shell command inside a job before all others."""

    @abstractmethod
    def directives(self, request: BatchRequest) -> Iterator[str]:
        """Yield the options of a job, as a script has them after `directive`."""

    @abstractmethod
    def elements(self, job: JobId, count: int) -> list[JobId]:
        """Return the identities of an array's elements, in order, or of a plain job (count 0) its own.

        That of an element that was not submitted is empty.
        """

    @abstractmethod
    def find(self, token: str) -> JobId | None:
        """Return the job (or array) that was submitted with a token, None if the batch system knows none."""

    def submit(self, request: BatchRequest, script: Path) -> JobId:
        """Write the script and submit it. Raises UsageError with the batch system's message if it refuses."""
        text = self.script(request)
        write_script(script, text)
        command = self.submit_command if self.reads_script else [*self.submit_command, str(script)]
        answer = call(command, system=self.title, stdin=text if self.reads_script else "")
        job = re.search(self.submitted, answer.out)
        if answer.code == 0 and job:
            return job[1]
        words = [line.strip() for line in (answer.said + answer.out).splitlines() if line.strip()]
        raise UsageError(
            f"{command[0]} refused the job: {words[-1] if words else f'exit code {answer.code}'}"
        )

    def script(self, request: BatchRequest) -> str:
        """Return the whole script that `submit` submits."""
        options = [f"{self.directive} {option}" for option in self.directives(request)]
        return "\n".join(["#!/bin/sh", *options, request.body.rstrip(), ""])

    def cancel(self, jobs: Iterable[JobId]) -> None:
        """Cancel jobs. Ended ones are ignored."""
        wanted = list(jobs)
        if wanted:
            call([*self.cancel_command, *wanted], system=self.title)

    def ways(self, mpi: MpiInstallation, shape: JobShape) -> list[str]:
        """Return the ways to start an MPI's ranks inside a job, best first, as shell words before the program.

        Empty if there is none.
        """
        if not mpi.mpiexec:
            return []
        start = [mpi.mpiexec, "-n", str(shape.ranks)]
        if shape.ranks_per_node:
            openmpi = ["--map-by", f"ppr:{shape.ranks_per_node}:node"]
            start += openmpi if mpi.kind == "openmpi" else ["-ppn", str(shape.ranks_per_node)]
        way = shlex.join([*start, *mpiexec_options(shape.binding, mpi)])
        option = "--hostfile" if mpi.kind == "openmpi" else "-f"
        return [way, f'{way} {option} "{self.node_file}"'] if self.node_file else [way]

    def check_binding(self, binding: Binding) -> None:
        """Raise EnvironmentLacksError if a launcher of the batch system would not bind ranks."""
        return

    def version(self) -> str:
        """Return the first line that the version command prints."""
        answer = call(self.version_command, system=self.title, seconds=VERSION_SECONDS)
        return (answer.out or answer.said).strip().partition("\n")[0]

    def description(self) -> str:
        """Return the facts about the cluster for a user. Raises EnvironmentLacksError if no cluster answers."""
        return self.version()

    def is_inside(self) -> bool:
        """Return whether this process runs inside a job whose nodes can run programs at once."""
        return False

    def steps(self, place: Place) -> OpenPlace:
        """Return the nodes of this process's own job as a place. Called only if `is_inside`."""
        raise NotImplementedError


def new_token() -> str:
    """Return a unique token. PBS allows names of 15 characters."""
    return secrets.token_hex(5)


def job_name(request: BatchRequest, most: int = 60) -> str:
    """Return a job's name, its token at the end, in at most `most` characters."""
    if not request.token:
        return request.name[:most]
    return f"{request.name[: most - len(request.token) - 1]}-{request.token}"


class BatchAnswer(msgspec.Struct, frozen=True):
    """Result of a batch system's command."""

    code: int
    out: str
    said: str
    """Its standard error."""


def call(
    command: Sequence[str], *, system: str, stdin: str = "", seconds: float = CALL_SECONDS
) -> BatchAnswer:
    """Call a command of a batch system. Raises EnvironmentLacksError if it is absent or does not answer."""
    try:
        done = subprocess.run(
            list(command),
            input=stdin,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=seconds,
            check=False,
        )
    except FileNotFoundError:
        raise EnvironmentLacksError(
            f"{command[0]} is not on PATH; {system} jobs are submitted from a login node of the cluster"
        ) from None
    except (OSError, subprocess.TimeoutExpired) as error:
        raise EnvironmentLacksError(f"{command[0]} does not answer: {error}") from None
    return BatchAnswer(done.returncode, done.stdout, done.stderr)


def unanswered(command: str, answer: BatchAnswer) -> EnvironmentLacksError:
    """Return the error for a query that a batch system did not answer, with its message."""
    words = [line.strip() for line in answer.said.splitlines() if line.strip()]
    return EnvironmentLacksError(f"{command} does not answer: {words[-1] if words else answer.code}")


def write_script(script: Path, text: str) -> None:
    """Write an executable script."""
    script.write_bytes(os.fsencode(text))
    script.chmod(0o755)


_DURATION = re.compile(r"(?:(\d+)-)?(\d+)(?::(\d+))?(?::(\d+))?")


def duration(text: str) -> float:
    """Read a time limit in the format of sbatch(1), in seconds: M, M:S, H:M:S, D-H, D-H:M or D-H:M:S.

    Raises UsageError for any other text.
    """
    found = _DURATION.fullmatch(text.strip())
    if not found:
        raise UsageError(
            f"`time` {text}: write minutes, minutes:seconds, hours:minutes:seconds or days-hours[:minutes[:seconds]]"
        )
    days = found[1]
    numbers = [int(part) for part in found.groups()[1:] if part is not None]
    units = [3600, 60, 1] if days is not None or len(numbers) == 3 else [60, 1]
    total = int(days or 0) * 86400 + sum(number * unit for number, unit in zip(numbers, units, strict=False))
    if total <= 0:
        raise UsageError(f"`time` {text}: a time limit must be greater than zero")
    return float(total)


def clock(seconds: float) -> str:
    """Write a time limit as HH:MM:SS, rounded up to whole seconds."""
    whole = -int(-seconds // 1)
    return f"{whole // 3600:02d}:{whole // 60 % 60:02d}:{whole % 60:02d}"
