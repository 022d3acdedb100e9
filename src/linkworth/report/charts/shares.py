"""Ranks' time between MPI_Init and MPI_Finalize, divided into computation and communication."""

import json
from collections.abc import Sequence

import altair as alt

from linkworth import units
from linkworth.report.charts import theme
from linkworth.report.charts.figure import Figure, values
from linkworth.report.charts.stacked import share_bars
from linkworth.report.item import ReportItem
from linkworth.writing.documents import with_texts
from linkworth.writing.text import printable

KINDS = {"compute": "computation", "communication": "communication"}
COLOURS = {"computation": theme.BLUE, "communication": theme.VERMILION}


def figure(items: Sequence[ReportItem]) -> Figure:
    """Return one stacked bar for each program."""
    rows = []
    for number, item in enumerate(items):
        start = 0.0
        for field, kind in KINDS.items():
            share = getattr(item.profile.run_shares, field)
            rows.append(
                {
                    "program": str(number),
                    "kind": kind,
                    "start": start,
                    "end": start + share,
                    "middle": start + share / 2,
                    "text": units.percent(share) if share >= 0.09 else "",
                    "label": f"{item.profile.workload}: {units.percent(share)} {kind}",
                }
            )
            start += share
    names = {str(n): item.profile.workload for n, item in enumerate(items)}
    base = alt.Chart(values(rows)).encode(
        y=alt.Y(
            "program:N",
            title=None,
            sort=list(names),
            axis=alt.Axis(labelExpr=_lookup(names)),
        )
    )
    bars = share_bars(base, title="share of the ranks' time", kind="kind", colours=COLOURS, height=18)
    labels = base.mark_text(color=theme.ON_DARK, fontWeight="bold").encode(x="middle:Q", text="text:N")
    most = max(items, key=lambda item: item.profile.run_shares.communication)
    share = units.percent(most.profile.run_shares.communication)
    return Figure(
        key="shares",
        title=f"{most.profile.workload} communicates most: {share} of its ranks' time"
        if len(items) > 1
        else f"{most.profile.workload} communicates {share} of its ranks' time",
        chart=(bars + labels).properties(width=theme.PLOT_WIDTH, height=alt.Step(28)),
        columns=["program", *KINDS.values(), "initialisation of a rank"],
        rows=[
            [
                item.profile.workload,
                *(units.percent(getattr(item.profile.run_shares, field)) for field in KINDS),
                units.duration(item.profile.init_seconds),
            ]
            for item in items
        ],
        note=_note(items),
        wide=True,
    )


def _note(items: Sequence[ReportItem]) -> str:
    crowded = any(item.profile.oversubscribed for item in items)
    where = (
        "Where it ran, as if every rank had had a core of its own" if crowded else "As recorded where it ran"
    )
    return f"{where}. MPI_Init and MPI_Finalize are initialisation, which is in no share."


def _lookup(names: dict[str, str]) -> str:
    """Return a Vega expression for a program's name by its number, so that equal names keep their own bars."""
    return f"({json.dumps(with_texts(names, printable))})[datum.label]"
