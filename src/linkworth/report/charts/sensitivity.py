"""Dependence of the predicted time on a fabric's latency and bandwidth."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import altair as alt

from linkworth import units
from linkworth.model.fabric import Fabric
from linkworth.model.prediction import SensitivityGrid
from linkworth.report.charts import kinds, theme
from linkworth.report.item import ReportItem
from linkworth.report.sensitivity import seconds_at, usable
from linkworth.report.table import Cell, Field, Figure, cell, table, value, words


class _Parameter(NamedTuple):
    """Parameter of a link that the time depends on."""

    axis: str
    """Title of its axis, with the unit."""
    knots: Callable[[SensitivityGrid], list[float]]
    """Values at which the time is known, in SI units."""
    own: Callable[[Fabric], float]
    """Value of a fabric."""
    seconds: Callable[[SensitivityGrid, Fabric, float], float]
    """Predicted time at a value."""
    shown: Callable[[float], float]
    """Value in the unit of the axis."""
    text: Callable[[float], str]
    message: Callable[[str, str], str]
    """Title, from the fabric that depends most on it and the share that a change costs."""
    indifferent: str
    """Title if no fabric depends on it."""
    change: Callable[[SensitivityGrid, Fabric], float]
    """Relative change of the time if the parameter becomes twice as bad."""


def _at(grid: SensitivityGrid, fabric: Fabric, latency: float = 1.0, bandwidth: float = 1.0) -> float:
    """Return the time with a fabric's latency and bandwidth times these factors."""
    link = fabric.link
    return seconds_at(grid, link.latency_seconds * latency, link.bandwidth_bytes_per_second * bandwidth)


_LATENCY = _Parameter(
    axis="latency of the link (µs, log)",
    knots=lambda grid: grid.latency_seconds,
    own=lambda fabric: fabric.link.latency_seconds,
    seconds=lambda grid, fabric, value: seconds_at(grid, value, fabric.link.bandwidth_bytes_per_second),
    shown=lambda value: value * 1e6,
    text=units.duration,
    message=lambda name, share: f"Twice the latency costs {name} {share} more time",
    indifferent="Latency hardly matters on any of these networks",
    change=lambda grid, fabric: _at(grid, fabric, latency=2.0) / _at(grid, fabric) - 1,
)
_BANDWIDTH = _Parameter(
    axis="bandwidth of the link (GB/s, log)",
    knots=lambda grid: grid.bandwidth_bytes_per_second,
    own=lambda fabric: fabric.link.bandwidth_bytes_per_second,
    seconds=lambda grid, fabric, value: seconds_at(grid, fabric.link.latency_seconds, value),
    shown=lambda value: value * 1e-9,
    text=units.rate,
    message=lambda name, share: f"Half the bandwidth costs {name} {share} more time",
    indifferent="Bandwidth hardly matters on any of these networks",
    change=lambda grid, fabric: _at(grid, fabric, bandwidth=0.5) / _at(grid, fabric) - 1,
)


def latency(item: ReportItem, key: str) -> Figure | None:
    """Return the time against the latency, a line for each fabric at its own bandwidth; None without grids."""
    return _figure(item, f"{key}-latency", _LATENCY)


def bandwidth(item: ReportItem, key: str) -> Figure | None:
    """Return the time against the bandwidth, a line for each fabric at its own latency; None without grids."""
    return _figure(item, f"{key}-bandwidth", _BANDWIDTH)


def _points(
    pairs: Sequence[tuple[SensitivityGrid, Fabric]], of: _Parameter
) -> list[tuple[Fabric, float, float]]:
    return [
        (fabric, place, of.seconds(grid, fabric, place))
        for grid, fabric in pairs
        for place in sorted({*of.knots(grid), of.own(fabric)})
    ]


def _figure(item: ReportItem, key: str, of: _Parameter) -> Figure | None:
    fabrics = {fabric.name: fabric for fabric in item.fabrics}
    pairs = [(grid, fabrics[grid.fabric]) for grid in item.grids if grid.fabric in fabrics and usable(grid)]
    if not pairs:
        return None
    points = _points(pairs, of)
    rows = [
        {
            "series": fabric.name,
            "x": of.shown(place),
            "seconds": time,
            "here": place == of.own(fabric),
            "label": f"{fabric.name} at {of.text(place)}: {units.duration(time)}",
        }
        for fabric, place, time in points
    ]
    # The charts of both parameters have one scale of time.
    times = [time for each in (_LATENCY, _BANDWIDTH) for _, _, time in _points(pairs, each)]
    least, most = min(times), max(times)
    places = [of.shown(place) for _, place, _ in points]
    flat = most < 2 * least
    base = alt.Chart(kinds.values(rows)).encode(
        x=alt.X(
            "x:Q",
            title=of.axis,
            scale=alt.Scale(type="log", nice=False),
            axis=alt.Axis(values=kinds.log_ticks(min(places), max(places)), format="~g", grid=False),
        ),
        y=alt.Y(
            "seconds:Q",
            title=f"predicted time{'' if flat else ' (log)'}",
            scale=alt.Scale(domain=[0, 1.05 * most])
            if flat
            else alt.Scale(type="log", nice=False, padding=12, domain=[least, most]),
            axis=alt.Axis(
                labelExpr="format(datum.value, '.3~s') + 's'",
                **({"tickCount": 5} if flat else {"values": kinds.log_ticks(least, most)}),
            ),
        ),
        color=kinds.colour([fabric.name for _, fabric in pairs], columns=4),
    )
    line = base.mark_line(strokeWidth=2)
    dots = (
        base.transform_filter("!datum.here")
        .mark_circle(size=18, opacity=1)
        .encode(description=alt.Description("label:N"))
    )
    here = (
        base.transform_filter("datum.here")
        .mark_point(filled=True, size=90, opacity=1, stroke=theme.INK, strokeWidth=1)
        .encode(description=alt.Description("label:N"))
    )
    worst = max(((fabric.name, of.change(grid, fabric)) for grid, fabric in pairs), key=lambda pair: pair[1])
    quantity = of.axis.split(" of ")[0]

    def row(point: tuple[Fabric, float, float]) -> list[Field]:
        fabric, place, time = point
        return [
            words("fabric", fabric.name),
            cell(quantity, quantity, Cell(text=of.text(place), value=place)),
            value("seconds [s]", "time", time, "time"),
        ]

    title = of.message(worst[0], units.percent(worst[1])) if worst[1] >= 0.005 else of.indifferent
    note = "Large dots: each fabric as it is."
    return Figure(
        chart=alt.layer(line, dots, here).properties(width=theme.PLOT_WIDTH - 48, height=200),
        table=table(key, title, points, row, note=note),
    )
