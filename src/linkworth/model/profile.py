"""Profile of a program, computed from its trace."""

from typing import Literal

import msgspec

from linkworth.model.rates import RateSource
from linkworth.model.scaling import Scaling

Group = Literal["highly dependent", "dependent", "low", "none"]


class RunShares(msgspec.Struct, frozen=True, kw_only=True):
    """Shares of the ranks' time between MPI_Init and MPI_Finalize. They sum to 1."""

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
    """Shares of the ranks' time with initialisation. They sum to 1. Only `profile --json` has them."""

    compute: float
    communication: float
    init: float
    """Share of MPI_Init and MPI_Finalize."""

    @property
    def of_run(self) -> RunShares:
        """Shares without initialisation."""
        return run_shares(self.compute, self.communication)


class SiteProfile(msgspec.Struct, frozen=True, kw_only=True):
    """One MPI call at one place of the program, over all ranks."""

    site: str
    """`MODULE+0xADDRESS`: the instruction after the call, in addresses of the module's symbol table."""
    count: int
    bytes: int
    seconds: float
    function: str = ""
    file: str = ""
    line: int = 0
    """Function, file and line are empty or 0 without debug data."""


class NetworkGain(msgspec.Struct, frozen=True, kw_only=True):
    """Effect of the network on this run. Both times are from replays with one rank per node."""

    fabric: str
    seconds: float
    """Time of the replayed part of the run on `fabric`."""
    ideal_seconds: float
    """Time of the same part on a network that takes no time."""


class CallTotals(msgspec.Struct, frozen=True, kw_only=True):
    """One MPI call over all ranks."""

    name: str
    count: int
    bytes: int
    """Bytes in the calls' arguments: sent, or the capacity of a receive."""
    seconds: float
    """Wall time inside the call, summed over ranks."""
    sites: list[SiteProfile] = msgspec.field(default_factory=list)
    """Calling places in the program, longest first. Empty if the trace has none."""


class Pop(msgspec.Struct, frozen=True, kw_only=True):
    """POP efficiencies, 0 to 1 (https://pop-coe.eu/node/69)."""

    parallel_efficiency: float
    load_balance: float
    communication_efficiency: float
    serialisation_efficiency: float | None
    transfer_efficiency: float | None
    """Serialisation and transfer are None if the replay for them stops. A prediction always has both."""


class SizeBin(msgspec.Struct, frozen=True, kw_only=True):
    """Messages with lowest_bytes <= size <= highest_bytes."""

    lowest_bytes: int
    highest_bytes: int
    messages: int
    bytes: int


class Matrix(msgspec.Struct, frozen=True, kw_only=True):
    """Message payload from row to column, in bytes. Above 256 ranks, rows and columns are groups of ranks."""

    ranks_per_row: int
    bytes: list[list[int]]


class Waited(msgspec.Struct, frozen=True, kw_only=True):
    """Number of calls that waited for another rank, and their waiting time summed over ranks."""

    calls: int = 0
    seconds: float = 0.0


class WaitKinds(msgspec.Struct, frozen=True, kw_only=True):
    """Waiting by its cause, from the times that were recorded on both sides."""

    late_sender: Waited = msgspec.field(default_factory=Waited)
    """Receives (or their waits) that started before the message was sent."""
    late_receiver: Waited = msgspec.field(default_factory=Waited)
    """Sends that wait for their receiver and started before it."""
    collective: Waited = msgspec.field(default_factory=Waited)
    """Blocking collectives that waited for their last member, their root, or their senders."""

    @property
    def seconds(self) -> float:
        """Total waiting time."""
        return self.late_sender.seconds + self.late_receiver.seconds + self.collective.seconds


class CallWaits(WaitKinds, frozen=True, kw_only=True):
    """Waiting inside one MPI call over all ranks."""

    name: str


class Waits(WaitKinds, frozen=True, kw_only=True):
    """Recorded waits between ranks."""

    share: float
    """Share of the ranks' wall time from MPI_Init to MPI_Finalize."""
    calls: list[CallWaits]
    """Sorted by waiting time, longest first."""
    rank_waiting_seconds: list[float]
    rank_caused_seconds: list[float]
    """Time that other ranks' calls waited for this rank."""
    unmatched: int = 0
    """Messages and collectives with one side missing from the trace."""


class Imbalance(msgspec.Struct, frozen=True, kw_only=True):
    """Comparison of the ranks' computation."""

    least_seconds: float
    mean_seconds: float
    most_seconds: float
    least_rank: int
    most_rank: int
    deviation_seconds: float
    """Standard deviation over ranks."""


class RankPair(msgspec.Struct, frozen=True, kw_only=True):
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
    """Summary of the communication partners."""

    structure: str
    """Nearest simple structure, such as `grid 8 x 8`. `irregular` if none is near."""
    structure_share: float
    """Share of the bytes that the structure explains (share of the messages, if all are empty)."""
    heaviest: list[RankPair]
    distances: list[Distance]
    """Distances with the most bytes."""
    nodes: int
    """Nodes of the recorded run."""
    between_nodes_messages: int
    between_nodes_bytes: int


class Phase(msgspec.Struct, frozen=True, kw_only=True):
    """A loop of equal calls, or a stretch between loops."""

    kind: Literal["prologue", "loop", "between", "epilogue", "all"]
    start_seconds: float
    """Start since the end of MPI_Init. For an inner loop: since the start of its first iteration."""
    seconds: float
    calls: int
    iterations: int = 0
    mean_seconds: float = 0.0
    """Mean time per iteration."""
    least_seconds: float = 0.0
    most_seconds: float = 0.0
    deviation_seconds: float = 0.0
    interruptions: int = 0
    """Short stretches in the loop that are not part of its iterations."""
    call_names: list[str] = msgspec.field(default_factory=list)
    """Calls of an iteration in order, each once."""
    inner: list["Phase"] = msgspec.field(default_factory=list)
    """Loops inside an iteration that take a tenth of it or more. The iterations are of the whole run."""


class Phases(msgspec.Struct, frozen=True, kw_only=True):
    """Phases of a run, found from the repetition of one rank's calls."""

    rank: int
    likeness: Literal["arguments", "peers", "names"]
    """Criterion by which two calls count as equal: all arguments, the peers, or only the names."""
    seconds: float
    looped_share: float
    phases: list[Phase]


class CpuUse(msgspec.Struct, frozen=True, kw_only=True):
    """CPU time of the processes relative to their wall time."""

    cpu_seconds: float
    cores_per_rank: float
    """Mean number of cores that a rank's process kept busy. Polling MPI libraries keep one busy while waiting."""
    least_cores: float
    most_cores: float
    ranks_with_figures: int


class Profile(msgspec.Struct, frozen=True, kw_only=True):
    """Document that `linkworth profile --json` prints."""

    schema: str = "linkworth.profile/1"
    workload: str
    ranks: int
    elapsed_seconds: float
    """Time from the first rank's start to the last one's end in the recorded run."""
    shares: Shares
    """Shares with initialisation."""
    run_shares: RunShares
    """Shares between MPI_Init and MPI_Finalize, as all screens and pages show them."""
    init_seconds: float
    """Recorded time of a rank in MPI_Init and MPI_Finalize, mean over ranks."""
    calls: list[CallTotals]
    """Sorted by time, longest first; if calls take no time in the trace, by data."""
    pop: Pop
    gain: NetworkGain | None
    """Effect of the network on this run. None if a replay stops."""
    group: Group | None
    """Class of the program, which also weighs the growth of its communication with the problem size. None if
    a replay stops."""
    group_reason: str
    """One sentence: the figures that decided the group, or the reason why it is unknown."""
    message_sizes: list[SizeBin]
    matrix: Matrix
    """Point-to-point messages and the messages of collectives, rank to rank."""
    messages: int
    message_bytes: int
    verified: bool | None = None
    failure: str = ""
    """One sentence if the recorded program failed its own verification or left with an exit code other than 0."""
    oversubscribed: bool = False
    """True if the recording had more ranks than cores. The computation is then CPU time, and waiting includes
    waiting for a core."""
    descheduled_seconds: float = 0.0
    """Wall time between calls in which the ranks had no core, summed over ranks. The shares exclude it."""
    rank_compute_seconds: list[float] = msgspec.field(default_factory=list)
    rank_communication_seconds: list[float] = msgspec.field(default_factory=list)
    unmodelled: dict[str, int] = msgspec.field(default_factory=dict)
    damage: list[str] = msgspec.field(default_factory=list)
    timed: bool = True
    """False if calls take no time in the trace. Communication is then from a replay in the memory of one node."""
    rates: RateSource | None = None
    """Source of the computation times of a skeleton."""
    scaling: Scaling | None = None
    """Method and errors of a scaled trace."""
    waits: Waits | None = None
    """None if calls take no time in the trace."""
    imbalance: Imbalance | None = None
    partners: Partners | None = None
    phases: Phases | None = None
    cpu: CpuUse | None = None
    """None if the trace has no CPU times of whole processes."""
    sampled_share: float = 1.0
    """Share of the events replayed for the group and for serialisation and transfer. All other figures use
    all events."""
    node_aware: str | None = None
    """One sentence on what the group does not cover, for a program that asks which ranks share a node."""
    marked_seconds: float | None = None
    """Recorded time of the part that the program marks by MPI_Pcontrol, on the rank where it is longest."""
    idle_in_part: str | None = None
    """One sentence if only some ranks compute in the part that the program marks by MPI_Pcontrol."""
    idle_beyond_sharing: bool = False
    """True if ranks that shared cores waited between calls for longer than that explains."""
    not_replayed: str | None = None
    """One sentence for a converted trace that lacks messages: their number, or the place where its replay
    stops. Group, serialisation and transfer are then None."""
