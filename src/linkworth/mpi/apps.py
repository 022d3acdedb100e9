"""Bundled programs: `npb:ft.B` is `lw-npb ft B`, and `stencil:default` is `lw-npb stencil default`."""

import itertools
import re
from collections.abc import Container, Sequence
from typing import NamedTuple

from linkworth.catalog import apps as app_catalog
from linkworth.catalog.assignment import split_words
from linkworth.errors import UsageError
from linkworth.model.mpi import MpiInstallation
from linkworth.mpi import build


class _Form(NamedTuple):
    pattern: re.Pattern[str]
    """Pattern with groups for the program's words, after `program` if that is set."""
    program: tuple[str, ...]
    written: str


_FORMS = {
    "npb": _Form(
        re.compile(r"npb:([a-z]{2})\.([A-Z])"),
        (),
        "a NAS Parallel Benchmark is written npb:PROGRAM.CLASS, such as npb:ft.W",
    ),
    "imbalance": _Form(
        re.compile(r"imbalance:([1-8])"),
        ("imbalance",),
        "the imbalanced sum is written imbalance:LEVEL, with a level from 1 (even) to 8 (all on one rank)",
    ),
    "stencil": _Form(
        re.compile(r"stencil:(default|wrf|[0-9]+x[0-9]+x[0-9]+)"),
        ("stencil",),
        "the weather-like code is written stencil:POINTS, such as stencil:100x126x37, stencil:default or stencil:wrf",
    ),
}


def is_app(word: str) -> bool:
    """Return whether a command's first word names a bundled program. Raises UsageError for a near miss."""
    return words(word) is not None


def words(word: str) -> list[str] | None:
    """Return the arguments of `lw-npb` for a bundled program: `["ft", "B"]` for `npb:ft.B`. None for any
    other word.

    Raises UsageError for a name that is only nearly right.
    """
    kind, colon, _ = word.lower().partition(":")
    if not colon or kind not in _FORMS:
        return None
    form = _FORMS[kind]
    found = form.pattern.fullmatch(word)
    if not found:
        name, *options = word.split()
        if options and form.pattern.fullmatch(name):
            raise UsageError(f"{word!r} is one word; leave out the quotes, so that its options are words too")
        raise UsageError(f"{word}: {form.written}")
    return [*form.program, *found.groups()]


def unfinished(word: str) -> str:
    """Return how a bundled program is written of which a word has a part, such as `stencil` or `cg.A`; "" for others."""
    name = word.lower()
    kind = "npb" if f"npb:{name.partition('.')[0]}" in app_catalog.names() else name
    return f"{word}: {_FORMS[kind].written}" if kind in _FORMS else ""


def not_bundled(word: str) -> UsageError:
    """Return the error for a word that names no bundled program."""
    return UsageError(
        unfinished(word) or f"{word} is not a bundled program; these are {', '.join(app_catalog.names())}"
    )


def own_options(word: str) -> frozenset[str]:
    """Return a bundled program's long options (`--iterations` of `stencil:default`). Each takes a value."""
    try:
        texts = app_catalog.get(word).options
    except UsageError:
        return frozenset()
    return frozenset(text.split()[0] for text in texts)


def split_options(words_behind: Sequence[str], own: Container[str]) -> tuple[list[str], list[str]]:
    """Split a program's options with values (`--name value` or `--name=value`) from the other words."""
    taken: list[str] = []
    rest: list[str] = []
    remaining = iter(words_behind)
    for word in remaining:
        name, equals, value = word.partition("=")
        if name not in own:
            rest.append(word)
        elif equals:
            taken += [name, value]
        else:
            taken += [name, *itertools.islice(remaining, 1)]
    return taken, rest


def resized(word: str, size: str) -> list[str]:
    """Return a command for another problem size, perhaps with options: `npb:lu.D`, `W` give `["npb:lu.W"]`."""
    first, *rest = split_words(size, "`calibrate_with`") or [""]
    kind, _, program = word.partition(":")
    name = f"{kind}:{program.partition('.')[0]}.{first}" if kind == "npb" else f"{kind}:{first}"
    if words(name) is None:
        raise not_bundled(word)
    return [name, *rest]


def resolve(command: Sequence[str], mpi: MpiInstallation, *, planned: bool = False) -> list[str]:
    """Return the command with a bundled program's name replaced by its file, built unless `planned`."""
    own = words(command[0])
    if own is None:
        return list(command)
    return [str(build.npb(mpi, planned=planned)), *own, *command[1:]]
