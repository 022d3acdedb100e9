"""Transport as the MPI names it: the variables that make it print the name, and the parser of its output.

Open MPI names the component for each destination (`btl_base_verbose`) and the layer above (`pml_base_verbose`). UCX
names the lanes of each kind of connection (`UCX_LOG_LEVEL=info`). MPICH and Intel MPI name the libfabric provider
(`MPIR_CVAR_DEBUG_SUMMARY`, `I_MPI_DEBUG`). All of them print at the start only.
"""

import os
import re

from linkworth.model.mpi import MpiKind

_BTL = re.compile(r"^\[([^\]:]+):\d+\].* Using (\S+) btl for send to \[\[\d+,\d+\],\d+\] on node (\S+)")
_PML = re.compile(r"^\[[^\]]+\].*select: component (cm|ob1|ucx) selected")
_MTL = re.compile(r"^\[[^\]]+\].*mtl\) Selected component \[(\w+)\]")
_UCX = re.compile(
    r"UCX\s+INFO\s+(?:\S+ )?(?:(self|intra-node|inter-node) cfg#\d+|ep_cfg\[\d+\]:) (?:tag|am)\(([^)]*)\)"
)
_LIBFABRIC = re.compile(r"libfabric provider: (\S+)")
_CHATTER = re.compile(
    r"^\[[^\]]+:\d+\] +(mca:|select:|btl:|selected |check:select:|bml:)|UCX\s+(INFO|DIAG)|MPI startup\(\)"
)
_MEMORY = re.compile(r"^(self|sysv|posix|cma|knem|xpmem|memory)")


def environment(kind: MpiKind) -> dict[str, str]:
    """Return the variables that make ranks name their transport; variables set by the user stay."""
    wanted = {"UCX_LOG_LEVEL": "info", "UCX_LOG_FILE": "stderr"}
    if kind == "openmpi":
        wanted |= {"OMPI_MCA_btl_base_verbose": "40", "OMPI_MCA_pml_base_verbose": "10",
                   "OMPI_MCA_mtl_base_verbose": "10"}  # fmt: skip
    elif kind == "mpich":
        wanted["MPIR_CVAR_DEBUG_SUMMARY"] = "1"
    elif kind == "intel":
        wanted["I_MPI_DEBUG"] = "4"
    return {name: value for name, value in wanted.items() if name not in os.environ}


class TransportNames:
    """Collects the transports that an MPI names, line by line."""

    def __init__(self) -> None:
        self._layer = ""
        self._mtl = ""
        self._provider = ""
        self._inside: set[str] = set()
        self._between: set[str] = set()
        self._anywhere: set[str] = set()

    def take(self, line: str) -> bool:
        """Parse a line; return whether it names transports, and so is not for the user."""
        if found := _BTL.search(line):
            sender, component, receiver = found.groups()
            if component != "self":
                (self._inside if sender == receiver else self._between).add(component)
        elif found := _PML.search(line):
            self._layer = found[1]
        elif found := _MTL.search(line):
            self._mtl = found[1]
        elif found := _UCX.search(line):
            self._take_ucx(found[1] or "", found[2])
        elif found := _LIBFABRIC.search(line):
            self._provider = found[1]
            return True
        return bool(_CHATTER.search(line))

    def _take_ucx(self, connection: str, lanes: str) -> None:
        names = set(lanes.split())
        if connection == "intra-node":
            self._inside |= names
        elif connection == "inter-node":
            self._between |= names
        elif not connection and not any(name.startswith("self/") for name in names):  # UCX before 1.15
            self._anywhere |= names

    @property
    def uses_memory_only(self) -> bool:
        """True if every name is of a path through one node's memory; False without any name."""
        names = self._inside | self._between | self._anywhere
        return bool(names) and all(_MEMORY.match(name) or name in ("vader", "sm", "smcuda") for name in names)

    @property
    def text(self) -> str:
        """The names in a few words, "" if the MPI named none."""
        names = [
            f"{' + '.join(sorted(found))}{place}"
            for found, place in (
                (self._inside, " inside a node" if self._between else ""),
                (self._between, " between nodes"),
                (self._anywhere, ""),
            )
            if found
        ]
        if self._layer == "cm":
            names = [self._mtl] if self._mtl else []
        ucx = any("/" in name for name in self._inside | self._between | self._anywhere)
        if self._layer == "ob1" or (names and ucx):
            layer = "UCX" if ucx else self._layer
            return f"{layer}: {', '.join(names)}" if names else layer
        if self._layer:
            return f"{self._layer}: {', '.join(names)}" if names else self._layer
        return f"libfabric {self._provider}" if self._provider else ", ".join(names)
