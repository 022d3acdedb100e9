"""Settings of a replay, and the request that the engine reads."""

from typing import Annotated, Literal

import msgspec

from linkworth.model.collectives import CollectiveLibrary, CollectiveRules, ForcedCollective
from linkworth.model.fabric import Fabric
from linkworth.model.number_range import (
    BACKGROUND_LOAD,
    CPU_FACTOR,
    DRAWS,
    NOISE,
    SPREAD,
    THREAD_GAIN,
    NumberRange,
)
from linkworth.model.parameter import Parameter


class ReplaySettings(msgspec.Struct, frozen=True, kw_only=True):
    """Settings that every verb with a replay takes. The defaults leave the trace unchanged."""

    progress: Annotated[
        Literal["asynchronous", "calls"] | None,
        Parameter(
            help="Progress of long messages: at any time (by a NIC or a thread), or only while their rank waits "
            "inside MPI calls.",
            default="the fabric's",
        ),
    ] = None
    cpu_factor_at: Annotated[
        dict[int, float],
        Parameter(
            help="CPU factor of the computation after MPI_Pcontrol(LEVEL), instead of the general one; repeatable.",
            allowed=CPU_FACTOR,
            metavar="LEVEL=X",
        ),
    ] = msgspec.field(default_factory=dict)
    memory_demand_bytes_per_second: Annotated[
        float,
        Parameter(
            help="Memory traffic of a rank that computes alone. Ranks that demand more than their node's memory "
            "bandwidth slow each other.",
            allowed=NumberRange(least=1e3, most=1e15, zero=True),
            spelling="memory-demand",
            unit="GB/s",
            scale=1e9,
            needs="memory_bandwidth_bytes_per_second",
        ),
    ] = 0.0
    memory_bandwidth_bytes_per_second: Annotated[
        float | None,
        Parameter(
            help="Memory bandwidth of a node.",
            allowed=NumberRange(least=1e3, most=1e15),
            spelling="memory-bandwidth",
            unit="GB/s",
            scale=1e9,
            default="no limit",
            needs="memory_demand_bytes_per_second",
        ),
    ] = None
    cores_per_node: Annotated[
        int | None,
        Parameter(
            help="Cores of a node, shared if more ranks compute at once.",
            allowed=NumberRange(least=1, most=2**24),
            spelling="cores",
            metavar="N",
            default="those of the machine that gives the speed of computation, or one for each rank",
        ),
    ] = None
    thread_gain: Annotated[
        float,
        Parameter(
            help="Throughput of a core with ranks on two hardware threads, relative to one rank.",
            allowed=THREAD_GAIN,
            metavar="X",
            needs="cores_per_node",
        ),
    ] = 1.0
    background_load: Annotated[
        float,
        Parameter(
            help="Share of every link between nodes that other programs use, 0 to 0.999. It does not apply to a measured "
            "time.",
            allowed=BACKGROUND_LOAD,
            metavar="SHARE",
        ),
    ] = 0.0
    contention: Annotated[
        bool,
        Parameter(
            help="Let messages compete for NICs, switches and memory. Without contention each has the network for "
            "itself, and the replay is faster."
        ),
    ] = True
    noise: Annotated[
        float,
        Parameter(
            help="Vary each computation at random: standard deviation of the logarithm of its length (0.05 is about "
            "5 %). The mean stays the same.",
            allowed=NOISE,
            metavar="SIGMA",
        ),
    ] = 0.0
    samples: Annotated[
        int,
        Parameter(
            help="Draws of all that is uncertain, for the interval of 90 % of the times.",
            allowed=NumberRange(least=10, most=DRAWS.most, zero=True),
            metavar="N",
            default="400",
        ),
    ] = 0
    spread: Annotated[
        dict[str, float],
        Parameter(
            help="Relative standard deviation of latency, bandwidth, overhead or computation; repeatable.",
            allowed=SPREAD,
            metavar="NAME=SHARE",
            default="the fabric's",
        ),
    ] = msgspec.field(default_factory=dict)
    seed: Annotated[
        int,
        Parameter(
            help="Seed of noise and samples.",
            allowed=NumberRange(least=1, most=2**63, zero=True),
            metavar="N",
            default="0",
        ),
    ] = 0
    mpi_library: Annotated[
        CollectiveLibrary | None,
        Parameter(
            help="Library whose collective algorithms run.",
            metavar="NAME",
            default="the library that recorded the trace",
        ),
    ] = None
    forced_collectives: Annotated[
        list[ForcedCollective],
        Parameter(
            help="Algorithm instead of the library's choice, such as allreduce=ring or bcast=pipeline:65536 (bytes "
            "of a segment); repeatable.",
            spelling="collective",
            metavar="NAME=ALGORITHM",
        ),
    ] = msgspec.field(default_factory=list)
    mpi_settings: Annotated[
        dict[str, str],
        Parameter(
            help="A setting of the MPI library that the replay knows, such as btl_tcp_flags=send; repeatable. It applies "
            "to the networks whose transport it is of, and not to a measured time.",
            spelling="mpi-setting",
            metavar="NAME=VALUE",
        ),
    ] = msgspec.field(default_factory=dict)
    pass_unmodelled: Annotated[
        bool,
        Parameter(help="Keep the recorded time of collectives that are not modelled, instead of failing."),
    ] = False


class RecordLimits(msgspec.Struct, frozen=True):
    """Limits of the recorded part of a replay: what begins within these seconds."""

    from_seconds: float = 0.0
    to_seconds: float = 0.0
    most: int = 0
    """Largest number of calls, and of messages."""


class Details(msgspec.Struct, frozen=True, kw_only=True):
    """Results that a replay returns on request."""

    record: RecordLimits | None = None
    """Record calls, messages and loads of links. Only for a program alone."""
    counted_level: int | None = None
    """Level of MPI_Pcontrol whose computation alone counts as computation on the critical path. Any other counts as
    waiting. The times stay the same."""
    marks: bool = False
    """Record the time of each call of MPI_Pcontrol."""


class ReplayRequest(msgspec.Struct, frozen=True, kw_only=True):
    """One program's part of a replay, as the engine reads it."""

    fabric: Fabric
    node_of_rank: list[int]
    settings: ReplaySettings = ReplaySettings()
    cpu_factor: float = 1.0
    """Divisor of the trace's computation."""
    tolerate_cut: bool = False
    """True: the replay stops where a cut trace ends, instead of failing."""
    collectives: CollectiveRules = CollectiveRules()
    details: Details = Details()
