"""Starts ranks on this machine with the launcher of the chosen MPI."""

import os
import shutil
from collections.abc import Mapping

from linkworth.errors import EnvironmentLacksError
from linkworth.launch.base import Job, JobEnd, Observer
from linkworth.launch.binding import mpiexec_options
from linkworth.launch.process import run_session
from linkworth.model.mpi import MpiInstallation
from linkworth.model.where import Binding
from linkworth.mpi import transports

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
