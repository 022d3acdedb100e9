"""Parts of the critical path on each fabric."""

import altair as alt

from linkworth import units
from linkworth.model.prediction import Prediction
from linkworth.report.charts import kinds, theme
from linkworth.report.item import ReportItem
from linkworth.report.table import Field, Figure, table, value, words

PARTS = {
    "compute_seconds": "computation",
    "overhead_seconds": "overhead",
    "latency_seconds": "latency",
    "bandwidth_seconds": "bandwidth",
    "wait_seconds": "waiting",
}


def figure(item: ReportItem, key: str) -> Figure:
    """Return one bar for each fabric, its five parts as shares of the predicted time."""
    predictions = item.predictions.predictions
    seconds = {each.fabric: each.seconds for each in predictions}
    chart = kinds.stacked(
        [(each.fabric, _shares(each)) for each in predictions],
        {name: theme.KINDS[name] for name in PARTS.values()},
        title="share of the critical path",
        label=lambda fabric, part, share: (
            f"{fabric}: {part} {units.duration(share * seconds[fabric])}, {units.percent(share)}"
        ),
        height=18,
    ).properties(width=theme.PLOT_WIDTH - 30, height=alt.Step(28))
    slowest = max(predictions, key=lambda each: each.seconds)
    part, share = max(_shares(slowest).items(), key=lambda item: item[1])

    def row(each: Prediction) -> list[Field]:
        return [
            words("fabric", each.fabric),
            *(value(f"{name} [s]", name, getattr(each, field), "time") for field, name in PARTS.items()),
            value("seconds [s]", "all", each.seconds, "time"),
        ]

    title = f"On {slowest.fabric}, {part} is {units.percent(share)} of the critical path"
    note = "The longest chain of computation and messages, from the replay. Waiting: for a busy link or a late partner."
    return Figure(chart=chart, table=table(f"{key}-parts", title, predictions, row, note=note))


def _shares(prediction: Prediction) -> dict[str, float]:
    whole = prediction.seconds
    return {name: getattr(prediction, field) / whole if whole else 0.0 for field, name in PARTS.items()}
