"""Named settings of an MPI library's transport, and the counters of the kernel that confirm them.

Sources of the parameters, read 2026-11: Open MPI's `ompi_info --all` (4.1, 5.0), MPICH's README.envvar (4.0,
5.0), Intel MPI's Developer Reference (2021), `ucx_info -cf` (1.13, 1.19), libfabric's fi_tcp(7).
"""

import difflib
from functools import cache
from pathlib import Path

import msgspec

from linkworth.errors import EnvironmentLacksError, UsageError
from linkworth.model.mpi import MpiInstallation
from linkworth.mpi import identify
from linkworth.mpi.files import is_file


class TransportSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Settings that make an MPI library use one transport."""

    arguments: list[str] = msgspec.field(default_factory=list)
    """Options of mpiexec, before the program."""
    environment: dict[str, str] = msgspec.field(default_factory=dict)
    """Variables of the ranks."""


DEFAULT = "default"

SOCKETS = frozenset({"tcp", "ucx-tcp", "ofi-tcp"})
"""Transports that also use sockets within a node."""
SHARED_MEMORY = frozenset({"shm+tcp", "ucx-shm+tcp"})
"""Transports that copy through shared memory within a node."""
SINGLE_COPY = frozenset({"shm-cma"})
"""Transports that copy long messages once within a node."""
POLLING = SHARED_MEMORY | SINGLE_COPY
"""Transports under which a rank that waits polls memory and keeps its core busy. One that waits for sockets alone
may sleep: MPICH2's ch3:sock does, in poll(2); Open MPI and UCX poll there too."""


def names(mpi: MpiInstallation) -> list[str]:
    """Return the known transports of a library. `default` is the first."""
    return [DEFAULT, *_known(mpi)]


def settings(name: str, mpi: MpiInstallation) -> TransportSettings:
    """Return the settings of a transport (""=`default`). Raises UsageError for one that the library lacks."""
    if name in ("", DEFAULT):
        return TransportSettings()
    known = _known(mpi)
    if name not in known:
        near = difflib.get_close_matches(name, known, n=1)
        meant = f" (did you mean {near[0]}?)" if near else ""
        raise UsageError(f"{mpi.name} has no transport {name}{meant}; it has {', '.join(names(mpi))}")
    return known[name]


def _known(mpi: MpiInstallation) -> dict[str, TransportSettings]:
    makers = {"openmpi": _openmpi, "mpich": _mpich, "intel": _intel}
    return makers[mpi.kind](mpi) if mpi.kind in makers else {}


def _mca(**parameters: str) -> list[str]:
    return [word for name, value in parameters.items() for word in ("--mca", name, value)]


def _openmpi(mpi: MpiInstallation) -> dict[str, TransportSettings]:
    components = _answer_of(_tool_of(mpi, "ompi_info"), "--parsable")
    # Version 5 calls the shared memory transport `sm` and its single copy `smsc`. In 4 both are `vader`.
    newer = int(mpi.version.partition(".")[0]) >= 5
    memory = "sm,tcp,self" if newer else "vader,tcp,self"
    copies = {"smsc": "^cma,knem,xpmem"} if newer else {"btl_vader_single_copy_mechanism": "none"}
    single = {"smsc": "cma"} if newer else {"btl_vader_single_copy_mechanism": "cma"}
    found = {
        "tcp": TransportSettings(arguments=_mca(pml="ob1", btl="tcp,self")),
        "shm+tcp": TransportSettings(arguments=_mca(pml="ob1", btl=memory, **copies)),
        "shm-cma": TransportSettings(arguments=_mca(pml="ob1", btl=memory, **single)),
    }
    if "pml:ucx" in components:
        ucx = _mca(pml="ucx", pml_ucx_tls="any", pml_ucx_devices="any")
        found["ucx-tcp"] = TransportSettings(arguments=ucx, environment={"UCX_TLS": "tcp,self"})
        found["ucx-shm+tcp"] = TransportSettings(arguments=ucx, environment={"UCX_TLS": "tcp,sm,self"})
    if "mtl:ofi" in components:
        ofi = _mca(pml="cm", mtl="ofi", mtl_ofi_provider_include="tcp,tcp;ofi_rxm")
        found["ofi-tcp"] = TransportSettings(arguments=ofi)
    return found


def _mpich(mpi: MpiInstallation) -> dict[str, TransportSettings]:
    device = _mpich_device(mpi)
    found: dict[str, TransportSettings] = {}
    for network in ("ucx", "ofi"):
        if network not in device:
            continue
        sockets = _mpich_through(network)
        memory = _mpich_through(network, memory=True)
        found.setdefault("tcp", sockets)
        found.setdefault("shm+tcp", memory)
        found.setdefault("shm-cma", _mpich_through(network, memory=True, cma=True))
        found[f"{network}-tcp"] = sockets
        if network == "ucx":
            found["ucx-shm+tcp"] = memory
    return found


def _mpich_through(network: str, *, memory: bool = False, cma: bool = False) -> TransportSettings:
    variables = {"MPIR_CVAR_CH4_NETMOD": network}
    if memory:
        variables["MPIR_CVAR_CH4_CMA_ENABLE"] = "1" if cma else "0"
    else:
        variables["MPIR_CVAR_NOLOCAL"] = "1"
    if network == "ucx":
        variables["UCX_TLS"] = f"tcp{',posix,sysv' if memory else ''}{',cma' if cma else ''},self"
        if memory:
            # UCX 1.13 puts long messages within a node into its sockets otherwise, as these can write without
            # a copy.
            variables["UCX_TCP_PUT_ENABLE"] = "n"
    else:
        variables["FI_PROVIDER"] = "tcp"
    return TransportSettings(environment=variables)


def _intel(_mpi: MpiInstallation) -> dict[str, TransportSettings]:
    sockets = TransportSettings(environment={"I_MPI_FABRICS": "ofi", "FI_PROVIDER": "tcp"})
    memory = TransportSettings(environment={"I_MPI_FABRICS": "shm:ofi", "FI_PROVIDER": "tcp"})
    return {"tcp": sockets, "shm+tcp": memory, "ofi-tcp": sockets}


def _mpich_device(mpi: MpiInstallation) -> str:
    """Return the device of the library's build: `ch4:ucx ofi`."""
    # Debian's mpichversion is MPICH's even if `mpiexec` is not. Elsewhere both belong together.
    for line in _answer_of(_tool_of(mpi, "mpichversion")).splitlines():
        name, _, value = line.partition(":")
        if name.strip().lower() == "mpich device":
            return value.strip()
    raise EnvironmentLacksError(
        f"{mpi.name} does not report its transport: there is no mpichversion beside {mpi.mpiexec or mpi.library}"
    )


def _tool_of(mpi: MpiInstallation, tool: str) -> str:
    bins = [Path(path).parent for path in (mpi.mpiexec, mpi.mpicc) if path]
    bins += [parent / "bin" for parent in Path(mpi.library).parents]
    return next((str(folder / tool) for folder in bins if is_file(folder / tool)), tool)


@cache
def _answer_of(*command: str) -> str:
    return identify.ask([*command], seconds=30.0) or ""
