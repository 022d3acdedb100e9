"""Number within limits, as the type of an option."""

import re

import rich_click as click

from linkworth.cli.value_type import ValueType
from linkworth.model.number_range import NumberRange


class Number(ValueType[float]):
    """A finite number in a range, optionally with a unit. Every option with a fractional number has this type."""

    name = "number"

    def __init__(self, allowed: NumberRange, *, unit: str = "") -> None:
        """Accept numbers of `allowed`. A `unit` such as GB/s may follow the number, in upper or lower case."""
        self._allowed = allowed
        self._unit = unit

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the number. Fails with the range for anything else."""
        text = str(value).strip()
        if self._unit and text.lower().endswith(self._unit.lower()):
            text = text[: -len(self._unit)].strip()
        try:
            return self._allowed.read(text)
        except ValueError as error:
            self.fail(f"{error}{f' ({self._unit})' if self._unit else ''}", param, ctx)


class NumberList(ValueType[tuple[int, ...]]):
    """`1,2,4`: one or more whole numbers of at least 1."""

    def __init__(self, what: str) -> None:
        """Count `what`, a word for error messages."""
        self.name = "numbers"
        self._what = what

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, ...]:
        """Return the numbers of a text."""
        if isinstance(value, tuple):
            return value
        words = str(value).split(",")
        if not all(re.fullmatch("0*[1-9][0-9]{0,17}", word.strip()) for word in words):
            self.fail(
                f"{value!r}: give numbers of {self._what} of at least 1 and at most 18 digits, such as 2 or 1,2,4",
                param,
                ctx,
            )
        return tuple(int(word) for word in words)
