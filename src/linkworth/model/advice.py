"""What to choose."""

from typing import Literal

import msgspec

from linkworth.model.rates import RateSource

Goal = Literal["cost", "time"]


class AdviceOption(msgspec.Struct, frozen=True, kw_only=True):
    """One fabric with its predicted time and its cost."""

    fabric: str
    seconds: float
    cost_usd: float
    """seconds x nodes x price / 3600."""
    price_usd_per_node_hour: float
    price_name: str = ""
    """Instance type and region where the price comes from a catalog."""
    feasible: bool = True
    """False where the deadline or the budget is broken."""
    pareto: bool = True
    """No other option is both faster and cheaper."""


class Advice(msgspec.Struct, frozen=True, kw_only=True):
    """What `linkworth advise --json` prints."""

    schema: str = "linkworth.advice/1"
    workload: str
    ranks: int
    nodes: int
    choice: str | None
    """Fabric to take; None where no option meets the deadline and the budget."""
    reason: str
    """One sentence."""
    options: list[AdviceOption]
    breakeven_price_ratio: float | None
    """Of the fastest option against the cheapest node: the price ratio up to which the faster one costs less a run, which is
    the ratio of the times. None with one option."""
    goal: Goal = "cost"
    deadline_seconds: float | None = None
    budget_usd: float | None = None
    warnings: list[str] = msgspec.field(default_factory=list)
    rates: RateSource | None = None
    """Of a program that was not run: where its computation times come from."""
