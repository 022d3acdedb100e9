"""TOML of structs, for files that linkworth also reads."""

import json
import math
from collections.abc import Collection, Iterator
from pathlib import Path

import msgspec

from linkworth.errors import UsageError
from linkworth.writing.files import is_stream


def require_name(path: Path, kind: str) -> None:
    """Raise UsageError for the name of a file of some kind that would not be recognised as one."""
    if path.suffix != ".toml" and not is_stream(path):
        raise UsageError(f"{path}: the name of a {kind} file must end in .toml to be recognised as one")


def text(struct: msgspec.Struct, *, without: Collection[str] = (), digits: int | None = None) -> str:
    """Return a struct as TOML, `without` some of its fields.

    Numbers have so many significant digits; None: all. Empty lists, None and tables that are the default are left out.
    """
    return "\n\n".join("\n".join(block) for block in _blocks(struct, without, digits)) + "\n"


def string(value: str) -> str:
    """Return a TOML basic string. JSON's escapes are a subset of TOML's, which also requires DEL to be escaped."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _blocks(
    struct: msgspec.Struct, without: Collection[str], digits: int | None, heading: str = "", place: str = ""
) -> Iterator[list[str]]:
    """Yield the lines of a struct's own values, then those of its tables that differ from their default."""
    fields = [field for field in msgspec.structs.fields(struct) if field.name not in without]
    values = {field.name: getattr(struct, field.name) for field in fields}
    tables = {name: value for name, value in values.items() if _is_table(value)}
    defaults = {field.name: field.default for field in fields}
    own = [
        f"{name} = {_value(value, digits)}"
        for name, value in values.items()
        if name not in tables and value != [] and value is not None
    ]
    if heading or own:
        yield [heading, *own] if heading else own
    for name, value in tables.items():
        if isinstance(value, list):
            for each in value:
                yield from _blocks(each, without, digits, f"[[{place}{name}]]", f"{place}{name}.")
        elif value != defaults[name]:
            yield from _blocks(value, without, digits, f"[{place}{name}]", f"{place}{name}.")


def _is_table(value: object) -> bool:
    return isinstance(value, msgspec.Struct) or (
        isinstance(value, list) and bool(value) and isinstance(value[0], msgspec.Struct)
    )


def _value(value: object, digits: int | None) -> str:
    if isinstance(value, str):
        return string(value)
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        if math.isinf(value):
            return "inf" if value > 0 else "-inf"
        return repr(value) if digits is None else f"{value:.{digits}g}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(_value(item, digits) for item in value)}]"
    if isinstance(value, dict):
        return (
            f"{{ {', '.join(f'{string(name)} = {_value(each, digits)}' for name, each in value.items())} }}"
        )
    assert isinstance(value, int)
    return str(value)
