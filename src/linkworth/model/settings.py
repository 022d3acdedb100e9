"""How a replay treats the machine that it predicts, beside fabric and layout."""

from typing import Literal

import msgspec

from linkworth.model.collectives import ForcedCollective


class ReplaySettings(msgspec.Struct, frozen=True, kw_only=True):
    """What `linkworth predict` offers beside fabrics, nodes and the CPU factor. The defaults leave the trace as it is."""

    progress: Literal["asynchronous", "calls"] | None = None
    """Who answers requests to send, instead of the fabric's own `progress`."""
    cpu_factor_at: dict[int, float] = msgspec.field(default_factory=dict)
    """CPU factor of the computation after MPI_Pcontrol(level), instead of the general one."""
    memory_demand_bytes_per_second: float = 0.0
    """Memory traffic of a rank that computes alone on its node."""
    memory_bandwidth_bytes_per_second: float | None = None
    """Of a node; ranks that compute at once and want more together slow each other. None: no limit."""
    cores_per_node: int | None = None
    """More ranks of a node that compute at once share its cores. None: each rank has a core."""
    second_rank_speedup: float = 1.0
    """What a core does with two ranks on it (hardware threads) against what it does with one, from 1 to 2."""
    noise: float = 0.0
    """Standard deviation of the logarithm of each computation's length; its mean stays."""
    seed: int = 0
    """Of the noise."""
    background_load: float = 0.0
    """Share of every link between nodes that others use, from 0 to below 1."""
    samples: int = 0
    """Replays with parameters drawn from the fabric's spread, for an interval of the time; 0: none."""
    spread: dict[str, float] = msgspec.field(default_factory=dict)
    """Relative standard deviations instead of the fabric's: latency, bandwidth, overhead, computation."""
    contention: bool = True
    """False: every message has the network for itself."""
    mpi_library: str | None = None
    """Whose collective algorithms run; None: those of the library that recorded."""
    forced_collectives: list[ForcedCollective] = msgspec.field(default_factory=list)
    """Algorithms that run whatever the library would take."""
    pass_unmodelled: bool = False
    """Collectives that are not modelled keep their recorded time instead of being an error."""
