"""Rows of micro-benchmarks, collected by label and size over the runs of a cell."""

from collections.abc import Sequence

import msgspec

from linkworth.model.statistics import Description
from linkworth.report.study.results import Group
from linkworth.statistics import describe

MEASURES = ("bandwidth_bytes_per_second", "latency_seconds")


class Point(msgspec.Struct, frozen=True, kw_only=True):
    """One size of a curve."""

    size: int
    values: list[float]
    """One value for each run."""
    description: Description


def labels_of(groups: Sequence[Group]) -> list[str]:
    """Return the labels (patterns, collectives) of all rows, each once, in their order."""
    return list(
        dict.fromkeys(
            str(row.get("label", "")) for group in groups for record in group.done for row in record.rows
        )
    )


def curve(group: Group, measure: str, label: str) -> list[Point]:
    """Return the values by size, one for each run. Sizes without the measure are left out."""
    by_size: dict[int, list[float]] = {}
    for record in group.done:
        for row in record.rows:
            value = row.get(measure)
            if str(row.get("label", "")) == label and isinstance(value, int | float) and value > 0:
                by_size.setdefault(int(row["bytes"]), []).append(float(value))
    return [
        Point(size=size, values=found, description=describe(found)) for size, found in sorted(by_size.items())
    ]
