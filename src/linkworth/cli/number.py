"""Number within limits, as the type of an option."""

import rich_click as click

from linkworth.model.number_range import NumberRange


class Number(click.ParamType[float]):
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
