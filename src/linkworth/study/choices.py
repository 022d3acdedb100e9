"""Keys or words that a struct's field accepts, for errors about other ones."""

import typing
from collections.abc import Iterator
from types import UnionType

import msgspec

from linkworth.study.lines import KeyPath


def keys_at(kind: object, path: KeyPath) -> list[str]:
    """Return the possible keys of a type's tables at a path into it; none without a table with fixed keys."""
    return [
        field.encode_name
        for found in _at(kind, path)
        if isinstance(found, type) and issubclass(found, msgspec.Struct)
        for field in msgspec.structs.fields(found)
    ]


def words_at(kind: object, path: KeyPath) -> list[str]:
    """Return the words that a type allows at a path into it."""
    return [
        str(word)
        for found in _at(kind, path)
        if typing.get_origin(found) is typing.Literal
        for word in typing.get_args(found)
    ]


def _at(kind: object, path: KeyPath) -> Iterator[object]:
    origin = typing.get_origin(kind)
    if origin in (typing.Union, UnionType):
        for member in typing.get_args(kind):
            yield from _at(member, path)
    elif origin is typing.Annotated:
        yield from _at(typing.get_args(kind)[0], path)
    elif not path:
        yield kind
    elif isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        for field in msgspec.structs.fields(kind):
            if field.encode_name == path[0]:
                yield from _at(field.type, path[1:])
    elif origin in (list, dict):
        yield from _at(typing.get_args(kind)[-1], path[1:])
