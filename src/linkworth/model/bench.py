"""Results of network micro-benchmarks."""

import msgspec

from linkworth.model.counters import NodeCounters

PORT_BUFFER = "port buffer"
"""Fact of a result: the bytes that the switch buffers for one node's link, `65536 B`."""

LINK_RATE = "link rate"
"""Fact of a result: the rate of all links of a node together, `125000000 B/s`."""


class BenchRow(msgspec.Struct, frozen=True, kw_only=True):
    """One message size (and one pattern, if a test has several)."""

    bytes: int
    latency_seconds: float | None = None
    """Mean time of one operation: half a round trip in the ping-pong tests, the slowest rank's time of a collective."""
    bandwidth_bytes_per_second: float | None = None
    """Bandwidth of the message data alone."""
    samples: int = 0
    label: str = ""
    """Pattern, collective or number of pairs, if the size alone does not identify the measurement."""
    mean: float | None = None
    """This and the next four fields are of one sample, in seconds. None if the tool reports none."""
    median: float | None = None
    deviation: float | None = None
    minimum: float | None = None
    p99: float | None = None
    confidence_half_width: float | None = None
    """Half width of the mean's 95 % confidence interval, relative to the mean."""
    outliers: int = 0
    overlap_share: float | None = None
    """Share of the transfer hidden behind the computation, 0 to 1. If the computation is shorter: its hidden
    share."""


class Carrier(msgspec.Struct, frozen=True, kw_only=True):
    """Transport and NICs that carried the bytes."""

    transport: str = ""
    """Name that the MPI reports. "" if it reports none."""
    counters: list[NodeCounters] = msgspec.field(default_factory=list)
    """Differences over the test."""
    verdict: str = ""
    """One sentence: `between nodes over d0 (1.02 of the payload counted)`, `shared memory: no NIC counted the payload`."""


class BenchResult(msgspec.Struct, frozen=True, kw_only=True):
    """Result of one test, printed by `linkworth bench --json` or parsed from another tool's output."""

    schema: str = "linkworth.bench/1"
    test: str
    """latency, bandwidth, bibandwidth, pingpong, beff, hpcc, multipair, incast, overlap, alltoall, allreduce, ..."""
    rows: list[BenchRow]
    ranks: int = 2
    nodes: int = 0
    """0 if unknown."""
    tool: str = "linkworth"
    """Name of the tool, with its version if known: `OSU 7.4`."""
    mpi: str = ""
    where: str = ""
    facts: dict[str, str] = msgspec.field(default_factory=dict)
    carried: Carrier | None = None
    date: str = ""
    warnings: list[str] = msgspec.field(default_factory=list)
    values: dict[str, float] = msgspec.field(default_factory=dict)
    """Single figures of a test, by name with unit: b_eff's `beff_bytes_per_second`."""


class BenchSet(msgspec.Struct, frozen=True, kw_only=True):
    """Results of several tests, as `linkworth bench --json` prints them and `-o` stores them."""

    schema: str = "linkworth.bench-set/1"
    results: list[BenchResult]
