"""One program over many networks, numbers of nodes and placements."""

import msgspec

from linkworth.model.collectives import CollectiveRules
from linkworth.model.prediction import CRITICAL_PATH, ComputationScale, ReplayTimes
from linkworth.model.rates import RateSource

TIMES = ("seconds", *(f"{part}_seconds" for part in CRITICAL_PATH))
"""Fields of a point: its time, and the parts of its critical path."""


class SweepAxis(msgspec.Struct, frozen=True, kw_only=True):
    """A parameter and the values that it takes."""

    name: str
    """`latency` (seconds), `bandwidth` (bytes per second of one rail), `overhead` (factor), `rails`, `cpu-factor`,
    `background-load` (share)."""
    values: list[float]
    factor: bool = False
    """True if the values multiply those of the fabric."""


class SweepPoint(ReplayTimes, frozen=True, kw_only=True):
    """Setting and results of one replay."""

    fabric: str
    nodes: int
    placement: str
    parameters: dict[str, float]
    """Value of each axis as applied: factors are multiplied out."""


class Sweep(msgspec.Struct, frozen=True, kw_only=True):
    """Document that `linkworth sweep --json` prints."""

    schema: str = "linkworth.sweep/1"
    workload: str
    ranks: int
    axes: list[SweepAxis]
    points: list[SweepPoint]
    """Sorted by fabric, then nodes, placements and the axes in order. The last varies first."""
    calibration: ComputationScale = msgspec.field(default_factory=ComputationScale)
    workers: str = ""
    """Workers that replayed: `2 threads`, `7 MPI processes`. The points do not depend on it."""
    collectives: CollectiveRules = CollectiveRules()
    """Collective algorithms that the replay used."""
    mpi_settings: dict[str, str] = msgspec.field(default_factory=dict)
    """Settings of the MPI library, on the fabrics whose transport they are of."""
    region: str = "whole"
    """Part of the run that the times are of, as in a prediction."""
    warnings: list[str] = msgspec.field(default_factory=list)
    incomplete: str | None = None
    """Sentence on the readable part of an incomplete trace. The times cover that part."""

    @property
    def rates(self) -> RateSource | None:
        """Source of the computation times, for a program that was not run."""
        return self.calibration.rates
