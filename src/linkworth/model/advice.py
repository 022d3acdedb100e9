"""What to choose."""

from typing import Literal

import msgspec

from linkworth.model.collectives import CollectiveRules
from linkworth.model.price import Market
from linkworth.model.rates import RateSource

Goal = Literal["cost", "time"]


class Range(msgspec.Struct, frozen=True, kw_only=True):
    """The central 90 % of a number over the draws."""

    low: float
    high: float


class OptionDraws(msgspec.Struct, frozen=True, kw_only=True):
    """An option over all draws of what the prediction leaves uncertain; the same draws for every option."""

    best: int
    """Draws in which it is the best by the goal of those within the limits."""
    within_limits: int
    """Draws in which it meets deadline and budget."""
    choice_is_better: int
    """Draws in which the choice is at least as good by the goal: "cheaper in 97 of 100 draws"."""
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
    """Instance type and region where the price comes from a catalog."""
    feasible: bool = True
    """False where the deadline or the budget is broken, or the node has fewer cores than ranks."""
    pareto: bool = True
    """No other option is both faster and cheaper."""
    nodes: int = 0
    rank: int = 0
    """1 is the best by the goal; options outside the limits come last."""
    market: Market = "on-demand"
    price_date: str = ""
    cores: int | None = None
    """Of a node, where the price says them."""
    why_not: list[str] = msgspec.field(default_factory=list)
    """What keeps it out: `deadline`, `budget`, `cores`."""
    breakeven_usd_per_node_hour: float | None = None
    """The price of its node at which a run costs as much as with the least costly other option; None without another."""
    draws: OptionDraws | None = None


class Advice(msgspec.Struct, frozen=True, kw_only=True):
    """What `linkworth advise --json` prints."""

    schema: str = "linkworth.advice/1"
    workload: str
    ranks: int
    nodes: int
    """Of the choice; the first number that was asked for where there is none."""
    choice: str | None
    """Fabric to take; None where no option meets the deadline and the budget."""
    reason: str
    """One sentence."""
    options: list[AdviceOption]
    breakeven_price_ratio: float | None
    """Of the fastest option against the cheapest node: the price ratio up to which the faster one costs less a run, which is
    the ratio of the node-hours. None with one option."""
    goal: Goal = "cost"
    deadline_seconds: float | None = None
    budget_usd: float | None = None
    warnings: list[str] = msgspec.field(default_factory=list)
    rates: RateSource | None = None
    """Of a program that was not run: where its computation times come from."""
    collectives: CollectiveRules | None = None
    """Whose collective algorithms were replayed; None of predictions that do not name them."""
    choice_option: int | None = None
    """Place of the choice in `options`."""
    draws: int = 0
    """Draws of the parameters that were replayed for each option; 0: none."""
    uncertainty: str = ""
    """One sentence on how sure the choice is, and what was drawn."""
