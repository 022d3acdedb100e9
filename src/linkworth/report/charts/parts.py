"""Parts of the critical path on each fabric."""

import altair as alt

from linkworth import units
from linkworth.model.prediction import CRITICAL_PATH, Prediction
from linkworth.report.charts import kinds, theme
from linkworth.report.item import ReportItem
from linkworth.report.table import Field, Figure, table, value, words


def figure(item: ReportItem, key: str) -> Figure:
    """Return one bar for each fabric, its five parts as shares of the predicted time."""
    predictions = item.predictions.predictions
    seconds = {each.fabric: each.seconds for each in predictions}
    chart = kinds.stacked(
        [(each.fabric, _shares(each)) for each in predictions],
        {name: theme.KINDS[name] for name in CRITICAL_PATH.values()},
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
            *(
                value(f"{name} [s]", name, each.critical_path[part], "time")
                for part, name in CRITICAL_PATH.items()
            ),
            value("seconds [s]", "all", each.seconds, "time"),
        ]

    title = f"On {slowest.fabric}, {part} is {units.percent(share)} of the critical path"
    note = "The longest chain of computation and messages, from the replay. Waiting: for a busy link or a late partner."
    return Figure(chart=chart, table=table(f"{key}-parts", title, predictions, row, note=note))


def _shares(prediction: Prediction) -> dict[str, float]:
    parts, whole = prediction.critical_path, prediction.seconds
    return {name: parts[part] / whole if whole else 0.0 for part, name in CRITICAL_PATH.items()}
