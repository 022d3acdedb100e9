"""Finds the line of each value in a TOML text, so that an error can name it (tomllib keeps no lines)."""

import re
import tomllib
from typing import Any

Key = str | int
KeyPath = tuple[Key, ...]
"""Path from the root: `("environments", 1, "mtu")`."""
Lines = dict[KeyPath, int]
"""Line numbers from 1; a table has the line of its header."""

_BLANK = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_GAP = re.compile(r"[ \t]*")
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_BASIC = re.compile(r'"(?:[^"\\\n]|\\.)*"')
_LITERAL = re.compile(r"'[^'\n]*'")
# The closing quotes of a multi-line string may have up to two quotes of its content before them.
_LONG_BASIC = re.compile(r'"""(?:[^"\\]|\\.|"(?!""))*"{3,5}', re.DOTALL)
_LONG_LITERAL = re.compile(r"'''(?:[^']|'(?!''))*'{3,5}", re.DOTALL)
_WORD = re.compile(r"[^,\]}#\n]+")


def lines_of(text: str) -> Lines:
    """Return the line of every table, array and value in a text that tomllib accepts."""
    return _Tracker(text).track()


def line_of(lines: Lines, place: KeyPath) -> int | None:
    """Return the line of a place, or of the nearest enclosing one with a line; None if there is none."""
    for length in range(len(place), 0, -1):
        if place[:length] in lines:
            return lines[place[:length]]
    return None


class _Tracker:
    """One pass over a valid text; a failure here is a bug, never the user's fault."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.lines: Lines = {}
        self.tables: dict[KeyPath, int] = {}
        """Number of entries so far in each array of tables."""
        self._counted = (0, 1)

    def track(self) -> Lines:
        table: KeyPath = ()
        self._skip(_BLANK)
        while self.at < len(self.text):
            if self.text[self.at] == "[":
                table = self._header()
            else:
                self._pair(table)
            self._skip(_BLANK)
        return self.lines

    def _line(self) -> int:
        position, line = self._counted
        line += self.text.count("\n", position, self.at)
        self._counted = (self.at, line)
        return line

    def _skip(self, pattern: re.Pattern[str]) -> str:
        found = pattern.match(self.text, self.at)
        assert found is not None, f"line {self._line()}: {self.text[self.at : self.at + 20]!r}"
        self.at = found.end()
        return found[0]

    def _header(self) -> KeyPath:
        line = self._line()
        several = self.text.startswith("[[", self.at)
        self.at += 2 if several else 1
        keys = self._keys()
        self.at += 2 if several else 1
        place = self._inside_arrays(keys[:-1]) + keys[-1:]
        if several:
            self.lines.setdefault(place, line)
            index = self.tables.get(place, 0)
            self.tables[place] = index + 1
            place += (index,)
        self.lines[place] = line
        return place

    def _inside_arrays(self, keys: KeyPath) -> KeyPath:
        """Add the latest index for each array of tables in a header's keys."""
        place: KeyPath = ()
        for key in keys:
            place += (key,)
            if place in self.tables:
                place += (self.tables[place] - 1,)
        return place

    def _keys(self) -> KeyPath:
        keys: list[Key] = []
        while True:
            self._skip(_GAP)
            first = self.text[self.at]
            if first in "\"'":
                quoted = self._skip(_BASIC if first == '"' else _LITERAL)
                keys.append(tomllib.loads(f"key = {quoted}")["key"])
            else:
                keys.append(self._skip(_BARE))
            self._skip(_GAP)
            if self.text[self.at] != ".":
                return tuple(keys)
            self.at += 1

    def _pair(self, table: KeyPath) -> None:
        line = self._line()
        keys = self._keys()
        for length in range(1, len(keys)):
            self.lines.setdefault(table + keys[:length], line)
        self.at += 1  # the equals sign
        self._skip(_GAP)
        self._value(table + keys, line)

    def _value(self, place: KeyPath, line: int | None = None) -> None:
        self.lines[place] = self._line() if line is None else line
        text = self.text
        if text.startswith('"""', self.at):
            self._skip(_LONG_BASIC)
        elif text.startswith("'''", self.at):
            self._skip(_LONG_LITERAL)
        elif text[self.at] in "\"'":
            self._skip(_BASIC if text[self.at] == '"' else _LITERAL)
        elif text[self.at] in "[{":
            self._collection(place, array=text[self.at] == "[")
        else:
            self._skip(_WORD)

    def _collection(self, place: KeyPath, *, array: bool) -> None:
        self.at += 1
        index = 0
        self._skip(_BLANK)
        while self.text[self.at] not in "]}":
            if array:
                self._value((*place, index))
            else:
                self._pair(place)
            index += 1
            self._skip(_BLANK)
            if self.text[self.at] == ",":
                self.at += 1
                self._skip(_BLANK)
        self.at += 1


def set_in(lines: Lines, place: KeyPath, others: Lines, source: KeyPath) -> None:
    """Set the lines of `place` and all below it to those that `others` has for `source`."""
    for old in [old for old in lines if old[: len(place)] == place]:
        del lines[old]
    for old, line in others.items():
        if old[: len(source)] == source:
            lines[place + old[len(source) :]] = line


def value_at(document: Any, place: KeyPath) -> Any:  # noqa: ANN401 (a parsed document's value)
    """Return the value at a place of a parsed document."""
    for key in place:
        document = document[key]
    return document


def around(place: KeyPath, value: Any) -> Any:  # noqa: ANN401 (a parsed document's value)
    """Return a document with only one value, at a place."""
    for key in reversed(place):
        value = [*[None] * key, value] if isinstance(key, int) else {key: value}
    return value
