"""Shared parts of the figures of all sections."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import altair as alt

from linkworth.report.charts import theme

T = TypeVar("T")
WIDTH = 520
"""Width in pixels of the plot of a wide figure."""
MOST_ROWS = 120
"""Most rows of a figure: more do not fit a page. The numbers below a figure and its files have all."""
MOST_LINES = 24
"""Most lines of a figure: more cannot be distinguished."""
SHAPES = ["circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right"]


def largest(items: Sequence[T], size: Callable[[T], float]) -> list[T]:
    """Return the MOST_ROWS largest items, in their original order."""
    if len(items) <= MOST_ROWS:
        return list(items)
    order = sorted(range(len(items)), key=lambda index: -size(items[index]))[:MOST_ROWS]
    return [items[index] for index in sorted(order)]


def colour(names: Sequence[str], *, field: str = "environment") -> alt.Color:
    """Return colours for names in their order."""
    return alt.Color(
        f"{field}:N",
        scale=alt.Scale(domain=list(names), range=[_cycle(theme.SERIES, n) for n in range(len(names))]),
        legend=alt.Legend(columns=3, labelLimit=220, symbolOpacity=1),
    )


def shape(names: Sequence[str], *, field: str = "environment") -> alt.Shape:
    """Return marks of different shapes for names, so that colour is not the only distinction."""
    return alt.Shape(
        f"{field}:N",
        scale=alt.Scale(
            domain=list(names), range=[_cycle(SHAPES, n + n // len(SHAPES)) for n in range(len(names))]
        ),
    )


def plot_width(wide: bool) -> int:
    """Return the width of a plot."""
    return WIDTH if wide else theme.PLOT_WIDTH - 30


def names_on_y(names: Sequence[str], **more: Any) -> alt.Y:  # noqa: ANN401 (options of the library)
    """Return a vertical axis with names in their order."""
    return alt.Y("name:N", title=None, sort=list(names), axis=alt.Axis(labelLimit=200), **more)


def _cycle(values: Sequence[str], n: int) -> str:
    return values[n % len(values)]
