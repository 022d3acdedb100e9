"""Recorded time of each rank: computation, MPI calls, and waiting for other ranks."""

import math
from collections.abc import Sequence

import altair as alt

from linkworth import units
from linkworth.model.profile import Profile
from linkworth.report.charts import kinds, theme
from linkworth.report.item import ReportItem
from linkworth.report.table import Field, Figure, table, value, whole

MOST_BARS = 64
"""Most bars: above, a bar is the mean of neighbouring ranks."""
EVEN = 1.05
"""Longest computation over the mean up to which the ranks count as balanced."""
COLOURS = {kind: theme.KINDS[kind] for kind in ("computation", "MPI calls", "waiting")}


def figure(item: ReportItem, key: str) -> Figure | None:
    """Return one stacked bar for each rank; None for one rank, and if calls take no time in the trace."""
    profile = item.profile
    if not profile.timed or profile.ranks < 2 or not profile.rank_compute_seconds:
        return None
    times = _times(profile)
    step = math.ceil(len(times) / MOST_BARS)
    bars = [times[first : first + step] for first in range(0, len(times), step)]
    names = [kinds.ranks_text(number * step, number * step + len(bar) - 1) for number, bar in enumerate(bars)]
    rows = [
        {"rank": name, "kind": kind, "order": order, "seconds": mean, "label": _label(name, kind, mean)}
        for name, bar in zip(names, bars, strict=True)
        for order, kind in enumerate(COLOURS)
        if (mean := sum(each[kind] for each in bar) / len(bar)) > 0
    ]
    every = max(1, math.ceil(len(names) / 8))
    chart = (
        alt.Chart(kinds.values(rows))
        .mark_bar()
        .encode(
            x=alt.X(
                "rank:N",
                sort=names,
                title="rank",
                axis=alt.Axis(labelAngle=0, values=names[::every], labelOverlap=True),
            ),
            y=alt.Y(
                "seconds:Q",
                title="recorded time",
                axis=alt.Axis(labelExpr=units.axis_label("s"), tickCount=5),
            ),
            color=alt.Color("kind:N", scale=alt.Scale(domain=list(COLOURS), range=list(COLOURS.values()))),
            order=alt.Order("order:Q"),
            description=alt.Description("label:N"),
        )
        .properties(width=theme.PLOT_WIDTH - 30, height=180)
    )
    caused = profile.waits.rank_caused_seconds if profile.waits is not None else None

    def row(rank: int) -> list[Field]:
        return [
            whole("rank", "rank", rank),
            *(value(f"{kind} [s]", kind, seconds, "time") for kind, seconds in times[rank].items()),
            value("caused [s]", "others waited for it", caused[rank] if caused else None, "time"),
        ]

    note = "Waiting: inside MPI calls, for another rank."
    if profile.oversubscribed:
        note += " With more ranks than cores, calls and waits include waiting for a core."
    if step > 1:
        note += f" A bar is the mean of {step} ranks."
    return Figure(
        chart=chart, table=table(f"{key}-ranks", _message(profile), range(profile.ranks), row, note=note)
    )


def _times(profile: Profile) -> list[dict[str, float]]:
    """Return the parts of each rank's time in seconds. Waiting is a part of the time in MPI calls."""
    waiting: Sequence[float] = profile.waits.rank_waiting_seconds if profile.waits is not None else ()
    found = []
    for rank, (computed, communicated) in enumerate(
        zip(profile.rank_compute_seconds, profile.rank_communication_seconds, strict=True)
    ):
        waited = min(waiting[rank], communicated) if waiting else 0.0
        found.append({"computation": computed, "MPI calls": communicated - waited, "waiting": waited})
    return found


def _message(profile: Profile) -> str:
    """Return the rank that computes longest, and the one for which the others waited most."""
    parts = []
    found = profile.imbalance
    if found is not None and found.mean_seconds > 0:
        ratio = found.most_seconds / found.mean_seconds
        parts.append(
            f"rank {found.most_rank} computes {units.significant(ratio)} times the mean"
            if ratio > EVEN
            else "all ranks compute about as long"
        )
    if profile.waits is not None and profile.waits.seconds > 0:
        caused = profile.waits.rank_caused_seconds
        rank = max(range(len(caused)), key=caused.__getitem__)
        parts.append(
            f"rank {rank} causes {units.percent(caused[rank] / (sum(caused) or 1.0))} of the waiting"
        )
    message = "; ".join(parts) or "time of each rank"
    return message[0].upper() + message[1:]


def _label(name: str, kind: str, seconds: float) -> str:
    return f"rank {name}: {units.duration(seconds)} {kind}"
