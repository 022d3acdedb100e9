"""Table of a sweep for a person, or CSV."""

import csv
import io

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from linkworth.cli import units
from linkworth.model.sweep import Sweep
from linkworth.replay.collectives import rules_in_words
from linkworth.writing.text import csv_cell

MOST_ROWS = 100
"""Most points to show; --json and CSV have all."""
PARTS = (
    "seconds",
    "compute_seconds",
    "overhead_seconds",
    "latency_seconds",
    "bandwidth_seconds",
    "wait_seconds",
)


def sweep_table(sweep: Sweep) -> RenderableType:
    """Return a line for each point."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("fabric", no_wrap=True)
    for name in ("nodes", "placement", *(axis.name for axis in sweep.axes)):
        table.add_column(name, justify="left" if name == "placement" else "right", no_wrap=True)
    for name in PARTS:
        table.add_column(
            "time" if name == "seconds" else name.removesuffix("_seconds"), justify="right", no_wrap=True
        )
    for point in sweep.points[:MOST_ROWS]:
        table.add_row(
            point.fabric,
            str(point.nodes),
            point.placement,
            *(_value(axis.name, point.parameters[axis.name]) for axis in sweep.axes),
            *(units.seconds(getattr(point, part), digits=4 if part == "seconds" else 3) for part in PARTS),
        )
    parts: list[RenderableType] = [
        Text(
            f"{sweep.workload}, {sweep.ranks} ranks, {len(sweep.points)} replays on {sweep.workers}",
            style="bold",
        ),
        table,
    ]
    if len(sweep.points) > MOST_ROWS:
        parts.append(
            Text(f"and {len(sweep.points) - MOST_ROWS} more points (-o FILE.csv and --json have them)")
        )
    parts.append(Text(f"Collectives {rules_in_words(sweep.collectives)}."))
    return Group(*parts)


_BYTES = ["internode_bytes", "timed_internode_bytes"]


def as_csv(sweep: Sweep) -> str:
    """Return a header and a line for each point, in SI units and exact numbers."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    axes = [axis.name for axis in sweep.axes]
    writer.writerow(["fabric", "nodes", "placement", *axes, *PARTS, *_BYTES])
    for point in sweep.points:
        values = [point.parameters[name] for name in axes]
        times = [getattr(point, part) for part in PARTS]
        cells = [
            point.fabric,
            point.nodes,
            point.placement,
            *values,
            *times,
            *(getattr(point, name) for name in _BYTES),
        ]
        writer.writerow(map(csv_cell, cells))
    return text.getvalue()


def _value(name: str, value: float) -> str:
    if name == "latency":
        return units.seconds(value)
    return units.rate(value) if name == "bandwidth" else f"{value:g}"
