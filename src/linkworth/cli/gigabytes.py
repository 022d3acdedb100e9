"""A rate of memory, as an option takes it."""

import math

import rich_click as click

_UNIT = "gb/s"


class GigabytesPerSecond(click.ParamType[float]):
    """`4`, `4.5` or `4GB/s`: a finite number of at least 0."""

    name = "gigabytes per second"

    def __init__(self, *, min_open: bool = False) -> None:
        """`min_open`: 0 is refused."""
        self._min_open = min_open

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the number of a text with or without its unit."""
        text = str(value).strip()
        try:
            number = float(text[: -len(_UNIT)] if text.lower().endswith(_UNIT) else text)
        except ValueError:
            number = math.nan
        if not math.isfinite(number) or number < 0 or (self._min_open and number == 0):
            least = "above 0" if self._min_open else "of at least 0"
            self.fail(f"{text!r}: give GB/s as a number {least}, such as 4 or 4GB/s", param, ctx)
        return number
