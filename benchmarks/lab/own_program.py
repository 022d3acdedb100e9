"""The benchmarks' own MPI programs: compiled with an MPI and run in a lab."""

import subprocess
from pathlib import Path

from linkworth.measure.plan import plan, workload
from linkworth.measure.run import run
from linkworth.model.mpi import MpiInstallation
from linkworth.places.place import OpenPlace

HERE = Path(__file__).parent


def compiled(name: str, mpi: MpiInstallation, folder: Path, *flags: str) -> Path:
    """Compile the C program of that name into a folder and return its path."""
    program = folder / name
    subprocess.run([mpi.mpicc, "-O2", *flags, str(HERE / f"{name}.c"), "-o", str(program)], check=True)
    return program


def printed(
    command: list[str],
    mpi: MpiInstallation,
    opened: OpenPlace,
    folder: Path,
    *,
    ranks: int = 2,
    timeout: float = 120.0,
) -> str:
    """Run a command on the ranks of an open lab and return its output, which may contain a launcher's warnings."""
    run(plan(workload(command, ranks, opened), mpi=mpi.name, opened=opened), timeout=timeout, folder=folder)
    return (folder / "output.txt").read_text()
