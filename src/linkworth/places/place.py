"""Interface between linkworth and a place where jobs run: its nodes, its launcher, its counters."""

from typing import Protocol, Self

from linkworth.errors import UsageError
from linkworth.model.counters import NodeCounters
from linkworth.model.mpi import MpiInstallation
from linkworth.model.trace import MOST_RANKS
from linkworth.places.job import Launcher
from linkworth.units import plural


class OpenPlace(Protocol):
    """A place that is open for runs. Leaving its `with` block releases its resources."""

    @property
    def name(self) -> str:
        """Short name for results: `local`, `lab gbe`, `slurm`."""

    @property
    def nodes(self) -> list[str]:
        """Names of the nodes."""

    @property
    def cores(self) -> int:
        """Cores that the ranks may use, over all nodes. Ranks beyond them share cores.

        0 if unknown before the run, since a batch system gives each rank a core.
        """

    @property
    def transport(self) -> str:
        """Named setting of the MPI's transport that its launchers apply. "": the MPI's own choice."""

    def launcher(self, mpi: MpiInstallation) -> Launcher:
        """Return a launcher for this MPI. Raises EnvironmentLacksError if the two are incompatible."""

    def counters(self) -> list[NodeCounters]:
        """Read the counters of its nodes now. Empty if they cannot be read."""

    def facts(self) -> dict[str, str]:
        """Return the facts that a result reports: rate, MTU, isolation, kernel, and causes of doubt."""

    def __enter__(self) -> Self:
        """Return the place itself."""

    def __exit__(self, *_: object) -> None:
        """Release the place."""


RANKS_A_CORE = 64
LEAST_LIMIT = 1024
"""Ranks that any place may start, however few cores it has."""


def most_ranks(cores: int) -> int:
    """Return the number of ranks that a place of so many cores may start, since each is a process."""
    return max(LEAST_LIMIT, RANKS_A_CORE * cores)


def check_started_ranks(ranks: int, place: OpenPlace) -> None:
    """Raise UsageError for more ranks than a place can start."""
    most = most_ranks(place.cores) if place.cores else MOST_RANKS
    if ranks > most:
        raise UsageError(
            f"`ranks` {ranks}: each rank is a process, and {place.name} starts at most {most} of them; give fewer, or record "
            "the skeleton of a bundled program, which runs nothing"
        )


def check_layout(ranks: int, nodes: int | None, ranks_per_node: int | None) -> None:
    """Raise UsageError for more nodes than ranks, and if nodes and ranks on each make another number of ranks."""
    if nodes and ranks_per_node and nodes * ranks_per_node != ranks:
        raise UsageError(
            f"`nodes` {nodes} and `ppn` {ranks_per_node} make {nodes * ranks_per_node} ranks, but `ranks` is {ranks}"
        )
    if nodes and nodes > ranks:
        raise UsageError(
            f"`nodes` {nodes}: {plural(ranks, 'rank')} cannot be on more than {plural(ranks, 'node')}"
        )
