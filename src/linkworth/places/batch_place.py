"""A batch system's cluster as a place for runs. Every run is its own job."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Self

from linkworth.model.counters import NodeCounters
from linkworth.model.mpi import MpiInstallation
from linkworth.model.place import Place
from linkworth.mpi import transports
from linkworth.places.batch import BatchRequest, BatchSystem, JobQueue, JobShape, duration
from linkworth.places.batch_launcher import BatchLauncher
from linkworth.places.place import check_layout


class BatchPlace:
    """A cluster behind a batch system."""

    def __init__(self, system: BatchSystem, place: Place, say: Callable[[str], None] | None = None) -> None:
        self.name = system.name
        self.system = system
        self.queue: JobQueue = system
        """Takes the jobs: the batch system itself, or arrays that collect them."""
        self.transport = place.transport
        self.nodes: list[str] = []
        self._place = place
        self._say = say
        self._request = request_of(place)
        self._version = system.version()

    @property
    def cores(self) -> int:
        """Ranks that --nodes and --ppn request, else 0, since a batch system gives each rank a core."""
        return (self._place.nodes or 0) * (self._place.ranks_per_node or 0)

    def shape(self, ranks: int) -> JobShape:
        """Spread ranks over nodes, as the user requested. Raises UsageError if that is impossible."""
        nodes, each = self._place.nodes, self._place.ranks_per_node
        check_layout(ranks, nodes, each)
        if each and not nodes:
            nodes = -(-ranks // each)
        if nodes and not each and ranks % nodes == 0:
            each = ranks // nodes
        return JobShape(ranks=ranks, nodes=nodes, ranks_per_node=each, binding=self._place.binding)

    def launcher(self, mpi: MpiInstallation) -> BatchLauncher:
        """Return a launcher that runs programs of an MPI as jobs."""
        self.system.check_binding(self._place.binding)
        return BatchLauncher(
            self.system,
            mpi,
            queue=self.queue,
            request=self._request,
            shape=self.shape,
            variables=transport_variables(self.transport, mpi),
            version=f"{self._version} {os.environ.get('SLURM_CONF', '')}",
            say=self._say,
        )

    def counters(self) -> list[NodeCounters]:
        """Return no counters: the nodes are unknown before the job, which reads its own counters."""
        return []

    def facts(self) -> dict[str, str]:
        """Return the batch system's version and the request."""
        asked = {
            "partition": self._request.partition,
            "constraint": self._request.constraint,
            "binding": self._place.binding,
        }
        return {"batch system": self._version} | {name: value for name, value in asked.items() if value}

    def __enter__(self) -> Self:
        """Return itself, since jobs are submitted run by run."""
        return self

    def __exit__(self, *_: object) -> None:
        """Release nothing: each run has waited for its job or cancelled it."""


def transport_variables(transport: str, mpi: MpiInstallation) -> dict[str, str]:
    """Return a transport's settings as variables only, since srun accepts no options of an MPI library.

    Open MPI also reads the parameter of `--mca NAME VALUE` from OMPI_MCA_NAME.
    """
    settings = transports.settings(transport, mpi)
    words = settings.arguments
    parameters = {
        f"OMPI_MCA_{words[at + 1]}": words[at + 2] for at, word in enumerate(words) if word == "--mca"
    }
    return parameters | settings.environment


def request_of(place: Place) -> BatchRequest:
    """Read the options of a place that apply to every job. Raises UsageError for an invalid time limit."""
    known = {"constraint": "", "account": "", "time": ""}
    rest = []
    for option in place.options:
        name, equals, value = option.removeprefix("--").partition("=")
        if option.startswith("--") and equals and name in known:
            known[name] = value
        else:
            rest.append(option)
    return BatchRequest(
        name="linkworth",
        body="",
        folder=Path(),
        log=Path(),
        seconds=duration(known["time"]) if known["time"] else None,
        partition=place.name,
        constraint=known["constraint"],
        account=known["account"],
        options=rest,
    )
