"""Cost of starting an MPI program: a file of `linkworth bench init`, or a default with its sources."""

from pathlib import Path

import msgspec

from linkworth.catalog.decode import read_json
from linkworth.model.startup import StartupFit, StartupResult
from linkworth.units import plural

DEFAULT_INIT = StartupFit(base_seconds=0.07, seconds_per_rank=22 / 229_376)
"""Default cost of MPI_Init without a measurement: an order of magnitude.

Base: the least MPI_Init of one rank with MPICH 5.0.2 on an Intel Xeon, `linkworth bench init`, measured 2026-11-24.
A rank: "MPI_Init completed under 22 seconds with 229,376 processes on 3,584 KNL nodes", MVAPICH2 2.3a, 2017,
http://mvapich.cse.ohio-state.edu/performance/job-startup/ (an upper bound, with the base inside it).
"""
DEFAULT_SOURCE = (
    "an order of magnitude from MPICH 5.0.2 on one rank (2026-11-24) and MVAPICH2 2.3a on 229,376 ranks (2017); "
    "measure yours with `linkworth bench init`"
)


class Startup(msgspec.Struct, frozen=True, kw_only=True):
    """Fits to use, and their origin in words."""

    init: StartupFit
    launch: StartupFit | None
    """None if it was not measured."""
    source: str
    most_ranks: int = 0
    """Largest number of launched ranks; 0: unknown."""
    most_nodes: int = 0


DEFAULT = Startup(init=DEFAULT_INIT, launch=None, source=DEFAULT_SOURCE)


def load(path: Path) -> Startup:
    """Return the fits of a file of `linkworth bench init -o`. Raises UsageError for any other file."""
    found = read_json(path, StartupResult, "`linkworth bench init -o`")
    ranks = max((row.ranks for row in found.rows), default=0)
    nodes = max((row.nodes for row in found.rows), default=0)
    size = f"up to {plural(ranks, 'rank')} of {plural(nodes, 'node')}"
    place = f"{found.mpi.partition(',')[0]} on {size}, {found.where}, {found.date[:10]}"
    return Startup(
        init=found.init,
        launch=found.launch,
        source="; ".join([f"{path}: {place}", *found.warnings]),
        most_ranks=ranks,
        most_nodes=nodes,
    )
