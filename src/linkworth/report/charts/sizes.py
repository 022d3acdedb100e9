"""Histogram of message sizes."""

import altair as alt

from linkworth import units
from linkworth.model.profile import SizeBin
from linkworth.report.charts import kinds, theme
from linkworth.report.item import ReportItem
from linkworth.report.table import Field, Figure, table, value, whole, words

KINDS = {"messages": theme.SKY, "bytes": theme.QUIET}


def figure(item: ReportItem, key: str) -> Figure | None:
    """Return bars of the share of messages and of bytes in each size bin; None without messages."""
    bins = _trim(item.profile.message_sizes)
    if not bins:
        return None
    messages = sum(b.messages for b in bins)
    volume = sum(b.bytes for b in bins)
    rows = []
    for b in bins:
        for kind, amount, total in (("messages", b.messages, messages), ("bytes", b.bytes, volume)):
            share = amount / total if total else 0.0
            shown = units.count(amount) + " messages" if kind == "messages" else units.data(amount)
            rows.append(
                {
                    "size": bin_name(b),
                    "kind": kind,
                    "share": share,
                    "label": f"{bin_name(b)}: {shown}, {units.percent(share)} of all {kind}",
                }
            )
    chart = (
        alt.Chart(kinds.values(rows))
        .mark_bar()
        .encode(
            y=alt.Y("size:N", title="message size", sort=[bin_name(b) for b in bins]),
            yOffset=alt.YOffset("kind:N", sort=list(KINDS)),
            x=alt.X("share:Q", title="share of all", axis=alt.Axis(format="%", tickCount=4)),
            color=alt.Color("kind:N", scale=alt.Scale(domain=list(KINDS), range=list(KINDS.values()))),
            description=alt.Description("label:N"),
        )
        .properties(width=theme.PLOT_WIDTH - 58, height=alt.Step(9 if len(bins) > 12 else 12))
    )
    largest = max(bins, key=lambda b: b.bytes)
    most = units.percent(largest.bytes / volume if volume else 0.0)

    def row(b: SizeBin) -> list[Field]:
        return [
            words("size", bin_name(b), "message size"),
            whole("messages", "messages", b.messages),
            value("bytes [B]", "bytes", b.bytes, "size"),
        ]

    title = f"{most} of the bytes travel in messages of {bin_name(largest)}"
    note = f"{units.plural(messages, 'message')}, {units.data(volume)} in all, those inside collectives included."
    return Figure(chart=chart, table=table(f"{key}-sizes", title, bins, row, note=note))


def bin_name(b: SizeBin) -> str:
    """Return a bin's range of sizes in words."""
    if b.lowest_bytes == b.highest_bytes:
        return units.data(b.lowest_bytes)
    low, high = units.data(b.lowest_bytes), units.data(b.highest_bytes + 1)
    if low.split()[1] == high.split()[1]:
        low = low.split()[0]
    return f"{low}–{high}"


def _trim(bins: list[SizeBin]) -> list[SizeBin]:
    """Return the bins from the first to the last with a message."""
    used = [n for n, b in enumerate(bins) if b.messages]
    return bins[used[0] : used[-1] + 1] if used else []
