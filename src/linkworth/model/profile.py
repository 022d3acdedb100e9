"""What a trace says of a program."""

from typing import Literal

import msgspec

from linkworth.model.rates import RateSource

Group = Literal["highly dependent", "dependent", "low", "none"]


class RunShares(msgspec.Struct, frozen=True, kw_only=True):
    """Shares of the ranks' time between MPI_Init and MPI_Finalize, which sum to 1."""

    compute: float
    communication: float


def run_shares(compute_seconds: float, communication_seconds: float) -> RunShares:
    """Return the shares that every screen and page shows. Both times are sums over ranks.

    A run without any time is all computation.
    """
    whole = compute_seconds + communication_seconds
    if whole <= 0:
        return RunShares(compute=1.0, communication=0.0)
    return RunShares(compute=compute_seconds / whole, communication=communication_seconds / whole)


class Shares(msgspec.Struct, frozen=True, kw_only=True):
    """Shares of the ranks' time with initialisation, which sum to 1. Only `profile --json` has them."""

    compute: float
    communication: float
    init: float
    """MPI_Init and MPI_Finalize."""

    @property
    def of_run(self) -> RunShares:
        """The same without initialisation."""
        return run_shares(self.compute, self.communication)


class SiteProfile(msgspec.Struct, frozen=True, kw_only=True):
    """One MPI call at one place of the program, over all ranks."""

    site: str
    """`MODULE+0xADDRESS`: the instruction after the call, as the module's symbol table counts."""
    count: int
    bytes: int
    seconds: float
    function: str = ""
    file: str = ""
    line: int = 0
    """Empty and 0 where there are no debug data."""


class NetworkGain(msgspec.Struct, frozen=True, kw_only=True):
    """How much a network can change for this run. Both times are of replays with one rank a node."""

    fabric: str
    seconds: float
    """On `fabric`, of the part of the run that was replayed."""
    ideal_seconds: float
    """The same part on a network that takes no time."""


class CallProfile(msgspec.Struct, frozen=True, kw_only=True):
    """One MPI call over all ranks."""

    name: str
    count: int
    bytes: int
    """As given in the calls' arguments: sent, or the capacity of a receive."""
    seconds: float
    """Wall time inside the call, summed over ranks."""
    sites: list[SiteProfile] = msgspec.field(default_factory=list)
    """Where the program makes it, longest first; empty where the trace does not say."""


class Pop(msgspec.Struct, frozen=True, kw_only=True):
    """POP efficiencies, 0 to 1 (https://pop-coe.eu/node/69)."""

    parallel_efficiency: float
    load_balance: float
    communication_efficiency: float
    serialisation_efficiency: float | None
    transfer_efficiency: float | None
    """These two are None where the replay that would tell them stops; never of a prediction."""


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


class Waited(msgspec.Struct, frozen=True, kw_only=True):
    """Calls that waited for another rank, and how long, summed over ranks."""

    calls: int = 0
    seconds: float = 0.0


class WaitKinds(msgspec.Struct, frozen=True, kw_only=True):
    """Waiting by its cause, from the times that were recorded on both sides."""

    late_sender: Waited = msgspec.field(default_factory=Waited)
    """A receive (or the wait for it) was there before its message was sent."""
    late_receiver: Waited = msgspec.field(default_factory=Waited)
    """A send that waits for its receiver was there before it."""
    collective: Waited = msgspec.field(default_factory=Waited)
    """A blocking collective waited for its last member, its root, or those that it receives from."""

    @property
    def seconds(self) -> float:
        """All of it."""
        return self.late_sender.seconds + self.late_receiver.seconds + self.collective.seconds


class CallWaits(WaitKinds, frozen=True, kw_only=True):
    """Waiting inside one MPI call over all ranks."""

    name: str


class Waits(WaitKinds, frozen=True, kw_only=True):
    """Who waited for whom, as recorded."""

    share: float
    """Of the ranks' time from MPI_Init to MPI_Finalize."""
    calls: list[CallWaits]
    """Longest first."""
    rank_waiting_seconds: list[float]
    rank_caused_seconds: list[float]
    """Time that calls of other ranks waited for this rank."""
    unmatched: int = 0
    """Messages and collectives of which a side is not in the trace."""


class Imbalance(msgspec.Struct, frozen=True, kw_only=True):
    """Computation of the ranks against each other."""

    least_seconds: float
    mean_seconds: float
    most_seconds: float
    least_rank: int
    most_rank: int
    deviation_seconds: float
    """Standard deviation over ranks."""


class Pair(msgspec.Struct, frozen=True, kw_only=True):
    """Bytes from one rank (or the group of ranks that begins with it) to another."""

    source: int
    destination: int
    bytes: int


class Distance(msgspec.Struct, frozen=True, kw_only=True):
    """Messages between ranks whose numbers differ by `ranks` (to - from)."""

    ranks: int
    messages: int
    bytes: int


class Partners(msgspec.Struct, frozen=True, kw_only=True):
    """Who talks to whom, in short."""

    structure: str
    """The nearest simple structure, such as `grid 8 x 8`; `irregular` where none is near."""
    structure_share: float
    """Part of the bytes (of the messages, where all are empty) that the structure explains."""
    heaviest: list[Pair]
    distances: list[Distance]
    """Those with most bytes."""
    nodes: int
    """Where it ran."""
    between_nodes_messages: int
    between_nodes_bytes: int


class Phase(msgspec.Struct, frozen=True, kw_only=True):
    """A loop of equal calls, or a stretch between loops."""

    kind: Literal["prologue", "loop", "between", "epilogue", "all"]
    start_seconds: float
    """From the end of MPI_Init; of an inner loop, of its first iteration."""
    seconds: float
    calls: int
    iterations: int = 0
    mean_seconds: float = 0.0
    """An iteration."""
    least_seconds: float = 0.0
    most_seconds: float = 0.0
    deviation_seconds: float = 0.0
    interruptions: int = 0
    """Short stretches in the loop that are not part of its iterations."""
    call_names: list[str] = msgspec.field(default_factory=list)
    """Calls of an iteration in their order, each once."""
    inner: list["Phase"] = msgspec.field(default_factory=list)
    """Loops in an iteration that take a tenth of it or more; their iterations are those of the whole run."""


class Phases(msgspec.Struct, frozen=True, kw_only=True):
    """Phases of a run, from the repetition of one rank's calls."""

    rank: int
    likeness: Literal["arguments", "peers", "names"]
    """What two calls had to have in common to count as equal: all arguments, the peers, or only their names."""
    seconds: float
    looped_share: float
    phases: list[Phase]


class CpuUse(msgspec.Struct, frozen=True, kw_only=True):
    """CPU time of the processes against the time that they took."""

    cpu_seconds: float
    cores_per_rank: float
    """Mean number of cores that a rank's process kept busy; MPI libraries that poll keep one busy while they wait."""
    least_cores: float
    most_cores: float
    ranks_with_figures: int


class Profile(msgspec.Struct, frozen=True, kw_only=True):
    """What `linkworth profile --json` prints."""

    schema: str = "linkworth.profile/1"
    workload: str
    ranks: int
    elapsed_seconds: float
    """From the first rank's start to the last one's end, where it ran."""
    shares: Shares
    """With initialisation."""
    run_shares: RunShares
    """Between MPI_Init and MPI_Finalize, as all screens and pages have them."""
    init_seconds: float
    """Time of a rank in MPI_Init and MPI_Finalize as it was recorded, mean over ranks."""
    calls: list[CallProfile]
    """Longest first."""
    pop: Pop
    gain: NetworkGain | None
    """What networks change for this run; None if a replay stops."""
    group: Group | None
    """A class of the program, which also weighs how its communication moves as the problem grows; None if a replay stops."""
    group_reason: str
    """One sentence: the figures that decided the group, or why it is not known."""
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
    waits: Waits | None = None
    """None of a program that was not run: it has no times of its own."""
    imbalance: Imbalance | None = None
    partners: Partners | None = None
    phases: Phases | None = None
    cpu: CpuUse | None = None
    """None where the trace has no CPU times of whole processes."""
    sampled_share: float = 1.0
    """Part of the events that was replayed for the group and for serialisation and transfer; all else is of all events."""
    node_aware: str | None = None
    """One sentence, of a program that asks which ranks share a node: what its group does not say."""
    not_replayed: str | None = None
    """One sentence, of a converted trace that lacks messages: how many, or where its replay stops. Group, serialisation and
    transfer are then None."""
