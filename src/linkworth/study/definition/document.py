"""A parsed TOML text with line numbers: decoding into structs with errors by file and line, and merging of scales."""

import copy
import difflib
import re
import tomllib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar, get_args

import msgspec

from linkworth.catalog.decode import keys_at, read_text, words_at
from linkworth.errors import UsageError
from linkworth.model.json_errors import in_words
from linkworth.model.place import Binding
from linkworth.study.definition.lines import KeyPath, Lines, line_of, lines_of, set_in, value_at

T = TypeVar("T")
_WORDS: dict[str | int, str] = {
    "mode": "measure, predict or both",
    "binding": ", ".join(filter(None, get_args(Binding))),
}
"""Words that a key accepts, if they are few or a variable."""
_PART = re.compile(r"\.([A-Za-z0-9_-]+)|\[(\d+)\]|(\[\.\.\.\])")
_SYNTAX_PLACE = re.compile(r" ?\(at (?:line (\d+), column (\d+)|end of document)\)$")


class Document:
    """Parsed text of a study file."""

    def __init__(
        self, origin: str, data: dict[str, Any], lines: Lines, built_in: dict[str, str] | None = None
    ) -> None:
        self.origin = origin
        self.data = data
        self.lines = lines
        self.built_in = built_in or {}
        """Variables of every file."""

    def copy(self) -> "Document":
        """Return a copy that can be changed."""
        return Document(self.origin, copy.deepcopy(self.data), dict(self.lines), self.built_in)

    def error(self, place: KeyPath, sentence: str) -> UsageError:
        """Return the error for the value at a place: `study.toml:12: environments[1].mtu: sentence`."""
        line = line_of(self.lines, place)
        at = f"{self.origin}:{line}" if line is not None else self.origin
        name = written(place)
        return UsageError(f"{at}: {name}: {sentence}" if name else f"{at}: {sentence}")

    def check(self, place: KeyPath, call: Callable[[], T]) -> T:
        """Return the result of `call`; add the file and line of `place` to its UsageError."""
        try:
            return call()
        except UsageError as error:
            raise self.error(place, str(error)) from None

    def override(self, place: KeyPath, source: KeyPath) -> None:
        """Copy the value at `source`, with its lines, to `place`; merge a table key by key."""
        value = value_at(self.data, source)
        container = value_at(self.data, place[:-1])
        here = container.get(place[-1]) if isinstance(container, dict) else container[place[-1]]
        if isinstance(value, dict) and isinstance(here, dict):
            for key in value:
                self.override((*place, key), (*source, key))
            return
        container[place[-1]] = copy.deepcopy(value)
        set_in(self.lines, place, dict(self.lines), source)

    def replace(self, place: KeyPath, value: Any) -> None:  # noqa: ANN401 (a parsed document's value)
        """Replace the value at a place; its line stays."""
        value_at(self.data, place[:-1])[place[-1]] = value

    def decode(self, kind: type[T], place: KeyPath = (), entries: dict[str, Any] | None = None) -> T:
        """Convert the value at a place. `entries`: the entry type of each dict with free keys, by its own key."""
        value = value_at(self.data, place)
        try:
            return msgspec.convert(value, kind)
        except msgspec.ValidationError as error:
            raise self._explained(str(error), kind, place, entries or {}) from None

    def _explained(self, message: str, kind: object, place: KeyPath, entries: dict[str, Any]) -> UsageError:
        reason, _, where = message.partition(" - at `")
        start = len(place)
        for name, index, unknown in _PART.findall(where):
            if unknown:
                entry = entries.get(str(place[-1]))
                if entry is not None:
                    for key in value_at(self.data, place):
                        self.decode(entry, (*place, key), entries)
                break
            place = (*place, int(index) if index else name)
        return self._sentence(reason, place, kind, place[start:])

    def _sentence(self, reason: str, place: KeyPath, kind: object, path: KeyPath) -> UsageError:
        unknown = re.search(r"unknown field `([^`]*)`", reason)
        if unknown:
            known = nearest(unknown[1], keys_at(kind, path))
            return self.error((*place, unknown[1]), f"there is no such key; {known}")
        missing = re.search(r"missing required field `([^`]*)`", reason)
        if missing:
            return self.error(place, f"{missing[1]} is missing")
        found = value_at(self.data, place)
        if place and place[-1] in _WORDS:
            return self.error(place, f"{found!r} is no {place[-1]}; write {_WORDS[place[-1]]}")
        if "matching regex" in reason:
            return self.error(place, f"{found!r} is no number; give one, or a variable such as ${{ranks}}")
        if "enum value" in reason:
            return self.error(
                place, f"{found!r} is not known here; {nearest(str(found), words_at(kind, path))}"
            )
        reason = in_words(reason)
        return self.error(place, f"{reason[:1].lower()}{reason[1:]} ({_shown(found)})")


def written(place: KeyPath) -> str:
    """Return a place as named in errors: `environments[1].mtu`."""
    text = ""
    for key in place:
        if isinstance(key, int):
            text += f"[{key}]"
        else:
            text += f".{key}" if text else key
    return text


def read(path: Path) -> tuple[Document, bytes]:
    """Parse a file; also return its bytes. Raises UsageError that names file and line."""
    text = read_text(path)
    return parse(text, str(path)), text.encode()


def parse(text: str, origin: str) -> Document:
    """Parse a text. Raises UsageError with the line of a syntax error."""
    text = text.replace("\r\n", "\n")
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        place = _SYNTAX_PLACE.search(str(error))
        reason = _SYNTAX_PLACE.sub("", str(error))
        line = text.count("\n") + 1 if place is None or place[1] is None else int(place[1])
        raise UsageError(f"{origin}:{line}: this is not TOML: {reason[:1].lower()}{reason[1:]}") from None
    except RecursionError:
        raise UsageError(f"{origin}: this is no study file: its values are nested too deep") from None
    return Document(origin, data, lines_of(text))


def nearest(name: str, known: Iterable[str]) -> str:
    """Return the end of a sentence on an unknown name: the nearest names, or all."""
    names = sorted(known)
    near = difflib.get_close_matches(name, names, n=3, cutoff=0.5)
    return f"did you mean {' or '.join(near)}?" if near else f"there are: {', '.join(names) or 'none'}"


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) < 60 else f"{text[:56]} ..."
