"""Table of a sweep for a person, or CSV."""

import csv
import io

from rich.console import RenderableType

from linkworth import units
from linkworth.cli.prediction_table import computation_in_title, timed_part
from linkworth.cli.table import Table
from linkworth.model.sweep import TIMES, Sweep
from linkworth.replay.collectives import rules_in_words
from linkworth.writing.text import csv_cell

MOST_ROWS = 100


def sweep_table(sweep: Sweep) -> RenderableType:
    """Return a line for each point: its setting, its time, and the parts of the critical path."""
    axes = [axis.name for axis in sweep.axes]
    parts = ["computation>", "overhead>", "latency time>", "bandwidth time>", "waiting>"]
    return Table(
        ["fabric", "nodes>", "placement", *(f"{name}>" for name in axes), "time>", *parts],
        [
            [
                point.fabric,
                str(point.nodes),
                point.placement,
                *(_value(name, point.parameters[name]) for name in axes),
                *(units.duration(getattr(point, part)) for part in TIMES),
            ]
            for point in sweep.points
        ],
        title=f"{sweep.workload}, {units.plural(sweep.ranks, 'rank')}, "
        f"{units.plural(len(sweep.points), 'replay')} on {sweep.workers}{computation_in_title(sweep.calibration)}",
        note=f"{timed_part(sweep.region)} Collectives {rules_in_words(sweep.collectives)}.",
        keys=3 + len(axes),
        most_rows=MOST_ROWS,
    )


_BYTES = ["internode_bytes", "timed_internode_bytes"]


def as_csv(sweep: Sweep) -> str:
    """Return a header and a line for each point, in SI units and exact numbers."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    axes = [axis.name for axis in sweep.axes]
    writer.writerow(["fabric", "nodes", "placement", *axes, *TIMES, *_BYTES])
    for point in sweep.points:
        values = [point.parameters[name] for name in axes]
        times = [getattr(point, part) for part in TIMES]
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
        return units.duration(value)
    return units.rate(value) if name == "bandwidth" else units.plain(value)
