"""Stacked bars of shares that add up to a whole."""

from collections.abc import Mapping

import altair as alt


def share_bars(
    base: alt.Chart, *, title: str, kind: str, colours: Mapping[str, str], height: int
) -> alt.Chart:
    """Return the bars of a chart: rows have `start` and `end` (0 to 1), a `label` and, in field `kind`, a key of `colours`."""
    bars: alt.Chart = base.mark_bar(height=height).encode(
        x=alt.X(
            "start:Q",
            title=title,
            axis=alt.Axis(format="%", tickCount=5),
            scale=alt.Scale(domain=[0, 1]),
        ),
        x2="end:Q",
        color=alt.Color(f"{kind}:N", scale=alt.Scale(domain=list(colours), range=list(colours.values()))),
        description="label:N",
    )
    return bars
