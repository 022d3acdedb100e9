"""A study: workloads x environments x repetitions, and the record of each of its runs."""

from typing import Literal

import msgspec

from linkworth.model.counters import NodeCounters

Mode = Literal["measure", "predict"]
RecordState = Literal["done", "unverified", "failed", "timeout"]


class RunRecord(msgspec.Struct, frozen=True, kw_only=True):
    """One finished run (or prediction) of a study; `run.json` in its own folder, written by atomic rename."""

    schema: str = "linkworth.study-run/1"
    run: str
    """Identity: workload, environment, mode and repetition in one word that is a file name."""
    workload: str
    environment: str
    mode: Mode
    repetition: int
    """From 0; warm-up runs are negative."""
    state: RecordState
    """Only `done` enters a mean."""
    cause: str = ""
    """One sentence where it is not done."""
    attempts: int = 1
    failures: list[str] = msgspec.field(default_factory=list)
    """Causes of the attempts before."""
    metrics: dict[str, float] = msgspec.field(default_factory=dict)
    """By name, in SI units; `linkworth.study.metrics` has each one's unit and better direction."""
    series: dict[str, list[float]] = msgspec.field(default_factory=dict)
    """Seconds of each iteration (`iteration_seconds`), and what else comes in order."""
    rows: list[dict[str, float | str]] = msgspec.field(default_factory=list)
    """Of a micro-benchmark: its rows."""
    counters: list[NodeCounters] = msgspec.field(default_factory=list)
    facts: dict[str, str] = msgspec.field(default_factory=dict)
    """MPI version, transport, node facts, where it ran."""
    command: list[str] = msgspec.field(default_factory=list)
    block: int = 0
    order: int = 0
    """Place in the random order of its block."""
    started: str = ""
    ended: str = ""
