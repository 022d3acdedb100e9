"""One program over many networks, numbers of nodes and placements."""

import msgspec

from linkworth.model.collectives import CollectiveRules
from linkworth.model.prediction import Calibration
from linkworth.model.rates import RateSource


class SweepAxis(msgspec.Struct, frozen=True, kw_only=True):
    """A parameter and the values that it takes."""

    name: str
    """`latency` (seconds), `bandwidth` (bytes per second of one rail), `overhead` (factor), `rails`, `cpu-factor`,
    `background-load` (share)."""
    values: list[float]
    factor: bool = False
    """The values multiply what the fabric has."""


class SweepPoint(msgspec.Struct, frozen=True, kw_only=True):
    """One replay: where, and what it gave. The five parts are those of the critical path and sum to `seconds`."""

    fabric: str
    nodes: int
    placement: str
    parameters: dict[str, float]
    """Value of each axis as it was applied: factors are multiplied out."""
    seconds: float
    compute_seconds: float
    overhead_seconds: float
    latency_seconds: float
    bandwidth_seconds: float
    wait_seconds: float
    internode_bytes: int
    timed_internode_bytes: int = 0
    """As in `Prediction`."""


class Sweep(msgspec.Struct, frozen=True, kw_only=True):
    """What `linkworth sweep --json` prints."""

    schema: str = "linkworth.sweep/1"
    workload: str
    ranks: int
    axes: list[SweepAxis]
    points: list[SweepPoint]
    """Fabric by fabric, then nodes, placements and the axes in their order; the last varies first."""
    calibration: Calibration = msgspec.field(default_factory=Calibration)
    workers: str = ""
    """What replayed: `2 threads`, `7 MPI processes`. The points do not depend on it."""
    collectives: CollectiveRules = CollectiveRules()
    """Whose collective algorithms were replayed."""
    warnings: list[str] = msgspec.field(default_factory=list)
    incomplete: str | None = None
    """What is readable of an incomplete trace, as a sentence: the times are of that part."""

    @property
    def rates(self) -> RateSource | None:
        """Of a program that was not run: where its computation times come from."""
        return self.calibration.rates
