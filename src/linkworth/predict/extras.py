"""Results of a prediction beside its times."""

from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from statistics import fmean

import msgspec

from linkworth.catalog.startup import DEFAULT, Startup
from linkworth.model.prediction import Layout
from linkworth.model.startup import Initialisation
from linkworth.predict.timeline import Timeline
from linkworth.trace.read import TraceFile
from linkworth.units import plural

_FIRST_CALLS = 16
"""First calls of a rank to search for MPI_Init; few may precede it."""
_MOST_RANKS = 256
"""Most ranks, evenly spread, whose MPI_Init is read."""


def initialisation(trace: TraceFile, layout: Layout, startup: Startup | None) -> Initialisation | None:
    """Return MPI_Init on a layout by `startup`; without one, as recorded, or the default if the trace has no times.

    Returns None for a recording without MPI_Init.
    """
    ranks = trace.engine.ranks
    if startup is None and trace.metadata.timed:
        recorded = _recorded(trace)
        if not recorded:
            return None
        return Initialisation(seconds=fmean(recorded), source="as recorded, on whatever machine that was")
    used = startup or DEFAULT
    beyond = 0 < used.most_ranks < ranks or 0 < used.most_nodes < layout.nodes
    return Initialisation(
        seconds=used.init.seconds(ranks, layout.nodes),
        source=used.source
        + (f"; extrapolated to {plural(ranks, 'rank')} of {plural(layout.nodes, 'node')}" if beyond else ""),
        launch_seconds=None if used.launch is None else used.launch.seconds(ranks, layout.nodes),
    )


def _recorded(trace: TraceFile) -> list[float]:
    ranks = trace.engine.ranks
    step = -(-ranks // _MOST_RANKS)
    found = []
    for rank in range(0, ranks, step):
        calls = islice(trace.engine.iterate(rank), _FIRST_CALLS)
        init = next((call for call in calls if call["call_class"] == "init"), None)
        if init is not None:
            found.append(float(init["duration_seconds"]))
    return found


class Extras(msgspec.Struct, frozen=True, kw_only=True):
    """Requested additions to a prediction."""

    tolerances: bool = False
    """Latency and bandwidth that the program can bear, on fabrics that have both."""
    loads: bool = False
    """Use of each link and of each rank's core, and the marks of rank 0. Excludes `beside`."""
    timeline: Timeline | None = None
    """Timeline to write, of the first fabric."""
    beside: Sequence[tuple[Path | TraceFile, str]] = ()
    """Traces of programs that run at the same time on the same nodes, each with its placement."""
    interval: bool = True
    """False: no interval and no draws, which saves a replay on each fabric."""
    startup: Startup | None = None
    """Cost of MPI_Init. None: as recorded."""
