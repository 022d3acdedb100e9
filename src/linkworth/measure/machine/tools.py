"""Compilers and libraries."""

import ctypes
import os
import re
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor

from linkworth.model.environment import Check
from linkworth.model.mpi import MpiInstallation
from linkworth.mpi import build, find, identify, precompiled, search, wheels
from linkworth.mpi.cache import cache_folder
from linkworth.mpi.files import is_folder
from linkworth.mpi.preload import can_be_loaded
from linkworth.writing.folders import temporary_folder

_PROBE = (
    "#include <mpi.h>\nint main(int argc, char **argv) { MPI_Init(&argc, &argv); return MPI_Finalize(); }\n"
)
_GET_COMPILER = "apt-get install build-essential (or: dnf install gcc-c++)"


def compilers() -> list[Check]:
    """Find the compilers of MPI's wrappers."""
    return [
        _compiler("C compiler", ("cc", "gcc", "clang"), "builds the recorder for an MPI that none fits"),
        _compiler("C++ compiler", ("c++", "g++", "clang++"), "builds the bundled programs for such an MPI"),
    ]


def _compiler(name: str, commands: tuple[str, ...], purpose: str) -> Check:
    for command in commands:
        path = shutil.which(command)
        if path:
            version = (identify.ask([path, "--version"]) or "").splitlines()
            return Check(
                group="recording",
                name=name,
                present=True,
                detail=version[0] if version else path,
                purpose=purpose,
            )
    return Check(
        group="recording",
        name=name,
        present=False,
        detail=f"none of {', '.join(commands)} is on PATH",
        purpose=purpose,
        remedy=_GET_COMPILER,
    )


def mpi_checks(mpis: list[MpiInstallation]) -> list[Check]:
    """Check that each MPI has a launcher, and a precompiled recorder or a compiler wrapper that really builds a program."""
    if not mpis:
        return [
            Check(
                group="recording",
                name="MPI",
                present=False,
                detail=f"none {find.searched()}",
                purpose="runs programs",
                remedy=find.GET_ONE,
            )
        ]
    with ThreadPoolExecutor(max_workers=2) as pool:
        checks = list(pool.map(_mpi_check, mpis))
    return checks + [
        Check(
            group="recording",
            name="MPI wheels",
            present=False,
            detail=clash,
            purpose="launchers of these MPIs",
        )
        for clash in wheels.overwritten(search.bin_folders())
    ]


def _mpi_check(mpi: MpiInstallation) -> Check:
    if not mpi.mpiexec:
        trouble = detail = "no launcher (mpiexec) was found"
    elif all(precompiled.find(mpi, product) for product in build.PRODUCTS.values()):
        trouble = ""
        detail = f"{mpi.mpiexec}; recorder and programs came compiled, for {precompiled.described(mpi)}"
    else:
        compiling = build.with_alike_compiler(mpi)
        trouble = _compile_trouble(compiling)
        detail = f"{mpi.mpiexec}; recorder and programs are compiled here by {compiling.mpicc}"
        if not mpi.mpicc:
            detail += ", the compiler wrapper of another MPI with the same ABI; bundled programs need its own"
    return Check(
        group="recording",
        name=mpi.name,
        present=not trouble,
        detail=trouble or detail,
        purpose="runs and records programs linked with it",
        remedy=_remedy(mpi) if trouble else "",
    )


def _remedy(mpi: MpiInstallation) -> str:
    if shutil.which("cc") is None:
        return _GET_COMPILER
    package = {"mpich": "libmpich-dev mpich", "openmpi": "libopenmpi-dev openmpi-bin"}.get(mpi.kind)
    return f"apt-get install {package}" if package and mpi.library.startswith("/usr/") else ""


def _compile_trouble(mpi: MpiInstallation) -> str:
    if not mpi.mpicc:
        return "no compiler wrapper (mpicc) was found"
    with temporary_folder() as folder:
        source = folder / "probe.c"
        source.write_text(_PROBE)
        try:
            done = subprocess.run(
                [mpi.mpicc, str(source), "-o", str(folder / "probe")],
                capture_output=True,
                text=True,
                errors="replace",
                timeout=60,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            return f"{mpi.mpicc} cannot be run: {error}"
    said = [line for line in done.stderr.splitlines() if re.search("error|not found", line, re.IGNORECASE)]
    return "" if done.returncode == 0 else f"{mpi.mpicc} fails: {(said or ['no message'])[0].strip()}"


def cache() -> Check:
    """Check that the recorder and the programs can be kept in the user's cache, or were kept there before."""
    folder = cache_folder()
    # Unlike a path's method, it is no error in a folder that this user cannot search.
    there = next(place for place in (folder, *folder.parents) if os.path.exists(place))  # noqa: PTH110
    writable = os.access(there, os.W_OK | os.X_OK)
    present: bool | None = False
    detail = f"{folder}: {there} may not be written to"
    if not can_be_loaded(folder):
        detail = f"{folder}: programs cannot load a recorder whose path has a colon or a semicolon"
    elif writable:
        present, detail = True, str(folder)
    elif is_folder(folder / "mpi"):
        present = None
    return Check(
        group="recording",
        name="cache",
        present=present,
        detail=detail,
        purpose="keeps what is compiled for this machine",
        remedy="" if present else "export XDG_CACHE_HOME=FOLDER",
    )


def zstandard() -> Check:
    """Find the library that compresses traces."""
    try:
        library = ctypes.CDLL("libzstd.so.1")
    except OSError:
        return Check(
            group="recording",
            name="libzstd.so.1",
            present=False,
            detail="the loader does not find it; traces are written uncompressed",
            purpose="makes traces smaller",
            remedy="apt-get install libzstd1 (or: dnf install libzstd)",
        )
    library.ZSTD_versionString.restype = ctypes.c_char_p
    version = library.ZSTD_versionString().decode()
    return Check(
        group="recording", name="libzstd.so.1", present=True, detail=version, purpose="makes traces smaller"
    )
