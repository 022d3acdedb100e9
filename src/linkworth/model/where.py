"""Where a program runs: this machine, hosts of a file, a batch system's nodes, or an emulated cluster."""

from typing import Literal

import msgspec

WhereKind = Literal["local", "hostfile", "slurm", "pbs", "lsf", "lab"]
Binding = Literal["", "core", "socket", "numa", "none"]
"""What each rank is bound to; "": what the launcher does by itself."""


class Where(msgspec.Struct, frozen=True, kw_only=True):
    """A place for runs, as the user names it."""

    kind: WhereKind = "local"
    name: str = ""
    """A lab's name or preset, a hostfile's path, a partition; "" where the kind says enough."""
    nodes: int | None = None
    """How many of its nodes; None: as many as the ranks need."""
    ranks_per_node: int | None = None
    """None: ranks are spread evenly, in blocks."""
    transport: str = ""
    """A named setting of the MPI's transport (`linkworth.mpi.transports`); "": the MPI's own choice."""
    binding: Binding = ""
    options: list[str] = msgspec.field(default_factory=list)
    """More options for the batch system, as typed."""
