"""Time and cost of one program over the number of nodes, from traces of several rank counts."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import altair as alt

from linkworth import units
from linkworth.report.charts import kinds, theme
from linkworth.report.item import ReportItem
from linkworth.report.table import NOTHING, Cell, Field, Figure, cell, table, value, whole, words


class _Place(NamedTuple):
    """One network with one number of nodes."""

    fabric: str
    nodes: int
    ranks: int
    seconds: float
    cost_usd: float | None
    scaled: bool
    low: float
    """Factor of the time at the lower end of what the scaling leaves open."""
    high: float


def figures(items: Sequence[ReportItem], scale: units.CostScale) -> list[Figure]:
    """Return time, and cost if there are prices, for each program that has traces on several numbers of nodes."""
    found: list[Figure] = []
    trusted = [item for item in items if item.trusted and item.predictions.predictions]
    for workload in kinds.distinct(item.predictions.workload for item in trusted):
        of = sorted(
            (item for item in trusted if item.predictions.workload == workload),
            key=lambda item: item.predictions.nodes,
        )
        if len(of) < 2 or len({item.predictions.nodes for item in of}) < len(of):
            continue
        places = [place for item in of for place in _places(item)]
        key = f"nodes-{len(found) + 1}"
        found.append(_figure(f"{key}-time", workload, places, None))
        priced = [place for place in places if place.cost_usd is not None]
        if priced:
            found.append(_figure(f"{key}-cost", workload, priced, scale))
    return found


def _places(item: ReportItem) -> list[_Place]:
    costs = {option.fabric: option.cost_usd for option in item.advice.options}
    scaling = item.metadata.scaling if item.metadata is not None else None
    low, high = (1.0, 1.0) if scaling is None else scaling.span()
    of = item.predictions
    return [
        _Place(
            each.fabric,
            of.nodes,
            of.ranks,
            each.seconds,
            costs.get(each.fabric),
            scaling is not None,
            low,
            high,
        )
        for each in of.predictions
    ]


def _figure(key: str, workload: str, places: Sequence[_Place], scale: units.CostScale | None) -> Figure:
    def measure(place: _Place) -> float:
        return place.seconds if scale is None else (place.cost_usd or 0.0) * scale.runs

    def text(place: _Place) -> str:
        return units.duration(place.seconds) if scale is None else scale.in_words(place.cost_usd or 0.0)

    best = min(places, key=lambda place: (measure(place), place.nodes))
    points = [
        kinds.ChartPoint(
            series=place.fabric,
            x=float(place.nodes),
            value=measure(place),
            label=f"{place.fabric} on {units.plural(place.nodes, 'node')}, {place.ranks} ranks: {text(place)}"
            + (", scaled" if place.scaled else ""),
            low=measure(place) * place.low,
            high=measure(place) * place.high,
            uncertain=place.scaled,
        )
        for place in places
    ]
    x: dict[str, Any] = {
        "title": "nodes (log)",
        "scale": alt.Scale(type="log", nice=False, padding=12),
        "axis": alt.Axis(values=sorted({place.nodes for place in places}), format="d", grid=False),
    }
    ends = [end for point in points for end in (point.low, point.high) if end]
    y: dict[str, Any] = {
        "title": "predicted time (s, log)" if scale is None else f"{scale.label} (log)",
        "scale": alt.Scale(type="log", nice=False, padding=12),
        "axis": alt.Axis(values=kinds.log_ticks(min(ends), max(ends)), format="~g"),
    }
    chosen = (
        alt.Chart(
            kinds.values([{"x": float(best.nodes), "value": measure(best), "label": f"least: {text(best)}"}])
        )
        .mark_point(size=260, strokeWidth=2, color=theme.INK, opacity=1)
        .encode(x=alt.X("x:Q", **x), y=alt.Y("value:Q", **y), description="label:N")
    )
    drawn = kinds.lines(points, x=x, y=y, spread="band", columns=4)
    word = "is fastest" if scale is None else "costs least"

    def row(place: _Place) -> list[Field]:
        usd = place.cost_usd
        return [
            words("fabric", place.fabric),
            whole("nodes", "nodes", place.nodes),
            whole("ranks", "ranks", place.ranks),
            words("trace", "scaled" if place.scaled else "recorded"),
            value("seconds [s]", "time", place.seconds, "time"),
            value("least [s]", "least", place.seconds * place.low, "time"),
            value("most [s]", "most", place.seconds * place.high, "time"),
            cell(
                "cost [US$]",
                "cost, US$",
                NOTHING if usd is None else Cell(text=units.significant(usd), value=usd),
            ),
        ]

    return Figure(
        chart=alt.layer(drawn, chosen).properties(width=theme.PLOT_WIDTH, height=240),
        table=table(
            key,
            f"{workload} {word} on {units.plural(best.nodes, 'node')} with {best.fabric}: {text(best)}",
            places,
            row,
            note="Filled: recorded ranks. Open: scaled ones, with a band of what the scaling leaves open. Circle: the least.",
        ),
        wide=True,
    )
