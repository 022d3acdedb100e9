"""TOML and JSON files as typed structs, with errors that name the file, the field and the remedy."""

import difflib
import importlib.resources
import re
import tomllib
import types
from collections.abc import Iterable, Iterator, Sequence
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin

import msgspec

from linkworth.errors import UsageError
from linkworth.model.json_errors import JSON_ERRORS, in_words
from linkworth.reading import read_bytes

T = TypeVar("T")
S = TypeVar("S", bound=msgspec.Struct)


def data_folder() -> Traversable:
    """Return the folder of the catalog's own files."""
    return importlib.resources.files("linkworth.catalog") / "data"


def read_text(path: Path | Traversable) -> str:
    """Read the text of a TOML file, with its line ends and without a byte order mark. Raises UsageError that names the file."""
    try:
        content = read_bytes(path) if isinstance(path, Path) else path.read_bytes()
        return content.decode("utf-8-sig")
    except FileNotFoundError:
        raise UsageError(f"{path}: no such file") from None
    except IsADirectoryError:
        raise UsageError(f"{path} is a folder; give a TOML file") from None
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not UTF-8 text (byte {error.start}); give a TOML file") from None
    except ValueError as error:  # a path with a null byte or a surrogate in it
        raise UsageError(f"{str(path)!r} cannot be a file's name: {error}") from None


def read_toml(path: Path | Traversable) -> dict[str, Any]:
    """Read a TOML file. Raises UsageError that names the file."""
    text = read_text(path)
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{path} is not valid TOML: {error}") from None
    except RecursionError:
        raise UsageError(f"{path} cannot be read: its values are nested too deep") from None


def read_json(path: Path, kind: type[S], verb: str) -> S:
    """Read the JSON document that a verb (`linkworth predict`) writes. Raises UsageError that names the file and the field."""
    return json_document(read_file(path), path, kind, verb)


def read_file(path: Path) -> bytes:
    """Return the content of a file or pipe. Raises UsageError that names it."""
    try:
        return read_bytes(path)
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from None


def json_document(content: bytes, path: Path, kind: type[S], verb: str) -> S:
    """Return the JSON document that a verb wrote to a file with this content. Raises UsageError like `read_json`."""
    try:
        found = msgspec.json.decode(content, type=kind)
    except msgspec.ValidationError as error:
        raise UsageError(f"{path} is not the JSON document of {verb}: {in_words(error)}") from None
    except JSON_ERRORS as error:
        raise UsageError(f"{path} is not JSON ({error}); give the JSON document of {verb}") from None
    [schema] = [field.default for field in msgspec.structs.fields(kind) if field.name == "schema"]
    if (given := getattr(found, "schema", None)) != schema:
        raise UsageError(f"{path} has schema {given!r}; {verb} of this version writes {schema!r}")
    return found


def decode(document: dict[str, Any], kind: type[T], origin: str) -> T:
    """Convert a parsed TOML document to `kind`. Raises UsageError for a wrong type or an unknown field."""
    try:
        return msgspec.convert(document, kind)
    except msgspec.ValidationError as error:
        raise UsageError(f"{origin}: {_where_first(str(error))}{_known(str(error), kind)}") from None


def _known(message: str, kind: object) -> str:
    """Return the remedy: quotes for a text without them, the nearest known names for an unknown field or word, or all."""
    reason, _, where = message.partition(" - at `")
    if re.fullmatch(r"Expected `str( \| null)?`, got `(date|datetime|time|int|float|bool)`", reason):
        return "; put it in quotes"
    place = [name or index for name, index in re.findall(r"\.(\w+)|(\[[^]]*\])", where)]
    unknown = re.search(r"unknown field `([^`]*)`|Invalid enum value '([^']*)'", reason)
    if unknown is None:
        return ""
    if unknown[2] is not None:
        words = words_at(kind, place)
        return f"; give {' or '.join(words)}" if words else ""
    fields = sorted(keys_at(kind, place))
    begun = [field for field in fields if field.startswith(f"{unknown[1]}_")]
    near = difflib.get_close_matches(unknown[1], fields, n=2, cutoff=0.6)
    if begun or near:
        return f"; did you mean {' or '.join(begun or near)}?"
    return f"; known here: {', '.join(fields)}" if fields else ""


def keys_at(kind: object, place: Sequence[str | int]) -> list[str]:
    """Return the possible keys of a type's tables at a place in it; none without a table with fixed keys."""
    return [
        field.encode_name
        for found in _kinds_at(kind, place)
        if isinstance(found, type) and issubclass(found, msgspec.Struct)
        for field in msgspec.structs.fields(found)
    ]


def words_at(kind: object, place: Sequence[str | int]) -> list[str]:
    """Return the words that a type allows at a place in it."""
    return [
        str(word)
        for found in _kinds_at(kind, place)
        if get_origin(found) is Literal
        for word in get_args(found)
    ]


def _kinds_at(kind: object, place: Sequence[str | int]) -> Iterator[object]:
    """Yield the possible types of a value at a place, of whose keys only those of structs count."""
    origin = get_origin(kind)
    if origin in (Union, types.UnionType):
        for member in get_args(kind):
            yield from _kinds_at(member, place)
    elif origin is Annotated:
        yield from _kinds_at(get_args(kind)[0], place)
    elif not place:
        yield kind
    elif isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        for field in msgspec.structs.fields(kind):
            if field.encode_name == place[0]:
                yield from _kinds_at(field.type, place[1:])
    elif origin in (list, dict):
        yield from _kinds_at(get_args(kind)[-1], place[1:])


def _where_first(message: str) -> str:
    """Rewrite msgspec's "Expected `float`, got `str` - at `$.link.gap`" as "link.gap: expected a number, got a text"."""
    reason, _, place = message.partition(" - at `")
    reason = in_words(reason)
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


def with_fields_of(table: msgspec.Struct, kind: type[S], **others: object) -> S:
    """Return the struct whose fields are those of a table of the same names, and others."""
    own = {name: getattr(table, name) for name in kind.__struct_fields__ if name in table.__struct_fields__}
    return kind(**(own | others))
