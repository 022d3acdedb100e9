"""The seam between linkworth and whatever starts a job: what to start, who watches it, and how it ended."""

from pathlib import Path
from typing import Literal, Protocol

import msgspec

from linkworth.model.counters import NodeCounters

Stream = Literal["stdout", "stderr"]


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """A program to be started on a number of ranks."""

    command: list[str]
    """Program and arguments, without a launcher (or, for the given launcher, with the user's own)."""
    ranks: int
    """0 where only the user's own launcher command knows it."""
    environment: dict[str, str] = msgspec.field(default_factory=dict)
    """Variables for the ranks, not for the launcher."""
    timeout: float | None = None
    """Seconds of wall time after which everything is stopped."""
    folder: Path | None = None
    """Where the ranks start; None: the current folder."""
    record: Path | None = None
    """Folder of the run's results, where a launcher keeps what it needs to find a job again that outlived linkworth."""
    inherit_stdin: bool = False
    """Let the program read this process's standard input; else it finds an empty one."""


class JobEnd(msgspec.Struct, frozen=True, kw_only=True):
    """How a job ended."""

    exit_code: int
    """Of the launcher; minus the signal's number where a signal ended it."""
    seconds: float
    """Wall time from start to end."""
    timed_out: bool = False
    interrupted: bool = False
    """The user (Ctrl-C) or the batch system (SIGTERM) stopped linkworth while the job ran."""
    cause: str = ""
    """What a batch system says of the end, in a sentence, where that is not as it should be."""
    nodes: list[str] = msgspec.field(default_factory=list)
    """Where it ran, where only the launcher learned that."""
    counters: list[NodeCounters] = msgspec.field(default_factory=list)
    """Differences over the job, where only the job itself could read them."""


class Observer(Protocol):
    """Who gets a job's output as it comes, and the time every now and then."""

    def output(self, stream: Stream, data: bytes) -> None:
        """Take what the job wrote."""

    def tick(self, seconds: float) -> None:
        """Take the wall time since the start; called several times a second."""


class Launcher(Protocol):
    """Starts a job, waits for it, and leaves none of its processes behind, whatever happens."""

    @property
    def name(self) -> str:
        """Short name for results: `local`, `mpirun`."""

    @property
    def spins_when_crowded(self) -> bool:
        """Waiting ranks keep their core even where they share it, and the launcher's own options cannot change that.

        The preload library can; False where the launcher tells the MPI to yield, or where the user's own command decides.
        """

    def arguments(self, job: Job) -> list[str]:
        """Return the command line that `run` would start."""

    def run(self, job: Job, observer: Observer) -> JobEnd:
        """Run the job to its end. Raises EnvironmentLacksError where the launcher itself cannot be started."""
