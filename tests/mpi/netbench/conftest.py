"""lw-netbench, built once per MPI of this machine, and started as linkworth does."""

import subprocess
from collections.abc import Callable
from functools import partial

import pytest
from mpi_programs import first_mpi, started

from linkworth.model.mpi import MpiInstallation

Launch = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="session")
def open_mpi() -> MpiInstallation:
    """Open MPI: the one whose launcher lets waiting ranks yield, so that many ranks on few cores do not spin."""
    return first_mpi("openmpi")


@pytest.fixture(scope="session")
def launch() -> Launch:
    """Start a program on a number of ranks and wait for its end."""
    return partial(started, timeout=300)
