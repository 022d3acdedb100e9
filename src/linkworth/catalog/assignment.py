"""`NAME=NUMBER`, as options give prices and measured times."""

import math

from linkworth.errors import UsageError


def parse_assignment(text: str, option: str, unit: str, *, what: str = "FABRIC") -> tuple[str, float]:
    """Split `FABRIC=NUMBER` of an option into the fabric (or `what` else has a number) and the number (0 or more, finite).

    Anything else is a UsageError that names the option and what was expected.
    """
    form = f"write {option} {what}={unit}"
    fabric, equals, number = (part.strip() for part in text.rpartition("="))
    if not equals:
        raise UsageError(f"{option} {text!r} has no '='; {form}")
    if not fabric:
        raise UsageError(f"{option} {text!r} names no {what.lower()} before the '='; {form}")
    try:
        value = float(number)
    except ValueError:
        raise UsageError(f"{option} {text!r}: {number!r} is not a number; {form}") from None
    if not math.isfinite(value):
        raise UsageError(f"{option} {text!r}: {number} is not a finite number; {form}")
    if value < 0:
        raise UsageError(f"{option} {text!r}: {number} is negative; give 0 or more")
    return fabric, value
