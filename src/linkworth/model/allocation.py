"""Results of `linkworth allocate`: the programs of a queue, with their nodes and start times."""

from typing import Literal

import msgspec

from linkworth.model.rates import RateSource

AllocationGoal = Literal["cost", "makespan"]
State = Literal["optimal", "feasible", "infeasible", "undecided"]


class Placement(msgspec.Struct, frozen=True, kw_only=True):
    """One run of a program."""

    program: str
    run: int
    """Number of the run, from 1."""
    nodes_of: str
    """Kind of node."""
    nodes: int
    on: list[int]
    """Numbers of the nodes of that kind, from 0."""
    start_seconds: float
    end_seconds: float
    cost_usd: float | None
    """None if the nodes have no prices, here and below."""


class Choice(msgspec.Struct, frozen=True, kw_only=True):
    """All runs of a program with the same nodes and ranks."""

    program: str
    runs: int
    nodes_of: str
    fabric: str
    nodes: int
    ranks: int
    seconds: float
    """Time of one run, predicted or given."""
    cost_usd: float | None
    """Cost of all these runs."""
    first_start_seconds: float
    last_end_seconds: float
    deadline_seconds: float | None = None


class Allocation(msgspec.Struct, frozen=True, kw_only=True):
    """Document that `linkworth allocate --json` prints."""

    schema: str = "linkworth.allocation/1"
    goal: AllocationGoal
    state: State
    """`optimal`: no schedule is better by the goal (proved). `feasible`: it keeps all limits, but is not
    proved best. `infeasible`: no schedule keeps the limits (proved). `undecided`: none found, none
    excluded."""
    reason: str
    """One sentence: the result, or the limit that cannot be kept."""
    choices: list[Choice]
    placements: list[Placement]
    """Sorted by start."""
    cost_usd: float | None = 0.0
    makespan_seconds: float = 0.0
    """End of the last run."""
    cost_bound_usd: float | None = 0.0
    """Lower bound: no schedule that keeps the limits costs less."""
    makespan_bound_seconds: float = 0.0
    """Lower bound: no schedule that keeps the limits ends sooner. With the goal `cost`: none of the same
    cost."""
    slot_seconds: float = 0.0
    """Width of the time slots of the integer program."""
    budget_usd: float | None = None
    rates: dict[str, RateSource] = msgspec.field(default_factory=dict)
    """Speed of the computation of each program that is predicted without a recording."""
    warnings: list[str] = msgspec.field(default_factory=list)
    """Warnings of the predictions of all options, one sentence each, with the program."""
