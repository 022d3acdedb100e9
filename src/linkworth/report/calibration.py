"""Writes the plot of a calibration."""

from pathlib import Path

from linkworth.errors import UsageError
from linkworth.model.calibration import Calibration
from linkworth.writing.files import write_output


def plot(calibration: Calibration, path: Path) -> None:
    """Write measurements and fit by message size as `.svg` or `.png`. Raises UsageError for another ending or place."""
    if path.suffix not in {".svg", ".png"}:
        raise UsageError(f"`plot` {path}: the plot is written as .svg or .png; give a name that ends so")
    from linkworth.report import svg
    from linkworth.report.charts import calibration as chart

    figure = chart.figure(calibration)
    write_output(path, svg.png(figure) if path.suffix == ".png" else svg.standalone(figure), "`plot`")
