"""Draws results of micro-benchmarks, and calibrations, into a file."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from linkworth.errors import UsageError
from linkworth.model.bench import BenchResult
from linkworth.model.calibration import Calibration
from linkworth.writing.files import write_output

if TYPE_CHECKING:
    from linkworth.report.table import Figure

FORMATS = (".svg", ".png")


def check_plot(path: Path) -> None:
    """Raise UsageError if no plot can be written there, before anything is measured for it."""
    if path.suffix.lower() not in FORMATS:
        raise UsageError(f"`plot` {path}: give a file that ends in {' or '.join(FORMATS)}")
    if not path.parent.is_dir():
        raise UsageError(f"`plot` {path}: there is no folder {path.parent}")


def labelled(name: str, results: Sequence[BenchResult]) -> list[tuple[str, BenchResult]]:
    """Name the results of one file: by the file, with place and MPI or a number if it has a test more than once."""
    tests = Counter(result.test for result in results)
    places = Counter((result.test, result.where, result.mpi) for result in results)
    seen: Counter[tuple[str, str, str]] = Counter()
    named = []
    for result in results:
        key = (result.test, result.where, result.mpi)
        seen[key] += 1
        parts = [name]
        if tests[result.test] > places[key]:
            parts += [part for part in (result.where, result.mpi) if part]
        if places[key] > 1:
            parts.append(f"run {seen[key]}")
        named.append((", ".join(parts), result))
    return named


def plot_bench(results: Sequence[tuple[str, BenchResult]], path: Path) -> None:
    """Draw named results over each other, on logarithmic axes, one panel for each test.

    Raises UsageError if the file cannot be written or no result has rows by message size.
    """
    from linkworth.report.charts import bench

    check_plot(path)
    try:
        figure = bench.figure(results)
    except ValueError as error:
        raise UsageError(f"`plot` {path}: {error}") from None
    _write(figure, path)


def plot_calibration(calibration: Calibration, path: Path) -> None:
    """Draw measurements and fit by message size. Raises UsageError if the file cannot be written."""
    from linkworth.report.charts import calibration as chart

    check_plot(path)
    _write(chart.figure(calibration), path)


def _write(figure: "Figure", path: Path) -> None:
    from linkworth.report import svg

    drawn = svg.standalone(figure)
    write_output(path, svg.png(drawn) if path.suffix.lower() == ".png" else drawn.encode(), "plot")
