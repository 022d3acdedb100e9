"""The seam to batch systems: what a job asks for, who submits it, what becomes of it."""

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
"""A scheduler that does not answer within this is an error: it is overloaded or cannot be reached."""


class BatchRequest(msgspec.Struct, frozen=True, kw_only=True):
    """What a job asks a batch system for."""

    name: str
    body: str
    """Shell commands, without the first line and without directives."""
    folder: Path
    """Where the job starts; on a file system that the nodes share."""
    log: Path
    """What the batch system itself and the script's shell say, both streams. Of an array: of all its elements."""
    tasks: int = 1
    nodes: int | None = None
    """None: as many as the tasks need."""
    tasks_per_node: int | None = None
    seconds: float | None = None
    """Time limit; None: the partition's default."""
    partition: str = ""
    constraint: str = ""
    account: str = ""
    options: Sequence[str] = ()
    """More options, as the batch system's submit command takes them."""
    token: str = ""
    """Part of the job's name that no other job has, by which `Batch.find` finds it."""
    array: int = 0
    """0: one job; else this many alike, each with its number from 0 in the variable that `Batch.index` names."""
    at_once: int = 0
    """Elements of an array that may run at the same time; 0: no limit."""


class BatchState(msgspec.Struct, frozen=True, kw_only=True):
    """What a batch system says of a job now."""

    phase: Phase
    """`unknown`: it does not know the job any more (or not yet)."""
    state: str = ""
    """Its own word: `TIMEOUT`, `F`, `EXIT`."""
    cause: str = ""
    """One sentence where the job ended and that is not the program's own doing: time limit, memory, node, cancelled."""
    exit_code: int | None = None
    """Of the script; None where it is not told."""
    timed_out: bool = False
    nodes: list[str] = msgspec.field(default_factory=list)
    reason: str = ""
    """Why it does not run yet, in the batch system's words."""


class Batch(Protocol):
    """A batch system. Its methods raise EnvironmentLacksError where its commands are absent or do not answer."""

    @property
    def name(self) -> str:
        """Short name for results: `slurm`."""

    @property
    def index(self) -> str:
        """Shell expression that gives an array element its number from 0."""

    @property
    def list_nodes(self) -> str:
        """Shell command that prints the names of a job's nodes inside it, one a line."""

    @property
    def on_each_node(self) -> str:
        """Shell words before a command that runs once on each node of a job inside it; "" where there are none."""

    def script(self, request: BatchRequest) -> str:
        """Return the whole script that `submit` would submit."""

    def submit(self, request: BatchRequest, script: Path) -> JobId:
        """Write the script and submit it. Raises UsageError with the batch system's own sentence where it refuses."""

    def elements(self, job: JobId, count: int) -> list[JobId]:
        """Return the identities of an array's elements, in order; of a plain job (count 0) its own."""

    def find(self, token: str) -> JobId | None:
        """Return the job (or array) that was submitted with a token, None where the batch system knows none.

        Raises EnvironmentLacksError where it cannot say.
        """

    def state(self, jobs: Iterable[JobId]) -> dict[JobId, BatchState]:
        """Return the state of every job (or element) asked for, in one or a few calls of the batch system."""

    def cancel(self, jobs: Iterable[JobId]) -> None:
        """Cancel jobs; those that have ended already are left alone."""


def new_token() -> str:
    """Return a token that no other job has; PBS takes names of 15 characters."""
    return secrets.token_hex(5)


def job_name(request: BatchRequest, most: int = 60) -> str:
    """Return a job's name, its token at the end, in at most so many characters."""
    if not request.token:
        return request.name[:most]
    return f"{request.name[: most - len(request.token) - 1]}-{request.token}"


class Answer(msgspec.Struct, frozen=True):
    """What a command of a batch system gave."""

    code: int
    out: str
    said: str
    """Its standard error."""


def call(command: Sequence[str], *, system: str, stdin: str = "") -> Answer:
    """Call a command of a batch system. Raises EnvironmentLacksError where it is absent or does not answer."""
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
    """Return the error of a question that a batch system has not answered, in its words."""
    words = [line.strip() for line in answer.said.splitlines() if line.strip()]
    return EnvironmentLacksError(f"{command} does not answer: {words[-1] if words else answer.code}")


def refused(command: str, answer: Answer) -> UsageError:
    """Return the error of a submission that was refused, in the batch system's words."""
    words = [line.strip() for line in (answer.said + answer.out).splitlines() if line.strip()]
    return UsageError(f"{command} refused the job: {words[-1] if words else f'exit code {answer.code}'}")


def write_script(script: Path, text: str) -> None:
    """Write a script that can be executed."""
    script.write_bytes(os.fsencode(text))
    script.chmod(0o755)


_DURATION = re.compile(r"(?:(\d+)-)?(\d+)(?::(\d+))?(?::(\d+))?")


def duration(text: str) -> float:
    """Read a time limit as sbatch(1) takes it: M, M:S, H:M:S, D-H, D-H:M or D-H:M:S; in seconds.

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
        raise UsageError(f"--time {text}: a time limit must be longer than nothing")
    return float(total)


def clock(seconds: float) -> str:
    """Write a time limit as HH:MM:SS, rounded up to whole seconds."""
    whole = -int(-seconds // 1)
    return f"{whole // 3600:02d}:{whole // 60 % 60:02d}:{whole % 60:02d}"
