"""Kinds of charts: each takes points or shares with their labels, and returns an Altair chart."""

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ClassVar, Literal, NamedTuple, TypeVar

import altair as alt
from altair.utils import schemapi

from linkworth import units
from linkworth.report.charts import theme
from linkworth.writing.documents import with_texts
from linkworth.writing.text import printable

T = TypeVar("T")
WIDTH = 520
"""Width in pixels of the plot of a wide figure."""
MOST_ROWS = 120
"""Most rows of a figure: more do not fit a page. The numbers below a figure and its files have all."""
MOST_LINES = 24
"""Most lines of a figure: more cannot be distinguished."""
_SHAPES = ["circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right"]
_LEAST_LABELLED = 0.09
"""Least share of a stacked bar that has room for its percentage."""


class ChartPoint(NamedTuple):
    """One point of a line or a row of dots."""

    series: str
    x: float | str
    value: float
    label: str
    """Text under the pointer."""
    low: float | None = None
    high: float | None = None
    """Upper end of the interval; `low` is the lower one. None without an interval."""
    uncertain: bool = False
    """True for an open mark."""


class Marks(NamedTuple):
    """Look of a line and of its points."""

    size: int = 30
    """Area of a point in square pixels."""
    shaped: bool = True
    """True if each series has a shape of its own."""
    stroke: float = 1.5
    """Width of the line in pixels."""


_DOTTED_LINE = Marks()


class _Rows:
    """Rows that Altair passes on as they are, instead of visiting each value."""

    _schema: ClassVar[dict[str, object]] = {}
    """Altair recognises what has its own conversion by this name."""

    def __init__(self, rows: Iterable[Mapping[str, object]]) -> None:
        self._rows = [dict(row) for row in rows]

    def to_dict(self) -> list[dict[str, object]]:
        return self._rows


def values(rows: Iterable[Mapping[str, object]]) -> alt.Data:
    """Return rows as inline chart data."""
    # Altair would check each value against the schema, which takes seconds for 10,000 rows.
    with schemapi.debug_mode(False):
        return alt.Data(values=_Rows(rows))  # type: ignore[no-untyped-call]


def lines(
    points: Sequence[ChartPoint],
    *,
    x: Mapping[str, Any],
    y: Mapping[str, Any],
    ordinal: bool = False,
    spread: Literal["", "band", "bars"] = "",
    marks: Marks = _DOTTED_LINE,
    reference: float | None = None,
    columns: int = 3,
) -> alt.LayerChart | alt.FacetChart:
    """Return a line for each series; `x` and `y` are options of the axes.

    `spread` draws the intervals, `ordinal` stands for an axis of names, `reference` draws a horizontal rule.
    """
    names = distinct(point.series for point in points)
    rows = [
        point._asdict()
        | {"low": point.value if point.low is None else point.low}
        | {"high": point.value if point.high is None else point.high}
        for point in points
    ]
    base = alt.Chart(values(rows)).encode(
        x=alt.X("x:N" if ordinal else "x:Q", **x),
        y=alt.Y("value:Q", **y),
        color=colour(names, columns=columns),
    )
    low = alt.Y("low:Q", **y)
    line = base.mark_line(strokeWidth=marks.stroke)
    layers: list[alt.Chart] = [line]
    if reference is not None:
        layers.insert(0, _rule(reference, alt.Y("one:Q")))
    if spread == "band":
        layers.insert(0, base.mark_area(opacity=0.2).encode(y=low, y2=alt.Y2("high:Q")))
    elif spread == "bars":
        layers.append(
            base.mark_rule().encode(y=low, y2=alt.Y2("high:Q"), description=alt.Description("label:N"))
        )
    return alt.layer(*layers, _dots(base, names, points, size=marks.size, shaped=marks.shaped))


def ranges(
    points: Sequence[ChartPoint], *, names: Sequence[str], title: str
) -> alt.LayerChart | alt.FacetChart:
    """Return dots with their intervals on a logarithmic axis around 1.

    `x` of a point is the name of its row. `names` has the name of each point's colour.
    """
    rows = [
        point._asdict() | {"low": max(point.low or 0.0, 1e-9), "name": name}
        for point, name in zip(points, names, strict=True)
    ]
    least = min([1.0, *(row["low"] for row in rows)]) / 1.1
    most = max([1.0, *(point.high or 0.0 for point in points)]) * 1.1
    options: dict[str, Any] = {
        "title": title,
        "scale": alt.Scale(type="log", nice=False, domain=[least, most]),
        "axis": alt.Axis(values=log_ticks(least, most), format="~g"),
    }
    known = distinct(names)
    base = alt.Chart(values(rows)).encode(
        y=names_on_y(distinct(str(point.x) for point in points), field="x"),
        yOffset=alt.YOffset("series:N", sort=distinct(point.series for point in points)),
        color=colour(known, field="name"),
    )
    bars = base.mark_rule(strokeWidth=2).encode(
        x=alt.X("low:Q", **options), x2=alt.X2("high:Q"), description=alt.Description("label:N")
    )
    dots = _dots(base, known, points, size=55, field="name").encode(x=alt.X("value:Q", **options))
    return alt.layer(_rule(1.0, alt.X("one:Q")), bars, dots)


def stacked(
    bars: Sequence[tuple[str, Mapping[str, float]]],
    colours: Mapping[str, str],
    *,
    title: str,
    label: Callable[[str, str, float], str],
    height: int,
    names: Mapping[str, str] | None = None,
) -> alt.LayerChart | alt.FacetChart:
    """Return bars of shares that add up to a whole, each a key and its shares by the names of `colours`.

    `label` returns the text of a part from its bar, name and share. `names` are the bars' names if keys are not.
    """
    rows = []
    for key, parts in bars:
        start = 0.0
        for kind, share in parts.items():
            if share > 0:
                rows.append(
                    {
                        "name": key,
                        "kind": kind,
                        "start": start,
                        "end": start + share,
                        "middle": start + share / 2,
                        "text": units.percent(share) if share >= _LEAST_LABELLED else "",
                        "ink": theme.ON_LIGHT if colours[kind] in theme.LIGHT else theme.ON_DARK,
                        "label": label(key, kind, share),
                    }
                )
            start += share
    base = alt.Chart(values(rows)).encode(y=names_on_y([key for key, _ in bars], labels=names))
    drawn = base.mark_bar(height=height).encode(
        x=alt.X(
            "start:Q",
            title=title,
            axis=alt.Axis(format="%", values=[0, 0.25, 0.5, 0.75, 1]),
            scale=alt.Scale(domain=[0, 1]),
        ),
        x2=alt.X2("end:Q"),
        color=alt.Color("kind:N", scale=alt.Scale(domain=list(colours), range=list(colours.values()))),
        description=alt.Description("label:N"),
    )
    texts = base.mark_text(fontWeight="bold").encode(
        x=alt.X("middle:Q"), text=alt.Text("text:N"), color=alt.Color("ink:N", scale=None)
    )
    return alt.layer(drawn, texts)


def heat(rows: Sequence[Mapping[str, object]], *, x: alt.X, names: Sequence[str], end: str = "") -> alt.Chart:
    """Return a map of shares: rows have `name`, `share` and `label`. `end` is the field of a cell's end, if not `x`."""
    chart: alt.Chart = (
        alt.Chart(values(rows))
        .mark_rect()
        .encode(
            x=x,
            y=names_on_y(names),
            color=alt.Color(
                "share:Q",
                scale=alt.Scale(domain=[0, 1], range=[theme.LIGHT_BLUE, theme.DARK_BLUE]),
                legend=alt.Legend(format="%", gradientLength=120),
            ),
            description=alt.Description("label:N"),
            **({"x2": f"{end}:Q"} if end else {}),
        )
    )
    return chart


def distinct(names: Iterable[T]) -> list[T]:
    """Return each item once, in the order of first use."""
    return list(dict.fromkeys(names))


def largest(items: Sequence[T], size: Callable[[T], float]) -> list[T]:
    """Return the MOST_ROWS largest items, in their original order."""
    if len(items) <= MOST_ROWS:
        return list(items)
    order = sorted(range(len(items)), key=lambda index: -size(items[index]))[:MOST_ROWS]
    return [items[index] for index in sorted(order)]


def colour(names: Sequence[str], *, field: str = "series", columns: int = 3) -> alt.Color:
    """Return colours for names in their order."""
    return alt.Color(
        f"{field}:N",
        scale=alt.Scale(
            domain=list(names), range=[theme.SERIES[n % len(theme.SERIES)] for n in range(len(names))]
        ),
        legend=alt.Legend(columns=columns, labelLimit=170, symbolOpacity=1),
    )


def shape(names: Sequence[str], *, field: str = "series") -> alt.Shape:
    """Return shapes for names in their order. Names of one colour have different ones."""
    shapes = [_SHAPES[(n + n // len(_SHAPES)) % len(_SHAPES)] for n in range(len(names))]
    return alt.Shape(f"{field}:N", scale=alt.Scale(domain=list(names), range=shapes))


def names_on_y(
    names: Sequence[str], *, field: str = "name", labels: Mapping[str, str] | None = None
) -> alt.Y:
    """Return a vertical axis with names in their order; `labels` are shown instead of the names."""
    options: dict[str, Any] = {} if labels is None else {"labelExpr": _lookup(labels)}
    return alt.Y(f"{field}:N", title=None, sort=list(names), axis=alt.Axis(labelLimit=150, **options))


def ranks_text(first: int, last: int) -> str:
    """Return neighbouring ranks as the text of an axis: `3`, `4–7`."""
    return str(first) if first == last else f"{first}–{last}"


def log_ticks(low: float, high: float) -> list[float]:
    """Return round values of a logarithmic axis: 1, 2, 5 in every decade, or only the decades if there are many."""
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    for digits in ((1, 2, 5), (1, 3), (1,)):
        ticks = [d * 10.0**decade for decade in range(first, last + 1) for d in digits]
        ticks = [tick for tick in ticks if low * 0.999 <= tick <= high * 1.001]
        if len(ticks) <= 6:
            return ticks
    return ticks[:: math.ceil(len(ticks) / 6)]


def _dots(
    base: alt.Chart,
    names: Sequence[str],
    points: Sequence[ChartPoint],
    *,
    size: int,
    shaped: bool = True,
    field: str = "series",
) -> alt.Chart:
    """Return the marks of points. Shapes differ by name, so that colour is not the only distinction."""
    more: dict[str, Any] = {}
    if shaped:
        more["shape"] = shape(names, field=field)
    if any(point.uncertain for point in points):
        open_mark = alt.value("transparent")
        more["fill"] = alt.condition("datum.uncertain", open_mark, base.encoding.color)
        marks = base.mark_point(size=size, opacity=1, strokeWidth=1.5)
    else:
        marks = base.mark_point(size=size, opacity=1, filled=True)
    dots: alt.Chart = marks.encode(description=alt.Description("label:N"), **more)
    return dots


def _rule(at: float, axis: alt.X | alt.Y) -> alt.Chart:
    rule: alt.Chart = (
        alt.Chart(values([{"one": at}])).mark_rule(color=theme.MUTED, strokeDash=[3, 3]).encode(axis)
    )
    return rule


def _lookup(names: Mapping[str, str]) -> str:
    """Return a Vega expression for a name by its key, so that equal names keep their own bars."""
    return f"({json.dumps(with_texts(dict(names), printable))})[datum.label]"
