"""Dependence of the predicted time on a fabric's latency and bandwidth."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import altair as alt
import msgspec

from linkworth import units
from linkworth.model.fabric import Fabric
from linkworth.model.prediction import SensitivityGrid
from linkworth.report.charts import kinds, theme
from linkworth.report.item import ReportItem
from linkworth.report.sensitivity import seconds_at, usable
from linkworth.report.table import Cell, Field, Figure, cell, table, value, words


class _Parameter(NamedTuple):
    """Parameter of a link that the time depends on."""

    field: str
    """Its name in a link and in a grid."""
    axis: str
    """Title of its axis, with the unit."""
    unit: str
    """Its SI unit."""
    scale: float
    """SI units times this are units of the axis."""
    text: Callable[[float], str]
    worse: float
    """Factor that makes it twice as bad."""
    change: str
    """Start of the title if a fabric depends on it: what costs time."""
    indifferent: str
    """Title if no fabric depends on it."""

    def own(self, fabric: Fabric) -> float:
        """Return the value of a fabric."""
        return float(getattr(fabric.link, self.field))

    def seconds(self, grid: SensitivityGrid, fabric: Fabric, value: float) -> float:
        """Return the predicted time at a value, with the fabric's other parameter."""
        link = msgspec.structs.replace(fabric.link, **{self.field: value})
        return seconds_at(grid, link.latency_seconds, link.bandwidth_bytes_per_second)

    def cost(self, grid: SensitivityGrid, fabric: Fabric) -> float:
        """Return the relative change of the time if the parameter becomes twice as bad."""
        own = self.own(fabric)
        return self.seconds(grid, fabric, own * self.worse) / self.seconds(grid, fabric, own) - 1


_LATENCY = _Parameter(
    field="latency_seconds",
    axis="latency of the link (µs, log)",
    unit="s",
    scale=1e6,
    text=units.duration,
    worse=2.0,
    change="Twice the latency",
    indifferent="Latency hardly matters on any of these networks",
)
_BANDWIDTH = _Parameter(
    field="bandwidth_bytes_per_second",
    axis="bandwidth of the link (GB/s, log)",
    unit="B/s",
    scale=1e-9,
    text=units.rate,
    worse=0.5,
    change="Half the bandwidth",
    indifferent="Bandwidth hardly matters on any of these networks",
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
        for place in sorted({*getattr(grid, of.field), of.own(fabric)})
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
            "x": place * of.scale,
            "seconds": time,
            "here": place == of.own(fabric),
            "label": f"{fabric.name} at {of.text(place)}: {units.duration(time)}",
        }
        for fabric, place, time in points
    ]
    # The charts of both parameters have one scale of time.
    times = [time for each in (_LATENCY, _BANDWIDTH) for _, _, time in _points(pairs, each)]
    least, most = min(times), max(times)
    places = [place * of.scale for _, place, _ in points]
    flat = most < 2 * least
    names = [fabric.name for _, fabric in pairs]
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
                labelExpr=units.axis_label("s"),
                **({"tickCount": 5} if flat else {"values": kinds.log_ticks(least, most)}),
            ),
        ),
        color=kinds.colour(names, columns=4),
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
    if len(names) > len(theme.SERIES):
        here = here.encode(shape=kinds.shape(names))
    worst, cost = max(
        ((fabric.name, of.cost(grid, fabric)) for grid, fabric in pairs), key=lambda pair: pair[1]
    )
    quantity = of.axis.split(" of ")[0]

    def row(point: tuple[Fabric, float, float]) -> list[Field]:
        fabric, place, time = point
        return [
            words("fabric", fabric.name),
            cell(f"{quantity} [{of.unit}]", quantity, Cell(text=of.text(place), value=place)),
            value("seconds [s]", "time", time, "time"),
        ]

    title = of.indifferent
    if cost >= 0.005:
        title = f"{of.change} costs {worst} {units.percent(cost)} more time"
    note = "Large marks: each fabric as it is."
    return Figure(
        chart=alt.layer(line, dots, here).properties(width=theme.PLOT_WIDTH - 48, height=200),
        table=table(key, title, points, row, note=note),
    )
