"""Time and cost of one program over the number of nodes, from traces of several rank counts."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import altair as alt

from linkworth import units
from linkworth.model.prediction import Prediction
from linkworth.report.charts import kinds, theme
from linkworth.report.item import ReportItem
from linkworth.report.table import NOTHING, Cell, Field, Figure, cell, table, value, whole, words
from linkworth.trace.comparable import doubts


class NodeCount(NamedTuple):
    """Time and cost on one network with one number of nodes."""

    fabric: str
    nodes: int
    ranks: int
    seconds: float
    cost_usd: float | None
    scaled: bool
    """True if the replayed trace is scaled from recordings on fewer ranks."""
    low: float
    """Seconds at the ends of the 90 % interval."""
    high: float
    fits: bool = True
    """True if it meets the deadline and the budget, and no node has fewer cores than ranks."""


def figures(items: Sequence[ReportItem], scale: units.CostScale) -> list[Figure]:
    """Return time, and cost if there are prices, for each program that has traces on several numbers of nodes."""
    found: list[Figure] = []
    programs: dict[tuple[str, str], list[ReportItem]] = {}
    for item in items:
        if item.trusted and item.predictions.predictions:
            programs.setdefault((item.predictions.workload, item.predictions.region), []).append(item)
    for (workload, _), of in programs.items():
        of.sort(key=lambda item: item.predictions.nodes)
        if len(of) < 2 or len({item.predictions.nodes for item in of}) < len(of):
            continue
        places = [place for item in of for place in _places(item)]
        doubtful = doubts(
            [(item.predictions.ranks, item.metadata) for item in of if item.metadata is not None]
        )
        found += time_and_cost(f"nodes-{len(found) + 1}", workload, places, scale, doubtful=doubtful)
    return found


def time_and_cost(
    key: str,
    workload: str,
    places: Sequence[NodeCount],
    scale: units.CostScale,
    *,
    grows: bool = False,
    doubtful: Sequence[str] = (),
) -> list[Figure]:
    """Return the chart of time, and that of cost if there are prices. Their axes are logarithmic: there is none with a 0.

    `grows`: each number of ranks has its problem; `doubtful`: sentences for the caption.
    """
    if not all(place.seconds for place in places):
        return []
    priced = [place for place in places if place.cost_usd is not None]
    figures = [_figure(f"{key}-time", workload, places, None, grows=grows, doubtful=doubtful)]
    if priced and all(place.cost_usd for place in priced):
        figures.append(_figure(f"{key}-cost", workload, priced, scale, grows=grows, doubtful=doubtful))
    return figures


def _places(item: ReportItem) -> list[NodeCount]:
    options = {option.fabric: option for option in item.advice.options}
    of = item.predictions

    def place(each: Prediction) -> NodeCount:
        option = options.get(each.fabric)
        return NodeCount(
            each.fabric,
            of.nodes,
            of.ranks,
            each.seconds,
            None if option is None else option.cost_usd,
            item.metadata is not None and item.metadata.scaling is not None,
            each.seconds if each.interval is None else each.interval.low_seconds,
            each.seconds if each.interval is None else each.interval.high_seconds,
            option is None or option.feasible,
        )

    return [place(each) for each in of.predictions]


def _figure(
    key: str,
    workload: str,
    places: Sequence[NodeCount],
    scale: units.CostScale | None,
    *,
    grows: bool,
    doubtful: Sequence[str],
) -> Figure:
    def measure(place: NodeCount) -> float:
        return place.seconds if scale is None else (place.cost_usd or 0.0) * scale.runs

    def text(place: NodeCount) -> str:
        return units.duration(place.seconds) if scale is None else scale.in_words(place.cost_usd or 0.0)

    largest = max(place.ranks for place in places)
    fitting = [place for place in places if place.fits and (place.ranks == largest or not grows)]
    best = min(fitting, key=lambda place: (measure(place), place.nodes), default=None)
    points = [
        kinds.ChartPoint(
            series=place.fabric,
            x=float(place.nodes),
            value=measure(place),
            label=f"{place.fabric} on {units.plural(place.nodes, 'node')}, {units.plural(place.ranks, 'rank')}: {text(place)}"
            + (", scaled" if place.scaled else ""),
            low=measure(place) * place.low / place.seconds,
            high=measure(place) * place.high / place.seconds,
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
    circled = [] if best is None else [best]
    chosen = (
        alt.Chart(
            kinds.values(
                {"x": float(each.nodes), "value": measure(each), "label": f"least: {text(each)}"}
                for each in circled
            )
        )
        .mark_point(size=260, strokeWidth=2, color=theme.INK, opacity=1)
        .encode(x=alt.X("x:Q", **x), y=alt.Y("value:Q", **y), description=alt.Description("label:N"))
    )
    drawn = kinds.lines(points, x=x, y=y, spread="band", columns=4)
    word = "is fastest" if scale is None else "costs least"
    within = "" if len(fitting) == len(places) else " within the limits"
    if grows:  # a smaller problem takes less, which is no advantage of its number of nodes
        within = f" at the problem of {units.plural(largest, 'rank')}"
    title = (
        f"{workload}: no number of nodes is within the limits"
        if best is None
        else f"{workload} {word}{within} on {units.plural(best.nodes, 'node')} with {best.fabric}: {text(best)}"
    )

    def row(place: NodeCount) -> list[Field]:
        usd = place.cost_usd
        return [
            words("fabric", place.fabric),
            whole("nodes", "nodes", place.nodes),
            whole("ranks", "ranks", place.ranks),
            words("trace", "scaled" if place.scaled else "recorded"),
            value("seconds [s]", "time", place.seconds, "time"),
            value("least [s]", "least", place.low, "time"),
            value("most [s]", "most", place.high, "time"),
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
            title,
            places,
            row,
            note=f"Filled: recorded ranks. Open: scaled ones. Band: 90 % of what is uncertain. Circle: the least{within}."
            + "".join(f" {doubt[0].upper()}{doubt[1:]}." for doubt in doubtful),
        ),
        wide=True,
    )
