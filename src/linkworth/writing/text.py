"""Text from outside (names of programs, files, fabrics) in a form for terminals, JSON documents and tables.

One escape is used everywhere: `\\xNN` replaces a byte that is not UTF-8, and a control character on a terminal.
"""

import re

_BYTE = re.compile("[\udc80-\udcff]")
"""A byte that is not UTF-8, as Python keeps it in file names and arguments (surrogateescape)."""
_SURROGATE = re.compile("[\ud800-\udfff]")
_CONTROL = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
"""Characters that a terminal obeys instead of showing, except line feed and tab."""
_QUOTED_BYTE = re.compile(r"(?<!\\)((?:\\\\)*)\\udc([89a-f][0-9a-f])")
"""A byte that is not UTF-8 in a name that repr() has quoted."""
_FORMULA = re.compile(r"[=+\-@\t\r]")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?|[+-]?(inf|nan)", re.IGNORECASE)


def encodable(text: str) -> str:
    """Return the text with `\\xNN` for each byte that is not UTF-8, so that it can be encoded."""
    if text.isascii():
        return text
    text = _BYTE.sub(lambda found: f"\\x{ord(found[0]) - 0xDC00:02x}", text)
    return _SURROGATE.sub(_escape, text)


def printable(text: str) -> str:
    """Return the text for a terminal: without control characters, but with line feeds and tabs."""
    return _CONTROL.sub(_escape, encodable(text))


def label(text: str) -> str:
    """Return a name for one line or one cell: without control characters."""
    return printable(text).replace("\n", r"\x0a").replace("\t", r"\x09")


def sentence(text: str) -> str:
    """Return a sentence for a terminal; names in it may be quoted by repr()."""
    return printable(_QUOTED_BYTE.sub(r"\1\\x\2", text))


def csv_cell(value: str | float | None) -> str | float | None:
    """Return a value for a CSV file that no spreadsheet takes for a formula: a quote precedes such a text.

    Numbers stay unchanged, also those in a text.
    """
    if not isinstance(value, str):
        return value
    text = printable(value)
    return f"'{text}" if _FORMULA.match(value) and not _NUMBER.fullmatch(value) else text


def _escape(found: re.Match[str]) -> str:
    number = ord(found[0])
    return f"\\x{number:02x}" if number < 0x100 else f"\\u{number:04x}"
