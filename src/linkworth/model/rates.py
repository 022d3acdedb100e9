"""Source of the computation times of a program that was not run."""

from typing import Literal

import msgspec

RateMethod = Literal["run", "machine", "reference"]
"""`run`: a smaller run on this machine was timed. `machine`: the core speed of the catalog's machine.
`reference`: the reference core's rates. Only the proportions of the phases matter, because a measured time
scales the whole."""


class TimingQuality(msgspec.Struct, frozen=True, kw_only=True):
    """Time of a timed run, and its possible disturbance by other work on the machine."""

    time: str
    """ISO 8601, UTC, to the minute."""
    repetitions: int
    spread: float
    """Longest repetition / shortest - 1."""
    busy_cores: float | None = None
    """Cores that all processes of the machine kept busy meanwhile, including the run's one. None if unknown."""
    cores: int = 0
    """Cores of the machine."""


class RateSource(msgspec.Struct, frozen=True, kw_only=True):
    """Seconds per operation of each phase of a skeleton, and their source."""

    method: RateMethod
    description: str
    """One sentence for the user."""
    seconds_per_operation: dict[str, float]
    """Seconds by phase, in the program's order."""
    workload: str = ""
    """Name of the timed run: `npb:lu.W`."""
    ranks: int = 1
    seconds: float | None = None
    """Time of the timed region of that run."""
    machine: str = ""
    """Name of the machine in the catalog."""
    cores_per_node: int | None = None
    """Cores of that machine, which the ranks of a node share. None: each rank has a core."""
    thread_gain: float = 1.0
    """Throughput of such a core with ranks on both hardware threads, relative to one rank."""
    memory_bytes_per_second: float | None = None
    """Memory bandwidth of a node of that machine, which messages inside the node share. None: the fabric's."""
    memory_demands: list[tuple[int, float]] = []
    """Ranks on a node, ascending from 1, and the bytes per second that each of them moves if it computes alone.

    More ranks have smaller shares of the caches. Empty: unknown, or contained in a measured time.
    """
    cores_on_memory: float | None = None
    """Cores of that machine which exhaust the memory of a node if they do nothing else. None: unknown."""
    date: str = ""
    """Date of the timing, ISO 8601."""
    quality: TimingQuality | None = None
    """Quality of the timed run. None if none was timed, or if an older version timed it."""
    warning: str = ""
    """Reason why these rates may be too slow, and the remedy."""

    def memory_demand(self, ranks_on_a_node: int) -> float | None:
        """Return the bytes per second that a rank moves from and to memory if it computes alone; None if unknown."""
        if not self.memory_demands:
            return None
        return [demand for ranks, demand in self.memory_demands if ranks <= ranks_on_a_node][-1]


class PhaseTimes(msgspec.Struct, frozen=True, kw_only=True):
    """A run on one rank, timed by phase."""

    workload: str
    seconds: float
    """Time of the timed region."""
    phases: dict[str, float]
    """Seconds in each phase."""
    mpi: str
    date: str
    quality: TimingQuality | None = None
    """None if an older version stored the times."""
