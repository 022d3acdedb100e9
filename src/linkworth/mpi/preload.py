"""Environment variables that load the preload library into a program and control it."""

import hashlib
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from linkworth import _engine
from linkworth.errors import EnvironmentLacksError
from linkworth.model.mpi import MpiInstallation
from linkworth.mpi import elf
from linkworth.mpi.cache import built_once, cache_folder

PARTS = "LINKWORTH_TRACE_DIR"
"""Folder into which each rank writes its part. Unset: nothing is recorded."""
PROFILE = "LINKWORTH_PROFILE"
"""1: sum the calls by name, and write a profile instead of each part."""
RANKS = "LINKWORTH_RANKS"
"""File to which rank 0 of each MPI_COMM_WORLD appends the number of ranks."""
YIELD = "LINKWORTH_YIELD"
"""1: blocking calls yield the core while they wait, which MPICH does not do by default."""
SETTLE = "LINKWORTH_SETTLE"
"""1: before MPI_Finalize the ranks give MPI time to complete its connections."""
CROWDED = "LINKWORTH_CROWDED"
"""1: ranks share cores, so that reading the CPU time of every gap is worth its cost."""


def must_settle(mpi: MpiInstallation) -> bool:
    """Return whether MPI_Finalize may wait for ever where messages go through sockets: MPICH before 4.2 with UCX.

    A rank waits there for an answer of one that already waits for the process manager only (pmodels/mpich, pull request
    6596). A pause before MPI_Finalize, in which all ranks answer, prevents it.
    """
    return mpi.kind == "mpich" and tuple(map(int, re.findall(r"\d+", mpi.version)[:2])) < (4, 2)


def ranks_library() -> Path:
    """Return the preload library that only reports the number of ranks. It was built with linkworth."""
    return Path(_engine.__file__).with_name("liblinkworth-ranks.so")


def can_be_loaded(library: Path) -> bool:
    """Return whether the loader can find a library: colons and semicolons stand between the folders that it searches."""
    return re.search("[:;]", str(library)) is None


def without_ranks_library(variables: Mapping[str, str]) -> dict[str, str]:
    """Return variables without the ranks library, since the tracer reports the number of ranks too."""
    given = _preloaded(variables)
    others = ":".join(library for library in given if Path(library).name != ranks_library().name)
    rest = {name: value for name, value in variables.items() if name != "LD_PRELOAD"}
    return rest | ({"LD_PRELOAD": others} if others else {})


def environment(
    library: Path,
    *,
    parts: Path | None = None,
    yielding: bool = False,
    behind: Sequence[Path] = (),
    crowded: bool = False,
    profiling: bool = False,
) -> dict[str, str]:
    """Return the variables for the ranks: the user's preloads, our library, those `behind` it, and MPIs that the user preloads.

    The user's may be tools that define MPI_Send and call PMPI_Send. Our library defines both and calls the MPI library, so that
    tools behind it would be left out. The libraries behind ours are MPIs for programs that use any loaded one. Raises
    EnvironmentLacksError if the loader cannot take our library.
    """
    given = _preloaded(os.environ)
    mpis = [each for each in given if _is_mpi(each)]
    tools = [each for each in given if each not in mpis]
    folders = [folder for each in behind if (folder := _with_common_name(each))]
    variables = loading([*tools, library, *behind, *mpis], folders)
    if parts is not None:
        variables[PARTS] = str(parts)
    if yielding:
        variables[YIELD] = "1"
    if crowded:
        variables[CROWDED] = "1"
    if profiling:
        variables[PROFILE] = "1"
    return variables


def loading(libraries: Sequence[str | Path], folders: Sequence[Path] = ()) -> dict[str, str]:
    """Return the variables that preload libraries, and search `folders` too.

    Raises EnvironmentLacksError if the loader cannot take one of the paths.
    """
    # LD_PRELOAD cannot name a path with a space, but the loader searches folders for a name alone.
    names, searched = [], []
    for library in libraries:
        if isinstance(library, Path) and not can_be_loaded(library):
            raise EnvironmentLacksError(
                f"{str(library)!r} cannot be loaded into programs, because its path has a colon or a semicolon; set "
                "XDG_CACHE_HOME to a folder without them"
            )
        if re.search(r"\s", str(library)):
            names.append(Path(library).name)
            searched.append(Path(library).parent)
        else:
            names.append(str(library))
    variables = {"LD_PRELOAD": ":".join(names)}
    if searched := [*searched, *folders]:
        known = os.environ.get("LD_LIBRARY_PATH", "")
        variables["LD_LIBRARY_PATH"] = ":".join([*map(str, searched), *([known] if known else [])])
    return variables


def _preloaded(variables: Mapping[str, str]) -> list[str]:
    return re.findall(r"[^\s:]+", variables.get("LD_PRELOAD", ""))


def _is_mpi(library: str) -> bool:
    """Return whether a library takes a program's MPI calls itself. The loader finds one without a folder, so its name decides."""
    try:
        return "PMPI_Init" in elf.exported_symbols(Path(library))
    except (OSError, elf.ElfError):
        return re.match(r"libmpi(ch|_\w+)?\.so", library) is not None


def _with_common_name(library: Path) -> Path | None:
    """Return a folder with Debian's MPICH under the name of the ABI, which programs for any MPICH need; None for other MPIs.

    The loader takes both names for one library. Raises EnvironmentLacksError if the cache cannot be written.
    """
    try:
        soname = elf.info(library).soname
    except (OSError, elf.ElfError):
        return None
    if soname != "libmpich.so.12":
        return None
    place = cache_folder() / "mpi" / f"named-{hashlib.sha256(os.fsencode(library)).hexdigest()[:16]}"
    name = "libmpi.so.12"
    return built_once(place, name, lambda folder: (folder / name).symlink_to(library), what=None).parent
