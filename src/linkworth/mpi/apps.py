"""The bundled programs as commands: `npb:ft.B` is `lw-npb ft B`, `stencil:default` is `lw-npb stencil default`."""

import re
import shlex
from collections.abc import Sequence
from typing import NamedTuple

from linkworth.errors import UsageError
from linkworth.model.mpi import MpiInstallation
from linkworth.mpi import build


class _Form(NamedTuple):
    pattern: re.Pattern[str]
    """Its groups are the words that the program takes, after `program` where that is set."""
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
        re.compile(r"stencil:(default|[0-9]+x[0-9]+x[0-9]+)"),
        ("stencil",),
        "the weather-like code is written stencil:POINTS, such as stencil:100x126x37 or stencil:default",
    ),
}


def is_app(word: str) -> bool:
    """Say whether a command's first word names a bundled program. Raises UsageError for a name that is only nearly right."""
    return words(word) is not None


def words(word: str) -> list[str] | None:
    """Return what `lw-npb` takes for a bundled program: `npb:ft.B` gives `["ft", "B"]`; None for any other word.

    Raises UsageError for a name that is only nearly right.
    """
    kind, colon, _ = word.lower().partition(":")
    if not colon or kind not in _FORMS:
        return None
    form = _FORMS[kind]
    found = form.pattern.fullmatch(word)
    if not found:
        raise UsageError(f"{word}: {form.written} (see: linkworth apps)")
    return [*form.program, *found.groups()]


def resized(word: str, size: str) -> list[str]:
    """Return a command of the same program on another problem: `npb:lu.D` and `W` give `["npb:lu.W"]`; options may follow."""
    first, *rest = shlex.split(size) or [""]
    kind, _, program = word.partition(":")
    name = f"{kind}:{program.partition('.')[0]}.{first}" if kind == "npb" else f"{kind}:{first}"
    if words(name) is None:
        raise UsageError(f"{word} is not a bundled program (see: linkworth apps)")
    return [name, *rest]


def resolve(command: Sequence[str], mpi: MpiInstallation) -> list[str]:
    """Return the command with a bundled program's name replaced by its file and arguments, built for that MPI."""
    own = words(command[0])
    if own is None:
        return list(command)
    return [str(build.npb(mpi)), *own, *command[1:]]
