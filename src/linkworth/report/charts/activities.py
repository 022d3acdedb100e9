"""Time of each rank by kind: recorded, and predicted on two networks on one scale of time."""

import json
import math
from collections.abc import Sequence
from typing import Any

import altair as alt

from linkworth import units
from linkworth.model.activities import Activities
from linkworth.report.charts import kinds, theme
from linkworth.report.item import ReportItem
from linkworth.report.table import Field, Figure, ReportTable, table, value, words

KINDS = ("computation", "point-to-point", "collective", "one-sided", "other calls", "waiting")
IN_WORDS = {
    "point-to-point": "point-to-point calls",
    "collective": "collectives",
    "one-sided": "one-sided calls",
}
_WIDTH = theme.PLOT_WIDTH - 40
_BAND = 0.9
"""Share of a row that its ranks fill; the rest divides it from the next."""
_LEAST = 0.01
"""Least share of a kind in the message."""


def recorded(item: ReportItem, key: str) -> Figure | None:
    """Return the recorded run; None if nothing was recorded or no time passed."""
    found = item.recorded
    if found is None or not found.seconds:
        return None
    chart = _panel(found, list(found.seconds), found.end_seconds, "time since MPI_Init", 240)
    note = "Height in a row: share of a stretch of time. Waiting: inside MPI calls, for another rank."
    if item.profile.oversubscribed:
        note += " With more ranks than cores, calls and waits include waiting for a core."
    sums = sorted(_shares(found).items(), key=lambda pair: -pair[1])
    parts = [
        f"{IN_WORDS.get(kind, kind)} {units.percent(share)}" for kind, share in sums[:3] if share >= _LEAST
    ]
    message = f"Recorded time: {', '.join(parts)}"
    return Figure(chart=chart, table=_table(f"{key}-recorded", message, {"recorded": found}, note))


def predicted(item: ReportItem, key: str) -> Figure | None:
    """Return the predicted runs under each other with one scale of time; None without any."""
    runs = {fabric: found for fabric, found in item.predicted.items() if found.seconds}
    if not runs:
        return None
    names = [kind for kind in KINDS if any(kind in found.seconds for found in runs.values())]
    end = max(found.end_seconds for found in runs.values())
    panels = [
        _panel(found, names, end, "predicted time" if number == len(runs) else "", 120).properties(
            title=alt.Title(fabric, fontSize=12, offset=4, limit=_WIDTH)
        )
        for number, (fabric, found) in enumerate(runs.items(), 1)
    ]
    shares = {fabric: _shares(found) for fabric, found in runs.items()}
    slowest = next(iter(shares.values()))
    most = max(names, key=lambda kind: (kind != "computation", slowest.get(kind, 0.0)))
    each = [f"{units.percent(share.get(most, 0.0))} on {fabric}" for fabric, share in shares.items()]
    message = f"Share of {IN_WORDS.get(most, most)} in the ranks' time: {', '.join(each)}"
    note = "The whole replay, with one scale of time. Waiting is a part of the calls."
    return Figure(
        chart=alt.vconcat(*panels, spacing=10), table=_table(f"{key}-predicted", message, runs, note)
    )


def _panel(found: Activities, names: Sequence[str], end: float, title: str, height: int) -> alt.Chart:
    """Return a row for each group of ranks; in each stretch of time its kinds are stacked as shares."""
    labels = [
        kinds.ranks_text(first, min(first + found.ranks_per_row, found.ranks) - 1)
        for first in range(0, found.ranks, found.ranks_per_row)
    ]
    count = len(labels)
    every = math.ceil(count / (height / 15))
    factor, unit = units.time_unit(end)
    corners = [
        corner | {"time": round(corner["time"] / factor, 5)}
        for number, label in enumerate(labels)
        for corner in _areas(found, number, label, quantum=count / height / 2)
    ]
    chart: alt.Chart = (
        alt.Chart(kinds.values(corners))
        .mark_area(interpolate="step-after", opacity=1)
        .encode(
            x=alt.X(
                "time:Q",
                title=f"{title} ({unit})" if title else None,
                scale=alt.Scale(domain=[0, end / factor], nice=False),
                axis=alt.Axis(tickCount=5, grid=False),
            ),
            y=alt.Y(
                "low:Q",
                title="rank",
                scale=alt.Scale(domain=[count, 0], nice=False),
                axis=alt.Axis(
                    values=[number + 0.5 for number in range(0, count, every)],
                    labelExpr=f"({json.dumps(labels)})[floor(datum.value)]",
                    grid=False,
                ),
            ),
            y2=alt.Y2("high:Q"),
            color=alt.Color(
                "kind:N", scale=alt.Scale(domain=list(names), range=[theme.KINDS[kind] for kind in names])
            ),
            detail=alt.Detail("row:O"),
            description=alt.Description("label:N"),
        )
        .properties(width=_WIDTH, height=height)
    )
    return chart


def _areas(found: Activities, number: int, name: str, quantum: float) -> list[dict[str, Any]]:
    """Return the corners of one row's areas, without those that repeat their predecessor.

    Heights are multiples of `quantum`, so that many do.
    """
    ranks = found.ranks_of(number)
    bottom = [number + (1 + _BAND) / 2] * len(found.starts)
    corners: list[dict[str, Any]] = []
    for kind in (kind for kind in KINDS if kind in found.seconds):
        busy = found.seconds[kind][number]
        total = sum(busy)
        if not total:
            continue
        top = [
            max(low - _BAND * seconds / (found.length(at) * ranks), number + (1 - _BAND) / 2)
            for at, (low, seconds) in enumerate(zip(bottom, busy, strict=True))
        ]
        share = units.percent(total / (found.end_seconds * ranks))
        # A chart takes an area's description from its first corner.
        text = {"label": f"rank {name}: {units.duration(total)} {kind}, {share}"}
        last = None
        for time, *edges in [
            *zip(found.starts, bottom, top, strict=True),
            (found.end_seconds, bottom[-1], top[-1]),
        ]:
            low, high = (round(round(edge / quantum) * quantum, 4) for edge in edges)
            if (low, high) != last or time == found.end_seconds:
                corners.append({"row": number, "kind": kind, "time": time, "low": low, "high": high} | text)
                text = {}
            last = (low, high)
        bottom = top
    return corners


def _shares(found: Activities) -> dict[str, float]:
    """Return the share of each kind in the time of all ranks."""
    sums = {kind: sum(map(sum, rows)) for kind, rows in found.seconds.items()}
    whole = sum(sums.values())
    return {kind: seconds / whole for kind, seconds in sums.items()}


def _table(key: str, title: str, runs: dict[str, Activities], note: str) -> ReportTable:
    """Return the shares of all ranks' time in each stretch."""
    names = [kind for kind in KINDS if any(kind in found.seconds for found in runs.values())]
    stretches = [(run, found, at) for run, found in runs.items() for at in range(len(found.starts))]

    def row(stretch: tuple[str, Activities, int]) -> list[Field]:
        run, found, at = stretch
        whole = found.length(at) * found.ranks
        return [
            words("run", run),
            value("from [s]", "from", found.starts[at], "time"),
            *(
                value(
                    f"{kind} [1]",
                    kind,
                    sum(each[at] for each in found.seconds.get(kind, [])) / whole,
                    "share",
                )
                for kind in names
            ),
        ]

    return table(key, title, stretches, row, note=note)
