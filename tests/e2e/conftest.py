"""The programs that the end-to-end tests run, compiled once for each MPI."""

import fcntl
from collections.abc import Callable
from pathlib import Path

import pytest
from run_program import output_of

from linkworth.model.mpi import MpiInstallation
from linkworth.mpi import find

PROGRAMS = Path(__file__).parent / "programs"
Compile = Callable[[str, MpiInstallation], Path]


@pytest.fixture(scope="session")
def compile_program(cache_home: Path) -> Compile:
    """Return a function that compiles `programs/<name>.c` with an MPI's own wrapper and returns the program's path."""

    def compiled(name: str, mpi: MpiInstallation) -> Path:
        target = cache_home / "programs" / f"{name}-{mpi.name}"
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.with_suffix(".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not target.exists():
                output_of([mpi.mpicc, "-O2", "-o", target, PROGRAMS / f"{name}.c"])
        return target

    return compiled


@pytest.fixture(scope="session")
def any_mpi() -> MpiInstallation:
    """Return the MPI that linkworth itself would choose."""
    return find.choose(None)
