"""Tables of an allocation for a person."""

from rich.console import Group, RenderableType
from rich.text import Text

from linkworth import units
from linkworth.cli.table import Table
from linkworth.model.allocation import Allocation

MOST_ROWS = 60


def allocation_table(allocation: Allocation) -> RenderableType:
    """Return the places and times of the programs, and the proved bounds."""
    parts: list[RenderableType] = []
    if allocation.choices:
        parts += [_choices(allocation), Text(), _runs(allocation), Text()]
    parts.append(Text(f"{allocation.reason[0].upper()}{allocation.reason[1:]}."))
    return Group(*parts)


def _choices(allocation: Allocation) -> Table:
    titles = ["program", "runs>", "nodes>", "node type", "fabric", "ranks>"]
    return Table(
        [*titles, "time per run>", "US$ in all>", "last end>", "deadline>"],
        [
            [
                choice.program,
                str(choice.runs),
                str(choice.nodes),
                choice.nodes_of,
                choice.fabric,
                str(choice.ranks),
                units.duration(choice.seconds),
                "" if choice.cost_usd is None else units.significant(choice.cost_usd),
                units.duration(choice.last_end_seconds),
                "" if choice.deadline_seconds is None else units.duration(choice.deadline_seconds),
            ]
            for choice in allocation.choices
        ],
    )


def _runs(allocation: Allocation) -> Table:
    return Table(
        ["program", "run>", "start>", "end>", "node type", "nodes~"],
        [
            [
                placement.program,
                str(placement.run),
                units.duration(placement.start_seconds),
                units.duration(placement.end_seconds),
                placement.nodes_of,
                ", ".join(map(str, placement.on)),
            ]
            for placement in allocation.placements
        ],
        keys=2,
        most_rows=MOST_ROWS,
    )
