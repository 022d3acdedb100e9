"""Numbers for people: three significant digits with a suitable unit."""

import math
from collections.abc import Sequence

import msgspec

_TIME_UNITS = [(1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns")]
_BYTE_UNITS = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"]


def significant(value: float, digits: int = 3) -> str:
    """Return `value` rounded to `digits` significant digits, without an exponent."""
    if value == 0 or not math.isfinite(value):
        return "0" if value == 0 else str(value)
    decimals = max(0, digits - 1 - math.floor(math.log10(abs(value))))
    text = f"{value:.{decimals}f}"
    if len(text.replace("-", "").replace(".", "").lstrip("0")) > digits and decimals:
        text = f"{value:.{decimals - 1}f}"
    return text


def duration(seconds: float) -> str:
    """Return a time: `1.23 s`, `45.6 ms`, `7 h 12 min`."""
    if seconds >= 36000:
        return f"{seconds / 3600:.0f} h"
    if seconds >= 3600:
        return f"{int(seconds // 3600)} h {int(seconds % 3600 // 60)} min"
    if seconds >= 600:
        return f"{int(seconds // 60)} min {int(seconds % 60)} s"
    for scale, unit in _TIME_UNITS:
        if seconds >= scale * 0.9995:
            return f"{significant(seconds / scale)} {unit}"
    return "0 s" if seconds == 0 else f"{significant(seconds / 1e-9)} ns"


def data_size(size: float) -> str:
    """Return a number of bytes in binary units: `64 KiB`, `1.5 GiB`."""
    for unit in _BYTE_UNITS:
        if size < 1024 or unit == _BYTE_UNITS[-1]:
            return f"{significant(size) if size % 1 else f'{size:.0f}'} {unit}"
        size /= 1024
    raise AssertionError("unreachable")


def rate(bytes_per_second: float) -> str:
    """Return a link's bandwidth in bits, as networks are named: `10 Gbit/s`."""
    if math.isinf(bytes_per_second):
        return "unlimited"
    bits = bytes_per_second * 8
    scale, unit = (1e9, "Gbit/s") if bits >= 1e9 else (1e6, "Mbit/s")
    return f"{significant(bits / scale)} {unit}"


def percent(share: float) -> str:
    """Return a share as a whole percentage; small ones have a digit, and only all is 100: `12 %`, `0.4 %`, `> 99 %`."""
    value = share * 100
    if 99.5 <= value < 99.995:
        return "> 99 %"
    if value and abs(value) < 1:
        return "< 0.1 %" if 0 < value < 0.1 else f"{value:.1f} %"
    return f"{value:.0f} %"


def growth(share: float) -> str:
    """Return a growth as a percentage that may exceed 100."""
    return f"{share * 100:.0f} %" if share >= 0.1 else percent(share)


def count(number: int) -> str:
    """Return a count with thin spaces between thousands."""
    return f"{number:,}".replace(",", "\u202f")


class CostScale(msgspec.Struct, frozen=True):
    """Number of runs in a displayed cost; one run of a short program would cost all zeros."""

    runs: int

    @property
    def label(self) -> str:
        """Heading of a column of costs."""
        return "US$ per run" if self.runs == 1 else f"US$ per {count(self.runs)} runs"

    def text(self, cost_usd: float) -> str:
        """Return the cost of `runs` runs, without the unit."""
        return significant(cost_usd * self.runs)


def cost_scale(costs_usd: Sequence[float]) -> CostScale:
    """Return the smallest number of runs (1, 1 000, 1 000 000) with which no cost is below a cent."""
    positive = [cost for cost in costs_usd if cost > 0]
    for runs in (1, 1000):
        if not positive or min(positive) * runs >= 0.01:
            return CostScale(runs)
    return CostScale(1_000_000)
