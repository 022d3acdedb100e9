"""Traces in other tools' formats."""

from typing import Literal

import msgspec

from linkworth.model.collectives import CollectiveLibrary


class ConversionOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Options of `linkworth convert` except the target. A target ignores unsupported options."""

    flops_per_second: float = 1e9
    """Factor from seconds of computation to operations in the output."""
    whole: bool = False
    """Convert also the part outside the region that MPI_Pcontrol marks."""
    collectives: Literal["calls", "messages"] = "calls"
    """Write collectives of all ranks by name, or as the messages of their algorithm."""
    mpi_library: CollectiveLibrary | None = None
    """Library whose algorithms give those messages. None: the library that recorded the trace."""
    attributes: bool = True
    """Store what the target lacks in its extension records, so that a conversion back restores it."""


class ConversionSummary(msgspec.Struct, frozen=True, kw_only=True):
    """Document that `linkworth convert --json` prints."""

    schema: str = "linkworth.conversion/1"
    trace: str = ""
    """Path of the input: a trace, or another tool's file."""
    source: str = "lwt"
    """Format of the input: `lwt`, or another readable one."""
    target: str = "lwt"
    """Format of the output, `lwt` for a trace."""
    path: str = ""
    """File or folder that was written."""
    entry: str = ""
    """File that the other tool opens; of a format's module, its name in the folder."""
    ranks: int
    records: int
    """Number of events, actions or rows: the target's unit (`Format.unit`)."""
    bytes: int
    marked_region: bool = False
    """True if only the part that MPI_Pcontrol marks was converted."""
    fixed_wildcards: int = 0
    """Receives from any source or with any tag, written with the source and tag that they matched."""
    unmatched: int = 0
    """Pairs of ranks whose sends and receives do not match, as in a cut trace."""
    as_messages: dict[str, int] = msgspec.field(default_factory=dict)
    """Collectives that the target lacks and that were written as messages, with their counts."""
    as_sleep: dict[str, int] = msgspec.field(default_factory=dict)
    """Calls that the target lacks and that were written as their time, with their counts."""
    unknown: dict[str, int] = msgspec.field(default_factory=dict)
    """Records of the source that a linkworth trace cannot express, with their counts."""
    remarks: list[str] = msgspec.field(default_factory=list)
    """Other differences from the source, one sentence each."""
    damage: list[str] = msgspec.field(default_factory=list)
    """Unreadable or lost parts of the trace, one sentence each."""
