"""Chooses the MPI for a program among those of this machine."""

import shutil
from pathlib import Path

from linkworth.errors import EnvironmentLacksError, UsageError
from linkworth.model.mpi import MpiInstallation
from linkworth.mpi import apps, search, wheels
from linkworth.mpi.files import is_file, is_folder
from linkworth.mpi.search import find_all
from linkworth.mpi.target import NO_TARGET, RankProgram

__all__ = ["GET_ONE", "choose", "find_all", "no_mpi", "program_path", "searched"]

GET_ONE = "pip install mpich"
"""Command that installs an MPI without root."""


def no_mpi() -> EnvironmentLacksError:
    """Return the error that explains how to get an MPI."""
    return EnvironmentLacksError(f"no MPI was found {searched()}; get one with: {GET_ONE}")


def searched() -> str:
    """Return where no MPI was found, and the launcher that is there but cannot be used."""
    places = f"on PATH, in {search.PATH_VARIABLE} or in this Python environment"
    launcher = search.first_launcher()
    if launcher is None:
        return places
    return f"{places} ({launcher} names no known MPI, or the MPI's library is not beside it)"


def choose(name: str | None, target: RankProgram = NO_TARGET) -> MpiInstallation:
    """Choose the MPI to run a program with.

    `name` is the user's choice: name, kind or prefix of an installation. Without it, the program's linked MPI
    is used, else the first found. Raises UsageError for an unknown name, a choice that the program is not
    linked with, or a script that needs several MPIs. Raises EnvironmentLacksError if there is no MPI or not
    the needed one.
    """
    link = target.link
    known = find_all()
    if target.others and name is None:
        libraries = ", ".join(str(each.library or each.missing) for each in (link, *target.others))
        raise UsageError(
            f"{target.program} and other programs of this command use several MPIs ({libraries}); "
            "choose the one that starts the ranks with `mpi`"
        )
    if link.library and not target.others:
        listed = next((mpi for mpi in known if search.is_of(link.library, mpi)), None)
        needed = listed or search.installation_of(link.library)
        if target.free:
            if name is None and needed and needed.mpiexec:
                return needed
        else:
            return _linked(needed, name, target, known)
    if not known:
        raise no_mpi()
    if name is not None and (not link.missing or target.in_script):
        return _by_name(name, known)
    if link.missing:
        fitting = [mpi for mpi in known if Path(mpi.library).name.startswith(link.missing)]
        if target.in_script and fitting:
            return fitting[0]
        hint = f"; LD_LIBRARY_PATH={Path(fitting[0].library).parent} has one" if fitting else ""
        raise EnvironmentLacksError(
            f"{target.program} needs {link.missing}, which the loader does not find{hint}"
        )
    return next((mpi for mpi in known if mpi.mpiexec), known[0])


def _linked(
    needed: MpiInstallation | None, name: str | None, target: RankProgram, known: list[MpiInstallation]
) -> MpiInstallation:
    """Return the MPI that a program is linked with, if it was found and the user named no other."""
    if needed is None:
        library = target.link.library or Path()
        clash = wheels.overwritten(prefix / "bin" for prefix in library.parents[:4])
        raise EnvironmentLacksError(
            f"{target.program} is linked with {library}, and no launcher of that MPI was found; "
            + (clash[0] if clash else f"put the folder above its bin folder into {search.PATH_VARIABLE}")
        )
    if name is not None and not _is_named(needed, name):
        wanted = _by_name(name, known)
        raise UsageError(
            f"{target.program} is linked with {needed.name} ({needed.library}); started by {wanted.name} "
            "it would be many copies of rank 0 of 1: leave `mpi` out, or link it with "
            f"{wanted.mpicc or wanted.name}"
        )
    return needed


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
    clashes = wheels.overwritten(search.bin_folders())
    raise UsageError(
        f"`mpi` {name}: no such MPI here; there is {there} (or give the folder above its bin folder)"
        + "".join(f"; {clash}" for clash in clashes)
    )


def program_path(command: str) -> Path:
    """Return the file of a command's first word. Raises UsageError if it cannot be executed."""
    found = shutil.which(command)
    if found:
        return Path(found).absolute()
    path = Path(command)
    try:
        path.stat()
    except PermissionError:
        raise UsageError(f"{command} is in a folder that you may not search") from None
    except OSError:
        pass
    if is_folder(path):
        raise UsageError(f"{command} is a folder, not a program")
    if is_file(path):
        raise UsageError(f"{command} cannot be executed; try: chmod +x {command}")
    if own := apps.unfinished(command):
        raise UsageError(own)
    where = "" if "/" in command else " on PATH (a program in this folder is written with ./ before it)"
    raise UsageError(f"there is no program {command}{where}")
