"""Choice of the MPI library whose collective algorithms a replay uses."""

from typing import Literal

import msgspec

CollectiveLibrary = Literal["openmpi", "mpich", "openmpi-5.0", "openmpi-4.1", "openmpi-4.0", "mpich-flat"]
"""Library whose collective algorithms run. Without a version: the trace's version if it is of the same family, else
the newest."""
LibrarySeries = Literal["mpich", "mpich-flat", "openmpi-4.0", "openmpi-4.1", "openmpi-5.0"]
"""Versions of a library that choose algorithms alike."""


class ForcedCollective(msgspec.Struct, frozen=True, kw_only=True):
    """An algorithm that the user requests instead of the library's choice."""

    collective: str
    algorithm: str
    segment_bytes: int = 0
    """0: unsegmented."""


class CollectiveRules(msgspec.Struct, frozen=True, kw_only=True):
    """Rules by which a replay expanded collectives into messages."""

    library: LibrarySeries = "mpich"
    """Library whose rules apply."""
    origin: Literal["trace", "option", "default"] = "default"
    """`trace`: the library that recorded the trace. `option`: the user's option. `default`: neither is
    known."""
    recorded_library: str = ""
    """Library that recorded the trace, with its version."""
    forced: list[ForcedCollective] = msgspec.field(default_factory=list)
