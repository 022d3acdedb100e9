"""lw-netbench, built once per MPI of this machine, and started as linkworth does."""

import os
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest
from mpi_programs import usable_mpis

from linkworth.launch.base import Job
from linkworth.launch.local import ROOT_ALLOWED, LocalLauncher
from linkworth.model.mpi import MpiInstallation

Launch = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="session")
def open_mpi() -> MpiInstallation:
    """Open MPI: the one whose launcher lets waiting ranks yield, so that many ranks on few cores do not spin."""
    return next(mpi for mpi in usable_mpis() if mpi.kind == "openmpi")


@pytest.fixture(scope="session")
def launch() -> Launch:
    """Start a program on a number of ranks and wait for its end."""

    def start(
        mpi: MpiInstallation,
        ranks: int,
        command: Sequence[str | Path],
        environment: Mapping[str, str] | None = None,
    ) -> "subprocess.CompletedProcess[str]":
        job = Job(command=list(map(str, command)), ranks=ranks, environment=dict(environment or {}))
        return subprocess.run(
            LocalLauncher(mpi).arguments(job),
            env=os.environ | ROOT_ALLOWED,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )

    return start
