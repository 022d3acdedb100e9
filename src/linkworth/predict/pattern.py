"""Pattern to which most of a program's bytes belong: exchanges between pairs, all-to-all, or other collectives."""

from collections import Counter
from typing import NamedTuple

from linkworth.catalog.derived import is_over_tcp
from linkworth.catalog.model_error import Pattern, Technology
from linkworth.model.fabric import Fabric
from linkworth.trace.read import TraceFile

MOST_EVENTS = 20_000
"""Calls of one rank that are looked at."""


class TracePattern(NamedTuple):
    """The pattern of a trace."""

    name: Pattern
    longest_all_to_all_bytes: float
    """Largest message between two ranks in an all-to-all."""


def pattern_of(trace: TraceFile) -> TracePattern:
    """Return the pattern, from the first calls of the rank in the middle."""
    ranks = trace.engine.ranks
    sums: Counter[Pattern] = Counter()
    longest = 0.0
    for number, event in enumerate(trace.engine.iterate(ranks // 2)):
        if number >= MOST_EVENTS:
            break
        kind, fields = event["call_class"], event["fields"]
        size = fields.get("bytes") or 0
        if kind == "collective" and "lltoall" in event["name"]:
            # The bytes of MPI_Alltoall are those for one rank, of MPI_Alltoallv for all.
            counts = fields.get("send_counts") or [size] * ranks
            sums["all-to-all"] += sum(counts)
            longest = max(longest, *counts)
        elif kind == "collective":
            sums["collectives"] += size
        elif "peer" in fields and "send" in event["name"].lower():
            sums["exchanges"] += size
    return TracePattern(max(sums, key=lambda name: sums[name]) if sums else "exchanges", longest)


def technology_of(fabric: Fabric) -> Technology:
    """Return whether the CPU (`tcp`) or the adapter (`rdma`) carries out the transfers."""
    return "tcp" if is_over_tcp(fabric) else "rdma"
