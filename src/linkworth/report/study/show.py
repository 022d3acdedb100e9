"""Values as text, by the kind of their metric."""

from linkworth import units
from linkworth.model.statistics import Bounds, Description
from linkworth.report.study.table import Cell, Mark
from linkworth.study.metrics import Kind, Metric


def text(value: float, kind: Kind) -> str:
    """Return a value with its unit: `1.23 s`, `117 MB/s`, `65.5 kB`, `12 %`, `0.0210 US$`."""
    if value < 0 and kind != "number":
        return f"−{text(-value, kind)}"
    match kind:
        case "time":
            return units.duration(value)
        case "rate":
            return units.rate(value)
        case "size":
            return units.data(value)
        case "count":
            return units.count(round(value)) if value >= 10 or value % 1 == 0 else units.significant(value, 2)
        case "share":
            return units.percent(value)
        case "money":
            return f"{units.significant(value)} US$"
        case "number":
            return units.significant(value, 4)


def change_interval(bounds: Bounds | None) -> str:
    """Return the interval of a relative difference: `+10.1 to +14.2 %`."""
    if bounds is None:
        return ""
    if bounds.high >= 1:
        return f"x {units.significant(bounds.low + 1)} to {units.significant(bounds.high + 1)}"
    low, high = (f"{'+' if each > 0 else '−'}{abs(each) * 100:.1f}" for each in (bounds.low, bounds.high))
    return f"{low} to {high} %"


def between(bounds: Bounds, kind: Kind) -> str:
    """Return an interval: `1.21 to 1.25 s`."""
    low, high = text(bounds.low, kind), text(bounds.high, kind)
    if low == high:
        return f"± less than shown, {low}" if bounds.high > bounds.low else low
    return units.interval(low, high)


def described(
    description: Description,
    metric: Metric,
    *,
    lost: str = "",
    predicted: bool = False,
    crowded: bool = False,
) -> Cell:
    """Return the mean with its interval, the number of runs and the lost ones; `crowded`: ranks shared cores."""
    notes = []
    if predicted:
        notes.append("predicted")
    elif description.mean_interval:
        notes.append(between(description.mean_interval, metric.kind))
    if not predicted:
        notes.append(f"{description.n} run{'s' if description.n > 1 else ''}")
    if crowded:
        notes.append("ranks share cores")
    if lost:
        notes.append(lost)
    mark: Mark = "predicted" if predicted else ""
    return Cell(
        text=text(description.mean, metric.kind),
        value=description.mean,
        note=", ".join(notes),
        mark="bad" if lost else mark,
    )


def sigmas(value: float | None) -> Cell:
    """Return a distance in standard deviations: `1.1`."""
    if value is None:
        return Cell(text="–", value=None, mark="quiet")
    return Cell(text=f"{value:.1f}", value=value)


def p_value(p: float | None) -> Cell:
    """Return a chance: `0.031`, `< 0.001`."""
    if p is None:
        return Cell(text="–", value=None, mark="quiet")
    return Cell(text="< 0.001" if p < 0.001 else f"{p:.3f}", value=p)


def number(value: float | None, kind: Kind) -> Cell:
    """Return only a value."""
    if value is None:
        return Cell(text="–", value=None, mark="quiet")
    return Cell(text=text(value, kind), value=value)


def relative(value: float | None) -> Cell:
    """Return only a relative difference."""
    if value is None:
        return Cell(text="–", value=None, mark="quiet")
    return Cell(text=units.change(value), value=value)
