"""An MPI installation on this machine."""

from typing import Literal

import msgspec

MpiKind = Literal["mpich", "openmpi", "intel", "mvapich", "cray", "other"]


class MpiInstallation(msgspec.Struct, frozen=True, kw_only=True):
    """One MPI library with its launcher and compiler wrappers. Paths are absolute, "" if there is none."""

    name: str
    """Kind and version, such as `mpich-5.0.2`; unique on this machine."""
    kind: MpiKind
    version: str
    library: str
    """Real path of the shared library that programs are linked with."""
    library_version: str
    """First line of the output of MPI_Get_library_version."""
    mpiexec: str = ""
    mpicc: str = ""
    mpicxx: str = ""
    origin: str = ""
    """Origin of the installation: `PATH`, `LINKWORTH_MPI_PATH`, `Python environment` or `program`."""
