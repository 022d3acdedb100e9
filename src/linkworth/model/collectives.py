"""Which MPI library's collectives run."""

from typing import Literal

import msgspec


class ForcedCollective(msgspec.Struct, frozen=True, kw_only=True):
    """An algorithm that the user asks for, whatever the library would take."""

    collective: str
    algorithm: str
    segment_bytes: int = 0
    """0: unsegmented."""


class CollectiveRules(msgspec.Struct, frozen=True, kw_only=True):
    """Whose decisions a replay followed when it expanded collectives into messages."""

    library: str = "mpich"
    """Of whose decisions: `mpich`, `mpich-flat`, `openmpi-4.0`, `openmpi-4.1`, `openmpi-5.0`."""
    origin: Literal["trace", "option", "default"] = "default"
    """Taken from the library that recorded the trace, from the user's option, or as neither says."""
    recorded_library: str = ""
    """What recorded the trace, with its version."""
    forced: list[ForcedCollective] = msgspec.field(default_factory=list)
