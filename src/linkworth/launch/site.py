"""The seam between linkworth and a place where jobs run: its nodes, its launcher, its counters."""

from types import TracebackType
from typing import Protocol, Self

from linkworth.launch.base import Launcher
from linkworth.model.counters import NodeCounters
from linkworth.model.mpi import MpiInstallation


class Site(Protocol):
    """A place that is open for runs. Used with `with`: leaving it releases what it holds."""

    @property
    def name(self) -> str:
        """Short name for results: `local`, `lab gbe`, `slurm`."""

    @property
    def nodes(self) -> list[str]:
        """Names of its nodes."""

    @property
    def cores(self) -> int:
        """Cores that its ranks may use, over all nodes; ranks beyond them share cores.

        0 where that is not known before the run: a batch system gives each rank a core.
        """

    @property
    def transport(self) -> str:
        """The named setting of the MPI's transport that its launchers apply; "": the MPI's own choice."""

    def launcher(self, mpi: MpiInstallation) -> Launcher:
        """Return what starts jobs of this MPI here. Raises EnvironmentLacksError where the two do not go together."""

    def counters(self) -> list[NodeCounters]:
        """Read the counters of its nodes now; empty where they cannot be read."""

    def facts(self) -> dict[str, str]:
        """Return what a result must say of the place: rate, MTU, isolation, kernel, and what makes figures doubtful."""

    def __enter__(self) -> Self:
        """Return the site itself."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Release the place."""
