"""What a trace says of a program."""

from typing import Literal

import msgspec

from linkworth.model.rates import RateSource

Group = Literal["highly dependent", "dependent", "low", "none"]


class Shares(msgspec.Struct, frozen=True, kw_only=True):
    """Shares of the ranks' time, adding up to 1."""

    compute: float
    communication: float
    init: float
    """MPI_Init and MPI_Finalize."""


class CallProfile(msgspec.Struct, frozen=True, kw_only=True):
    """One MPI call over all ranks."""

    name: str
    count: int
    bytes: int
    """As given in the calls' arguments: sent, or the capacity of a receive."""
    seconds: float
    """Wall time inside the call, summed over ranks."""


class Pop(msgspec.Struct, frozen=True, kw_only=True):
    """POP efficiencies, 0 to 1 (https://pop-coe.eu/node/69)."""

    parallel_efficiency: float
    load_balance: float
    communication_efficiency: float
    serialisation_efficiency: float
    transfer_efficiency: float


class SizeBin(msgspec.Struct, frozen=True, kw_only=True):
    """Messages with lowest_bytes <= size <= highest_bytes."""

    lowest_bytes: int
    highest_bytes: int
    messages: int
    bytes: int


class Matrix(msgspec.Struct, frozen=True, kw_only=True):
    """Message payload from row to column, in bytes. Above 256 ranks, ranks are put together in equal groups."""

    ranks_per_row: int
    bytes: list[list[int]]


class Profile(msgspec.Struct, frozen=True, kw_only=True):
    """What `linkworth profile --json` prints."""

    schema: str = "linkworth.profile/1"
    workload: str
    ranks: int
    elapsed_seconds: float
    """From the first rank's start to the last one's end, where it ran."""
    shares: Shares
    calls: list[CallProfile]
    """Longest first."""
    pop: Pop
    group: Group
    group_reason: str
    """One sentence: the figures that decided the group."""
    message_sizes: list[SizeBin]
    matrix: Matrix
    """Point-to-point messages and the messages that collectives are made of, rank to rank."""
    messages: int
    message_bytes: int
    verified: bool | None = None
    oversubscribed: bool = False
    """More ranks than cores where it ran: the computation is then CPU time, and waiting includes waiting for a core."""
    descheduled_seconds: float = 0.0
    """Wall time between calls in which the ranks had no core, summed over ranks; not part of the shares."""
    rank_compute_seconds: list[float] = msgspec.field(default_factory=list)
    rank_communication_seconds: list[float] = msgspec.field(default_factory=list)
    unmodelled: dict[str, int] = msgspec.field(default_factory=dict)
    damage: list[str] = msgspec.field(default_factory=list)
    rates: RateSource | None = None
    """Of a program that was not run: where its computation times come from. Communication is then the replay's in the memory
    of one node."""
