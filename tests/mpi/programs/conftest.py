"""lw-npb, built once per MPI of this machine, and started as a user would."""

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from linkworth.model.mpi import MpiInstallation
from linkworth.mpi import build, find

SOURCES = Path(__file__).parents[3] / "native/programs"
Launch = Callable[..., "subprocess.CompletedProcess[str]"]


def usable() -> list[MpiInstallation]:
    return [mpi for mpi in find.find_all() if mpi.mpiexec and mpi.mpicxx]


def pytest_generate_tests(metafunc: Any) -> None:
    if "each_mpi" in metafunc.fixturenames:
        found = usable()
        metafunc.parametrize(
            "each_mpi",
            found or [pytest.param(None, marks=pytest.mark.skip("no MPI was found"))],
            ids=[mpi.name for mpi in found] or ["none"],
        )


@pytest.fixture
def npb(open_mpi: MpiInstallation, launch: Launch) -> Launch:
    """lw-npb with Open MPI: `npb(ranks, "ft", "S", ...)`."""

    def run(ranks: int, *arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
        return launch(open_mpi, ranks, [build.npb(open_mpi), *arguments], **options)

    return run
