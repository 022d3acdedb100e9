"""Summary of the demo's programs for a person: the runs here, and time and cost on each network."""

from rich.console import Group, RenderableType
from rich.text import Text

from linkworth import units
from linkworth.cli.table import Table
from linkworth.report.summary import FabricCell, Summary, SummaryRow


def summary_table(summary: Summary) -> RenderableType:
    """Return one table of the runs and one of the predictions."""
    circumstances = dict.fromkeys(_circumstances(row) for row in summary.rows)
    return Group(_runs(summary), Text(), _predictions(summary), *map(Text, circumstances))


def _circumstances(row: SummaryRow) -> str:
    where = f"; ran here: {row.ran_on}" if row.ran_on else ""
    return f"Predicted on {row.layout}, a core for each rank{where}."


def _runs(summary: Summary) -> Table:
    titles = ["program", "ranks>", "verified", "time here>", "communication>", "initialisation>", "speed-up>"]
    return Table(
        [*titles, "network dependence~"],
        [
            [
                row.workload,
                str(row.ranks),
                row.verified,
                row.time,
                units.percent(row.shares.communication),
                row.init_time,
                row.speedup,
                row.group,
            ]
            for row in summary.rows
        ],
        title="Runs here",
        note="Communication: share of the ranks' time between MPI_Init and MPI_Finalize. Initialisation comes before. "
        "Speed-up: of the fastest network over the slowest.",
    )


def _predictions(summary: Summary) -> Table:
    rows = []
    for row in summary.rows:
        rows.append([row.workload, "time", *(cell.time for cell in row.cells), row.choice, row.breakeven])
        if any(cell.cost for cell in row.cells):
            rows.append(["", "cost", *map(_cost, row.cells), "", ""])
    return Table(
        ["program", "", *(f"{fabric}>" for fabric in summary.fabrics), "choice", "break-even price ratio>"],
        rows,
        title=f"Time and cost on each network; cost in {summary.scale.label}",
        keys=2,
    )


def _cost(cell: FabricCell) -> str:
    return cell.cost if cell.feasible else f"{cell.cost} (over limit)"
