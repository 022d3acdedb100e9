"""Tables of the paper beside a study for a person."""

from rich.console import Group, RenderableType
from rich.text import Text

from linkworth.cli.table import Table
from linkworth.report.study.published import PaperBeside
from linkworth.report.study.sections.published import difference, summary, value, verdict


def published_table(paper: PaperBeside) -> RenderableType:
    """Return a line for each number, a line for each conclusion, and a sentence for each miss."""
    parts: list[RenderableType] = [Text(f"\nCompared with the paper: {summary(paper)}", style="bold")]
    numbers = [
        [
            f"{number.what} [{number.unit}]" if number.unit else number.what,
            value(number.paper),
            value(number.ours),
            difference(number),
        ]
        for number in paper.numbers
        if number.ours is not None
    ]
    if numbers:
        parts.append(Table(["number~", "paper>", "ours>", "difference>"], numbers))
    if paper.conclusions:
        conclusions = [[each.what, verdict(each), each.shown] for each in paper.conclusions]
        parts.append(Table(["conclusion~", "reached", "ours~"], conclusions))
    parts += [Text(f"{what}: {miss}") for what, miss in paper.reasons]
    return Group(*parts)
