"""Native sources that are built on the user's machine (native/README.md describes build.toml)."""

import hashlib
import os
from collections.abc import Iterable
from importlib import resources
from pathlib import Path
from typing import NamedTuple

import msgspec

import linkworth
from linkworth.catalog.decode import decode, read_toml
from linkworth.errors import EnvironmentLacksError

_HEADERS = (".h", ".hpp")

STRICT = "LINKWORTH_WERROR"
"""ON stops the build on warnings. It is for developers and CI, not for users with newer compilers."""


class Recipe(NamedTuple):
    """Sources of a part, and how to compile them."""

    folder: Path
    sources: list[Path]
    flags: list[str]
    libraries: list[str]
    files: int
    """Number of files into which the sources are joined for compiling; 0: each source is compiled by itself."""


class BuildFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`build.toml` of a part."""

    sources: list[str]
    """Patterns of files."""
    flags: list[str]
    libraries: list[str] = []
    files: int = 0


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
    file = place / "build.toml"
    read = decode(read_toml(file), BuildFile, str(file))
    sources = sorted({path for glob in read.sources for path in place.glob(glob)})
    if not sources:
        raise EnvironmentLacksError(
            f"{place} contains no sources ({', '.join(read.sources)}); install linkworth anew"
        )
    return Recipe(
        folder=place,
        sources=sources,
        flags=[*read.flags, *(["-Werror"] if os.environ.get(STRICT) == "ON" else [])],
        libraries=read.libraries,
        files=read.files,
    )


def headers(given: Recipe) -> list[Path]:
    """Return all headers of a part, sorted."""
    return sorted(path for path in given.folder.rglob("*") if path.suffix in _HEADERS)


def digest(given: Recipe) -> str:
    """Return a hash of all inputs of the result: sources, headers, and options of compiling and linking."""
    hashed = hashlib.sha256(repr((given.flags, given.libraries, given.files)).encode())
    hash_files(hashed, given.folder, sorted({*headers(given), *given.sources}))
    return hashed.hexdigest()


def hash_files(hashed: "hashlib._Hash", folder: Path, files: Iterable[Path]) -> None:
    """Add the names and contents of files below a folder to a hash."""
    for path in files:
        content = path.read_bytes()
        hashed.update(f"{path.relative_to(folder)}\0{len(content)}\0".encode())
        hashed.update(content)
