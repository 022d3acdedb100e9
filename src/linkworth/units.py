"""Text of numbers on screens, pages and files: three significant digits and an SI unit. Values are in SI units.

Also sizes that users type.
"""

import math
import re
from collections.abc import Sequence

import msgspec

from linkworth.errors import UsageError

_TIMES = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))
_PREFIXES = ((1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""))


def axis_label(unit: str, digits: int = 3) -> str:
    """Return the Vega expression that labels an axis or a legend with values in a unit: `65.5 kB`, `200 ms`."""
    # Vega's format() puts the SI prefix directly behind the number.
    return f"replace(format(datum.value, '.{digits}~s'), regexp('([^0-9.]*)$'), ' $1{unit}')"


SIZE_LABEL = f"datum.value < 1 ? '0 B' : {axis_label('B')}"
"""Vega expression that labels an axis of message sizes, on which an empty message may lie below one byte."""


def significant(value: float, digits: int = 3) -> str:
    """Return `value` rounded to `digits` significant digits, or to a whole number that has more, without an exponent."""
    if value == 0 or not math.isfinite(value):
        return "0" if value == 0 else str(value)
    decimals = max(0, digits - 1 - math.floor(math.log10(abs(value))))
    text = f"{value:.{decimals}f}"
    if decimals and len(text.replace("-", "").replace(".", "").lstrip("0")) > digits:
        text = f"{value:.{decimals - 1}f}"
    return text


def duration(seconds: float) -> str:
    """Return a time: `1.23 s`, `24.6 µs`."""
    if seconds == 0:
        return "0 s"
    scale, unit = time_unit(seconds)
    return f"{significant(seconds / scale)} {unit}"


def time_unit(seconds: float) -> tuple[float, str]:
    """Return the unit of times up to this one, as its seconds and its name."""
    return _scale(seconds, 3, _TIMES)


def data(size: float) -> str:
    """Return a number of bytes: `1.23 MB`, `512 B`."""
    return f"{size:.0f} B" if size < 999.5 else _prefixed(size, "B")


def message_size(size: float) -> str:
    """Return the exact size of a message: `65,536 B`."""
    return "no limit" if size >= 1 << 62 else f"{count(size)} B"


def parse_size(text: str, option: str) -> int:
    """Return the bytes in a text such as `64`, `64K`, `4M` or `4 MiB`. Raises UsageError that names the option."""
    found = re.fullmatch(r"([0-9]{1,15})\s*(?:([kmg])(?:i?b)?|b)?", text.strip().lower())
    if not found:
        raise UsageError(
            f"{option} {text!r}: no size in bytes; K, M and G are multiples of 1024, such as in 64K"
        )
    return int(found[1]) << {None: 0, "k": 10, "m": 20, "g": 30}[found[2]]


def rate(bytes_per_second: float) -> str:
    """Return bytes per second: `118 MB/s`."""
    return "no limit" if math.isinf(bytes_per_second) else _prefixed(bytes_per_second, "B/s")


def bit_rate(bits_per_second: float | None) -> str:
    """Return the nominal rate of a link: `1 Gbit/s`."""
    if bits_per_second is None:
        return "unshaped"
    scale, prefix = _scale(bits_per_second, 4, _PREFIXES)
    return f"{bits_per_second / scale:.4g} {prefix}bit/s"


def _prefixed(value: float, unit: str) -> str:
    scale, prefix = _scale(value, 3, _PREFIXES)
    return f"{significant(value / scale)} {prefix}{unit}"


def _scale(value: float, digits: int, scales: Sequence[tuple[float, str]]) -> tuple[float, str]:
    """Return the largest scale that leaves at least 1 of the rounded value, or the smallest scale."""
    rounded = abs(float(f"{value:.{digits}g}"))
    return next((item for item in scales if rounded >= item[0]), scales[-1])


def percent(share: float, decimals: int = 0) -> str:
    """Return a share: `12 %`, or `0.4 %` below 1 %. Only the whole, to a hundredth, is 100: `> 99 %`."""
    value = share * 100 + 0.0  # no minus before a zero
    if 0 < value < 0.1:
        return "< 0.1 %"
    if 100 - 0.5 * 10**-decimals <= value < 99.995:
        return f"> {100 - 10**-decimals:.{decimals}f} %"
    return f"{value:.{max(decimals, 1) if 0 < abs(value) < 1 else decimals}f} %"


def change(relative: float) -> str:
    """Return a relative difference with its sign: `+12 %`, `−3.4 %`, `x 9.1` from a doubling on."""
    if relative >= 1:
        return f"x {significant(relative + 1)}"
    value = abs(relative) * 100
    if value < 0.05:
        return "0 %"
    return f"{'+' if relative > 0 else '−'}{value:.{0 if value >= 10 else 1}f} %"


def interval(low: str, high: str) -> str:
    """Return the interval between two texts of numbers, with their unit once: `1.21 to 1.25 s`."""
    number, _, unit = low.partition(" ")
    return low if low == high else f"{number if unit == high.partition(' ')[2] else low} to {high}"


def plain(number: float) -> str:
    """Return a number for a sentence, with all digits of a whole one: `16,777,216`, `0.05`, `1e-9`, `1e6`."""
    text = f"{number:g}"
    if math.isfinite(number) and number == round(number) != float(text):
        return count(number)
    return text.replace("e+0", "e").replace("e+", "e").replace("e-0", "e-")


def count(number: float) -> str:
    """Return a whole number with commas between thousands."""
    return f"{number:,.0f}"


def plural(number: int, noun: str) -> str:
    """Return a count of things: `1 call`, `2,000 calls`."""
    return f"{count(number)} {noun}{'' if number == 1 else 's'}"


def shortened(names: Sequence[str], most: int) -> str:
    """Return the first `most` names, and how many more there are: `a, b and 2 more`."""
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more} more" if more > 0 else "")


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

    def in_words(self, cost_usd: float) -> str:
        """Return the cost of `runs` runs with its unit: `4.30 US$ per 1,000 runs`."""
        return f"{self.text(cost_usd)} {self.label}"


def cost_scale(costs_usd: Sequence[float]) -> CostScale:
    """Return the smallest number of runs (1, 1,000, 1,000,000) with which no cost is below a cent."""
    positive = [cost for cost in costs_usd if cost > 0]
    for runs in (1, 1000):
        if not positive or min(positive) * runs >= 0.01:
            return CostScale(runs)
    return CostScale(1_000_000)
