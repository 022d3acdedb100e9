"""Writes a fabric to a file that every verb accepts with `--on`."""

import json
import math
from collections.abc import Iterator
from pathlib import Path

import msgspec

from linkworth.errors import UsageError
from linkworth.model import fabric as model
from linkworth.writing.files import is_stream, write_output


def write(fabric: model.Fabric, path: Path) -> None:
    """Write a fabric file. Raises UsageError for a name that `--on` cannot resolve, and as `write_output` does."""
    if path.suffix != ".toml" and not is_stream(path):
        raise UsageError(f"{path}: the name of a fabric file must end in .toml to be recognised as one")
    write_output(path, text(fabric))


def text(fabric: model.Fabric) -> str:
    """Return the fabric's TOML."""
    return "\n\n".join("\n".join(block) for block in _blocks(fabric)) + "\n"


def _blocks(struct: msgspec.Struct, heading: str = "", place: str = "") -> Iterator[list[str]]:
    """Yield the lines of a struct's own values, then those of its tables that differ from their default."""
    fields = [field for field in msgspec.structs.fields(struct) if field.name != "origin"]
    values = {field.name: getattr(struct, field.name) for field in fields}
    tables = {name: value for name, value in values.items() if _is_table(value)}
    defaults = {field.name: field.default for field in fields}
    own = [
        f"{name} = {_value(value)}" for name, value in values.items() if name not in tables and value != []
    ]
    yield [heading, *own] if heading else own
    for name, value in tables.items():
        if isinstance(value, list):
            for each in value:
                yield from _blocks(each, f"[[{place}{name}]]", f"{place}{name}.")
        elif value != defaults[name]:
            yield from _blocks(value, f"[{place}{name}]", f"{place}{name}.")


def _is_table(value: object) -> bool:
    return isinstance(value, msgspec.Struct) or (
        isinstance(value, list) and bool(value) and isinstance(value[0], msgspec.Struct)
    )


def _value(value: object) -> str:
    if isinstance(value, str):
        # Every JSON string is a TOML basic string.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return ("inf" if value > 0 else "-inf") if math.isinf(value) else repr(value)
    if isinstance(value, list | tuple):
        return f"[{', '.join(_value(item) for item in value)}]"
    assert isinstance(value, int)
    return str(value)
