"""One execution of a workload in an environment, and what was measured."""

from typing import Literal

import msgspec

RunState = Literal["complete", "failed", "aborted", "killed", "timeout"]


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
