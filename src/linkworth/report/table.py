"""Tables and figures of a report. A row is stated once; pages, screens, CSV, Parquet and LaTeX files follow from it."""

from collections.abc import Callable, Iterable
from functools import cache
from typing import Any, Literal, NamedTuple, TypeVar

import msgspec

from linkworth import units
from linkworth.report import show
from linkworth.study.metrics import Kind

T = TypeVar("T")
Mark = Literal["", "predicted", "bad", "good", "quiet"]
Value = str | float | int | None
MOST_FIGURES = 12
"""Most figures of a section; the numbers of others are tables."""
MOST_FIGURES_OF_ALL = 60
"""Most figures of a report."""


class ReportColumn(msgspec.Struct, frozen=True):
    """Head of one column."""

    key: str
    """Name in CSV and Parquet files, with any unit."""
    title: str
    number: bool


class Cell(msgspec.Struct, frozen=True, kw_only=True):
    """One cell."""

    text: str
    value: Value
    """Value in SI units; a share is not in per cent. None: nothing was measured."""
    note: str = ""
    """A second, quieter line."""
    mark: Mark = ""


class Field(NamedTuple):
    """One cell of a row with the head of its column."""

    column: ReportColumn
    cell: Cell


class ReportTable(msgspec.Struct, frozen=True, kw_only=True):
    """One table."""

    key: str
    """Name of its files, unique in a report."""
    title: str
    columns: list[ReportColumn] = msgspec.field(default_factory=list)
    rows: list[list[Cell]] = msgspec.field(default_factory=list)
    note: str = ""


class Figure(msgspec.Struct, frozen=True, kw_only=True):
    """One chart with its numbers. The table's title is the chart's message: one sentence without a full stop."""

    chart: Any
    """An Altair chart."""
    table: ReportTable
    wide: bool = False

    @property
    def key(self) -> str:
        """Name, unique in a page; it becomes part of the ids in the SVG."""
        return self.table.key


class Section(msgspec.Struct, frozen=True, kw_only=True):
    """One section of a page."""

    key: str
    title: str
    text: str = ""
    tables: list[ReportTable] = msgspec.field(default_factory=list)
    figures: list[Figure] = msgspec.field(default_factory=list)

    @property
    def all_tables(self) -> list[ReportTable]:
        """The tables, then the numbers of the figures."""
        return [*self.tables, *(figure.table for figure in self.figures)]


def table(
    key: str, title: str, items: Iterable[T], row: Callable[[T], list[Field]], *, note: str = ""
) -> ReportTable:
    """Return the table with one row for each item; all rows have the columns of the first."""
    columns: list[ReportColumn] = []
    rows = []
    for item in items:
        fields = row(item)
        columns = columns or [field.column for field in fields]
        rows.append([field.cell for field in fields])
    return ReportTable(key=key, title=title, columns=columns, rows=rows, note=note)


def words(key: str, text: str, title: str = "", *, note: str = "", mark: Mark = "") -> Field:
    """Return a field of words."""
    return Field(_column(key, title or key, number=False), _words(text, note, mark))


def whole(key: str, title: str, number: int | None, *, mark: Mark = "") -> Field:
    """Return a field of a count; nothing if it is None."""
    cell = Cell(text=units.count(number), value=number, mark=mark) if number is not None else NOTHING
    return Field(_column(key, title), cell)


def value(key: str, title: str, number: float | None, kind: Kind) -> Field:
    """Return a field of a number of some kind; nothing if it is None."""
    content = Cell(text=show.text(number, kind), value=number) if number is not None else NOTHING
    return Field(_column(key, title), content)


def cell(key: str, title: str, content: Cell) -> Field:
    """Return a field of a number with its own text."""
    return Field(_column(key, title), content)


def node_hour(usd: float) -> Field:
    """Return a field of the price of a node."""
    text = units.significant(usd, 4)
    return cell("price [US$ per node-hour]", "US$ a node-hour", Cell(text=text, value=usd))


NOTHING = Cell(text="–", value=None, mark="quiet")
"""A cell without a measurement."""


@cache
def _words(text: str, note: str, mark: Mark) -> Cell:
    return Cell(text=text, value=text, note=note, mark=mark)


@cache
def _column(key: str, title: str, number: bool = True) -> ReportColumn:
    return ReportColumn(key, title, number)
