"""Ranges of the numbers that options and file fields accept."""

import msgspec

from linkworth import units


class NumberRange(msgspec.Struct, frozen=True, kw_only=True):
    """Finite numbers from `least` to `most`. NaN is in no range."""

    least: float
    """Must be above 0."""
    most: float
    zero: bool = False
    """True if 0 is allowed too."""
    infinity: bool = False
    """True if `inf` (no limit) is allowed too."""

    def __contains__(self, value: float) -> bool:
        """Return whether `value` is in the range."""
        return (
            self.least <= value <= self.most
            or (self.zero and value == 0)
            or (self.infinity and value == float("inf"))
        )

    def __str__(self) -> str:
        """Return the range as the end of a sentence that begins with "give"."""
        limits = f"a number from {units.plain(self.least)} to {units.plain(self.most)}"
        return f"{'0, or ' if self.zero else ''}{limits}{', or inf' if self.infinity else ''}"

    def read(self, text: str) -> float:
        """Return the number in `text`. Raise ValueError, with a remedy, if it is no number or out of
        range."""
        try:
            value = float(text)
        except ValueError:
            raise ValueError(f"{text!r} is not a number; give {self}") from None
        if value not in self:
            raise ValueError(f"{text} is out of range; give {self}")
        return value


CPU_FACTOR = NumberRange(least=1e-6, most=1e6)
THREAD_GAIN = NumberRange(least=1, most=2)
SECONDS = NumberRange(least=1e-9, most=1e9)
"""Time of a program's run: a nanosecond to 32 years."""
TIMEOUT_SECONDS = NumberRange(least=1e-3, most=1e8)
PRICE_USD = NumberRange(least=1e-9, most=1e9, zero=True)
BUDGET_USD = NumberRange(least=1e-9, most=1e12)
BACKGROUND_LOAD = NumberRange(least=1e-6, most=0.999, zero=True)
SPREAD = NumberRange(least=1e-6, most=1, zero=True)
"""Relative standard deviation. A parameter with a larger one is unknown."""
LATENCY_SECONDS = NumberRange(least=1e-15, most=1e4, zero=True)
"""Latency that a network or a processor adds to one message."""
BYTES_PER_SECOND = NumberRange(least=1, most=1e18)
MEMORY_BYTES_PER_SECOND = NumberRange(least=1e6, most=1e18)
"""Less is a number in GB/s."""
BYTES = NumberRange(least=1, most=1e18)
MEMORY_BYTES = NumberRange(least=1, most=1e18, zero=True)
DRAWS = NumberRange(least=1, most=10**6, zero=True)
"""Draws of a time from all that is uncertain."""
COUNT = NumberRange(least=1, most=1 << 24)
"""Parts of a machine."""
FLOPS_PER_SECOND = NumberRange(least=1, most=1e18)
NOISE = NumberRange(least=1e-6, most=2, zero=True)
"""Standard deviation of a logarithm. At 2, a third of the intervals are off by more than a factor of
seven."""
