"""Results of a replay on a fabric."""

from collections import Counter
from typing import Annotated

import msgspec
from msgspec import Meta

from linkworth.model.collectives import CollectiveRules
from linkworth.model.profile import Pop
from linkworth.model.rates import RateSource
from linkworth.model.run import CoreUse
from linkworth.model.settings import ReplaySettings
from linkworth.model.startup import Initialisation


class Layout(msgspec.Struct, frozen=True, kw_only=True):
    """Assignment of ranks to nodes: `node_of_rank[r]`."""

    nodes: int
    node_of_rank: list[int]

    @property
    def ppn(self) -> int:
        """Ranks on the fullest node."""
        return max(Counter(self.node_of_rank).values())


class Interval(msgspec.Struct, frozen=True, kw_only=True):
    """Range that contains the true time with this confidence, from draws of all that is uncertain."""

    low_seconds: float
    high_seconds: float
    confidence: float
    samples: int


class RegionTime(msgspec.Struct, frozen=True, kw_only=True):
    """Computation at one level of MPI_Pcontrol inside the timed part."""

    level: int
    critical_seconds: float
    """Time on the critical path. The sum over levels is the prediction's `compute_seconds`."""
    rank_seconds: float
    """Sum over all ranks."""


class LinkLoad(msgspec.Struct, frozen=True, kw_only=True):
    """Load of one direction of a link over the whole replay."""

    link: str
    """`node 0 NIC out 0` (node and rail), `uplink 1 of group 0, level 0`."""
    busy_seconds: float
    stretch_seconds: float
    busy_share: list[float]
    """Busy share, 0 to 1, of each stretch of time from the start on."""


CRITICAL_PATH = {
    "compute": "computation",
    "overhead": "overhead",
    "latency": "latency",
    "bandwidth": "bandwidth",
    "wait": "waiting",
}
"""Parts of the critical path, in order, each with its name on screens and pages."""


class ReplayTimes(msgspec.Struct, frozen=True, kw_only=True):
    """Times and counts of one replay. The five parts are those of the critical path and sum to `seconds`."""

    seconds: float
    compute_seconds: float
    overhead_seconds: float
    latency_seconds: float
    bandwidth_seconds: float
    wait_seconds: float
    internode_bytes: int
    """Message payload that crosses between nodes in the whole run, summed over all nodes."""
    timed_internode_bytes: int = 0
    """Payload between nodes that is sent in the timed part, to which `seconds` refers."""
    messages: int = 0
    seconds_per_latency_second: float = 0.0
    """Derivative of the time by the latency of a link between node and switch: the number of such latencies
    on the critical path. If two paths take the same time, this and the next two fields describe one of
    them."""
    seconds_per_inverse_bandwidth: float = 0.0
    """Derivative by 1 / bandwidth of these links: bytes on the critical path. 0 if the bandwidth is
    infinite."""
    seconds_per_inverse_cpu_speed: float = 0.0
    """Derivative by 1 / CPU speed, if 1 is the speed of the predicted CPU: computation on the critical path.
    File accesses are excluded, since no CPU makes them faster."""

    @property
    def critical_path(self) -> dict[str, float]:
        """Seconds of each part of the critical path: compute, overhead, latency, bandwidth and wait. They sum to `seconds`."""
        return {part: getattr(self, f"{part}_seconds") for part in CRITICAL_PATH}


class Prediction(ReplayTimes, frozen=True, kw_only=True):
    """One workload on one fabric."""

    fabric: str
    efficiency: Pop | None = None
    """POP efficiencies of the predicted run: useful time is computation. None if nothing requested them."""
    regions: list[RegionTime] = msgspec.field(default_factory=list)
    """Computation by level of MPI_Pcontrol, for a program that marks its timed part."""
    loads: list[LinkLoad] = msgspec.field(default_factory=list)
    """Filled on request: the links that carried data."""
    mark_seconds: list[float] = msgspec.field(default_factory=list)
    """Filled on request: times from the replay's start at which rank 0 calls MPI_Pcontrol."""
    core_use: list[CoreUse] = msgspec.field(default_factory=list)
    """Filled on request: share of the time in which each rank computed, node by node, as if it had its own
    core."""
    interval: Interval | None = None
    """Filled on request."""
    mpi_settings: dict[str, str] = msgspec.field(default_factory=dict)
    """Settings of the MPI library that apply to this fabric."""


class Tolerance(msgspec.Struct, frozen=True, kw_only=True):
    """Worst latency and bandwidth of a fabric's link that slow the program by no more than a share of its
    time."""

    fabric: str
    slower: float
    """0.05: five per cent more time."""
    latency_seconds: float | None
    """Latency of the link at which the limit is reached. None: not reached up to a second."""
    bandwidth_bytes_per_second: float | None
    """Bandwidth of one rail at which the limit is reached. None: not reached down to 1 kB/s."""
    replays: int
    """Number of replays that the search took."""


class NeighbourTime(msgspec.Struct, frozen=True, kw_only=True):
    """Time of a neighbouring program on a fabric."""

    fabric: str
    workload: str
    seconds: float


class ComputationScale(msgspec.Struct, frozen=True, kw_only=True):
    """Scaling of the computation."""

    cpu_factor: float = 1.0
    """Divisor of the trace's computation."""
    measured_fabric: str | None = None
    measured_seconds: float | None = None
    rates: RateSource | None = None
    """Source of the computation times, for a program that was not run. The scaling above applies to them
    too."""
    between_machines: str = ""
    """One sentence on the factor from the machine of the recording to another one. "" without machines."""


class PredictionSet(msgspec.Struct, frozen=True, kw_only=True):
    """Document that `linkworth predict --json` prints."""

    schema: str = "linkworth.prediction/1"
    workload: str
    ranks: Annotated[int, Meta(ge=1)]
    nodes: Annotated[int, Meta(ge=1)]
    predictions: list[Prediction]
    ppn: Annotated[int, Meta(ge=0)] = 0
    calibration: ComputationScale = msgspec.field(default_factory=ComputationScale)
    placement: str = "block"
    """Placement of the ranks on the nodes, as requested."""
    settings: ReplaySettings = ReplaySettings()
    collectives: CollectiveRules | None = None
    """Collective algorithms that the replay used. None if a file does not name them."""
    region: str = "whole"
    """`whole`: from MPI_Init to MPI_Finalize; `marked`: the part that the program marks by MPI_Pcontrol(1) and (0)."""
    initialisation: Initialisation | None = None
    """MPI_Init, which no prediction's `seconds` includes. None if unknown."""
    tolerances: list[Tolerance] = msgspec.field(default_factory=list)
    """Filled on request."""
    without_tolerances: dict[str, str] = msgspec.field(default_factory=dict)
    """Requested fabrics without a tolerance: name -> reason, in a sentence."""
    beside: list[NeighbourTime] = msgspec.field(default_factory=list)
    """Programs that ran at the same time on the same nodes."""
    warnings: list[str] = msgspec.field(default_factory=list)
    incomplete: str | None = None
    """Sentence on the readable part of an incomplete trace. The times cover that part and support no
    choice."""


class SensitivityGrid(msgspec.Struct, frozen=True, kw_only=True):
    """Replayed times on a grid of a fabric's latency and bandwidth: `seconds[i][j]` at latency i, bandwidth j."""

    fabric: str
    latency_seconds: list[float]
    bandwidth_bytes_per_second: list[float]
    seconds: list[list[float]]
