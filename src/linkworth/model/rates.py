"""Where the computation of a program that was not run gets its time from."""

from typing import Literal

import msgspec

RateMethod = Literal["run", "machine", "reference"]
"""`run`: a smaller run on this machine was timed; `machine`: the speed of a core of the catalog's machine; `reference`: the
reference core's, where only the proportions of the phases count, because a measured time scales the whole."""


class TimingQuality(msgspec.Struct, frozen=True, kw_only=True):
    """When a run was timed, and how far other work on the machine may have disturbed it."""

    time: str
    """ISO 8601, UTC, to the minute."""
    repetitions: int
    spread: float
    """Longest repetition over the shortest, less 1."""
    busy_cores: float | None = None
    """Cores that all processes of the machine kept busy meanwhile; 1 is the timed run's own. None where it cannot be told."""
    cores: int = 0
    """Of the machine."""


class RateSource(msgspec.Struct, frozen=True, kw_only=True):
    """Seconds that each operation of a skeleton's phases takes, and where that was learnt."""

    method: RateMethod
    description: str
    """One sentence for a person."""
    seconds_per_operation: dict[str, float]
    """By phase, in the program's order."""
    workload: str = ""
    """The run that was timed: `npb:lu.W`."""
    ranks: int = 1
    seconds: float | None = None
    """What the timed run took, in its timed region."""
    machine: str = ""
    """The machine of the catalog."""
    cores_per_node: int | None = None
    """Cores of that machine, which the ranks of a node share. None: each rank has a core."""
    thread_gain: float = 1.0
    """What one of these cores does with ranks on both hardware threads, against one rank."""
    date: str = ""
    """Of the timing, ISO 8601."""
    quality: TimingQuality | None = None
    """Of the timed run; None where none was timed, or by a version that did not note it."""
    warning: str = ""
    """Why these rates may be too slow, and what to do."""


class PhaseTimes(msgspec.Struct, frozen=True, kw_only=True):
    """A run on one rank, timed by phase."""

    workload: str
    seconds: float
    """Of the timed region."""
    phases: dict[str, float]
    """Seconds in each phase."""
    mpi: str
    date: str
    quality: TimingQuality | None = None
    """None of what an earlier version kept."""
