"""Native sources that are built on the user's machine (native/README.md describes build.toml)."""

import hashlib
import os
import tomllib
from collections.abc import Iterable
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

import linkworth
from linkworth.errors import EnvironmentLacksError, UsageError

_HEADERS = (".h", ".hpp")

STRICT = "LINKWORTH_WERROR"
"""ON stops the build on warnings. It is for developers and CI, not for users with newer compilers."""


class Recipe(NamedTuple):
    """Sources of a part, and how to compile them."""

    folder: Path
    sources: list[Path]
    flags: list[str]
    libraries: list[str]
    independent: frozenset[Path]
    """Sources that include no header of MPI."""
    together: bool
    """True: sources with MPI are joined into one file for compiling, and those without MPI into two."""


_DEFAULTS: dict[str, tuple[list[str], list[str], list[str]]] = {
    "tracer": (["**/*.c"], ["-O2", "-std=gnu11", "-Wall", "-Wextra"], ["dl", "pthread"]),
    "netbench": (["**/*.cpp"], ["-O2", "-std=c++20", "-Wall", "-Wextra"], []),
    "sizeprobe": (["*.cpp"], ["-O1", "-std=c++20", "-Wall", "-Wextra"], []),
    "programs": (["**/*.cpp"], ["-O3", "-march=native", "-std=c++20", "-Wall", "-Wextra"], []),
}


def folder(part: str) -> Path:
    """Return the source folder of a part that is built for each MPI."""
    return shipped(part, f"native/{part}")


def shipped(part: str, in_checkout: str) -> Path:
    """Return the source folder of a part: of the repository in a checkout, else of the installed package."""
    package = Path(linkworth.__file__).resolve().parent
    checkout = package.parents[1] / in_checkout
    if (package.parents[1] / "pyproject.toml").is_file() and checkout.is_dir():
        return checkout
    installed = Path(str(resources.files("linkworth"))) / "native" / part
    if installed.is_dir():
        return installed
    raise EnvironmentLacksError(
        f"the sources of {part} are not in this installation of linkworth; install it anew"
    )


def recipe(part: str) -> Recipe:
    """Read the recipe of a part. Raises UsageError if its build.toml is invalid."""
    place = folder(part)
    globs, flags, libraries = _DEFAULTS[part]
    read = _build_file(place / "build.toml")
    globs = read.get("sources", globs)
    flags = read.get("flags", flags)
    sources = sorted({path for glob in globs for path in place.glob(glob)})
    if not sources:
        raise EnvironmentLacksError(
            f"{place} contains no sources ({', '.join(globs)}); install linkworth anew"
        )
    if os.environ.get(STRICT) == "ON":
        flags = [*flags, "-Werror"]
    alone = frozenset(path for glob in read.get("independent", []) for path in place.glob(glob))
    return Recipe(
        folder=place,
        sources=sources,
        flags=flags,
        libraries=read.get("libraries", libraries),
        independent=alone & frozenset(sources),
        together=read.get("together", False),
    )


def _build_file(file: Path) -> dict[str, Any]:
    """Return the keys of a build.toml, each checked for its type. Empty if there is no such file."""
    if not file.is_file():
        return {}
    try:
        read = tomllib.loads(file.read_text())
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{file}: {error}") from None
    for key, value in read.items():
        if key not in ("sources", "independent", "together", "flags", "libraries"):
            raise UsageError(
                f"{file}: unknown key {key}; there is sources, independent, together, flags and libraries"
            )
        if key == "together":
            if not isinstance(value, bool):
                raise UsageError(f"{file}: together must be true or false")
        elif not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise UsageError(f"{file}: {key} must be a list of texts")
    return read


def headers(given: Recipe) -> list[Path]:
    """Return all headers of a part, sorted."""
    return sorted(path for path in given.folder.rglob("*") if path.suffix in _HEADERS)


def digest(given: Recipe) -> str:
    """Return a hash of all inputs of the result: sources, headers, and options of compiling and linking."""
    hashed = hashlib.sha256(repr((given.flags, given.libraries, given.together)).encode())
    hash_files(hashed, given.folder, sorted({*headers(given), *given.sources}))
    return hashed.hexdigest()


def hash_files(hashed: "hashlib._Hash", folder: Path, files: Iterable[Path]) -> None:
    """Add the names and contents of files below a folder to a hash."""
    for path in files:
        content = path.read_bytes()
        hashed.update(f"{path.relative_to(folder)}\0{len(content)}\0".encode())
        hashed.update(content)
