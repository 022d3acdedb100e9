"""Result of a run as lines `NAME=VALUE UNIT`, which test frameworks (ReFrame, Ramble) parse with one pattern."""

from statistics import fmean
from typing import NamedTuple

from linkworth.model.run import RunResult
from linkworth.places.counters import LEAST_CPU_TIME, sums, uncounted


class ReportedFigure(NamedTuple):
    """One number with its unit in SI symbols; `1` for a plain number."""

    name: str
    value: float
    unit: str

    @property
    def line(self) -> str:
        """The printed line, with every significant digit."""
        return f"{self.name}={self.value!r} {self.unit}"


def figures(result: RunResult) -> list[ReportedFigure]:
    """Return the figures of a result, without those not measured, and without the times of an incomplete run.

    `seconds` is the program's own time if it reports one, else the time from launch to end (`elapsed_seconds`), so
    that it is comparable between runs of one program.
    """
    complete = result.state == "complete" and result.verified is not False
    found = [
        ReportedFigure("complete", int(result.state == "complete"), "1"),
        ReportedFigure("ranks", result.ranks, "1"),
    ]
    if result.verified is not None:
        found.append(ReportedFigure("verified", int(result.verified), "1"))
    if not complete:
        return found
    reported = result.reported_seconds
    found += [
        ReportedFigure("seconds", result.seconds if reported is None else reported, "s"),
        ReportedFigure("elapsed_seconds", result.seconds, "s"),
    ]
    if reported is not None:
        found.append(ReportedFigure("reported_seconds", reported, "s"))
    if result.iteration_seconds:
        found += [
            ReportedFigure("iteration_seconds", fmean(result.iteration_seconds), "s"),
            ReportedFigure("iterations", len(result.iteration_seconds), "1"),
        ]
    if result.counters and not uncounted(result.counters, len(result.nodes)):
        found += [
            ReportedFigure(name, value, "B" if name.endswith("_bytes") else "1")
            for name, value in sums(result.counters).items()
        ]
    shares = [share for use in result.core_use for share in use.mean]
    if shares and LEAST_CPU_TIME not in result.facts:
        found.append(ReportedFigure("core_utilisation", fmean(shares), "1"))
    return found
