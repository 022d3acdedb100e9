"""Parts of the critical path on each fabric."""

import altair as alt

from linkworth import units
from linkworth.report.charts import theme
from linkworth.report.charts.figure import Figure, values
from linkworth.report.charts.stacked import share_bars
from linkworth.report.item import ReportItem

PARTS = {
    "compute_seconds": ("computation", theme.BLUE),
    "overhead_seconds": ("overhead", theme.GREEN),
    "latency_seconds": ("latency", theme.ORANGE),
    "bandwidth_seconds": ("bandwidth", theme.VERMILION),
    "wait_seconds": ("waiting", theme.QUIET),
}


def figure(item: ReportItem, key: str) -> Figure:
    """Return one bar for each fabric, its five parts as shares of the predicted time."""
    rows = []
    for p in item.predictions.predictions:
        start = 0.0
        for order, (field, (name, colour)) in enumerate(PARTS.items()):
            seconds = getattr(p, field)
            share = seconds / p.seconds if p.seconds else 0.0
            rows.append(
                {
                    "fabric": p.fabric,
                    "part": name,
                    "order": order,
                    "start": start,
                    "end": start + share,
                    "middle": start + share / 2,
                    "text": units.percent(share) if share >= 0.1 else "",
                    "ink": theme.ON_LIGHT if colour == theme.ORANGE else theme.ON_DARK,
                    "label": f"{p.fabric}: {name} {units.duration(seconds)}, {units.percent(share)}",
                }
            )
            start += share
    base = alt.Chart(values(rows)).encode(
        y=alt.Y("fabric:N", title=None, sort=[p.fabric for p in item.predictions.predictions])
    )
    bars = share_bars(
        base, title="share of the critical path", kind="part", colours=dict(PARTS.values()), height=18
    )
    labels = base.mark_text(fontWeight="bold").encode(
        x="middle:Q", text="text:N", color=alt.Color("ink:N", scale=None)
    )
    return Figure(
        key=f"{key}-parts",
        title=_message(item),
        chart=(bars + labels).properties(width=theme.PLOT_WIDTH - 30, height=alt.Step(28)),
        columns=["fabric", *(name for name, _ in PARTS.values()), "all"],
        rows=[
            [p.fabric, *(units.duration(getattr(p, field)) for field in PARTS), units.duration(p.seconds)]
            for p in item.predictions.predictions
        ],
        note="The longest chain of computation and messages, from the replay. Waiting: for a busy link or a late partner.",
    )


def _message(item: ReportItem) -> str:
    slowest = max(item.predictions.predictions, key=lambda p: p.seconds)
    field, (name, _) = max(PARTS.items(), key=lambda part: getattr(slowest, part[0]))
    share = getattr(slowest, field) / slowest.seconds if slowest.seconds else 0.0
    return f"On {slowest.fabric}, {name} is {units.percent(share)} of the critical path"
