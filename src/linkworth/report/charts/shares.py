"""Ranks' time between MPI_Init and MPI_Finalize, divided into computation and communication."""

from collections.abc import Sequence

import altair as alt

from linkworth import units
from linkworth.report.charts import kinds, theme
from linkworth.report.item import MOST_DRAWN, ReportItem
from linkworth.report.table import Field, Figure, table, value, words

KINDS = {"compute": "computation", "communication": "communication"}
COLOURS = {kind: theme.KINDS[kind] for kind in KINDS.values()}


def figure(items: Sequence[ReportItem]) -> Figure:
    """Return one stacked bar for each program, or of very many for those that communicate most."""
    drawn = list(items)
    if len(items) > MOST_DRAWN:
        drawn.sort(key=lambda item: -item.profile.run_shares.communication)
        del drawn[MOST_DRAWN:]
    names = {str(number): item.profile.workload for number, item in enumerate(drawn)}
    bars = [(str(number), _parts(item)) for number, item in enumerate(drawn)]
    chart = kinds.stacked(
        bars,
        COLOURS,
        title="share of the ranks' time",
        label=lambda key, kind, share: f"{names[key]}: {units.percent(share)} {kind}",
        height=18,
        names=names,
    ).properties(width=theme.PLOT_WIDTH, height=alt.Step(28))
    most = max(items, key=lambda item: item.profile.run_shares.communication).profile
    share = units.percent(most.run_shares.communication)
    title = f"{most.workload} communicates {share} of its ranks' time"
    if len(items) > 1:
        title = f"{most.workload} communicates most: {share} of its ranks' time"

    def row(item: ReportItem) -> list[Field]:
        return [
            words("program", item.profile.workload),
            *(value(f"{kind} [1]", kind, share, "share") for kind, share in _parts(item).items()),
            value("initialisation [s]", "initialisation of a rank", item.profile.init_seconds, "time"),
        ]

    note = _note(items)
    if len(items) > len(drawn):
        note += f" The chart has the {len(drawn)} programs that communicate most, the table all."
    return Figure(chart=chart, table=table("shares", title, items, row, note=note), wide=True)


def _parts(item: ReportItem) -> dict[str, float]:
    return {kind: getattr(item.profile.run_shares, field) for field, kind in KINDS.items()}


def _note(items: Sequence[ReportItem]) -> str:
    crowded = any(item.profile.oversubscribed for item in items)
    where = (
        "Where it ran, as if every rank had had a core of its own" if crowded else "As recorded where it ran"
    )
    return f"{where}. MPI_Init and MPI_Finalize are initialisation, which is in no share."
