"""This machine as a place for runs."""

import platform
import re
import socket
from pathlib import Path
from types import TracebackType
from typing import Self

from linkworth.launch import local
from linkworth.launch.counters import node_counters
from linkworth.launch.local import LocalLauncher
from linkworth.model.counters import NodeCounters
from linkworth.model.mpi import MpiInstallation
from linkworth.model.where import Binding


class LocalSite:
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
        return local.cores()

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
