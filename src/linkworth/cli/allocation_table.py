"""Tables of an allocation for a person."""

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from linkworth.advise.reason import usd_text
from linkworth.cli import units
from linkworth.model.allocation import Allocation

MOST_ROWS = 60
"""Most runs to show; --json has all."""


def allocation_table(allocation: Allocation) -> RenderableType:
    """Return the places and times of the programs, and the proved bounds."""
    parts: list[RenderableType] = []
    if allocation.choices:
        parts += [_choices(allocation), Text(), _runs(allocation), Text()]
    parts.append(Text(f"{allocation.reason[0].upper()}{allocation.reason[1:]}."))
    return Group(*parts)


def _choices(allocation: Allocation) -> Table:
    table = _table(
        "program", "runs>", "nodes>", "of", "fabric", "ranks>", "a run>", "US$>", "ends>", "deadline>"
    )
    for choice in allocation.choices:
        deadline = choice.deadline_seconds
        table.add_row(
            choice.program,
            str(choice.runs),
            str(choice.nodes),
            choice.nodes_of,
            choice.fabric,
            str(choice.ranks),
            units.seconds(choice.seconds, digits=4),
            usd_text(choice.cost_usd),
            units.seconds(choice.last_end_seconds, digits=4),
            "" if deadline is None else units.seconds(deadline, digits=4),
        )
    return table


def _runs(allocation: Allocation) -> RenderableType:
    table = _table("start>", "end>", "program", "run>", "on")
    for placement in allocation.placements[:MOST_ROWS]:
        table.add_row(
            units.seconds(placement.start_seconds, digits=4),
            units.seconds(placement.end_seconds, digits=4),
            placement.program,
            str(placement.run),
            f"{placement.nodes_of} {','.join(map(str, placement.on))}",
        )
    more = len(allocation.placements) - MOST_ROWS
    return Group(table, Text(f"and {more} more runs (--json has them)")) if more > 0 else table


def _table(*columns: str) -> Table:
    """Return a table; `name>` is a column of numbers."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        table.add_column(
            column.rstrip(">"), justify="right" if column.endswith(">") else "left", no_wrap=True
        )
    return table
