"""Dependence of the predicted time on a fabric's latency and bandwidth."""

import math
from collections.abc import Callable

import altair as alt

from linkworth import units
from linkworth.model.fabric import Fabric
from linkworth.model.prediction import SensitivityGrid
from linkworth.report.charts import theme
from linkworth.report.charts.figure import Figure, values
from linkworth.report.item import ReportItem
from linkworth.report.sensitivity import seconds_at, usable


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
    rows = [
        {
            "fabric": fabric.name,
            "x": shown(value),
            "seconds": seconds(grid, fabric, value),
            "here": value == own(fabric),
            "label": f"{fabric.name} at {text(value)}: {units.duration(seconds(grid, fabric, value))}",
        }
        for grid, fabric in pairs
        for value in sorted({*knots(grid), own(fabric)})
    ]
    names = [fabric.name for _, fabric in pairs]
    colours = [theme.SERIES[n % len(theme.SERIES)] for n in range(len(names))]
    times = [float(str(row["seconds"])) for row in rows]
    places = [float(str(row["x"])) for row in rows]
    flat = max(times) < 2 * min(times)
    base = alt.Chart(values(rows)).encode(
        x=alt.X(
            "x:Q",
            title=axis,
            scale=alt.Scale(type="log", nice=False),
            axis=alt.Axis(values=log_ticks(min(places), max(places)), format="~g", grid=False),
        ),
        y=alt.Y(
            "seconds:Q",
            title=None,
            scale=alt.Scale(domainMin=0, zero=True)
            if flat
            else alt.Scale(type="log", nice=False, padding=12),
            axis=alt.Axis(
                labelExpr="format(datum.value, '.3~s') + 's'",
                **({"tickCount": 5} if flat else {"values": log_ticks(min(times), max(times))}),
            ),
        ),
        color=alt.Color(
            "fabric:N",
            scale=alt.Scale(domain=names, range=colours),
            legend=alt.Legend(columns=4, symbolOpacity=1, symbolStrokeWidth=0),
        ),
    )
    line = base.mark_line(strokeWidth=2)
    dots = base.transform_filter("!datum.here").mark_circle(size=18, opacity=1).encode(description="label:N")
    here = (
        base.transform_filter("datum.here")
        .mark_point(filled=True, size=90, opacity=1, stroke=theme.INK, strokeWidth=1)
        .encode(description="label:N")
    )
    worst = max(((fabric.name, change(grid, fabric)) for grid, fabric in pairs), key=lambda pair: pair[1])
    return Figure(
        key=key,
        title=message(worst[0], units.percent(worst[1])) if worst[1] >= 0.005 else indifferent,
        chart=alt.layer(line, dots, here).properties(width=theme.PLOT_WIDTH - 30, height=200),
        columns=["fabric", axis.split(" of ")[0], "time"],
        rows=[
            [
                str(row["fabric"]),
                str(row["label"]).split(" at ")[1].rsplit(": ", 1)[0],
                units.duration(float(str(row["seconds"]))),
            ]
            for row in rows
        ],
        note=f"Predicted time{'' if flat else ', log scale'}. Large dots: each fabric as it is.",
    )


def log_ticks(low: float, high: float) -> list[float]:
    """Return round values of a logarithmic axis: 1, 2, 5 in every decade, or only the decades if there are many."""
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    for digits in ((1, 2, 5), (1, 3), (1,)):
        ticks = [d * 10.0**decade for decade in range(first, last + 1) for d in digits]
        ticks = [tick for tick in ticks if low * 0.999 <= tick <= high * 1.001]
        if len(ticks) <= 6:
            return ticks
    return ticks[:: math.ceil(len(ticks) / 6)]
