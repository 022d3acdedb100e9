"""Arguments of the public API: a value of a wrong type is one sentence, and those of other libraries become Python's own."""

import inspect
import os
import reprlib
from collections.abc import Callable, Iterator, KeysView, Mapping, Sequence
from functools import wraps
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, ParamSpec, TypeVar, Union, get_args, get_origin, get_type_hints

from linkworth.errors import UsageError
from linkworth.writing.files import is_stream
from linkworth.writing.user_folder import expanded

P = ParamSpec("P")
R = TypeVar("R")

PathText = str | os.PathLike[str]
"""A name or a file's path."""

_WORDS: dict[Any, str] = {
    int: "a whole number",
    float: "a number",
    str: "a string",
    bool: "True or False",
    os.PathLike: "a path",
    Callable: "a function",
}


def checked(function: Callable[P, R]) -> Callable[P, R]:
    """Make a function check its arguments by their annotations. It raises UsageError for a wrong one."""
    signature = inspect.signature(function)

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            given = signature.bind(*args, **kwargs)
        except TypeError:
            return function(*args, **kwargs)  # Python's own sentence names the function as well
        hints = get_type_hints(function)
        for name, value in given.arguments.items():
            several = signature.parameters[name].kind is inspect.Parameter.VAR_KEYWORD
            if name in hints and not several:
                given.arguments[name] = accepted(name, value, hints[name])
        return function(*given.args, **given.kwargs)

    return call


def accepted(name: str, value: Any, hint: Any) -> Any:  # noqa: ANN401 (any argument)
    """Return the value of a parameter in Python's own types. Raises UsageError if its annotation does not allow it."""
    value = plain(value)
    if not _fits(value, hint):
        shown = " ".join(reprlib.repr(value).split())  # that of a data frame has several lines
        raise UsageError(f"`{name}` {shown}: give {in_words(hint)}")
    return value


def new_file(output: PathText, *, replace: bool) -> Path:
    """Return the path of a file to write.

    Raises UsageError if it is a folder, or exists without `replace`: the caller would open the old one.
    """
    path = Path(expanded(output))
    if path.is_dir():
        raise UsageError(f"`output` {output} is a folder; give the name of a file")
    if path.exists() and not is_stream(path) and not replace:
        raise UsageError(f"`output` {output} exists; give another name, or `replace=True`")
    return path


def plain(value: Any) -> Any:  # noqa: ANN401
    """Return a value with numpy's numbers, arrays and series of any library, and paths as Python's numbers, lists and texts."""
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    for listed in ("tolist", "to_list"):
        if hasattr(value, listed):
            return getattr(value, listed)()
    if isinstance(value, dict):
        return {plain(key): plain(each) for key, each in value.items()}
    return [plain(each) for each in value] if isinstance(value, list | tuple | Iterator | KeysView) else value


def _fits(value: object, hint: Any) -> bool:  # noqa: ANN401
    kind, parts = get_origin(hint) or hint, get_args(hint)
    if kind in (Union, UnionType):
        return any(_fits(value, part) for part in parts)
    if kind is Literal:
        return value in parts
    if kind is Sequence:
        if not isinstance(value, Sequence) or isinstance(value, str | bytes):
            return False
        return all(_fits(each, parts[0]) for each in value)
    if kind is Mapping:
        return isinstance(value, Mapping) and all(
            _fits(key, parts[0]) and _fits(each, parts[1]) for key, each in value.items()
        )
    if kind in (int, float):
        return isinstance(value, int if kind is int else int | float) and not isinstance(value, bool)
    return kind is Any or isinstance(value, kind)


def in_words(hint: Any) -> str:  # noqa: ANN401
    """Return a type in words, such as `a whole number or a list (a whole number each)`."""
    kind, parts = get_origin(hint) or hint, get_args(hint)
    if kind in (Union, UnionType):
        words = [in_words(part) for part in parts if part is not NoneType]
        return " or ".join(filter(None, [", ".join(words[:-1]), words[-1]]))
    if kind is Literal:
        return "one of " + ", ".join(map(str, parts))
    if kind is Sequence:
        return f"a list ({in_words(parts[0])} each)"
    if kind in (Mapping, dict):
        return f"a dictionary {{{in_words(parts[0])}: {in_words(parts[1])}}}"
    return _WORDS.get(kind) or str(kind.__name__)
