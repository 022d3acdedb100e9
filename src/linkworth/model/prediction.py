"""What a replay on a fabric gives."""

import msgspec

from linkworth.model.collectives import CollectiveRules
from linkworth.model.profile import Pop
from linkworth.model.rates import RateSource
from linkworth.model.run import CoreUse
from linkworth.model.settings import ReplaySettings
from linkworth.model.startup import Initialisation


class Layout(msgspec.Struct, frozen=True, kw_only=True):
    """How ranks lie on nodes: `node_of_rank[r]`."""

    nodes: int
    node_of_rank: list[int]


class Interval(msgspec.Struct, frozen=True, kw_only=True):
    """Where the time lies when the parameters vary within their spread."""

    low_seconds: float
    high_seconds: float
    confidence: float
    samples: int


class RegionTime(msgspec.Struct, frozen=True, kw_only=True):
    """Computation at one level of MPI_Pcontrol inside the timed part."""

    level: int
    critical_seconds: float
    """On the critical path; the levels' sum is the prediction's `compute_seconds`."""
    rank_seconds: float
    """Of all ranks together."""


class LinkLoad(msgspec.Struct, frozen=True, kw_only=True):
    """How busy one direction of a link was, over the whole replay."""

    link: str
    """`node 0 NIC out 0` (node and rail), `uplink 1 of group 0, level 0`."""
    busy_seconds: float
    stretch_seconds: float
    busy_share: list[float]
    """Of each stretch of time from the start on, 0 to 1."""


class Prediction(msgspec.Struct, frozen=True, kw_only=True):
    """One workload on one fabric. The five parts are those of the critical path and sum to `seconds`."""

    fabric: str
    seconds: float
    compute_seconds: float
    overhead_seconds: float
    latency_seconds: float
    bandwidth_seconds: float
    wait_seconds: float
    internode_bytes: int
    """Message payload that crosses between nodes in the whole run, summed over all nodes."""
    timed_internode_bytes: int = 0
    """The same in the part that `seconds` is of: payload that is sent while its sender is in the timed part."""
    messages: int = 0
    seconds_per_latency_second: float = 0.0
    """Derivative of the time by the latency of a link between node and switch: how many such latencies lie on the critical path.
    Where two paths take the same time, this and the following are of one of them."""
    seconds_per_inverse_bandwidth: float = 0.0
    """Derivative by 1 / bandwidth of these links: bytes on the critical path. 0 where the bandwidth is infinite."""
    seconds_per_inverse_cpu_speed: float = 0.0
    """Derivative by 1 / CPU speed, where 1 is the speed of the predicted CPU: computation on the critical path, without calls
    to files, which no CPU makes faster."""
    efficiency: Pop | None = None
    """POP efficiencies of the predicted run: useful time is computation. `None` only where nothing asked for them."""
    regions: list[RegionTime] = msgspec.field(default_factory=list)
    """By level of MPI_Pcontrol, of a program that marks its timed part."""
    loads: list[LinkLoad] = msgspec.field(default_factory=list)
    """Filled on request: links that carried something."""
    mark_seconds: list[float] = msgspec.field(default_factory=list)
    """Filled on request: when rank 0 calls MPI_Pcontrol, from the start of the replay."""
    core_use: list[CoreUse] = msgspec.field(default_factory=list)
    """Filled on request: the share of the time in which each rank computed, as if it had a core of its own, node by node."""
    interval: Interval | None = None
    """Filled on request."""


class Tolerance(msgspec.Struct, frozen=True, kw_only=True):
    """How much worse a fabric's link may be before the program is slower by a share of its time."""

    fabric: str
    slower: float
    """0.05: five per cent more time."""
    latency_seconds: float | None
    """Latency of the link at which it is so; None: at no latency up to a second."""
    bandwidth_bytes_per_second: float | None
    """Bandwidth of one rail at which it is so; None: at none down to 1 kB/s."""
    replays: int
    """Replays that it took to find both."""


class NeighbourTime(msgspec.Struct, frozen=True, kw_only=True):
    """What a program beside the predicted one takes on a fabric."""

    fabric: str
    workload: str
    seconds: float


class Calibration(msgspec.Struct, frozen=True, kw_only=True):
    """How computation was scaled."""

    cpu_factor: float = 1.0
    """Computation of the trace is divided by this."""
    measured_fabric: str | None = None
    measured_seconds: float | None = None
    rates: RateSource | None = None
    """Of a program that was not run: where its computation times come from, before any of the above."""


class PredictionSet(msgspec.Struct, frozen=True, kw_only=True):
    """What `linkworth predict --json` prints."""

    schema: str = "linkworth.prediction/1"
    workload: str
    ranks: int
    nodes: int
    predictions: list[Prediction]
    ppn: int = 0
    calibration: Calibration = msgspec.field(default_factory=Calibration)
    placement: str = "block"
    """How the ranks were laid on the nodes, as it was asked for."""
    settings: ReplaySettings = ReplaySettings()
    collectives: CollectiveRules | None = None
    """Whose collective algorithms were replayed; None of a file that does not name them."""
    region: str = "whole"
    """`whole`: from MPI_Init to MPI_Finalize; `marked`: the part that the program marks by MPI_Pcontrol(1) and (0)."""
    initialisation: Initialisation | None = None
    """MPI_Init, which no prediction's `seconds` includes; None where nothing is known of it."""
    tolerances: list[Tolerance] = msgspec.field(default_factory=list)
    """Filled on request."""
    without_tolerances: dict[str, str] = msgspec.field(default_factory=dict)
    """Of those asked for, the fabrics that have none: name -> why, in a sentence."""
    beside: list[NeighbourTime] = msgspec.field(default_factory=list)
    """Programs that ran at the same time on the same nodes."""
    warnings: list[str] = msgspec.field(default_factory=list)
    incomplete: str | None = None
    """What is readable of an incomplete trace, as a sentence: the times are of that part, and no choice follows from them."""


class SensitivityGrid(msgspec.Struct, frozen=True, kw_only=True):
    """Replayed times on a grid of a fabric's latency and bandwidth: `seconds[i][j]` at latency i, bandwidth j."""

    fabric: str
    latency_seconds: list[float]
    bandwidth_bytes_per_second: list[float]
    seconds: list[list[float]]
