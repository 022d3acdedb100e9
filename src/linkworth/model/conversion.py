"""Traces in other tools' formats."""

from typing import Literal

import msgspec


class ConversionOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What `linkworth convert` offers beside the target. A target takes what it knows."""

    flops_per_second: float = 1e9
    """Computation is written as its seconds times this."""
    whole: bool = False
    """Convert what lies outside of the part that MPI_Pcontrol marks, too."""
    collectives: Literal["calls", "messages"] = "calls"
    """Collectives of all ranks by name, or as the messages of their algorithm."""
    mpi_library: str | None = None
    """Whose algorithms give those messages; None: those of the library that recorded."""
    attributes: bool = True
    """Keep what the target has no place for in its own extensions, so that it comes back as it was."""


class ConversionSummary(msgspec.Struct, frozen=True, kw_only=True):
    """What `linkworth convert --json` prints."""

    schema: str = "linkworth.conversion/1"
    trace: str
    """What was read: a trace, or what another tool wrote."""
    source: str = "lwt"
    """Its format: `lwt`, or one that can be read."""
    target: str
    """What was written: a format, or `lwt` for a trace."""
    path: str
    """The file or folder that was written."""
    entry: str
    """What the other tool opens."""
    ranks: int
    records: int
    """Events, actions, rows: whatever the target consists of (`Format.unit`)."""
    bytes: int
    marked_region: bool = False
    """Only the part that MPI_Pcontrol marks was converted."""
    fixed_wildcards: int = 0
    """Receives from any source or with any tag that became receives of what they took when recorded."""
    unmatched: int = 0
    """Pairs of ranks of which one sends other messages than the other receives (a cut trace)."""
    as_messages: dict[str, int] = msgspec.field(default_factory=dict)
    """Collectives that the target does not have and that became messages, with their counts."""
    as_sleep: dict[str, int] = msgspec.field(default_factory=dict)
    """Calls that the target does not have and that became the time that they took, with their counts."""
    unknown: dict[str, int] = msgspec.field(default_factory=dict)
    """Records of the source that a trace of linkworth has no place for, with their counts."""
    remarks: list[str] = msgspec.field(default_factory=list)
    """What else is not as it was, one sentence each."""
    damage: list[str] = msgspec.field(default_factory=list)
    """What of the trace could not be read or was lost, one sentence each."""
