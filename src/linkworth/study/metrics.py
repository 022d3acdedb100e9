"""Metrics of a study: the unit, the better direction and the kind of number of each."""

import re
from typing import Literal

import msgspec

from linkworth.model.prediction import CRITICAL_PATH
from linkworth.model.statistics import Better

Kind = Literal["time", "rate", "size", "count", "share", "money", "number"]
"""Form of a value: seconds with a prefix, bytes a second, bytes, a whole number, a percentage, US$, as it is."""


class Metric(msgspec.Struct, frozen=True):
    """One figure of a run."""

    name: str
    """Key in a record's `metrics`."""
    title: str
    unit: str
    """Unit of the stored value."""
    better: Better | None
    """None if neither direction is."""
    kind: Kind


_KNOWN = [
    Metric("seconds", "time", "s", "lower", "time"),
    Metric("elapsed_seconds", "time from launch to end", "s", "lower", "time"),
    Metric("reported_seconds", "time that the program reports", "s", "lower", "time"),
    Metric("iteration_seconds", "time of an iteration", "s", "lower", "time"),
    Metric("latency_seconds", "latency", "s", "lower", "time"),
    Metric("bandwidth_bytes_per_second", "bandwidth", "B/s", "higher", "rate"),
    Metric("beff_bytes_per_second", "effective bandwidth b_eff", "B/s", "higher", "rate"),
    Metric("cost_usd", "cost of a run", "US$", "lower", "money"),
    Metric("internode_bytes", "bytes between nodes", "B", "lower", "size"),
    Metric("timed_internode_bytes", "bytes between nodes in the timed part", "B", "lower", "size"),
    Metric("messages", "messages", "1", "lower", "count"),
    Metric("sent_bytes", "bytes sent by the NICs", "B", "lower", "size"),
    Metric("received_bytes", "bytes received by the NICs", "B", "lower", "size"),
    Metric("retransmits", "TCP segments sent again", "1", "lower", "count"),
    Metric("out_of_order", "TCP segments out of order", "1", "lower", "count"),
    Metric("dropped_packets", "packets dropped by the NICs", "1", "lower", "count"),
    Metric("core_utilisation", "core utilisation", "1", "higher", "share"),
    Metric("compute_share", "share of computation", "1", "higher", "share"),
    Metric("communication_share", "share of communication", "1", "lower", "share"),
    Metric("init_seconds", "time of a rank in MPI_Init and MPI_Finalize", "s", "lower", "time"),
    Metric("parallel_efficiency", "parallel efficiency", "1", "higher", "share"),
    Metric("load_balance", "load balance", "1", "higher", "share"),
    Metric("communication_efficiency", "communication efficiency", "1", "higher", "share"),
    Metric("serialisation_efficiency", "serialisation efficiency", "1", "higher", "share"),
    Metric("transfer_efficiency", "transfer efficiency", "1", "higher", "share"),
    *(
        Metric(f"critical_{part}_seconds", f"{name} on the critical path", "s", "lower", "time")
        for part, name in CRITICAL_PATH.items()
    ),
]
METRICS = {metric.name: metric for metric in _KNOWN}

_OTHERS = (
    # Metrics of a recording.
    "events",
    "trace_bytes",
    # Metrics of `bench:beff`.
    "beff_per_rank_bytes_per_second",
    "rings_bytes_per_second",
    "random_bytes_per_second",
    "beff_at_longest_bytes_per_second",
    "longest_bytes",
    # Metrics of `bench:hpcc`.
    *(
        f"{which}_{what}"
        for which in (
            *("min_ping_pong", "avg_ping_pong", "max_ping_pong"),
            *("naturally_ordered_ring", "randomly_ordered_ring"),
        )
        for what in ("latency_seconds", "bandwidth_bytes_per_second")
    ),
)
NAMES = frozenset({*METRICS, *_OTHERS})
"""All metrics of linkworth's records, except those of single NICs. `metric` derives the unit of the others."""
_OF_A_NIC = re.compile(r"[\w.-]+_sent_bytes")

_BY_ENDING: list[tuple[str, str, Better | None, Kind]] = [
    ("_bytes_per_second", "B/s", "higher", "rate"),
    ("_per_second", "1/s", "higher", "number"),
    ("_seconds", "s", "lower", "time"),
    ("_bytes", "B", None, "size"),
    ("_usd", "US$", "lower", "money"),
    ("_share", "1", None, "share"),
    ("_efficiency", "1", "higher", "share"),
]
"""Units of figures that a study file extracts from a program's output, by the ending of the name."""


def is_metric(name: str) -> bool:
    """Return whether a record may have a metric of that name that is not a figure of a program's output."""
    return name in NAMES or _OF_A_NIC.fullmatch(name) is not None


def metric(name: str) -> Metric:
    """Return the metric of that name; for an unknown one, the ending decides unit and direction."""
    if name in METRICS:
        return METRICS[name]
    for ending, unit, better, kind in _BY_ENDING:
        if name.endswith(ending):
            title = name.removesuffix(ending).replace("_", " ").strip() or name
            return Metric(name, title, unit, better, kind)
    return Metric(name, name.replace("_", " "), "", None, "number")
