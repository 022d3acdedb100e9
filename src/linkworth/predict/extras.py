"""Results of a prediction beside its times."""

from collections.abc import Sequence
from pathlib import Path

import msgspec

from linkworth.catalog.startup import Startup
from linkworth.predict.timeline import Timeline
from linkworth.trace.read import TraceFile


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
