"""Searches this machine for MPI installations: PATH, LINKWORTH_MPI_PATH and the Python environment."""

import functools
import os
import re
import sys
import threading
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import msgspec

from linkworth.model.mpi import MpiInstallation
from linkworth.mpi import elf, identify, progress
from linkworth.mpi.files import is_file, is_folder

PATH_VARIABLE = "LINKWORTH_MPI_PATH"
"""Variable with prefixes of MPI installations (the folder above `bin`), separated by colons."""

_WRAPPER = re.compile(r"^mpi(?:cc|icc|icx)([._][\w.-]+)?$")
_LAUNCHER = re.compile(r"^mpi(?:exec|run)([._][\w.-]+)?$")
_searching = threading.Lock()
"""Lets the runs of a study, a thread each, search once."""
_LIBRARY_FILES = ("libmpi.so.*", "libmpich.so.*", "libmpi_abi.so.*")


class _Folder(NamedTuple):
    path: Path
    origin: str


def _folders() -> list[_Folder]:
    """Folders that may contain launchers and compiler wrappers, the user's own choice first."""
    named = [Path(prefix) for prefix in os.environ.get(PATH_VARIABLE, "").split(":") if prefix]
    candidates = [_Folder(prefix / "bin", PATH_VARIABLE) for prefix in named]
    candidates += [_Folder(Path(entry), "PATH") for entry in os.environ.get("PATH", "").split(":") if entry]
    candidates.append(_Folder(Path(sys.prefix) / "bin", "Python environment"))
    unique: dict[Path, _Folder] = {}
    for folder in candidates:
        if is_folder(folder.path):
            unique.setdefault(folder.path.resolve(), folder._replace(path=folder.path.absolute()))
    return list(unique.values())


def bin_folders() -> list[Path]:
    """Return the folders that the search looks into."""
    return [folder.path for folder in _folders()]


def _matching(folder: Path, pattern: re.Pattern[str]) -> list[Path]:
    try:
        names = sorted(entry.name for entry in os.scandir(folder) if pattern.match(entry.name))
    except OSError:
        return []
    # The plain name comes first, as the user's default. MPICH's wrappers for the common ABI come last.
    names.sort(key=lambda name: (name.endswith("_abi"), "." in name, name))
    return [folder / name for name in names if os.access(folder / name, os.X_OK) and is_file(folder / name)]


def _launcher_for(wrapper: Path, mpi: identify.Identity, folders: Iterable[Path]) -> str:
    """Return the launcher of a library: one that reports the same kind, preferably with the same version."""
    suffix = re.sub(r"^mpi(cc|icc|icx|cxx)", "", wrapper.name)
    others = [launcher for folder in folders for launcher in _matching(folder, _LAUNCHER)]
    ordered = [wrapper.with_name(f"mpiexec{suffix}"), wrapper.with_name(f"mpirun{suffix}"), *others]
    fallback = ""
    for candidate in dict.fromkeys(ordered):
        if not is_file(candidate):
            continue
        launcher = _launcher_identity(candidate)
        if launcher is None or not _launches(launcher.kind, mpi.kind):
            continue
        if launcher.version == mpi.version or mpi.kind not in ("mpich", "openmpi"):
            return str(candidate)
        fallback = fallback or str(candidate)
    # Hydra starts any MPICH (one process interface). Open MPI's launcher starts only its own version.
    return "" if mpi.kind == "openmpi" else fallback


def _launches(launcher: str, library: str) -> bool:
    return launcher == library or (launcher == "mpich" and library == "mvapich")


@functools.cache
def _launcher_identity(path: Path) -> identify.Identity | None:
    return identify.launcher(path)


def _from_wrapper(wrapper: Path, origin: str, folders: list[Path]) -> MpiInstallation | None:
    line = identify.compile_line(wrapper)
    library = identify.linked_library(line) if line else None
    mpi = identify.library(library) if library else None
    if library is None or mpi is None:
        return None
    cxx = wrapper.with_name(re.sub(r"^mpi(cc|icc|icx)", lambda m: _CXX[m[1]], wrapper.name))
    launcher = _launcher_for(wrapper, mpi, [wrapper.parent, *folders])
    return msgspec.structs.replace(
        _installation(library, mpi, launcher, origin),
        mpicc=str(wrapper),
        mpicxx=str(cxx) if is_file(cxx) else "",
    )


_CXX = {"cc": "mpicxx", "icc": "mpiicpc", "icx": "mpiicpx"}


def _from_launcher(launcher: Path, origin: str) -> Iterator[MpiInstallation]:
    """Installations without compiler wrappers: libraries beside a launcher or what it links to, with its kind and version."""
    says = _launcher_identity(launcher)
    if says is None:
        return
    places: list[Path] = []
    for prefix in dict.fromkeys(each.parent.parent for each in (launcher, launcher.resolve())):
        places += [prefix / "lib", prefix / "lib64", *prefix.glob("lib/*-linux-gnu*")]
    libraries = {
        file.resolve() for place in places for pattern in _LIBRARY_FILES for file in place.glob(pattern)
    }
    by_soname = {_soname(library) or library.name: library for library in sorted(libraries, reverse=True)}
    for library in sorted(by_soname.values()):
        mpi = identify.library(library)
        if mpi and mpi.kind == says.kind and mpi.version == says.version:
            yield _installation(library, mpi, str(launcher), origin)


def _installation(library: Path, mpi: identify.Identity, launcher: str, origin: str) -> MpiInstallation:
    return MpiInstallation(
        name=f"{mpi.kind}-{mpi.version}" + ("-abi" if library.name.startswith("libmpi_abi") else ""),
        kind=mpi.kind,
        version=mpi.version,
        library=str(library),
        library_version=mpi.line,
        mpiexec=launcher,
        origin=origin,
    )


def _soname(library: Path) -> str:
    try:
        return elf.info(library).soname
    except (OSError, elf.ElfError):
        return ""


def is_of(library: Path, mpi: MpiInstallation) -> bool:
    """Return whether a library belongs to an MPI. Wheels contain copies of a library, not links."""
    known = Path(mpi.library)
    return library == known or (
        library.parent == known.parent and _soname(library) != "" and _soname(library) == _soname(known)
    )


def find_all() -> list[MpiInstallation]:
    """Return every MPI of this machine, one per library: first those of LINKWORTH_MPI_PATH, then of PATH."""
    with _searching:
        return list(_search(os.environ.get("PATH", ""), os.environ.get(PATH_VARIABLE, ""), sys.prefix))


@functools.lru_cache(maxsize=8)
def _search(_path: str, _named: str, _prefix: str) -> tuple[MpiInstallation, ...]:
    folders = _folders()
    with progress.slow("looking for the MPIs of this machine"), ThreadPoolExecutor(max_workers=4) as pool:
        return tuple(
            _with_unique_names(
                _one_per_library(
                    mpi
                    for found in pool.map(functools.partial(_in_folder, folders), folders)
                    for mpi in found
                )
            )
        )


def _in_folder(folders: list[_Folder], folder: _Folder) -> list[MpiInstallation]:
    """Installations with compiler wrappers in a folder, then those with a launcher only."""
    paths = [other.path for other in folders]
    wrappers = _matching(folder.path, _WRAPPER)
    found = [mpi for wrapper in wrappers if (mpi := _from_wrapper(wrapper, folder.origin, paths))]
    seen = {(mpi.kind, mpi.version) for mpi in found}
    for launcher in _matching(folder.path, _LAUNCHER):
        says = _launcher_identity(launcher)
        if says and (says.kind, says.version) not in seen:
            seen.add((says.kind, says.version))
            found += _from_launcher(launcher, folder.origin)
    return found


def _one_per_library(found: Iterable[MpiInstallation]) -> list[MpiInstallation]:
    """Keep the order of first occurrence. Of a library's entries, keep the one with a launcher and the
    fullest name.

    On Debian, an administrator can turn the links mpicc and mpiexec to different MPIs, but not mpicc.openmpi
    and mpiexec.openmpi.
    """
    best: dict[str, MpiInstallation] = {}
    for mpi in found:
        known = best.get(mpi.library)
        if known is None or _worth(mpi) > _worth(known):
            best[mpi.library] = mpi
    return list(best.values())


def _worth(mpi: MpiInstallation) -> tuple[bool, bool, bool]:
    return bool(mpi.mpiexec), bool(mpi.mpicc), "." in Path(mpi.mpicc).name


def _with_unique_names(found: list[MpiInstallation]) -> list[MpiInstallation]:
    counts: dict[str, int] = {}
    named = []
    for mpi in found:
        counts[mpi.name] = counts.get(mpi.name, 0) + 1
        number = counts[mpi.name]
        named.append(mpi if number == 1 else msgspec.structs.replace(mpi, name=f"{mpi.name}@{number}"))
    return named


def first_launcher() -> Path | None:
    """Return the first launcher in the search folders, of any kind. Where no MPI is found, it is of no use."""
    return next((launcher for path in bin_folders() for launcher in _matching(path, _LAUNCHER)), None)


def installation_of(library: Path) -> MpiInstallation | None:
    """Find the installation around a library that is in no search folder."""
    for prefix in list(library.parents)[:4]:
        folder = prefix / "bin"
        if not is_folder(folder):
            continue
        for wrapper in _matching(folder, _WRAPPER):
            found = _from_wrapper(wrapper, "program", [folder])
            if found and is_of(library, found):
                return found
        for launcher in _matching(folder, _LAUNCHER):
            found = next((mpi for mpi in _from_launcher(launcher, "program") if is_of(library, mpi)), None)
            if found:
                return found
    return None


def in_prefix(prefix: Path) -> MpiInstallation | None:
    """Return the installation with its `bin` folder in a prefix outside the search folders."""
    folder = prefix.absolute() / "bin"
    for wrapper in _matching(folder, _WRAPPER):
        found = _from_wrapper(wrapper, "the named folder", [folder])
        if found:
            return found
    return next(
        (mpi for tool in _matching(folder, _LAUNCHER) for mpi in _from_launcher(tool, "the named folder")),
        None,
    )
