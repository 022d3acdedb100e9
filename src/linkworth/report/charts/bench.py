"""Micro-benchmarks on logarithmic axes, with all environments in one panel for each test."""

import math
from collections.abc import Mapping, Sequence

import altair as alt

from linkworth import units
from linkworth.bench.tests import TESTS
from linkworth.model.bench import BenchResult
from linkworth.report.charts import kinds, theme
from linkworth.report.table import Figure, ReportTable

Named = tuple[str, BenchResult]
"""Name and result of an environment."""

_HEIGHT = 220
_LABEL = "datum.value >= 1048576 ? format(datum.value / 1048576, '~r') + ' MiB' : " \
         "datum.value >= 1024 ? format(datum.value / 1024, '~r') + ' KiB' : format(datum.value, '~r') + ' B'"  # fmt: skip
# Field of the row, name of the axis with its unit, and such units in an SI unit.
_TIME = ("latency_seconds", "time, µs", 1e6)
_RATE = ("bandwidth_bytes_per_second", "bandwidth, MB/s", 1e-6)


def figure(results: Sequence[Named], key: str = "bench") -> Figure:
    """Return a panel for each test with rows by size. Raises ValueError if none has any."""
    order: dict[str, list[Named]] = {}
    for name, result in results:
        if _points(name, result, *_axis(result)):
            order.setdefault(result.test, []).append((name, result))
    if not order:
        raise ValueError("none of the results has rows by message size")
    shown = {series: None for group in order.values() for series in _series(group)}
    colours = {series: theme.SERIES[i % len(theme.SERIES)] for i, series in enumerate(shown)}
    panels = [_panel(test, group, colours) for test, group in order.items()]
    names = list(dict.fromkeys(name for name, _ in results))
    title = f"{', '.join(order)}: {', '.join(names)}"
    chart = alt.vconcat(*panels, spacing=24).resolve_scale(color="independent")
    return Figure(chart=chart, table=ReportTable(key=key, title=title))


def _panel(
    test: str, results: Sequence[Named], colours: Mapping[str, str]
) -> alt.LayerChart | alt.FacetChart:
    field, title, scale = _axis(results[0][1])
    points = [point for name, result in results for point in _points(name, result, field, title, scale)]
    series = _series(results)
    sizes = {int(str(point["bytes"])) for point in points}
    base = alt.Chart(kinds.values(points)).encode(
        x=alt.X("bytes:Q", title="message size", scale=alt.Scale(type="log", base=2, nice=False),
                axis=alt.Axis(labelExpr=_LABEL, values=_powers_of_two(min(sizes), max(sizes)), labelOverlap=True)),
        y=alt.Y("value:Q", title=title, scale=alt.Scale(type="log"),
                axis=alt.Axis(format="~r", values=[10.0**power for power in range(-3, 10)])),
        color=alt.Color("series:N", sort=series,
                        scale=alt.Scale(domain=series, range=[colours[name] for name in series]),
                        legend=alt.Legend(columns=1, labelLimit=theme.PLOT_WIDTH)),
    )  # fmt: skip
    lines = base.mark_line(strokeWidth=2)
    dots = base.mark_point(filled=True, size=24).encode(description=alt.Description("label:N"))
    heading = f"{test}: {TESTS[test].title}" if test in TESTS else test
    return alt.layer(lines, dots).properties(width=theme.PLOT_WIDTH, height=_HEIGHT, title=heading)


def _powers_of_two(least: int, most: int) -> list[int]:
    """Return about six equidistant powers of two within the range."""
    first, last = math.ceil(math.log(least, 2)), math.floor(math.log(most, 2))
    step = max(1, round((last - first) / 6))
    return [2**power for power in range(first, last + 1, step)]


def _series(results: Sequence[Named]) -> list[str]:
    found = [
        str(point["series"]) for name, result in results for point in _points(name, result, *_axis(result))
    ]
    return list(dict.fromkeys(found))


def _axis(result: BenchResult) -> tuple[str, str, float]:
    """Return the axis of a test: its time, or its bandwidth if that is its purpose."""
    if result.test in TESTS:
        return _RATE if TESTS[result.test].shows == "bandwidth" else _TIME
    return _TIME if any(row.latency_seconds for row in result.rows) else _RATE


def _points(name: str, result: BenchResult, field: str, title: str, scale: float) -> list[dict[str, object]]:
    found = []
    for row in result.rows:
        value = getattr(row, field)
        if value and row.bytes > 0:
            series = f"{name}, {row.label}" if row.label else name
            shown = value * scale
            found.append({
                "bytes": row.bytes, "value": shown, "series": series,
                "label": f"{series}: {units.message_size(row.bytes)}, {units.significant(shown)} {title.split(', ')[1]}",
            })  # fmt: skip
    return found
