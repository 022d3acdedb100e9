"""Summary for a terminal: one table, or a paragraph for each program if the table does not fit."""

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from linkworth.report import units
from linkworth.report.summary import FabricCell, Summary, SummaryRow

_KINDS = ["computation", "communication", "initialisation"]
_VERDICT = {"yes": ("verified", "green"), "FAILED": ("FAILED", "bold red")}


def show(summary: Summary, console: Console) -> None:
    """Print the summary on the console, in the form that fits its width."""
    table = _table(summary)
    fits = console.measure(table, options=console.options.update(width=10_000)).maximum <= console.width
    console.print(table if fits else _stacked(summary))
    for line in dict.fromkeys(_circumstances(row) for row in summary.rows):
        console.print(Text(line))


def _circumstances(row: SummaryRow) -> str:
    where = f"; ran here: {plain(row.ran_on)}" if row.ran_on else ""
    return f"predicted as if on {row.layout}, a core for each rank{where}"


def _table(summary: Summary) -> Table:
    table = Table(
        box=None,
        padding=(0, 2, 0, 0),
        title=f"Time and cost on each network; cost in {summary.scale.label}",
        title_style="bold",
        title_justify="left",
        pad_edge=False,
    )
    table.add_column("program", no_wrap=True)
    table.add_column("ran here", justify="right", no_wrap=True)
    table.add_column("\n".join(_KINDS), no_wrap=True)
    table.add_column("speed-up,\ngroup", no_wrap=True)
    for fabric in summary.fabrics:
        table.add_column(Text(fabric), justify="right", no_wrap=True)
    table.add_column("choice", no_wrap=True)
    table.add_column("break-\neven", justify="right", no_wrap=True)
    for row in summary.rows:
        table.add_row(
            Text.assemble(plain(row.workload), f"\n{row.ranks} ranks\n", _verdict(row)),
            Text(row.time),
            Text("\n".join(_shares(row))),
            Text("\n".join([row.speedup, *row.group.split(" ", 1)])),
            *(_cell(cell) for cell in row.cells),
            Text(row.choice, style="bold"),
            Text(row.breakeven),
            end_section=True,
        )
        table.add_row()
    return table


def _stacked(summary: Summary) -> RenderableType:
    paragraphs: list[RenderableType] = []
    for row in summary.rows:
        text = Text.assemble((plain(row.workload), "bold"), f" on {row.ranks} ranks, ", _verdict(row))
        text.append(f"\n  ran here in {row.time}")
        # Initialisation is the third, of a program that was run.
        for share, kind in zip(_shares(row), _KINDS, strict=False):
            text.append(f"\n    {share} {kind}")
        text.append(f"\n  this run: {row.change}")
        text.append(f"\n  group of network dependence: {row.group}")
        for cell in row.cells:
            cost = f", {cell.cost} {summary.scale.label}" if cell.cost else ""
            text.append(f"\n  {cell.fabric}: {cell.time}{cost}", style="bold" if cell.chosen else "")
        text.append(f"\n  choice: {row.choice}; break-even price ratio {row.breakeven}\n")
        paragraphs.append(text)
    return Group(*paragraphs)


def plain(name: str) -> str:
    """Return a name without characters that a terminal would obey instead of showing."""
    return "".join(character if character.isprintable() else "\ufffd" for character in name)


def _verdict(row: SummaryRow) -> tuple[str, str]:
    return _VERDICT.get(row.verified, (row.verified, ""))


def _shares(row: SummaryRow) -> list[str]:
    """Return the shares, and the time of initialisation, which is not part of them."""
    shares = [units.percent(row.shares.compute), units.percent(row.shares.communication)]
    return [*shares, f"+ {row.init_time}"] if row.init_time else shares


def _cell(cell: FabricCell) -> Text:
    text = Text(cell.time, style="bold" if cell.chosen else "")
    if cell.cost:
        text.append(f"\n{cell.cost}")
    if not cell.feasible:
        text.append("\nover limit")
    return text
