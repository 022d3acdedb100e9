"""The table of all verbs. It fits the terminal, and cuts no cell: titles and prose wrap, columns move to a further panel."""

from collections.abc import Iterator, Sequence
from typing import Literal

from rich.align import Align
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.measure import Measurement
from rich.table import Table as Grid
from rich.text import Text

from linkworth.writing.text import printable

_GAP = 2
_PROSE_WIDTH = 20
"""Least columns of a terminal for prose, if it is longer."""


class Column:
    """A column: its title, its cells, and how both are set."""

    def __init__(self, title: str, cells: Sequence[str]) -> None:
        """`title>` is a column of numbers, set to the right; `title~` is one of prose, which may wrap."""
        self.title = title.rstrip(">~")
        self.number, self.prose = title.endswith(">"), title.endswith("~")
        self.cells = [printable(cell) for cell in cells]
        lines = [line for cell in self.cells for line in cell.split("\n")]
        longest = max(map(cell_len, lines), default=0)
        self.natural = max(cell_len(self.title), longest)
        if self.prose:
            words = (word for line in lines for word in line.split())
            longest = min(longest, max(_PROSE_WIDTH, *map(cell_len, words), 0))
        self.least = max(longest, *map(cell_len, self.title.split()), 0)


class Table:
    """Rows under titles. The first `keys` columns name a row, and stand in each panel; empty columns are left out."""

    def __init__(
        self,
        titles: Sequence[str],
        rows: Sequence[Sequence[str]],
        *,
        title: str = "",
        note: str = "",
        keys: int = 1,
        most_rows: int | None = None,
    ) -> None:
        shown = rows[:most_rows]
        columns = [Column(title, [row[at] for row in shown]) for at, title in enumerate(titles)]
        self._columns = [column for column in columns if any(column.cells) or not shown]
        self._keys = sum(column in self._columns for column in columns[:keys])
        self.title, self._rows = title, len(shown)
        more = f"and {len(rows) - len(shown)} more (--json has all)" if len(rows) > len(shown) else ""
        self._notes = [text for text in (more, note) if text]

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        texts = [self.title, *self._notes]
        widest = max(_width(self._columns), *map(cell_len, texts))
        return Measurement(_width(self._columns, least=True), widest).with_maximum(options.max_width)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        width = options.max_width
        if self.title:
            yield Text(self.title, style="bold")
        columns, keys = self._columns, self._keys
        if _width(columns, least=True) > width and self._rows > 1:
            alike = [column for column in columns[1:] if len(set(column.cells)) == 1]
            columns = [column for column in columns if column not in alike]
            keys -= sum(column in alike for column in self._columns[:keys])
            if alike:
                yield Text("all: " + ", ".join(f"{column.title} {column.cells[0]}" for column in alike))
        for number, panel in enumerate(_panels(columns, keys, width)):
            if number:
                yield Text()
            yield _grid(panel, self._rows, width)
        for note in self._notes:
            yield Text(note)


def _width(columns: Sequence[Column], *, least: bool = False) -> int:
    widths = [column.least if least else column.natural for column in columns]
    return sum(widths) + _GAP * (len(widths) - 1)


def _panels(columns: list[Column], keys: int, width: int) -> Iterator[list[Column]]:
    """Yield the columns in as few panels as fit side by side."""
    panel = columns[:keys]
    for column in columns[keys:]:
        if len(panel) > keys and _width([*panel, column], least=True) > width:
            yield panel
            panel = columns[:keys]
        panel = [*panel, column]
    yield panel


def _grid(columns: Sequence[Column], rows: int, width: int) -> Grid:
    widths = [column.least for column in columns]
    room = width - _width(columns, least=True)
    # Prose comes first: a title on two lines reads well.
    for prose in (True, False):
        while room > 0:
            wanting = [
                at
                for at, column in enumerate(columns)
                if column.prose is prose and widths[at] < column.natural
            ]
            if not wanting:
                break
            widths[max(wanting, key=lambda at: columns[at].natural / widths[at])] += 1
            room -= 1
    grid = Grid(box=None, pad_edge=False, padding=(0, _GAP, 0, 0), show_header=any(c.title for c in columns))
    for column, wide in zip(columns, widths, strict=True):
        side: Literal["left", "right"] = "right" if column.number else "left"
        title = Align(Text(column.title, style="bold", justify=side), side, vertical="bottom")
        grid.add_column(title, width=min(wide, width), justify=side, overflow="fold")
    for at in range(rows):
        grid.add_row(*(Text(column.cells[at]) for column in columns))
    return grid
