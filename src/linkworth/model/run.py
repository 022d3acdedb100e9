"""One execution of a workload in an environment, and what was measured."""

from typing import Literal

import msgspec

from linkworth.model.counters import NodeCounters

RunState = Literal["complete", "failed", "aborted", "killed", "timeout"]


class CoreUse(msgspec.Struct, frozen=True, kw_only=True):
    """How busy the cores of one node were, for whatever ran there: 0 idle, 1 busy all the time."""

    node: str
    mean: list[float]
    """Of each core, over the run."""
    times: list[float] = msgspec.field(default_factory=list)
    """Seconds since the start at which each sample ends."""
    samples: list[list[float]] = msgspec.field(default_factory=list)
    """One list a sample, with one number a core."""


class RunResult(msgspec.Struct, frozen=True, kw_only=True):
    """What one run gave. Written as `result.json` in the run's folder by atomic rename."""

    schema: str = "linkworth.run/1"
    workload: str
    command: list[str]
    ranks: int
    mpi: str
    """Library and version, as the library names itself."""
    launcher: str
    state: RunState
    exit_code: int
    seconds: float
    """Wall time from launch to end."""
    reported_seconds: float | None = None
    """Time that the program itself reports (NPB's `Time in seconds`), where it does."""
    verified: bool | None = None
    """What the program says of its own result; None where it says nothing."""
    cores: int = 0
    """Cores that the ranks could use."""
    started: str = ""
    """ISO 8601, UTC."""
    output: str = ""
    """Path of the program's raw output."""
    message: str = ""
    """One sentence where the state is not complete."""
    where: str = ""
    """The place, as it names itself (`local`, `lab gbe`, `slurm`); "" where the user's own launcher command chose it."""
    nodes: list[str] = msgspec.field(default_factory=list)
    """Names of the nodes that it could use; empty where they are not known."""
    transport: str = ""
    """The named setting of the MPI's transport that was asked for; "": the MPI's own choice."""
    iteration_seconds: list[float] = msgspec.field(default_factory=list)
    """Of each iteration in order, where the program says."""
    counters: list[NodeCounters] = msgspec.field(default_factory=list)
    """What each node counted over the run, launch included."""
    core_use: list[CoreUse] = msgspec.field(default_factory=list)
    facts: dict[str, str] = msgspec.field(default_factory=dict)
    """What a reader must know of the place: rate, MTU, isolation, kernel."""
    remark: str = ""
    """What makes the times doubtful (ranks that share cores), in one sentence."""
