"""TOML files as typed structs, with errors that name the file, the field and the remedy."""

import difflib
import importlib.resources
import re
import tomllib
import types
from collections.abc import Iterable
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin

import msgspec

from linkworth.errors import UsageError

T = TypeVar("T")


def data_folder() -> Traversable:
    """Return the folder of the catalog's own files."""
    return importlib.resources.files("linkworth.catalog") / "data"


def read_toml(path: Path | Traversable) -> dict[str, Any]:
    """Read a TOML file. Raises UsageError that names the file."""
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
    """Convert a parsed TOML document to `kind`. Raises UsageError for a wrong type or an unknown field."""
    try:
        return msgspec.convert(document, kind)
    except msgspec.ValidationError as error:
        raise UsageError(f"{origin}: {_where_first(str(error))}{_known(str(error), kind)}") from None


def _known(message: str, kind: object) -> str:
    """Return the remedy: quotes for a text without them, the nearest known names for an unknown field or word, or all."""
    reason, _, place = message.partition(" - at `")
    if re.fullmatch(r"Expected `str( \| null)?`, got `(date|datetime|time|int|float|bool)`", reason):
        return "; put it in quotes"
    there = _kinds_at(kind, place)
    unknown = re.search(r"unknown field `([^`]*)`|Invalid enum value '([^']*)'", reason)
    if unknown is None:
        return ""
    if unknown[2] is not None:
        words = [str(word) for each in there if get_origin(each) is Literal for word in get_args(each)]
        return f"; give {' or '.join(words)}" if words else ""
    fields = sorted(
        field.encode_name
        for each in there
        if isinstance(each, type) and issubclass(each, msgspec.Struct)
        for field in msgspec.structs.fields(each)
    )
    begun = [field for field in fields if field.startswith(f"{unknown[1]}_")]
    near = difflib.get_close_matches(unknown[1], fields, n=2, cutoff=0.6)
    if begun or near:
        return f"; did you mean {' or '.join(begun or near)}?"
    return f"; known here: {', '.join(fields)}" if fields else ""


def _kinds_at(kind: object, place: str) -> list[object]:
    """Return the possible types of a value at a place such as `$.nodes[0]`."""
    kinds = _parts(kind)
    for name, index in re.findall(r"\.(\w+)|(\[[^]]*\])", place):
        found: list[object] = []
        for each in kinds:
            if name and isinstance(each, type) and issubclass(each, msgspec.Struct):
                fields = msgspec.structs.fields(each)
                found += [
                    part for field in fields if field.encode_name == name for part in _parts(field.type)
                ]
            elif index and get_args(each):
                found += _parts(get_args(each)[-1 if get_origin(each) is dict else 0])
        kinds = found
    return kinds


def _parts(kind: object) -> list[object]:
    """Return the members of a union, without annotations."""
    if get_origin(kind) is Annotated:
        return _parts(get_args(kind)[0])
    if get_origin(kind) in (Union, types.UnionType):
        return [part for member in get_args(kind) for part in _parts(member)]
    return [kind]


def _where_first(message: str) -> str:
    """Rewrite msgspec's "Expected `float`, got `str` - at `$.link.gap`" as "link.gap: expected float, got str"."""
    reason, _, place = message.partition(" - at `")
    reason = reason.replace("`", "'")
    field = place.rstrip("`").removeprefix("$").removeprefix(".")
    reason = reason[:1].lower() + reason[1:]
    return f"{field}: {reason}" if field else reason


def unknown_name(what: str, name: str, known: Iterable[str], hint: str = "") -> UsageError:
    """Return the error for an unknown name, with the nearest known ones, or all if none is near."""
    names = sorted(known)
    near = difflib.get_close_matches(name.lower(), names, n=3, cutoff=0.5)
    tail = f"did you mean {' or '.join(near)}" if near else f"known: {', '.join(names)}"
    mark = "?" if near and not hint else ""
    return UsageError(f"no {what} is called {name!r}; {tail}{hint}{mark}")
