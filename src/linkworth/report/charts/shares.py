"""Ranks' time between MPI_Init and MPI_Finalize, divided into computation and communication."""

from collections.abc import Sequence

import altair as alt

from linkworth import units
from linkworth.report.charts import kinds, theme
from linkworth.report.item import MOST_DRAWN, ReportItem, labels
from linkworth.report.table import Field, Figure, table, value, words

KINDS = {"compute": "computation", "communication": "communication"}
COLOURS = {kind: theme.KINDS[kind] for kind in KINDS.values()}


def figure(items: Sequence[ReportItem]) -> Figure:
    """Return one stacked bar for each program, or of very many for those that communicate most."""
    named = list(zip(items, labels(items), strict=True))
    drawn = named
    if len(items) > MOST_DRAWN:
        drawn = sorted(named, key=lambda each: -each[0].profile.run_shares.communication)[:MOST_DRAWN]
    names = {str(number): label for number, (_, label) in enumerate(drawn)}
    bars = [(str(number), _parts(item)) for number, (item, _) in enumerate(drawn)]
    chart = kinds.stacked(
        bars,
        COLOURS,
        title="share of the ranks' time",
        label=lambda key, kind, share: f"{names[key]}: {units.percent(share)} {kind}",
        height=18,
        names=names,
    ).properties(width=theme.PLOT_WIDTH, height=alt.Step(28))
    most, of_most = max(named, key=lambda each: each[0].profile.run_shares.communication)
    share = units.percent(most.profile.run_shares.communication)
    title = f"{of_most} communicates {share} of its ranks' time"
    if len(items) > 1:
        title = f"{of_most} communicates most: {share} of its ranks' time"

    def row(each: tuple[ReportItem, str]) -> list[Field]:
        item, label = each
        return [
            words("program", label),
            *(value(f"{kind} [1]", kind, share, "share") for kind, share in _parts(item).items()),
            value(
                "initialisation [s]",
                "initialisation of a rank",
                item.profile.init_seconds if item.profile.timed else None,
                "time",
            ),
        ]

    note = _note(items)
    if len(items) > len(drawn):
        note += f" The chart has the {len(drawn)} programs that communicate most, the table all."
    return Figure(chart=chart, table=table("shares", title, named, row, note=note), wide=True)


def _parts(item: ReportItem) -> dict[str, float]:
    return {kind: getattr(item.profile.run_shares, field) for field, kind in KINDS.items()}


def _note(items: Sequence[ReportItem]) -> str:
    crowded = any(item.profile.oversubscribed for item in items)
    where = (
        "Where it ran, as if every rank had had a core of its own" if crowded else "As recorded where it ran"
    )
    return f"{where}. MPI_Init and MPI_Finalize are initialisation, which is in no share."
