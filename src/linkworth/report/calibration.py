"""Writes the plot of a calibration."""

from pathlib import Path

from linkworth.errors import UsageError
from linkworth.model.calibration import Calibration


def plot(calibration: Calibration, path: Path) -> None:
    """Write measurements and fit by message size as `.svg` or `.png`. Raises UsageError for another ending or place."""
    if path.suffix not in {".svg", ".png"}:
        raise UsageError(f"--plot {path}: the plot is written as .svg or .png; give a name that ends so")
    from linkworth.report import svg
    from linkworth.report.charts import calibration as chart

    figure = chart.figure(calibration)
    try:
        if path.suffix == ".png":
            path.write_bytes(svg.png(figure))
        else:
            path.write_text(svg.standalone(figure), encoding="utf-8")
    except OSError as error:
        raise UsageError(
            f"--plot {path}: cannot be written ({error.strerror}); give another place"
        ) from error
