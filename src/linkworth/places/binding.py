"""Options of an MPI's own launcher that bind ranks to cores.

Sources, read 2026-11: mpirun(1) of Open MPI 4.1 and 5.0, `mpiexec -bind-to -help` of MPICH 4.0 and 5.0 (Hydra).
"""

from linkworth.errors import EnvironmentLacksError
from linkworth.model.mpi import MpiInstallation
from linkworth.model.place import Binding


def mpiexec_options(binding: Binding, mpi: MpiInstallation, *, crowded: bool = False) -> list[str]:
    """Return the options of an MPI's own launcher. `crowded`: there are more ranks than cores.

    Open MPI binds by default, which must be off for more ranks than cores. Raises EnvironmentLacksError for
    an MPI whose launcher has no known option for binding.
    """
    if not binding:
        return ["--bind-to", "none"] if crowded and mpi.kind == "openmpi" else []
    if mpi.kind == "openmpi":
        newer = int(mpi.version.partition(".")[0]) >= 5
        # Version 5 calls a socket a package.
        unit = "package" if newer and binding == "socket" else binding
        return ["--bind-to", f"{unit}:overload-allowed" if crowded and binding != "none" else unit]
    if mpi.kind == "mpich":
        return ["-bind-to", binding]
    raise EnvironmentLacksError(
        f"{mpi.name}: its launcher takes no binding from linkworth; leave the binding out, "
        "or give the launcher's own command with its options as the program"
    )
