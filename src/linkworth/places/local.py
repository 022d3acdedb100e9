"""This machine as a place for runs, with the launcher of the chosen MPI."""

import os
import platform
import re
import shutil
import socket
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

from linkworth.errors import EnvironmentLacksError
from linkworth.model.counters import NodeCounters
from linkworth.model.mpi import MpiInstallation
from linkworth.model.place import Binding
from linkworth.mpi import transports
from linkworth.places.binding import mpiexec_options
from linkworth.places.counters import node_counters
from linkworth.places.job import Job, JobEnd, Observer
from linkworth.places.process import run_session

# Open MPI refuses to start as root unless both are set. Version 5 reads PRTE_, version 4 reads OMPI_.
ROOT_ALLOWED = {
    f"{project}_ALLOW_RUN_AS_ROOT{suffix}": "1" for project in ("OMPI", "PRTE") for suffix in ("", "_CONFIRM")
}


def cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0))


def set_for_ranks(environment: Mapping[str, str]) -> list[str]:
    """Return the words that start a program with more variables, which the launcher itself does not get."""
    if not environment:
        return []
    return [
        shutil.which("env") or "/usr/bin/env",
        *(f"{name}={value}" for name, value in environment.items()),
    ]


class LocalLauncher:
    """Launcher on this machine by `mpiexec` of one MPI, which also starts more ranks than cores."""

    name = "local"

    def __init__(self, mpi: MpiInstallation, transport: str = "", binding: Binding = "") -> None:
        if not mpi.mpiexec:
            raise EnvironmentLacksError(
                f"{mpi.name} ({mpi.library}) has no launcher (mpiexec) here; give the launcher that this machine uses "
                "as the command's first word, for example: srun -n 8 ./program"
            )
        self.mpi = mpi
        self._settings = transports.settings(transport, mpi)
        self._binding = binding
        # An option below makes Open MPI yield.
        self.spins_when_crowded = mpi.kind != "openmpi"

    def arguments(self, job: Job) -> list[str]:
        """Return the mpiexec command line for a job."""
        crowded = job.ranks > cores()
        options = []
        if self.mpi.kind == "openmpi":
            # Open MPI counts physical cores as slots, so ranks on hardware threads need permission too.
            newer = int(self.mpi.version.split(".")[0]) >= 5
            options += ["--map-by", ":OVERSUBSCRIBE"] if newer else ["--oversubscribe"]
        options += mpiexec_options(self._binding, self.mpi, crowded=crowded)
        if crowded and self.mpi.kind == "openmpi":
            options += ["--mca", "mpi_yield_when_idle", "1"]
        return [
            self.mpi.mpiexec,
            "-n",
            str(job.ranks),
            *options,
            *self._settings.arguments,
            *set_for_ranks(self._settings.environment | job.environment),
            *job.command,
        ]

    def run(self, job: Job, observer: Observer) -> JobEnd:
        """Run the job to its end."""
        return run_session(
            self.arguments(job),
            observer,
            environment=ROOT_ALLOWED if self.mpi.kind == "openmpi" else {},
            timeout=job.timeout,
            folder=job.folder,
            inherit_stdin=job.inherit_stdin,
        )


class LocalPlace:
    """One node: the machine that linkworth runs on."""

    name = "local"

    def __init__(self, transport: str = "", binding: Binding = "", *, proc: Path = Path("/proc")) -> None:
        self.transport = transport
        self.binding = binding
        self.nodes = [socket.gethostname()]
        self._proc = proc

    @property
    def cores(self) -> int:
        """Cores that this process may use."""
        return cores()

    def launcher(self, mpi: MpiInstallation) -> LocalLauncher:
        """Return the launcher of an MPI on this machine."""
        return LocalLauncher(mpi, self.transport, self.binding)

    def counters(self) -> list[NodeCounters]:
        """Read this machine's counters, which include everything that runs on it."""
        return [node_counters(self.nodes[0], self._proc / "net", self._proc / "stat")]

    def facts(self) -> dict[str, str]:
        """Return the kernel and the processor."""
        found = {"kernel": platform.release(), "cores": str(self.cores)}
        if self.binding:
            found["binding"] = self.binding
        try:
            processor = re.search(r"^model name\s*:\s*(.+)$", (self._proc / "cpuinfo").read_text(), re.M)
        except OSError:
            processor = None
        if processor:
            found["processor"] = processor[1].strip()
        return found

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Release nothing."""
