"""Result of every chart function: the chart, the sentence that it shows, and its numbers as a table."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import altair as alt


@dataclass(frozen=True)
class Figure:
    """One chart of a report."""

    key: str
    """Unique in a page; becomes part of the ids in the SVG."""
    title: str
    """The message, one sentence without a full stop."""
    chart: Any
    """An Altair chart."""
    columns: list[str]
    rows: list[list[str]]
    """The same numbers for people who read them rather than see them."""
    note: str = ""
    wide: bool = field(default=False)


def values(rows: Iterable[Mapping[str, object]]) -> alt.Data:
    """Return rows as inline chart data."""
    return alt.Data(values=[dict(row) for row in rows])  # type: ignore[no-untyped-call]
