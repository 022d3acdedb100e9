"""Fills in `${name}`: lists multiply a table, and a string of only one variable takes its type."""

import itertools
import re
from collections.abc import Mapping
from typing import Any

from linkworth.model.study import Value
from linkworth.study.definition.document import Document, nearest
from linkworth.study.definition.lines import KeyPath
from linkworth.study.definition.schema import NAME

_REFERENCE = re.compile(rf"\$(\$?)\{{({NAME})\}}")
MOST_TABLES = 100_000
STUDY_FOLDER = "study_folder"
"""Built-in variable: the folder of the study file, as an absolute path."""


def used(value: object) -> list[str]:
    """Return the names of the variables in a string, or in all strings of a table or list, in order."""
    names: dict[str, None] = {}
    if isinstance(value, str):
        names.update({found[2]: None for found in _REFERENCE.finditer(value) if not found[1]})
    elif isinstance(value, dict):
        for part in value.values():
            names.update(dict.fromkeys(used(part)))
    elif isinstance(value, list):
        for part in value:
            names.update(dict.fromkeys(used(part)))
    return list(names)


def fill(value: Any, values: Mapping[str, Value]) -> Any:  # noqa: ANN401 (a parsed document's value)
    """Return the value with its variables filled in; `$${name}` stays as `${name}`."""
    if isinstance(value, dict):
        return {key: fill(part, values) for key, part in value.items()}
    if isinstance(value, list):
        return [fill(part, values) for part in value]
    if not isinstance(value, str):
        return value
    whole = _REFERENCE.fullmatch(value)
    if whole and not whole[1]:
        return values[whole[2]]
    return _REFERENCE.sub(lambda found: found[0][1:] if found[1] else as_text(values[found[2]]), value)


def as_text(value: Value) -> str:
    """Return the text of a variable's value in a name or a command."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:.15g}" if isinstance(value, float) else str(value)


def combinations(document: Document, place: KeyPath, value: object) -> list[dict[str, Value]]:
    """Return each choice of values for the variables in a value; the last one changes fastest.

    Raises UsageError with the line of `place` for an unknown variable.
    """
    known = document.data.get("variables", {}) | document.built_in
    names = used(value)
    lists: list[list[Value]] = []
    total = 1
    for name in names:
        if name not in known:
            raise document.error(
                place,
                f"there is no variable {name!r}; {nearest(name, known)} (write $${{{name}}} for the text itself)",
            )
        values = known[name] if isinstance(known[name], list) else [known[name]]
        if not values:
            raise document.error(("variables", name), "the list is empty; give at least one value")
        lists.append(values)
        total *= len(values)
    if total > MOST_TABLES:
        raise document.error(
            place, f"its variables multiply to {total} entries; at most {MOST_TABLES} are meant"
        )
    return [dict(zip(names, choice, strict=True)) for choice in itertools.product(*lists)]
