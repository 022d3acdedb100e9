"""Interface to batch systems: job requests, submission, and job states."""

import os
import re
import secrets
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal, Protocol

import msgspec

from linkworth.errors import EnvironmentLacksError, UsageError

JobId = str
Phase = Literal["pending", "running", "ended", "unknown"]
CALL_SECONDS = 60.0
"""Time limit of a scheduler's answer. A slower one is overloaded or unreachable, which is an error."""


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
    """Unique part of the job's name, by which `Batch.find` finds it."""
    array: int = 0
    """0: one job. Otherwise that many equal jobs, numbered from 0 in the variable of `Batch.index`."""
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


class Batch(Protocol):
    """A batch system. Its methods raise EnvironmentLacksError if its commands are absent or do not answer."""

    @property
    def name(self) -> str:
        """Short name for results: `slurm`."""

    @property
    def index(self) -> str:
        """Shell expression that gives an array element its number from 0."""

    @property
    def list_nodes(self) -> str:
        """Shell command inside a job that prints the names of its nodes, one per line."""

    @property
    def on_each_node(self) -> str:
        """Shell words before a command inside a job that runs once on each node. "" if there are none."""

    def script(self, request: BatchRequest) -> str:
        """Return the whole script that `submit` submits."""

    def submit(self, request: BatchRequest, script: Path) -> JobId:
        """Write the script and submit it. Raises UsageError with the batch system's message if it refuses."""

    def elements(self, job: JobId, count: int) -> list[JobId]:
        """Return the identities of an array's elements, in order, or of a plain job (count 0) its own."""

    def find(self, token: str) -> JobId | None:
        """Return the job (or array) that was submitted with a token, None if the batch system knows none.

        Raises EnvironmentLacksError if it cannot answer.
        """

    def state(self, jobs: Iterable[JobId]) -> dict[JobId, BatchState]:
        """Return the state of every requested job (or element) with a few calls of the batch system."""

    def cancel(self, jobs: Iterable[JobId]) -> None:
        """Cancel jobs. Ended ones are ignored."""


def new_token() -> str:
    """Return a unique token. PBS allows names of 15 characters."""
    return secrets.token_hex(5)


def job_name(request: BatchRequest, most: int = 60) -> str:
    """Return a job's name, its token at the end, in at most `most` characters."""
    if not request.token:
        return request.name[:most]
    return f"{request.name[: most - len(request.token) - 1]}-{request.token}"


class Answer(msgspec.Struct, frozen=True):
    """Result of a batch system's command."""

    code: int
    out: str
    said: str
    """Its standard error."""


def call(command: Sequence[str], *, system: str, stdin: str = "") -> Answer:
    """Call a command of a batch system. Raises EnvironmentLacksError if it is absent or does not answer."""
    try:
        done = subprocess.run(
            list(command),
            input=stdin,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=CALL_SECONDS,
            check=False,
        )
    except FileNotFoundError:
        raise EnvironmentLacksError(
            f"{command[0]} is not on PATH; {system} jobs are submitted from a login node of a {system} cluster"
        ) from None
    except (OSError, subprocess.TimeoutExpired) as error:
        raise EnvironmentLacksError(f"{command[0]} does not answer: {error}") from None
    return Answer(done.returncode, done.stdout, done.stderr)


def unanswered(command: str, answer: Answer) -> EnvironmentLacksError:
    """Return the error for a query that a batch system did not answer, with its message."""
    words = [line.strip() for line in answer.said.splitlines() if line.strip()]
    return EnvironmentLacksError(f"{command} does not answer: {words[-1] if words else answer.code}")


def refused(command: str, answer: Answer) -> UsageError:
    """Return the error for a refused submission, with the batch system's message."""
    words = [line.strip() for line in (answer.said + answer.out).splitlines() if line.strip()]
    return UsageError(f"{command} refused the job: {words[-1] if words else f'exit code {answer.code}'}")


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
            f"--time {text}: write minutes, minutes:seconds, hours:minutes:seconds or days-hours[:minutes[:seconds]]"
        )
    days = found[1]
    numbers = [int(part) for part in found.groups()[1:] if part is not None]
    units = [3600, 60, 1] if days is not None or len(numbers) == 3 else [60, 1]
    total = int(days or 0) * 86400 + sum(number * unit for number, unit in zip(numbers, units, strict=False))
    if total <= 0:
        raise UsageError(f"--time {text}: a time limit must be greater than zero")
    return float(total)


def clock(seconds: float) -> str:
    """Write a time limit as HH:MM:SS, rounded up to whole seconds."""
    whole = -int(-seconds // 1)
    return f"{whole // 3600:02d}:{whole // 60 % 60:02d}:{whole % 60:02d}"
