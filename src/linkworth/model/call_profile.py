"""What a run spent in which MPI calls, added up while it ran (`linkworth run --profile`)."""

import msgspec

from linkworth.model.run import RunResult

INIT = ("MPI_Init", "MPI_Init_thread", "MPI_Session_init", "MPI_Finalize", "MPI_Session_finalize")
"""Calls that are initialisation and no communication."""


class CallTotal(msgspec.Struct, frozen=True, kw_only=True):
    """One MPI procedure, over all ranks."""

    name: str
    calls: int
    seconds: float
    """Wall time inside, added over ranks (and threads)."""
    share: float
    """Of the ranks' time between MPI_Init and MPI_Finalize. It is 0 for these two, which are not part of it."""
    bytes_sent: int
    """What the calls gave to send: messages, and the send side of collectives."""
    computation_seconds: float
    """Wall time between the call before and this one: the computation that leads to it."""
    least_seconds: float
    """Inside, on the rank that spent least there."""
    most_seconds: float
    most_rank: int
    half_timed_calls: int = 0
    """Of `calls`: those that were timed at their end only, since many short ones in a row came before at the same place. Of
    such calls one in 16.5, drawn at random, is timed at both ends; how its interval divides stands for the others."""
    error_seconds: float = 0.0
    """By how much `seconds` may be wrong for the half-timed calls: three standard errors of the drawn ones' mean, and all the
    long intervals that a half-timed call turned out to end."""
    seconds_at_least: float = 0.0
    """Bounds of `seconds`, whatever the half-timed calls were like: all of the time since the call before was computation,"""
    seconds_at_most: float = 0.0
    """or none of it was."""


class RankTotal(msgspec.Struct, frozen=True, kw_only=True):
    """One rank. Times of its threads are added."""

    rank: int
    host: str
    state: str
    """`complete`, `cut` (no MPI_Finalize) or `aborted`."""
    elapsed_seconds: float
    """From the start of the process to its last MPI call."""
    computation_seconds: float
    mpi_seconds: float
    """Inside MPI calls other than MPI_Init and MPI_Finalize."""
    init_seconds: float
    """Inside MPI_Init and MPI_Finalize."""
    cpu_seconds: float | None
    """Of the process, at MPI_Finalize."""
    calls: int
    bytes_sent: int
    threads: int
    """That called MPI."""


class SizeTotal(msgspec.Struct, frozen=True, kw_only=True):
    """Calls that send between `least_bytes` and `most_bytes`, both included."""

    least_bytes: int
    most_bytes: int
    calls: int
    bytes_sent: int


class CallProfile(msgspec.Struct, frozen=True, kw_only=True):
    """A run and where the time of its ranks went."""

    schema: str = "linkworth.call-profile/1"
    run: RunResult
    computation_share: float
    mpi_share: float
    """These two are shares of the ranks' time between MPI_Init and MPI_Finalize and sum to 1."""
    init_seconds: float
    """Time of a rank in MPI_Init and MPI_Finalize, mean over ranks."""
    half_timed_calls: int = 0
    error_seconds: float = 0.0
    """Of the calls, added up: so much of the time may be in the wrong share."""
    imbalance: float
    """Of computation: the most of a rank over the mean, minus 1."""
    calls: list[CallTotal]
    """By time, most first."""
    sizes: list[SizeTotal]
    ranks: list[RankTotal]
    damage: list[str]
    """What is missing, one sentence each."""
