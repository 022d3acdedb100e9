"""Table of a study's report, with the shown text and the numbers behind it."""

from collections.abc import Sequence
from functools import cache
from typing import Any, Literal

import msgspec

from linkworth import units
from linkworth.report.charts.figure import Figure

Mark = Literal["", "predicted", "bad", "good", "quiet"]
Value = str | float | int | None
MOST_FIGURES = 12
"""Most figures of a section; the numbers of others are tables."""
MOST_FIGURES_OF_ALL = 60
"""Most figures of a report."""


class Column(msgspec.Struct, frozen=True, kw_only=True):
    """One column."""

    key: str
    """Name in CSV and Parquet files, with any unit."""
    title: str
    number: bool = True


class Cell(msgspec.Struct, frozen=True, kw_only=True):
    """One cell."""

    text: str
    value: Value
    """Value in SI units; a share is not in per cent. None: nothing was measured."""
    note: str = ""
    """A second, quieter line."""
    mark: Mark = ""


class Table(msgspec.Struct, frozen=True, kw_only=True):
    """One table."""

    key: str
    """Name of its files, unique in a report."""
    title: str
    columns: list[Column]
    rows: list[list[Cell]]
    note: str = ""


class Drawing(msgspec.Struct, frozen=True, kw_only=True):
    """A figure with its data."""

    figure: Figure
    data: Table


class Section(msgspec.Struct, frozen=True, kw_only=True):
    """One section of the page."""

    key: str
    title: str
    text: str = ""
    tables: list[Table] = msgspec.field(default_factory=list)
    drawings: list[Drawing] = msgspec.field(default_factory=list)


@cache
def words(text: str, *, note: str = "", mark: Mark = "") -> Cell:
    """Return a cell of words."""
    return Cell(text=text, value=text, note=note, mark=mark)


def whole(number: int, *, mark: Mark = "") -> Cell:
    """Return a cell of a count."""
    return Cell(text=units.count(number), value=number, mark=mark)


@cache
def nothing(text: str = "–") -> Cell:
    """Return a cell without a measurement."""
    return Cell(text=text, value=None, mark="quiet")


def column(key: str, title: str, *, number: bool = True) -> Column:
    """Return a column."""
    return Column(key=key, title=title, number=number)


def drawing(
    key: str,
    title: str,
    chart: Any,  # noqa: ANN401 (an Altair chart)
    columns: Sequence[Column],
    rows: Sequence[Sequence[Cell]],
    *,
    note: str = "",
    wide: bool = False,
) -> Drawing:
    """Return a figure whose numbers are the rows."""
    table = Table(key=key, title=title, columns=list(columns), rows=[list(row) for row in rows], note=note)
    figure = Figure(
        key=key,
        title=title,
        chart=chart,
        columns=[column.title for column in columns],
        rows=[[cell.text for cell in row] for row in rows],
        note=note,
        wide=wide,
    )
    return Drawing(figure=figure, data=table)
