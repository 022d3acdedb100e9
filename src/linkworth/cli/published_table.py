"""Tables of the paper beside a study for a person."""

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from linkworth.report.study.published import PaperBeside
from linkworth.report.study.sections.published import difference, summary, value, verdict


def published_table(paper: PaperBeside) -> RenderableType:
    """Return a line for each number, a line for each conclusion, and a sentence for each miss."""
    parts: list[RenderableType] = [Text(f"\nCompared with the paper: {summary(paper)}", style="bold")]
    numbers = [number for number in paper.numbers if number.ours is not None]
    if numbers:
        table = Table(box=None, pad_edge=False, header_style="bold")
        table.add_column("number")
        for name in ("paper", "ours", "difference"):
            table.add_column(name, justify="right", no_wrap=True)
        for number in numbers:
            table.add_row(
                f"{number.what} [{number.unit}]" if number.unit else number.what,
                value(number.paper),
                value(number.ours),
                difference(number),
            )
        parts.append(table)
    if paper.conclusions:
        table = Table(box=None, pad_edge=False, header_style="bold")
        for name in ("conclusion", "reached", "ours"):
            table.add_column(name)
        for conclusion in paper.conclusions:
            table.add_row(conclusion.what, verdict(conclusion), conclusion.shown)
        parts.append(table)
    misses = [(number.what, number.miss) for number in paper.numbers if number.miss]
    misses += [(conclusion.what, conclusion.miss) for conclusion in paper.conclusions if conclusion.miss]
    parts += [Text(f"{what}: {miss}") for what, miss in misses]
    return Group(*parts)
