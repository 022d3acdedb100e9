"""Dependence of the predicted time on a fabric's latency and bandwidth."""

from collections.abc import Callable

import altair as alt

from linkworth import units
from linkworth.model.fabric import Fabric
from linkworth.model.prediction import SensitivityGrid
from linkworth.report.charts import kinds, theme
from linkworth.report.item import ReportItem
from linkworth.report.sensitivity import seconds_at, usable
from linkworth.report.table import Cell, Field, Figure, cell, table, value, words


def latency(item: ReportItem, key: str) -> Figure | None:
    """Return the time against the latency, a line for each fabric at its own bandwidth; None without grids."""

    def at(grid: SensitivityGrid, fabric: Fabric, factor: float) -> float:
        return seconds_at(grid, fabric.link.latency_seconds * factor, fabric.link.bandwidth_bytes_per_second)

    return _figure(
        item,
        f"{key}-latency",
        axis="latency of the link (µs, log)",
        knots=lambda grid: grid.latency_seconds,
        own=lambda fabric: fabric.link.latency_seconds,
        seconds=lambda grid, fabric, value: seconds_at(grid, value, fabric.link.bandwidth_bytes_per_second),
        shown=lambda value: value * 1e6,
        text=units.duration,
        message=lambda name, share: f"Twice the latency costs {name} {share} more time",
        indifferent="Latency hardly matters on any of these networks",
        change=lambda grid, fabric: at(grid, fabric, 2.0) / at(grid, fabric, 1.0) - 1,
    )


def bandwidth(item: ReportItem, key: str) -> Figure | None:
    """Return the time against the bandwidth, a line for each fabric at its own latency; None without grids."""

    def at(grid: SensitivityGrid, fabric: Fabric, factor: float) -> float:
        return seconds_at(grid, fabric.link.latency_seconds, fabric.link.bandwidth_bytes_per_second * factor)

    return _figure(
        item,
        f"{key}-bandwidth",
        axis="bandwidth of the link (GB/s, log)",
        knots=lambda grid: grid.bandwidth_bytes_per_second,
        own=lambda fabric: fabric.link.bandwidth_bytes_per_second,
        seconds=lambda grid, fabric, value: seconds_at(grid, fabric.link.latency_seconds, value),
        shown=lambda value: value * 1e-9,
        text=units.rate,
        message=lambda name, share: f"Half the bandwidth costs {name} {share} more time",
        indifferent="Bandwidth hardly matters on any of these networks",
        change=lambda grid, fabric: at(grid, fabric, 0.5) / at(grid, fabric, 1.0) - 1,
    )


def _figure(
    item: ReportItem,
    key: str,
    *,
    axis: str,
    knots: Callable[[SensitivityGrid], list[float]],
    own: Callable[[Fabric], float],
    seconds: Callable[[SensitivityGrid, Fabric, float], float],
    shown: Callable[[float], float],
    text: Callable[[float], str],
    message: Callable[[str, str], str],
    indifferent: str,
    change: Callable[[SensitivityGrid, Fabric], float],
) -> Figure | None:
    fabrics = {fabric.name: fabric for fabric in item.fabrics}
    pairs = [(grid, fabrics[grid.fabric]) for grid in item.grids if grid.fabric in fabrics and usable(grid)]
    if not pairs:
        return None
    points = [
        (fabric, place, seconds(grid, fabric, place))
        for grid, fabric in pairs
        for place in sorted({*knots(grid), own(fabric)})
    ]
    rows = [
        {
            "series": fabric.name,
            "x": shown(place),
            "seconds": time,
            "here": place == own(fabric),
            "label": f"{fabric.name} at {text(place)}: {units.duration(time)}",
        }
        for fabric, place, time in points
    ]
    times = [time for _, _, time in points]
    places = [shown(place) for _, place, _ in points]
    flat = max(times) < 2 * min(times)
    base = alt.Chart(kinds.values(rows)).encode(
        x=alt.X(
            "x:Q",
            title=axis,
            scale=alt.Scale(type="log", nice=False),
            axis=alt.Axis(values=kinds.log_ticks(min(places), max(places)), format="~g", grid=False),
        ),
        y=alt.Y(
            "seconds:Q",
            title=None,
            scale=alt.Scale(domainMin=0, zero=True)
            if flat
            else alt.Scale(type="log", nice=False, padding=12),
            axis=alt.Axis(
                labelExpr="format(datum.value, '.3~s') + 's'",
                **({"tickCount": 5} if flat else {"values": kinds.log_ticks(min(times), max(times))}),
            ),
        ),
        color=kinds.colour([fabric.name for _, fabric in pairs], columns=4),
    )
    line = base.mark_line(strokeWidth=2)
    dots = base.transform_filter("!datum.here").mark_circle(size=18, opacity=1).encode(description="label:N")
    here = (
        base.transform_filter("datum.here")
        .mark_point(filled=True, size=90, opacity=1, stroke=theme.INK, strokeWidth=1)
        .encode(description="label:N")
    )
    worst = max(((fabric.name, change(grid, fabric)) for grid, fabric in pairs), key=lambda pair: pair[1])
    quantity = axis.split(" of ")[0]

    def row(point: tuple[Fabric, float, float]) -> list[Field]:
        fabric, place, time = point
        return [
            words("fabric", fabric.name),
            cell(quantity, quantity, Cell(text=text(place), value=place)),
            value("seconds [s]", "time", time, "time"),
        ]

    title = message(worst[0], units.percent(worst[1])) if worst[1] >= 0.005 else indifferent
    note = f"Predicted time{'' if flat else ', log scale'}. Large dots: each fabric as it is."
    return Figure(
        chart=alt.layer(line, dots, here).properties(width=theme.PLOT_WIDTH - 30, height=200),
        table=table(key, title, points, row, note=note),
    )
