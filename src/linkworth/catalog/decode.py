"""TOML files into typed structs, with errors that name the file, the field and what to do."""

import difflib
import importlib.resources
import re
import tomllib
from collections.abc import Iterable
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, TypeVar, get_args

import msgspec

from linkworth.errors import UsageError

T = TypeVar("T")


def data_folder() -> Traversable:
    """Return the folder of the catalog's own files."""
    return importlib.resources.files("linkworth.catalog") / "data"


def read_toml(path: Path | Traversable) -> dict[str, Any]:
    """Read a TOML file. A file that cannot be read or parsed is a UsageError that names it."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UsageError(f"{path}: no such file") from None
    except IsADirectoryError:
        raise UsageError(f"{path} is a folder; give a .toml file") from None
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise UsageError(
            f"{path} is not UTF-8 text (byte {error.start}); a catalog file is TOML text"
        ) from None
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{path} is not valid TOML: {error}") from None
    except RecursionError:
        raise UsageError(f"{path} is not a catalog file: its values are nested too deep") from None
    except ValueError as error:  # a path with a null byte or a surrogate in it
        raise UsageError(f"{str(path)!r} cannot be a file's name: {error}") from None


def decode(document: dict[str, Any], kind: type[T], origin: str) -> T:
    """Convert a parsed TOML document to `kind`. A wrong type or an unknown field is a UsageError that names both."""
    try:
        return msgspec.convert(document, kind)
    except msgspec.ValidationError as error:
        raise UsageError(f"{origin}: {_where_first(str(error))}{_meant(str(error), kind)}") from None


def _meant(message: str, kind: object) -> str:
    """Return the field that an unknown one was meant to be, of those of `kind` and of the tables in it; "" where none is near."""
    unknown = re.search(r"unknown field `([^`]*)`", message)
    if unknown is None:
        return ""
    fields = sorted(_fields(kind))
    begun = [field for field in fields if field.startswith(f"{unknown[1]}_")]
    near = difflib.get_close_matches(unknown[1], fields, n=2, cutoff=0.6)
    return f"; did you mean {' or '.join(begun or near)}?" if begun or near else ""


def _fields(kind: object) -> set[str]:
    """Return the names of a struct's fields, and of those in the types of its fields."""
    if not (isinstance(kind, type) and issubclass(kind, msgspec.Struct)):
        return {name for part in get_args(kind) for name in _fields(part)}
    fields = msgspec.structs.fields(kind)
    return {field.encode_name for field in fields} | {
        name for field in fields if field.type is not kind for name in _fields(field.type)
    }


def _where_first(message: str) -> str:
    """Turn msgspec's "Expected `float`, got `str` - at `$.link.gap`" into "link.gap: expected float, got str"."""
    reason, _, place = message.partition(" - at `")
    reason = reason.replace("`", "'")
    field = place.rstrip("`").removeprefix("$").removeprefix(".")
    reason = reason[:1].lower() + reason[1:]
    return f"{field}: {reason}" if field else reason


def unknown_name(what: str, name: str, known: Iterable[str], hint: str = "") -> UsageError:
    """Return the error for an unknown name, with the nearest known ones (or all where none is near)."""
    names = sorted(known)
    near = difflib.get_close_matches(name.lower(), names, n=3, cutoff=0.5)
    tail = f"did you mean {' or '.join(near)}" if near else f"known: {', '.join(names)}"
    mark = "?" if near and not hint else ""
    return UsageError(f"no {what} is called {name!r}; {tail}{hint}{mark}")
