"""Execution of a workload in an environment, with the measured results."""

from typing import Literal

import msgspec

from linkworth.model.counters import NodeCounters

RunState = Literal["complete", "failed", "aborted", "killed", "timeout"]


class CoreUse(msgspec.Struct, frozen=True, kw_only=True):
    """Use of the cores of one node by all processes: 0 idle, 1 always busy."""

    node: str
    mean: list[float]
    """Mean use of each core over the run."""
    times: list[float] = msgspec.field(default_factory=list)
    """End of each sample, in seconds since the start."""
    samples: list[list[float]] = msgspec.field(default_factory=list)
    """One list per sample, with one number per core."""


class RunResult(msgspec.Struct, frozen=True, kw_only=True):
    """Result of one run. It is written as `result.json` in the run's folder by atomic rename."""

    schema: str = "linkworth.run/1"
    workload: str
    command: list[str]
    ranks: int
    mpi: str
    """Library and version, as the library reports them."""
    launcher: str
    state: RunState
    exit_code: int
    seconds: float
    """Wall time from launch to end."""
    reported_seconds: float | None = None
    """Time that the program itself reports (NPB's `Time in seconds`), if it does."""
    verified: bool | None = None
    """Result of the program's own verification. None if it reports none."""
    cores: int = 0
    """Cores that the ranks could use."""
    started: str = ""
    """ISO 8601, UTC."""
    output: str = ""
    """Path of the program's raw output."""
    message: str = ""
    """One sentence, if the state is not complete."""
    where: str = ""
    """Name of the place (`local`, `lab gbe`, `slurm`). "" if the user's own launcher command chose it."""
    nodes: list[str] = msgspec.field(default_factory=list)
    """Names of the nodes that it could use. Empty if unknown."""
    transport: str = ""
    """Requested named setting of the MPI's transport. "": the MPI's own choice."""
    iteration_seconds: list[float] = msgspec.field(default_factory=list)
    """Seconds of each iteration in order, if the program reports them."""
    counters: list[NodeCounters] = msgspec.field(default_factory=list)
    """Counters of each node over the run, launch included."""
    core_use: list[CoreUse] = msgspec.field(default_factory=list)
    facts: dict[str, str] = msgspec.field(default_factory=dict)
    """Properties of the place that a reader needs: rate, MTU, isolation, kernel."""
    remark: str = ""
    """Sentences on what makes the figures doubtful, such as ranks that share cores."""
