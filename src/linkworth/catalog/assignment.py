"""Forms of values in options: `NAME=NUMBER` of prices and measured times, and commands with quotes."""

import shlex

from linkworth.errors import UsageError
from linkworth.model.number_range import NumberRange


def parse_assignment(
    text: str, option: str, unit: str, allowed: NumberRange, *, what: str = "FABRIC"
) -> tuple[str, float]:
    """Split `FABRIC=NUMBER` of an option into the fabric (or another `what`) and the number, which is in `allowed`.

    Raises UsageError that names the option and the expected form.
    """
    form = f"write {option} {what}={unit}"
    name, equals, number = (part.strip() for part in text.rpartition("="))
    if not equals:
        raise UsageError(f"{option} {text!r} has no '='; {form}")
    if not name:
        raise UsageError(f"{option} {text!r} names no {what.lower()} before the '='; {form}")
    return name, read_number(number, f"{option} {text!r}", allowed)


def split_words(text: str, place: str) -> list[str]:
    """Return the words of a command, as a shell splits it. Raises UsageError that begins with `place`."""
    try:
        return shlex.split(text)
    except ValueError as error:
        raise UsageError(f"{place}: {text!r} is not complete: {str(error).lower()}") from None


def read_number(text: str, place: str, allowed: NumberRange) -> float:
    """Return the number of `text`, which is in `allowed`. Raises UsageError that begins with `place`."""
    try:
        return allowed.read(text)
    except ValueError as error:
        raise UsageError(f"{place}: {error}") from None
