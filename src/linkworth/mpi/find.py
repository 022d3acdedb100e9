"""Chooses the MPI that a program needs among those of this machine."""

import shutil
from pathlib import Path

from linkworth.errors import EnvironmentLacksError, UsageError
from linkworth.model.mpi import MpiInstallation
from linkworth.mpi import linkage, search
from linkworth.mpi.search import find_all

__all__ = ["GET_ONE", "choose", "find_all", "no_mpi", "program_path"]

GET_ONE = "pip install mpich"
"""The one command that gets an MPI without root."""


def no_mpi() -> EnvironmentLacksError:
    """Return the error that says how to get an MPI."""
    return EnvironmentLacksError(
        f"no MPI was found on PATH, in {search.PATH_VARIABLE} or in this Python environment; "
        f"get one with: {GET_ONE}"
    )


def choose(name: str | None, program: Path | None) -> MpiInstallation:
    """Choose the MPI to run a program with.

    `name` is the user's choice (name, kind or prefix of an installation), `program` the file that will run,
    if known. Without a choice it is the MPI that the program is linked with, else the first found. Raises
    UsageError for an unknown name or a choice that the program is not linked with, EnvironmentLacksError
    where there is no MPI or not the one that the program needs.
    """
    link = linkage.of_program(program) if program else None
    known = find_all()
    if link and link.library:
        listed = next((mpi for mpi in known if mpi.library == str(link.library)), None)
        needed = listed or search.beside(link.library)
        if needed is None:
            raise EnvironmentLacksError(
                f"{program} is linked with {link.library}, and no launcher of that MPI was found; "
                f"put the folder above its bin folder into {search.PATH_VARIABLE}"
            )
        if name is not None and not _is_named(needed, name):
            wanted = _by_name(name, known)
            raise UsageError(
                f"{program} is linked with {needed.name} ({needed.library}); started by {wanted.name} "
                "it would be many copies of rank 0 of 1: leave --mpi out, or link it with "
                f"{wanted.mpicc or wanted.name}"
            )
        return needed
    if not known:
        raise no_mpi()
    if link and link.missing:
        fitting = [mpi for mpi in known if Path(mpi.library).name.startswith(link.missing)]
        hint = f"; LD_LIBRARY_PATH={Path(fitting[0].library).parent} has one" if fitting else ""
        raise EnvironmentLacksError(f"{program} needs {link.missing}, which the loader does not find{hint}")
    if name is not None:
        return _by_name(name, known)
    return next((mpi for mpi in known if mpi.mpiexec), known[0])


def _is_named(mpi: MpiInstallation, name: str) -> bool:
    if name in (mpi.name, mpi.kind, mpi.library, mpi.mpiexec, mpi.mpicc):
        return True
    bins = {Path(tool).absolute().parent for tool in (mpi.mpiexec, mpi.mpicc) if tool}
    return "/" in name and any(Path(name).absolute() in (folder, folder.parent) for folder in bins)


def _by_name(name: str, known: list[MpiInstallation]) -> MpiInstallation:
    if not known:
        raise no_mpi()
    for mpi in known:
        if _is_named(mpi, name):
            return mpi
    found = search.in_prefix(Path(name)) if "/" in name else None
    if found:
        return found
    there = ", ".join(mpi.name for mpi in known)
    raise UsageError(
        f"--mpi {name}: no such MPI here; there is {there} (or give the folder above its bin folder)"
    )


def program_path(command: str) -> Path:
    """Return the file that a command's first word names. Raises UsageError where it cannot be executed."""
    found = shutil.which(command)
    if found:
        return Path(found).absolute()
    path = Path(command)
    if path.is_dir():
        raise UsageError(f"{command} is a folder, not a program")
    if path.is_file():
        raise UsageError(f"{command} cannot be executed; try: chmod +x {command}")
    where = "" if "/" in command else " on PATH (a program in this folder is written with ./ before it)"
    raise UsageError(f"there is no program {command}{where}")


def is_linked(program: Path) -> bool:
    """Say whether a program names an MPI library itself (a script or an interpreter does not)."""
    link = linkage.of_program(program)
    return link.library is not None or bool(link.missing)
