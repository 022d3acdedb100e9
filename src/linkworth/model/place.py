"""Place of a run: this machine, hosts of a file, a batch system's nodes, or an emulated cluster."""

from typing import Literal

import msgspec

Binding = Literal["", "core", "socket", "numa", "none"]
"""Unit that each rank is bound to. "": the launcher's own choice."""


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """A place for runs, as named by the user."""

    kind: str = "local"
    """`local`, `hostfile`, `lab` or the name of a batch system (`linkworth.places.kinds`)."""
    name: str = ""
    """Lab name or preset, path of a hostfile, or partition or queue. "" if the kind is enough."""
    nodes: int | None = None
    """Number of its nodes to use. None: as many as the ranks need."""
    ranks_per_node: int | None = None
    """None: ranks are spread evenly, in blocks."""
    transport: str = ""
    """Named setting of the MPI's transport (`linkworth.mpi.transports`). "": the MPI's own choice."""
    binding: Binding = ""
    options: list[str] = msgspec.field(default_factory=list)
    """More options for the batch system, as typed."""
