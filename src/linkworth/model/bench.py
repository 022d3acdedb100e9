"""Results of network micro-benchmarks."""

import msgspec

from linkworth.model.counters import NodeCounters

PORT_BUFFER = "port buffer"
"""The fact of a result that says what the switch holds for one node's link: `65536 B`."""

LINK_RATE = "link rate"
"""The fact of a result that states the rate of a node's links together: `125000000 B/s`."""


class BenchRow(msgspec.Struct, frozen=True, kw_only=True):
    """One message size (and one pattern, where a test has several)."""

    bytes: int
    latency_seconds: float | None = None
    """Mean time of one operation: half a round trip in the ping-pong tests, the slowest rank's time of a collective."""
    bandwidth_bytes_per_second: float | None = None
    """Message data only."""
    samples: int = 0
    label: str = ""
    """Pattern, collective or number of pairs, where the size alone does not say what was measured."""
    mean: float | None = None
    """This and what follows are of one sample in seconds; None where another tool does not give it."""
    median: float | None = None
    deviation: float | None = None
    minimum: float | None = None
    p99: float | None = None
    confidence_half_width: float | None = None
    """Of the mean, at 95 %, relative to it."""
    outliers: int = 0
    overlap_share: float | None = None
    """Of a transfer (or of the computation beside it, where that is shorter), what was hidden behind the other: 0 to 1."""


class Carried(msgspec.Struct, frozen=True, kw_only=True):
    """What really carried the bytes."""

    transport: str = ""
    """As the MPI names it; "" where it does not say."""
    counters: list[NodeCounters] = msgspec.field(default_factory=list)
    """Differences over the test."""
    verdict: str = ""
    """One sentence: `between nodes over d0 (1.02 of the payload counted)`, `shared memory: no NIC counted the payload`."""


class BenchResult(msgspec.Struct, frozen=True, kw_only=True):
    """What `linkworth bench --json` prints for one test, and what parsers make of other tools' output."""

    schema: str = "linkworth.bench/1"
    test: str
    """latency, bandwidth, bibandwidth, pingpong, beff, hpcc, multipair, incast, overlap, alltoall, allreduce, ..."""
    rows: list[BenchRow]
    ranks: int = 2
    nodes: int = 0
    """0 where it is not known."""
    tool: str = "linkworth"
    """With its version where known: `OSU 7.4`."""
    mpi: str = ""
    where: str = ""
    facts: dict[str, str] = msgspec.field(default_factory=dict)
    carried: Carried | None = None
    date: str = ""
    warnings: list[str] = msgspec.field(default_factory=list)
    values: dict[str, float] = msgspec.field(default_factory=dict)
    """Single figures of a test, by name with unit: b_eff's `beff_bytes_per_second`."""


class BenchSet(msgspec.Struct, frozen=True, kw_only=True):
    """Results of several tests: what `linkworth bench --json` prints for more than one, and what `-o` keeps."""

    schema: str = "linkworth.bench-set/1"
    results: list[BenchResult]
