"""Time and bytes of each MPI call, summed while the program runs (`linkworth run --profile`)."""

import msgspec

from linkworth.model.run import RunResult

INIT = ("MPI_Init", "MPI_Init_thread", "MPI_Session_init", "MPI_Finalize", "MPI_Session_finalize")
"""Calls that count as initialisation, not as communication."""

POLLS = {
    *(f"MPI_Test{of}" for of in ("", "all", "any", "some")),
    *("MPI_Iprobe", "MPI_Improbe", "MPI_Request_get_status", "MPI_Parrived", "MPI_Win_test"),
}
"""Calls that ask whether something is complete or there."""


class CallTotal(msgspec.Struct, frozen=True, kw_only=True):
    """One MPI procedure, over all ranks."""

    name: str
    calls: int
    seconds: float
    """Wall time inside the calls, summed over ranks and threads."""
    share: float
    """Share of the ranks' time between MPI_Init and MPI_Finalize. It is 0 for these two."""
    bytes_sent: int
    """Bytes given to the calls to send: messages, and the send side of collectives."""
    computation_seconds: float
    """Wall time between the previous call and this one: the computation that leads to it."""
    least_seconds: float
    """Time inside the calls on the rank with the least."""
    most_seconds: float
    most_rank: int


class RankTotal(msgspec.Struct, frozen=True, kw_only=True):
    """Totals of one rank. Times of its threads are summed."""

    rank: int
    host: str
    state: str
    """`complete`, `cut` (no MPI_Finalize) or `aborted`."""
    elapsed_seconds: float
    """Time from the start of the process to its last MPI call."""
    computation_seconds: float
    mpi_seconds: float
    """Time inside MPI calls other than MPI_Init and MPI_Finalize."""
    init_seconds: float
    """Time inside MPI_Init and MPI_Finalize."""
    cpu_seconds: float | None
    """CPU time of the process at MPI_Finalize."""
    calls: int
    bytes_sent: int
    threads: int
    """Number of threads that called MPI."""


class SizeTotal(msgspec.Struct, frozen=True, kw_only=True):
    """Calls that send between `least_bytes` and `most_bytes`, both included."""

    least_bytes: int
    most_bytes: int
    calls: int
    bytes_sent: int


class CallProfile(msgspec.Struct, frozen=True, kw_only=True):
    """Profile of one run: the time of its ranks by call."""

    schema: str = "linkworth.call-profile/1"
    run: RunResult
    computation_share: float
    mpi_share: float
    """The computation and MPI shares of the ranks' time between MPI_Init and MPI_Finalize sum to 1."""
    init_seconds: float
    """Time of a rank in MPI_Init and MPI_Finalize, mean over ranks."""
    imbalance: float
    """Imbalance of the computation: most / mean - 1 over ranks."""
    calls: list[CallTotal]
    """Sorted by time, longest first."""
    sizes: list[SizeTotal]
    ranks: list[RankTotal]
    damage: list[str]
    """Missing data, one sentence each."""
    remarks: list[str] = msgspec.field(default_factory=list)
    """Limits of the figures, one sentence each."""
