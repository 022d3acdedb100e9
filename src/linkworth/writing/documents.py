"""JSON documents of linkworth; they are valid UTF-8 for any name of a file or a program."""

from collections.abc import Callable
from typing import Any

import msgspec

from linkworth.writing.text import encodable


def encode(document: Any, *, indent: int = 0) -> bytes:  # noqa: ANN401 (anything that msgspec encodes)
    """Return a document as JSON; a byte of a text that is not UTF-8 becomes `\\xNN`."""
    try:
        content = msgspec.json.encode(document)
    except UnicodeEncodeError:
        content = msgspec.json.encode(with_texts(msgspec.to_builtins(document), encodable))
    return msgspec.json.format(content, indent=indent) if indent else content


def with_texts(value: Any, change: Callable[[str], str]) -> Any:  # noqa: ANN401
    """Return builtins with every text changed, also the keys."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {with_texts(key, change): with_texts(item, change) for key, item in value.items()}
    return [with_texts(item, change) for item in value] if isinstance(value, list | tuple) else value
