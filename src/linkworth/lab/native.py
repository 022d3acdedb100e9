"""Compiles the lab's own C programs and libraries once, and keeps them in the user's cache."""

import hashlib
import os
import platform
import shlex
from functools import cache
from pathlib import Path

import linkworth
from linkworth.errors import EnvironmentLacksError
from linkworth.mpi import compiler
from linkworth.mpi.cache import built_once, cache_folder
from linkworth.mpi.sources import STRICT, hash_files, shipped

_HINT = "a C compiler is needed once (apt-get install build-essential, or dnf install gcc)"


@cache
def compiled(part: str, product: str, *flags: str, libraries: tuple[str, ...] = ()) -> Path:
    """Return a product compiled from native/lab/PART with extra flags. Raises EnvironmentLacksError."""
    folder = shipped(part, f"native/lab/{part}")
    sources = sorted(folder.glob("*.c"))
    options = ["-std=c11", "-D_GNU_SOURCE", "-O2", "-Wall", "-Wextra", *flags]
    if os.environ.get(STRICT) == "ON":
        options += ["-Wpedantic", "-Wshadow", "-Wconversion", "-Werror"]
    words = shlex.split(os.environ.get("CC", "cc"))
    hashed = hashlib.sha256(
        repr((words, options, libraries, linkworth.__version__, platform.machine())).encode()
    )
    hash_files(hashed, folder, [*sources, *sorted(folder.glob("*.h"))])
    place = cache_folder() / "lab" / f"{part}-{hashed.hexdigest()[:16]}"
    return built_once(
        place,
        product,
        lambda work: _compile(
            [
                *words,
                *options,
                *map(str, sources),
                "-o",
                str(work / product),
                *(f"-l{name}" for name in libraries),
            ],
            part,
        ),
        what=f"the lab's {part}",
    )


def _compile(command: list[str], part: str) -> None:
    try:
        done = compiler.run(command)
    except OSError as error:
        raise EnvironmentLacksError(
            f"the lab's {part} cannot be compiled ({command[0]}: {error.strerror}): {_HINT}"
        ) from None
    if done.returncode != 0:
        raise EnvironmentLacksError(
            f"the lab's {part} cannot be compiled ({compiler.telling(done)}): {_HINT}"
        )
