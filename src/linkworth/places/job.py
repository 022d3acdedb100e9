"""Interface between linkworth and a launcher: the job, its observer, and its end."""

from pathlib import Path
from typing import Literal, Protocol

import msgspec

from linkworth.model.counters import NodeCounters

Stream = Literal["stdout", "stderr"]


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """A program to start on a number of ranks."""

    command: list[str]
    """Program and arguments, without a launcher (except for the given launcher, with the user's own)."""
    ranks: int
    """0 if only the user's own launcher command gives the number."""
    environment: dict[str, str] = msgspec.field(default_factory=dict)
    """Variables for the ranks, not for the launcher."""
    timeout: float | None = None
    """Seconds of wall time after which everything is stopped."""
    folder: Path | None = None
    """Folder where the ranks start. None: the current folder."""
    record: Path | None = None
    """Folder of the run's results, where a launcher stores the data to find a job that outlived linkworth."""
    inherit_stdin: bool = False
    """True to pass this process's standard input to the program. Else the program's input is empty."""


class JobEnd(msgspec.Struct, frozen=True, kw_only=True):
    """End of a job."""

    exit_code: int
    """Exit code of the launcher, or minus the signal's number if a signal ended it."""
    seconds: float
    """Wall time from start to end."""
    timed_out: bool = False
    interrupted: bool = False
    """True if the user (Ctrl-C) or the batch system (SIGTERM) stopped linkworth during the job."""
    cause: str = ""
    """Sentence of the batch system about an abnormal end."""
    nodes: list[str] = msgspec.field(default_factory=list)
    """Nodes that had ranks, if only the launcher knew them."""
    counters: list[NodeCounters] = msgspec.field(default_factory=list)
    """Differences over the job, if only the job itself could read the counters."""


class Observer(Protocol):
    """Receiver of a job's output, and of the time at intervals. A subclass ignores what it does not define."""

    def output(self, stream: Stream, data: bytes) -> None:
        """Handle output of the job."""
        return

    def tick(self, seconds: float) -> None:
        """Handle the wall time since the start. Called several times a second."""
        return


class Launcher(Protocol):
    """Starts a job, waits for it, and always ends all of its processes."""

    @property
    def name(self) -> str:
        """Short name for results: `local`, `mpirun`."""

    @property
    def spins_when_crowded(self) -> bool:
        """True if waiting ranks keep a shared core, and the launcher's own options cannot change that.

        The preload library can. False if the launcher makes the MPI yield, or if the user's own command
        starts the ranks: what runs there is the user's decision, and a recording yields by itself.
        """

    def arguments(self, job: Job) -> list[str]:
        """Return the command line that `run` starts."""

    def run(self, job: Job, observer: Observer) -> JobEnd:
        """Run the job to its end. Raises EnvironmentLacksError if the launcher itself cannot be started."""
