"""Applies a scale to the study at the top of the same file."""

from collections.abc import Sequence
from typing import TypeVar

from linkworth.model.study import Environment, StudyWorkload
from linkworth.study.definition.document import Document, nearest
from linkworth.study.patterns import matches, matching

T = TypeVar("T", StudyWorkload, Environment)

_OF_EVERY_ENVIRONMENT = ("where", "mode")
"""Keys of a scale that apply to all environments, whatever these state at the top of the file."""
_MERGED = ("variables", "predict", "prices")
_BY_NAME = ("workloads", "environments")


def at_scale(document: Document, scale: str) -> Document:
    """Return the document at a scale. Raises UsageError for a name in the scale that the file does not have."""
    changed = document.copy()
    _spell_out(changed)
    if not scale:
        return changed
    table = document.data["scale"][scale]
    for key in sorted(table, key=lambda key: key not in _OF_EVERY_ENVIRONMENT):
        place = ("scale", scale, key)
        if key in _OF_EVERY_ENVIRONMENT:
            for_all(changed, key, table[key])
            changed.override((key,), place)
        elif key in _BY_NAME:
            _by_name(changed, key, scale)
        elif key in _MERGED:
            changed.data.setdefault(key, {})
            changed.override((key,), place)
        elif not key.startswith("without_"):
            changed.override((key,), place)
    return changed


def for_all(document: Document, key: str, value: str) -> None:
    """Set one value for the study and all its environments."""
    for environment in document.data["environments"]:
        environment.pop(key, None)
    document.data[key] = value


def kept(document: Document, scale: str, kind: str, entries: Sequence[T]) -> list[T]:
    """Return the workloads or environments (`kind`: in the plural) that the scale does not leave out.

    Raises UsageError for a pattern that matches none of them.
    """
    if not scale:
        return list(entries)
    key = f"without_{kind}"
    patterns = document.data["scale"][scale].get(key, [])
    names = [entry.name for entry in entries]
    for index, pattern in enumerate(patterns):
        if not matching(pattern, names):
            raise document.error(
                ("scale", scale, key, index),
                f"no {kind[:-1]} is called {pattern!r}; {nearest(pattern, names)}",
            )
    return [entry for entry in entries if not matches(entry.name, patterns)]


def _spell_out(document: Document) -> None:
    for kind, key in (("workloads", "run"), ("environments", "fabric")):
        for index, entry in enumerate(document.data[kind]):
            if isinstance(entry, str):
                document.replace((kind, index), {key: entry})


def _by_name(document: Document, kind: str, scale: str) -> None:
    default = "run" if kind == "workloads" else "fabric"
    names: dict[str, int] = {}
    for index, entry in enumerate(document.data[kind]):
        name = entry.get("name") or entry.get(default)
        names[name if isinstance(name, str) else " ".join(name or [])] = index
    for name in document.data["scale"][scale][kind]:
        place = ("scale", scale, kind, name)
        if name not in names:
            raise document.error(place, f"the study has no {kind[:-1]} {name!r}; {nearest(name, names)}")
        document.override((kind, names[name]), place)
