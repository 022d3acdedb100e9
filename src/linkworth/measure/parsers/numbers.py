"""Numbers in the output of other programs."""

import math
import re

_WHOLE = re.compile(r"\d{1,18}")
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")


def whole(word: str) -> int | None:
    """Return a whole number of 0 or more; None for another word."""
    return int(word) if _WHOLE.fullmatch(word) else None


def number(word: str) -> float | None:
    """Return a finite number; None for another word (`nan`, asterisks for a number that did not fit its field)."""
    if not _NUMBER.fullmatch(word):
        return None
    value = float(word)
    return value if math.isfinite(value) else None
