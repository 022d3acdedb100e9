"""Results of `linkworth calibrate`: the fitted parameters and the quality of the fit."""

import msgspec

from linkworth.model.fabric import Fabric


class FittedParameter(msgspec.Struct, frozen=True, kw_only=True):
    """One number of the fitted fabric."""

    field: str
    """Dotted name as in a fabric file, `link.latency_seconds`."""
    value: float | int | str | list[tuple[int, float]]
    spread: float | None = None
    """Relative standard deviation. None if the results do not determine it."""
    measured: bool
    """True if it comes from the results, False if it comes from the base fabric."""
    source: str
    """Names of the result files, or the base fabric."""
    note: str = ""


class FittedPoint(msgspec.Struct, frozen=True, kw_only=True):
    """One measured value and its replay on the fitted fabric."""

    test: str
    bytes: int
    inside_a_node: bool
    rails: int = 1
    pairs: int = 1
    measured_seconds: float
    """Seconds per message: half a round trip, or the reciprocal of the total message rate."""
    fitted_seconds: float
    residual: float
    """fitted / measured - 1."""
    source: str


class Calibration(msgspec.Struct, frozen=True, kw_only=True):
    """Document that `linkworth calibrate --json` prints."""

    schema: str = "linkworth.calibration/1"
    fabric: Fabric
    base: str
    """Fabric that provides the parameters that were not measured."""
    parameters: list[FittedParameter]
    points: list[FittedPoint]
    median_residual: float
    """Median of the absolute residuals."""
    worst_residual: float
    notes: list[str] = msgspec.field(default_factory=list)
    written: str = ""
    """Path of the fabric file."""
