"""A recorded run."""

from collections import Counter
from typing import Annotated, Literal

import msgspec

from linkworth.model.rates import RateSource
from linkworth.model.scaling import Scaling

MOST_RANKS = 1 << 20
"""Ranks of a trace at most. It has a list of all members for each communicator of all ranks."""

RankState = Literal["complete", "cut", "aborted", "disk full"]


Seconds = Annotated[float, msgspec.Meta(ge=0, le=1e12)]


class RankInfo(msgspec.Struct, frozen=True, kw_only=True):
    """One rank of a recorded run."""

    rank: Annotated[int, msgspec.Meta(ge=0)]
    host: str
    processor: str = ""
    """Name of the node's processor. "" if the trace does not give it."""
    pid: int = 0
    state: RankState = "complete"
    start_seconds: Seconds = 0.0
    """Start of the process, relative to the trace's origin."""
    elapsed_seconds: Seconds = 0.0
    """Time from the start of the process to MPI_Finalize (or to the last record)."""
    cpu_seconds: Seconds = 0.0
    helpers_seconds: Seconds = 0.0
    """CPU time of threads that call no MPI, of which no gap between calls contains a part. A lower bound."""
    cores: Annotated[int, msgspec.Meta(ge=0, le=1 << 20)] = 0
    """Number of cores that the rank could run on."""
    first_core: Annotated[int, msgspec.Meta(ge=0)] | None = None
    """Lowest number of these cores. None if the trace does not give it."""
    dropped_events: int = 0


class MpiInfo(msgspec.Struct, frozen=True, kw_only=True):
    """The MPI library of a run."""

    library: str = ""
    version: str = ""


class CallSite(msgspec.Struct, frozen=True, kw_only=True):
    """Source location of a call. "" and 0 without debug data."""

    function: str = ""
    file: str = ""
    line: int = 0


class TraceMetadata(msgspec.Struct, frozen=True, kw_only=True):
    """The JSON document in a trace file (docs/reference/trace-format.md)."""

    schema: str = "linkworth.trace-metadata/1"
    workload: str
    command: list[str] = msgspec.field(default_factory=list)
    created: str = ""
    linkworth: str = ""
    mpi: MpiInfo = msgspec.field(default_factory=MpiInfo)
    exit_code: int | None = None
    verified: bool | None = None
    seconds: Seconds | None = None
    reported_seconds: Seconds | None = None
    source: Literal["recorded", "skeleton", "converted", "synthetic", "scaled"] = "recorded"
    timed: bool = True
    """False if calls take no time in the trace: a skeleton, a scaled trace, and one of time-independent traces."""
    time_step_ns: int = 0
    """Step to which each time in the trace is rounded. 0: the exact time of the rank's clock."""
    one_machine: bool = False
    """True if the hosts share the cores of one machine, as the nodes of a lab do."""
    ranks: list[RankInfo] = msgspec.field(default_factory=list)
    damage: list[str] = msgspec.field(default_factory=list)
    """Data lost before the trace was written, one sentence each."""
    rates: RateSource | None = None
    """Source of the computation times of a skeleton."""
    scaling: Scaling | None = None
    """Method and errors of a scaled trace."""
    call_sites: dict[str, CallSite] = msgspec.field(default_factory=dict)
    """Keys are `MODULE+0xADDRESS`, as in the table of names."""

    def processors(self) -> list[str]:
        """Return the names of the processors that computed, each once; of a scaled trace, those of its recordings."""
        if self.scaling is not None:
            return self.scaling.processors
        return list(dict.fromkeys(rank.processor for rank in self.ranks if rank.processor))

    def failure(self) -> str:
        """Return one sentence on a recorded program that reported that it failed, else an empty string."""
        if self.verified is False:
            return "the recorded run failed its own verification; do not trust what follows from it"
        if self.exit_code:
            return f"the recorded program left with exit code {self.exit_code}: check its output, or record it again"
        return ""

    def ranks_on_a_node(self) -> int:
        """Return how many ranks computed on one node at most; of a scaled trace, in its largest recording. 1 if not known."""
        if self.scaling is not None:
            return self.scaling.ranks_on_a_node
        if self.one_machine:
            return max(1, len(self.ranks))
        return max(Counter(rank.host for rank in self.ranks).values(), default=1)


FILE_CALLS = "MPI_File_"
"""Beginning of the names of calls to files, whose recorded time a replay takes."""


class TraceSummary(msgspec.Struct, frozen=True, kw_only=True):
    """Document that `linkworth trace --json` prints."""

    schema: str = "linkworth.trace/1"
    path: str
    ranks: int
    events: int
    bytes: int
    """Size of the trace file."""
    verified: bool | None
    workload: str
    state: str
    """`complete`, or the reason why it is not."""
    seconds: float | None = None
    reported_seconds: float | None = None
    damage: list[str] = msgspec.field(default_factory=list)
    """Unreadable or lost data, one sentence each."""
    unmodelled: dict[str, int] = msgspec.field(default_factory=dict)
    """Communicating calls that the replay does not model yet, with their counts."""
    rates: RateSource | None = None
    """Source of the computation times of a skeleton."""
