"""Values as text, by the kind of their metric."""

from linkworth import units
from linkworth.model.statistics import Bounds
from linkworth.study.metrics import Kind


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
    low, high = (f"{each * 100:+.1f}".replace("-", "−") for each in (bounds.low, bounds.high))
    low, high = ("0.0" if text[1:] == "0.0" else text for text in (low, high))
    return f"{low} to {high} %"


def between(bounds: Bounds, kind: Kind) -> str:
    """Return an interval: `1.21 to 1.25 s`."""
    low, high = text(bounds.low, kind), text(bounds.high, kind)
    if low == high:
        return f"± less than shown, {low}" if bounds.high > bounds.low else low
    return units.interval(low, high)
