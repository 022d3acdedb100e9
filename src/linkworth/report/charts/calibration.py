"""A fitted fabric against the measurements: time of a message by its size, both axes logarithmic."""

import altair as alt

from linkworth import units
from linkworth.model.calibration import Calibration, FittedPoint
from linkworth.report.charts import kinds, theme
from linkworth.report.table import Figure, ReportTable

_WIDTH, _HEIGHT = 560, 340
_TESTS = {
    "latency": "one after the other",
    "bandwidth": "a stream",
    "bibandwidth": "both ways",
    "multipair": "several pairs",
    "incast": "one sender, asked",
}


def figure(calibration: Calibration) -> Figure:
    """Return the measured points and the fit's line for each test, place and number of NICs."""
    shown = [point for point in calibration.points if point.bytes > 0]
    rows = [
        {
            "bytes": point.bytes,
            "measured": point.measured_seconds,
            "fitted": point.fitted_seconds,
            "series": series(point),
            "label": f"{series(point)}, {units.message_size(point.bytes)}: measured {units.duration(point.measured_seconds)}, "
            f"fit {units.duration(point.fitted_seconds)} ({units.change(point.residual)})",
        }
        for point in shown
    ]
    names = list(dict.fromkeys(series(point) for point in shown))
    colours = [theme.SERIES[number % len(theme.SERIES)] for number in range(len(names))]
    colour = alt.Color(
        "series:N",
        scale=alt.Scale(domain=names, range=colours),
        legend=alt.Legend(labelLimit=260, columns=2, symbolType="circle"),
    )
    base = alt.Chart(kinds.values(rows))
    x = alt.X(
        "bytes:Q",
        scale=alt.Scale(type="log", base=2),
        title="message size",
        axis=alt.Axis(labelExpr=units.SIZE_LABEL, tickCount=8),
    )
    measured = base.mark_point(filled=True, size=36, opacity=0.9).encode(
        x=x,
        y=alt.Y(
            "measured:Q",
            scale=alt.Scale(type="log"),
            title="seconds of a message",
            axis=alt.Axis(format=".0e", tickCount=6),
        ),
        color=colour,
        description=alt.Description("label:N"),
    )
    fitted = base.mark_line(strokeWidth=1.5).encode(x=x, y=alt.Y("fitted:Q"), color=colour)
    title = (
        f"{calibration.fabric.name}: the fit misses half of the measured times by less than "
        f"{units.percent(calibration.median_residual)}"
    )
    chart = alt.layer(fitted, measured).properties(width=_WIDTH, height=_HEIGHT)
    return Figure(chart=chart, table=ReportTable(key="calibration", title=title))


def series(point: FittedPoint) -> str:
    """Return the name of a line of the chart."""
    name = _TESTS.get(point.test, point.test)
    if point.pairs > 1:
        name = (
            f"{units.plural(point.pairs, 'sender')} at once"
            if point.test == "incast"
            else f"{units.plural(point.pairs, 'pair')}"
        )
    if point.rails > 1:
        name += f", {point.rails} NICs"
    return f"{name}, inside a node" if point.inside_a_node else name
