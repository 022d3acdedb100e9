"""Finds the MPI library of a program as the dynamic loader resolves it, without running the program."""

import re
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from linkworth.mpi import elf
from linkworth.mpi.identify import patience, query_environment

MPI_LIBRARY = re.compile(r"^lib(mpi|mpich|mpi_abi|mpi_cray|mpi_gnu_\d+|mpi_intel|pmpi)\.so(\.[\d.]+)?$")


class Linkage(NamedTuple):
    """Link of a program to its MPI."""

    library: Path | None
    """Real path of the MPI library. None if the program names none or the loader does not find it."""
    missing: str
    """Name of an MPI library that the program needs and the loader does not find, "" otherwise."""
    dynamic: bool
    """False for a static program, into which nothing can be preloaded."""


def of_program(program: Path, variables: Mapping[str, str] | None = None) -> Linkage:
    """Find the MPI library of a program that is started with these variables added to this process's own."""
    try:
        information = elf.info(program)
    except (elf.ElfError, OSError):
        return Linkage(None, "", True)
    if not information.interpreter:
        return Linkage(None, "", bool(information.needed))
    lines = _loader_list(information.interpreter, program, variables or {})
    missing = ""
    for line in lines:
        name, _, rest = line.strip().partition(" => ")
        if not MPI_LIBRARY.match(Path(name.split(" (")[0]).name):
            continue
        target = rest.rsplit(" (", 1)[0] if rest else name.rsplit(" (", 1)[0]
        if target.startswith("/"):
            return Linkage(Path(target).resolve(), "", True)
        missing = missing or name
    return Linkage(None, missing, True)


def _loader_list(interpreter: str, program: Path, variables: Mapping[str, str]) -> list[str]:
    """Return the loader's own list of the program's libraries. Empty if the loader cannot run here."""
    environment = query_environment()
    if "LD_LIBRARY_PATH" in variables:
        environment["LD_LIBRARY_PATH"] = variables["LD_LIBRARY_PATH"]
    arguments = [interpreter, "--list", str(program.resolve())]
    if re.search(r"/ld-linux|/ld64|/ld\.so", interpreter):
        # With glibc's --list, one missing library hides all others. This call names the missing ones.
        environment["LD_TRACE_LOADED_OBJECTS"] = "1"
        arguments.remove("--list")
    try:
        listed = subprocess.run(
            arguments,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=patience(30.0),
            env=environment,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return []
    return listed.stdout.splitlines()
