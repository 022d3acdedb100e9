"""Which programs of a queue run where and when."""

from typing import Literal

import msgspec

AllocationGoal = Literal["cost", "makespan"]
State = Literal["optimal", "feasible", "infeasible", "undecided"]


class Placement(msgspec.Struct, frozen=True, kw_only=True):
    """One run of a program."""

    program: str
    run: int
    """From 1."""
    nodes_of: str
    """The kind of node."""
    nodes: int
    on: list[int]
    """Numbers of the nodes of that kind, from 0."""
    start_seconds: float
    end_seconds: float
    cost_usd: float


class Choice(msgspec.Struct, frozen=True, kw_only=True):
    """All runs of a program that are alike."""

    program: str
    runs: int
    nodes_of: str
    fabric: str
    nodes: int
    ranks: int
    seconds: float
    """Of one run, predicted or given."""
    cost_usd: float
    """Of all these runs."""
    first_start_seconds: float
    last_end_seconds: float
    deadline_seconds: float | None = None


class Allocation(msgspec.Struct, frozen=True, kw_only=True):
    """What `linkworth allocate --json` prints."""

    schema: str = "linkworth.allocation/1"
    goal: AllocationGoal
    state: State
    """`optimal`: proved that no schedule is better by the goal; `feasible`: one that keeps all limits, not proved best;
    `infeasible`: proved that there is none; `undecided`: none found, none excluded."""
    reason: str
    """One sentence: what was found, or which limit cannot be kept."""
    choices: list[Choice]
    placements: list[Placement]
    """By start."""
    cost_usd: float = 0.0
    makespan_seconds: float = 0.0
    """End of the last run."""
    cost_bound_usd: float = 0.0
    """No schedule that keeps the limits costs less."""
    makespan_bound_seconds: float = 0.0
    """No schedule that keeps the limits ends sooner; with the goal `cost`: none that costs as little as this one."""
    slot_seconds: float = 0.0
    """Width of the time slots of the integer program."""
    budget_usd: float | None = None
    warnings: list[str] = msgspec.field(default_factory=list)
    """Of the predictions of all options, each with its program, in one sentence."""
