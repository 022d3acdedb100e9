"""Native parts that a wheel contains compiled, one set for each ABI, and how they are fitted to one MPI library.

Handles, constants and statuses are those of the ABI, so that one compilation serves all of its libraries. Two things differ
between these: a library's path, which a program has as a placeholder, and its procedures. A tracer is compiled for all
procedures. It is fitted by hiding those that the library lacks, so that the program finds what it would find without it.
"""

import functools
import os
import platform
import re
from collections.abc import Set as AbstractSet
from importlib import resources
from pathlib import Path
from typing import Literal

from linkworth.model.mpi import MpiInstallation
from linkworth.mpi import elf, elf_edit
from linkworth.mpi.files import text_of
from linkworth.mpi.wrapper_bodies import is_conversion

Abi = Literal["mpich", "openmpi", "standard"]
ABIS: dict[Abi, str] = {
    "mpich": "MPICH's ABI",
    "openmpi": "Open MPI's ABI",
    "standard": "the standard ABI of MPI 5",
}

FOLDER_VARIABLE = "LINKWORTH_PRECOMPILED"
"""Names a folder of scripts/precompile.py, with which the tests of a checkout need not compile for each MPI."""

NOT_WRAPPED = "not-wrapped.txt"
"""File with the standard procedures that the tracer of an ABI cannot wrap, since the MPI that gave its headers lacks them."""

LIBRARY_PATH = b"/the-path-of-the-MPI-library".ljust(1023, b"/")
"""Placeholder of the library in a program's list of needed libraries."""

MARCH = {"x86_64": "x86-64-v3"}
"""Instruction set of the programs, by machine. Every x86 processor for servers since 2013 has AVX2 (Intel Haswell, AMD
EPYC). With less, computation would take longer here than in the programs that users compile, and communication a smaller
share. No processor-specific set is used: nodes of one cluster differ."""
_FLAGS = ("avx2", "bmi1", "bmi2", "f16c", "fma", "movbe", "abm")
"""Features of x86-64-v3 beyond older ones, as Linux names them."""

_SONAMES: dict[Abi, re.Pattern[str]] = {
    "standard": re.compile(r"libmpi_abi\.so\.[01]"),
    "openmpi": re.compile(r"libmpi\.so\.40"),
    "mpich": re.compile(r"lib(mpi|mpich|mpi_cray|mpi_gnu_\d+|mpi_intel)\.so\.12"),
}
_KINDS: dict[str, tuple[Abi, ...]] = {
    "openmpi": ("openmpi", "standard"),
    "mpich": ("mpich", "standard"),
    "intel": ("mpich", "standard"),
    "mvapich": ("mpich", "standard"),
    "cray": ("mpich", "standard"),
    "other": ("standard",),
}


def abi_of(mpi: MpiInstallation) -> Abi | None:
    """Return the ABI of an installation, by its kind and its library's soname. None for any other."""
    try:
        soname = elf.info(Path(mpi.library)).soname
    except (OSError, elf.ElfError):
        return None
    return next((abi for abi in _KINDS[mpi.kind] if _SONAMES[abi].fullmatch(soname)), None)


def folder() -> Path:
    """Return the folder of the precompiled parts: the wheel's, unless a variable names another. A checkout has none."""
    named = os.environ.get(FOLDER_VARIABLE)
    return Path(named) if named else Path(str(resources.files("linkworth"))) / "precompiled"


def find(mpi: MpiInstallation, product: str) -> Path | None:
    """Return the precompiled file that fits an MPI and this processor. None: it must be built here."""
    shipped = folder()
    abi = abi_of(mpi) if shipped.is_dir() else None
    if abi is None or not (shipped / abi / product).is_file():
        return None
    if product.endswith(".so"):
        good = _wraps_all_of(Path(mpi.library), shipped / abi / NOT_WRAPPED)
    else:
        good = _runs_here() and len(mpi.library.encode()) <= len(LIBRARY_PATH)
    return shipped / abi / product if good else None


@functools.cache
def _wraps_all_of(library: Path, not_wrapped: Path) -> bool:
    """Return whether a tracer wraps every procedure of a library, but for conversions of handles, which may go unrecorded."""
    exported = elf.exported_symbols(library)
    return not any(
        name in exported or f"P{name}" in exported
        for name in not_wrapped.read_text().split()
        if not is_conversion(name)
    )


def _runs_here() -> bool:
    if platform.machine() != "x86_64":
        return True
    return set(_FLAGS) <= set(processor().split())


def processor() -> str:
    """Features of this processor, since nodes of several kinds often share a home folder."""
    about = text_of(Path("/proc/cpuinfo"))
    found = re.search(r"^(?:flags|Features)\s*:\s*(.*)$", about, re.MULTILINE)
    return found[1] if found else platform.processor()


def described(mpi: MpiInstallation) -> str:
    """Return the ABI of an installation in words, "" for an unknown one."""
    abi = abi_of(mpi)
    return "" if abi is None else ABIS[abi]


def fit(shipped: Path, mpi: MpiInstallation, result: Path) -> None:
    """Write a copy of a precompiled file that is fitted to an MPI's library. Raises OSError and ElfError."""
    data = bytearray(shipped.read_bytes())
    if shipped.suffix == ".so":
        elf_edit.hide(data, _lacking(shipped, elf.exported_symbols(Path(mpi.library))))
    else:
        elf_edit.replace_text(data, LIBRARY_PATH, str(_named_as_needed(Path(mpi.library))).encode())
    result.write_bytes(data)
    result.chmod(0o755)


def _lacking(tracer: Path, exported: AbstractSet[str]) -> set[str]:
    """Return the symbols of a tracer whose procedure a library exports under neither of its two names."""
    wrapped = {name for name in elf.exported_symbols(tracer) if re.match("P?MPI_", name)}
    return {
        name
        for name in wrapped
        if exported.isdisjoint({name.removeprefix("P"), f"P{name.removeprefix('P')}"})
    }


def _named_as_needed(library: Path) -> Path:
    """Return the path by the library's soname, which another node with another patch release has as well."""
    link = library.with_name(elf.info(library).soname)
    return link if link.is_file() and link.samefile(library) else library
