"""Settings of a replay except fabric and layout."""

from typing import Literal

import msgspec

from linkworth.model.collectives import ForcedCollective


class ReplaySettings(msgspec.Struct, frozen=True, kw_only=True):
    """Options of `linkworth predict` except fabrics, nodes and the CPU factor. The defaults leave the trace
    unchanged."""

    progress: Literal["asynchronous", "calls"] | None = None
    """Handler of requests to send, instead of the fabric's own `progress`."""
    cpu_factor_at: dict[int, float] = msgspec.field(default_factory=dict)
    """CPU factor of the computation after MPI_Pcontrol(level), instead of the general one."""
    memory_demand_bytes_per_second: float = 0.0
    """Memory traffic of a rank that computes alone on its node."""
    memory_bandwidth_bytes_per_second: float | None = None
    """Memory bandwidth of a node. Ranks that compute at once and demand more slow each other. None: no
    limit."""
    cores_per_node: int | None = None
    """Cores of a node, shared if more ranks compute at once. None: each rank has a core."""
    second_rank_speedup: float = 1.0
    """Throughput of a core with two ranks (hardware threads) relative to one rank, from 1 to 2."""
    noise: float = 0.0
    """Standard deviation of the logarithm of each computation's length. The mean is unchanged."""
    seed: int = 0
    """Seed of the noise."""
    background_load: float = 0.0
    """Share of every link between nodes that others use, from 0 to below 1."""
    samples: int = 0
    """Replays with parameters drawn from the fabric's spread, for an interval of the time. 0: none."""
    spread: dict[str, float] = msgspec.field(default_factory=dict)
    """Relative standard deviations instead of the fabric's: latency, bandwidth, overhead, computation."""
    contention: bool = True
    """False: every message has the network for itself."""
    mpi_library: str | None = None
    """Library whose collective algorithms run. None: the library that recorded the trace."""
    forced_collectives: list[ForcedCollective] = msgspec.field(default_factory=list)
    """Algorithms that run instead of the library's choice."""
    pass_unmodelled: bool = False
    """Keep the recorded time of collectives that are not modelled, instead of failing."""
