"""Starting the programs of linkworth with an MPI of this machine, as linkworth does."""

import subprocess
from collections.abc import Callable
from functools import partial

import pytest
from mpi_programs import first_mpi, started

from linkworth.model.mpi import MpiInstallation

Launch = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="session")
def open_mpi() -> MpiInstallation:
    """Return Open MPI. Many ranks of it on few cores yield by an option of its own."""
    return first_mpi("openmpi")


@pytest.fixture(scope="session")
def launch() -> Launch:
    """Start a program on a number of ranks of an MPI and wait for its end."""
    return partial(started, timeout=3000)
