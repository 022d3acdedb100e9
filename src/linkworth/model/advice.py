"""Results of `linkworth advise`: the options and the choice among them."""

from typing import Literal

import msgspec

from linkworth.model.collectives import CollectiveRules
from linkworth.model.price import Market
from linkworth.model.rates import RateSource

Goal = Literal["cost", "time"]


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """Limits of a run, and what is minimised within them."""

    goal: Goal | None = None
    """None: the time if there is only a budget, else the cost."""
    deadline: float | None = None
    """Seconds."""
    budget: float | None = None
    """US dollars a run."""

    @property
    def minimised(self) -> Goal:
        """The goal, or its default."""
        return self.goal or ("time" if self.budget is not None and self.deadline is None else "cost")

    def broken_by(self, seconds: float, cost_usd: float) -> list[str]:
        """Return the names of the limits that a run exceeds."""
        limits = (("deadline", self.deadline, seconds), ("budget", self.budget, cost_usd))
        return [name for name, limit, value in limits if limit is not None and value > limit]


class Range(msgspec.Struct, frozen=True, kw_only=True):
    """The central 90 % of a number over the draws."""

    low: float
    high: float


class OptionDraws(msgspec.Struct, frozen=True, kw_only=True):
    """Outcomes of an option over all draws of the uncertain parameters. Every option has the same draws."""

    best: int
    """Number of draws in which it is the best, by the goal, of the options within the limits."""
    within_limits: int
    """Number of draws in which it meets the deadline and the budget."""
    choice_is_better: int
    """Number of draws in which the choice is the better of the two by the goal: "cheaper in 97 of 100 draws"."""
    seconds: Range
    cost_usd: Range
    breakeven_usd_per_node_hour: Range | None = None


class AdviceOption(msgspec.Struct, frozen=True, kw_only=True):
    """One environment (fabric, node type, number of nodes) with its predicted time and its cost."""

    fabric: str
    seconds: float
    cost_usd: float
    """seconds x nodes x price / 3600."""
    price_usd_per_node_hour: float
    price_name: str = ""
    """Instance type and region, if the price comes from a catalog."""
    feasible: bool = True
    """False if it breaks the deadline or the budget, or if the node has fewer cores than ranks."""
    pareto: bool = True
    """True if no other option with room for the ranks is as good in time and cost and better in one of them."""
    nodes: int = 0
    ranks: int = 0
    """Ranks of the program on these nodes."""
    rank: int = 0
    """1 is the best by the goal; options outside the limits come last."""
    market: Market = "on-demand"
    price_date: str = ""
    cores: int | None = None
    """Cores of a node, if the price gives them."""
    why_not: list[str] = msgspec.field(default_factory=list)
    """The limits that exclude it: `deadline`, `budget`, `cores`."""
    breakeven_usd_per_node_hour: float | None = None
    """Node price at which a run costs as much as with the cheapest other option. None if it is the only
    option."""
    draws: OptionDraws | None = None

    @property
    def has_room(self) -> bool:
        """True if a node has a core for each of its ranks, as far as its cores are known."""
        return "cores" not in self.why_not


class SettingGain(msgspec.Struct, frozen=True, kw_only=True):
    """A setting of the MPI library with which the chosen environment is faster."""

    name: str
    value: str
    seconds: float
    """Time with the setting."""
    gain: float
    """Share of the time without it that is gained."""
    command: str
    """Beginning of the command line with the setting."""


class Advice(msgspec.Struct, frozen=True, kw_only=True):
    """Document that `linkworth advise --json` prints."""

    schema: str = "linkworth.advice/1"
    workload: str
    ranks: int
    """Ranks of the choice. Without a choice: of the first trace."""
    nodes: int
    """Nodes of the choice. Without a choice: the first number that the user asked for."""
    choice: str | None
    """Fabric to take. None if no option meets the deadline and the budget, or if it is too close to call."""
    reason: str
    """One sentence."""
    options: list[AdviceOption]
    breakeven_price_ratio: float | None
    """Price ratio of the fastest option to the cheapest node, below which the faster one costs less per run.
    It is the ratio of the node-hours. None with one option."""
    goal: Goal = "cost"
    deadline_seconds: float | None = None
    budget_usd: float | None = None
    warnings: list[str] = msgspec.field(default_factory=list)
    rates: RateSource | None = None
    """Source of the computation times, for a program that was not run."""
    between_machines: str = ""
    """One sentence on the factor from the machine of the recording to another one. "" without machines."""
    collectives: CollectiveRules | None = None
    """Collective algorithms that the replay used. None if the predictions do not name them."""
    region: str = "whole"
    """Timed part, which the costs are of as well: `whole` run, or the part `marked` with MPI_Pcontrol."""
    too_close: list[str] = msgspec.field(default_factory=list)
    """Fabrics among which the choice is too close to call, the best estimate first: within the 90 % interval another
    one is over 2 % better by the goal."""
    choice_option: int | None = None
    """Index in `options` of the choice, or of the best estimate if it is too close to call."""
    draws: int = 0
    """Number of draws of each option's time. 0: none."""
    mpi_setting: SettingGain | None = None
    """Setting that gains most in the chosen environment, if that is more than 5 %."""
    uncertainty: str = ""
    """One sentence on how sure the choice is and which parameters were drawn."""
