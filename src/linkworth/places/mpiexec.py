"""Starting ranks by the `mpiexec` of one MPI."""

import shutil
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence

import msgspec

from linkworth.errors import EnvironmentLacksError
from linkworth.model.mpi import MpiInstallation
from linkworth.model.place import Binding
from linkworth.mpi import transports
from linkworth.places.job import Job, JobEnd, Observer
from linkworth.places.process import run_session


def mpiexec_options(binding: Binding, mpi: MpiInstallation, *, crowded: bool = False) -> list[str]:
    """Return the options of an MPI's own launcher. `crowded`: there are more ranks than cores.

    Open MPI binds by default, which must be off for more ranks than cores. Raises EnvironmentLacksError for
    an MPI whose launcher has no known option for binding.
    """
    if not binding:
        return ["--bind-to", "none"] if crowded and mpi.kind == "openmpi" else []
    if mpi.kind == "openmpi":
        newer = int(mpi.version.partition(".")[0]) >= 5
        # Version 5 calls a socket a package.
        unit = "package" if newer and binding == "socket" else binding
        return ["--bind-to", f"{unit}:overload-allowed" if crowded and binding != "none" else unit]
    if mpi.kind == "mpich":
        return ["-bind-to", binding]
    raise EnvironmentLacksError(
        f"{mpi.name}: its launcher takes no binding from linkworth; leave the binding out, "
        "or give the launcher's own command with its options as the program"
    )


# Open MPI refuses to start as root unless both are set. Version 5 reads PRTE_, version 4 reads OMPI_.
ROOT_ALLOWED = {
    f"{project}_ALLOW_RUN_AS_ROOT{suffix}": "1" for project in ("OMPI", "PRTE") for suffix in ("", "_CONFIRM")
}


def set_for_ranks(environment: Mapping[str, str], command: Sequence[str]) -> list[str]:
    """Return the words that start a command with more variables, which the launcher itself does not get."""
    if not environment:
        return list(command)
    # env would take a program in a folder such as `n=4` for one more variable.
    shell = ["/bin/sh", "-c", 'exec "$0" "$@"'] if "=" in command[0] else []
    return [
        shutil.which("env") or "/usr/bin/env",
        *(f"{name}={value}" for name, value in environment.items()),
        *shell,
        *command,
    ]


_HYDRA = ("mpich", "intel", "mvapich")
"""Kinds of MPI whose mpiexec is Hydra."""


def check_reaches_hosts(mpi: MpiInstallation, cannot: str) -> None:
    """Raise EnvironmentLacksError for an MPI without a launcher that can start ranks on other hosts.

    `cannot` is what it then cannot do.
    """
    if mpi.kind != "openmpi" and mpi.kind not in _HYDRA:
        raise EnvironmentLacksError(f"{mpi.name} {cannot}: its launcher is neither Open MPI's nor Hydra")
    if not mpi.mpiexec:
        raise EnvironmentLacksError(f"{mpi.name} ({mpi.library}) has no launcher (mpiexec) here")


class MpiexecLauncher(ABC):
    """Launcher by an MPI's own `mpiexec`. A subclass places the ranks."""

    name: str

    def __init__(self, mpi: MpiInstallation, transport: str, binding: Binding) -> None:
        self.mpi = mpi
        self.settings = transports.settings(transport, mpi)
        self._binding = binding
        # An option below makes Open MPI yield.
        self.spins_when_crowded = mpi.kind != "openmpi"

    @property
    @abstractmethod
    def cores(self) -> int:
        """Cores for all ranks."""

    @abstractmethod
    def placement(self, ranks: int) -> list[str]:
        """Return the options that place ranks on nodes."""

    def slots(self, _ranks: int) -> dict[str, int]:
        """Return the number of ranks on each node that gets any; empty on one node."""
        return {}

    def nodes_of(self, ranks: int) -> list[str]:
        """Return the nodes that get ranks; empty if there is one node."""
        return list(self.slots(ranks))

    def arguments(self, job: Job) -> list[str]:
        """Return the mpiexec command line for a job."""
        crowded = job.ranks > self.cores
        options = [*self.placement(job.ranks), *mpiexec_options(self._binding, self.mpi, crowded=crowded)]
        if crowded and self.mpi.kind == "openmpi":
            options += ["--mca", "mpi_yield_when_idle", "1"]
        start = [self.mpi.mpiexec, "-n", str(job.ranks), *options, *self.settings.arguments]
        return [*start, *set_for_ranks(self.settings.environment | job.environment, job.command)]

    def run(self, job: Job, observer: Observer) -> JobEnd:
        """Run the job to its end."""
        end = run_session(
            self.arguments(job),
            observer,
            environment=ROOT_ALLOWED if self.mpi.kind == "openmpi" else {},
            timeout=job.timeout,
            folder=job.folder,
            inherit_stdin=job.inherit_stdin,
        )
        return msgspec.structs.replace(end, nodes=self.nodes_of(job.ranks))
