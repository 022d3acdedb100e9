"""Messages of a real Open MPI's collectives, counted by its monitoring component, compared with the replay's steps."""

import os
import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path

import pytest
from run_program import output_of

from linkworth import _engine
from linkworth.model.mpi import MpiInstallation

PROGRAM = Path(__file__).parent / "programs" / "one_collective.c"
REDUCTIONS = {"reduce", "allreduce", "reduce_scatter", "reduce_scatter_block", "scan", "exscan"}
# Sizes on both sides of limits of the decision tables.
CASES = [
    ("barrier", 0, 5),
    ("bcast", 100, 5),
    ("bcast", 1000, 8),
    ("bcast", 2_000_000, 5),
    ("allreduce", 800, 5),
    ("allreduce", 80_000, 5),
    ("reduce", 8000, 5),
    ("reduce", 300_000, 5),
    ("gather", 300_000, 5),
    ("scatter", 100, 5),
    ("allgather", 1000, 8),
    ("allgatherv", 1000, 5),
    ("alltoall", 600_000, 5),
    ("reduce_scatter", 80_000, 5),
    ("reduce_scatter_block", 40, 8),
    ("exscan", 800, 5),
    ("ireduce", 800, 12),
    ("ialltoall", 100, 5),
]

Messages = Counter[tuple[int, int]]
pytestmark = pytest.mark.slow  # each case starts a job of 5 to 12 processes on whatever cores there are


@pytest.fixture(scope="module")
def openmpi() -> MpiInstallation:
    from linkworth.mpi import find

    for mpi in find.find_all():
        if mpi.kind != "openmpi" or not mpi.mpicc or not mpi.mpiexec or not mpi.version.startswith("4.1"):
            continue
        info = shutil.which("ompi_info", path=str(Path(mpi.mpicc).parent)) or shutil.which("ompi_info")
        if info and "MCA pml: monitoring" in subprocess.run([info], capture_output=True, text=True).stdout:
            return mpi
    pytest.skip("no Open MPI 4.1 with its monitoring component and a compiler was found")


@pytest.fixture(scope="module")
def program(openmpi: MpiInstallation, tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("reality") / "one_collective"
    output_of([openmpi.mpicc, "-O1", PROGRAM, "-o", made])
    return made


def sent_by_openmpi(
    mpi: MpiInstallation, program: Path, folder: Path, name: str, size: int, ranks: int
) -> tuple[Messages, Messages]:
    """Messages and bytes by pair of ranks."""
    settings = {
        "pml": "ob1,monitoring",
        "pml_monitoring_enable": "2",
        "pml_monitoring_enable_output": "3",
        "pml_monitoring_filename": str(folder / "sent"),
        "rmaps_base_oversubscribe": "1",
        "hwloc_base_binding_policy": "none",
    }
    environment = {
        **os.environ,
        **{f"OMPI_MCA_{key}": value for key, value in settings.items()},
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    }
    command = [mpi.mpiexec, "-n", str(ranks), str(program), name, str(size)]
    output_of(command, env=environment, timeout=600)
    messages: Messages = Counter()
    size_of: Messages = Counter()
    for file in folder.glob("sent.*.prof"):
        for found in re.finditer(
            r"^[IE]\t(\d+)\t(\d+)\t(\d+) bytes\t(\d+) msgs", file.read_text(), re.MULTILINE
        ):
            pair = int(found[1]), int(found[2])
            messages[pair] += int(found[4])
            size_of[pair] += int(found[3])
    return messages, size_of


@pytest.mark.parametrize(("name", "size", "ranks"), CASES)
def test_the_steps_are_what_open_mpi_sends(
    openmpi: MpiInstallation, program: Path, tmp_path: Path, name: str, size: int, ranks: int
) -> None:
    nonblocking = name.startswith("i")
    plain = name.removeprefix("i")
    messages: Messages = Counter()
    size_of: Messages = Counter()
    for source, destination, length in _engine.collective_messages(
        "openmpi-4.1", [], plain, [0] * ranks, size, 8 if plain in REDUCTIONS else 1, nonblocking
    ):
        messages[source, destination] += 1
        size_of[source, destination] += length
    assert (messages, size_of) == sent_by_openmpi(openmpi, program, tmp_path, name, size, ranks)
