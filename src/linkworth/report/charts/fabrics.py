"""Time and cost of one program on each fabric."""

import altair as alt
import msgspec

from linkworth import units
from linkworth.model.prediction import Prediction
from linkworth.report.charts import kinds, theme
from linkworth.report.item import ReportItem
from linkworth.report.speedup import speedup
from linkworth.report.table import NOTHING, Cell, Field, Figure, cell, table, value, words

_HALF = 118


def figure(item: ReportItem, key: str, scale: units.CostScale) -> Figure:
    """Return two rows of bars that share their fabrics: time, and cost if there is a price."""
    costs = {option.fabric: option.cost_usd for option in item.advice.options}
    predictions = item.predictions.predictions
    order = [p.fabric for p in predictions]
    rows = [
        {
            "fabric": p.fabric,
            "seconds": p.seconds,
            "time": units.duration(p.seconds),
            "cost": costs.get(p.fabric, 0.0) * scale.runs,
            "price": scale.text(costs[p.fabric]) if p.fabric in costs else "no price",
            "kind": "choice" if p.fabric == item.advice.choice else "other",
            "label": f"{p.fabric}: {units.duration(p.seconds)}"
            + (f", {scale.text(costs[p.fabric])} {scale.label}" if p.fabric in costs else ""),
        }
        for p in predictions
    ]
    colour = alt.Color(
        "kind:N", scale=alt.Scale(domain=["choice", "other"], range=[theme.BLUE, theme.QUIET]), legend=None
    )
    data = kinds.values(rows)

    def panel(field: str, text: str, title: str, *, axis: bool) -> alt.LayerChart | alt.FacetChart:
        top = max((float(str(row[field])) for row in rows), default=0.0) or 1.0
        base = alt.Chart(data).encode(
            y=alt.Y("fabric:N", title=None, sort=order, axis=alt.Axis() if axis else None),
            x=alt.X(
                f"{field}:Q",
                title=title,
                axis=alt.Axis(labels=False, ticks=False, grid=False),
                scale=alt.Scale(domain=[0, top * 1.6]),
            ),
        )
        bars = base.mark_bar(height=18).encode(color=colour, description=alt.Description("label:N"))
        ends = base.mark_text(align="left", dx=4).encode(text=f"{text}:N")
        return alt.layer(bars, ends).properties(width=_HALF, height=alt.Step(28))

    time = panel("seconds", "time", "predicted time", axis=True)
    charts = [time, panel("cost", "price", scale.label, axis=False)] if costs else [time]

    def row(each: Prediction) -> list[Field]:
        usd = costs.get(each.fabric)
        cost = msgspec.structs.replace(NOTHING, text="no price")
        return [
            words("fabric", each.fabric),
            value("seconds [s]", "time", each.seconds, "time"),
            cell(
                "cost [US$]",
                f"cost, {scale.label}",
                cost if usd is None else Cell(text=scale.text(usd), value=usd),
            ),
        ]

    note = "Blue: the choice." if item.advice.choice else ""
    numbers = table(f"{key}-fabrics", _message(item, scale), predictions, row, note=note)
    return Figure(chart=alt.hconcat(*charts, spacing=14), table=numbers)


def _message(item: ReportItem, scale: units.CostScale) -> str:
    advice, predictions = item.advice, item.predictions.predictions
    if advice.choice:
        option = next(o for o in advice.options if o.fabric == advice.choice)
        best = "is fastest" if advice.goal == "time" else "costs least"
        limits = {"the deadline": advice.deadline_seconds, "the budget": advice.budget_usd}
        within = " and ".join(limit for limit, value in limits.items() if value is not None)
        figures = f"{units.duration(option.seconds)}, {scale.text(option.cost_usd)} {scale.label}"
        return f"{option.fabric} {best}{f' within {within}' if within else ''}: {figures}"
    change = speedup((each.fabric, each.seconds) for each in predictions)
    if change is None:
        return f"{units.duration(predictions[0].seconds)} on {predictions[0].fabric}"
    return change.sentence[0].upper() + change.sentence[1:]
