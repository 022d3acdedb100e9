"""What `linkworth calibrate` fits, and how well."""

import msgspec

from linkworth.model.fabric import Fabric


class FittedParameter(msgspec.Struct, frozen=True, kw_only=True):
    """One number of the fitted fabric."""

    field: str
    """Dotted name as in a fabric file, `link.latency_seconds`."""
    value: float | int | str | list[tuple[int, float]]
    spread: float | None = None
    """Relative standard deviation; None where the results say nothing of it."""
    measured: bool
    """From the results; else from the base fabric, since no result given decides it."""
    source: str
    """Which files, or the base fabric."""
    note: str = ""


class FittedPoint(msgspec.Struct, frozen=True, kw_only=True):
    """One measured value beside what the replay of the fitted fabric gives for it."""

    test: str
    bytes: int
    inside_a_node: bool
    rails: int = 1
    pairs: int = 1
    measured_seconds: float
    """Of a message: half a round trip, or the reciprocal of the rate of all messages."""
    fitted_seconds: float
    residual: float
    """Fitted over measured, less 1."""
    source: str


class Calibration(msgspec.Struct, frozen=True, kw_only=True):
    """`linkworth calibrate --json`."""

    schema: str = "linkworth.calibration/1"
    fabric: Fabric
    base: str
    """The fabric that what could not be measured comes from."""
    parameters: list[FittedParameter]
    points: list[FittedPoint]
    median_residual: float
    """Of their absolute values."""
    worst_residual: float
    notes: list[str] = msgspec.field(default_factory=list)
    written: str = ""
    """The fabric file."""
