"""Numbers in the output of other programs."""

import math
import re

_WHOLE = re.compile(r"\d{1,18}")
_LONGEST = 24
"""Most characters of a number on either side of what an expression found."""
_BEGUN = re.compile(r"[+-]?\d[\d.,]*(?:[eEdD][+-]?\d*)?\Z")
_CONTINUED = re.compile(r"[.,]?\d[\d.,]*(?:[eEdD][+-]?\d+)?|[eEdD][+-]?\d+")
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


def cut_number(found: re.Match[str]) -> str:
    """Return the number of which the first group of `found` is only a part, such as the `9.8` of `9.8e-05`; "" for a whole one.

    Text beside the group that the expression itself matches is no part of the number, except digits and points before it.
    """
    text, start, end = found.string, found.start(1), found.end(1)
    begun = _BEGUN.search(text[max(0, start - _LONGEST) : start])
    before = begun[0] if begun else ""
    if found.start() < start and before.endswith(","):
        before = ""
    continued = _CONTINUED.match(text[end : end + _LONGEST]) if found.end() == end else None
    after = continued[0] if continued else ""
    # In a list of numbers with points, a comma separates them.
    if after.startswith(",") and "." in text[start:end]:
        after = ""
    return before + text[start:end] + after if before or after else ""
