"""This machine as a place for runs, with the launcher of the chosen MPI."""

import os
import platform
import re
import socket
from pathlib import Path
from typing import Self

from linkworth.errors import EnvironmentLacksError
from linkworth.model.counters import NodeCounters
from linkworth.model.mpi import MpiInstallation
from linkworth.model.place import Binding
from linkworth.mpi.files import text_of
from linkworth.places.counters import node_counters
from linkworth.places.mpiexec import MpiexecLauncher


def cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0))


class LocalLauncher(MpiexecLauncher):
    """Launcher on this machine, which also starts more ranks than cores."""

    name = "local"

    def __init__(self, mpi: MpiInstallation, transport: str = "", binding: Binding = "") -> None:
        if not mpi.mpiexec:
            raise EnvironmentLacksError(
                f"{mpi.name} ({mpi.library}) has no launcher (mpiexec) here; give the launcher that this machine uses "
                "as the command's first word, for example: srun -n 8 ./program"
            )
        super().__init__(mpi, transport, binding)

    @property
    def cores(self) -> int:
        """Cores that this process may use."""
        return cores()

    def placement(self, ranks: int) -> list[str]:
        """Return the option that lets Open MPI start more ranks than slots."""
        if self.mpi.kind != "openmpi":
            return []
        # Open MPI counts physical cores as slots, so ranks on hardware threads need permission too.
        newer = int(self.mpi.version.split(".")[0]) >= 5
        return ["--map-by", ":OVERSUBSCRIBE"] if newer else ["--oversubscribe"]


class LocalPlace:
    """One node: the machine that linkworth runs on."""

    name = "local"

    def __init__(self, transport: str = "", binding: Binding = "") -> None:
        self.transport = transport
        self.binding = binding
        self.nodes = [socket.gethostname()]

    @property
    def cores(self) -> int:
        """Cores that this process may use."""
        return cores()

    def launcher(self, mpi: MpiInstallation) -> LocalLauncher:
        """Return the launcher of an MPI on this machine."""
        return LocalLauncher(mpi, self.transport, self.binding)

    def counters(self) -> list[NodeCounters]:
        """Read this machine's counters, which include everything that runs on it."""
        return [node_counters(self.nodes[0], Path("/proc/net"), Path("/proc/stat"), Path("/sys/class/net"))]

    def facts(self) -> dict[str, str]:
        """Return the kernel and the processor."""
        found = {"kernel": platform.release(), "cores": str(self.cores)}
        if self.binding:
            found["binding"] = self.binding
        processor = re.search(r"^model name\s*:\s*(.+)$", text_of(Path("/proc/cpuinfo")), re.M)
        if processor:
            found["processor"] = processor[1].strip()
        return found

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Release nothing."""
