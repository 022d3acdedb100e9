"""The programs that the end-to-end tests run, compiled once for each MPI, and one recording of each."""

import fcntl
import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from command import LinkworthCommand

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
                command = [mpi.mpicc, "-O2", "-o", str(target), str(PROGRAMS / f"{name}.c")]
                subprocess.run(command, check=True, capture_output=True, text=True)
        return target

    return compiled


@pytest.fixture(scope="session")
def any_mpi() -> MpiInstallation:
    """Return the MPI that linkworth itself would choose."""
    return find.choose(None)


@pytest.fixture(scope="session")
def recording(cache_home: Path, compile_program: Compile, any_mpi: MpiInstallation) -> Path:
    """Return the trace of `halo` on four ranks, recorded once for the session."""
    trace = cache_home / "halo.lwt"
    with (cache_home / "halo.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not trace.exists():
            program = compile_program("halo", any_mpi)
            linkworth = LinkworthCommand(cache_home)
            done = linkworth("trace", "-n", "4", "-o", trace, "--json", "--", program)
            assert done.returncode == 0, done.stderr
            assert json.loads(done.stdout)["ranks"] == 4
    return trace
