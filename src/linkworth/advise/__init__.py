"""Choice of a network: cost, break-even price ratio, Pareto front."""

from linkworth.advise.choose import advise

__all__ = ["advise"]
