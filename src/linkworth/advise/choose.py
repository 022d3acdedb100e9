"""The choice of a network from predicted times and prices."""

import math
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal

import msgspec

from linkworth.errors import UsageError
from linkworth.model.advice import Advice, AdviceOption, Goal
from linkworth.model.prediction import PredictionSet
from linkworth.model.price import Price

TIE_TOLERANCE = 1e-3
"""Two options whose costs (or times) differ by no more than this share are a tie, which goes to the cheaper node."""

SECONDS_PER_HOUR = 3600.0


def advise(
    predictions: PredictionSet,
    prices: Mapping[str, Price],
    *,
    goal: Goal = "cost",
    deadline: float | None = None,
    budget: float | None = None,
) -> Advice:
    """Return the fabric to take for `predictions.workload`, with all options.

    `prices` maps a fabric's exact name to the price of one node. `goal` says what is made least: the cost of a run (US
    dollars, seconds x nodes x price / 3600) or its time; `deadline` (seconds) and `budget` (US dollars a run) exclude
    options. The break-even price ratio is T(cheapest node) / T(fastest): the ratio of their prices up to which the fastest
    costs less a run. A prediction without a price is a UsageError that names its fabric.
    """
    _check_limit(deadline, "deadline", "seconds")
    _check_limit(budget, "budget", "US dollars")
    options = _options(predictions, prices, deadline, budget)
    chosen = _choose(options, goal)
    return Advice(
        workload=predictions.workload,
        ranks=predictions.ranks,
        nodes=predictions.nodes,
        choice=chosen.fabric if chosen is not None else None,
        reason=_reason(options, chosen, goal, deadline, budget),
        options=options,
        breakeven_price_ratio=_breakeven(options),
        goal=goal,
        deadline_seconds=deadline,
        budget_usd=budget,
        warnings=list(predictions.warnings),
        rates=predictions.calibration.rates,
    )


def cost_usd(seconds: float, nodes: int, usd_per_node_hour: float) -> float:
    """Return the cost of one run in US dollars."""
    return seconds * nodes * usd_per_node_hour / SECONDS_PER_HOUR


def usd_text(value: float) -> str:
    """Return US dollars for a person: four digits that count, or cents from 1000 on, never an exponent."""
    return f"{value:.2f}" if value >= 1000 else format(Decimal(f"{value:.4g}"), "f")


def _check_limit(value: float | None, what: str, unit: str) -> None:
    if value is not None and not (math.isfinite(value) and value > 0):
        raise UsageError(f"the {what} is {value}; give a positive number of {unit}")


def _options(
    predictions: PredictionSet, prices: Mapping[str, Price], deadline: float | None, budget: float | None
) -> list[AdviceOption]:
    if not predictions.predictions:
        raise UsageError("there is no prediction to choose from; name fabrics with --on")
    fabrics = [prediction.fabric for prediction in predictions.predictions]
    unpriced = [fabric for fabric in fabrics if fabric not in prices]
    if unpriced:
        raise UsageError(
            f"no price for fabric {', '.join(unpriced)}; give it with --price {unpriced[0]}=USD_PER_NODE_HOUR"
        )
    twice = sorted({fabric for fabric in fabrics if fabrics.count(fabric) > 1})
    if twice:
        raise UsageError(f"fabric {', '.join(twice)} is predicted more than once; give each fabric once")
    options = []
    for prediction in predictions.predictions:
        seconds = prediction.seconds
        if not (math.isfinite(seconds) and seconds > 0):
            raise UsageError(
                f"the predicted time on {prediction.fabric} is {seconds} s; a positive time is needed"
            )
        price = prices[prediction.fabric]
        cost = cost_usd(seconds, predictions.nodes, price.usd_per_node_hour)
        options.append(
            AdviceOption(
                fabric=prediction.fabric,
                seconds=seconds,
                cost_usd=cost,
                price_usd_per_node_hour=price.usd_per_node_hour,
                price_name=", ".join(part for part in (price.name, price.region) if part),
                feasible=(deadline is None or seconds <= deadline) and (budget is None or cost <= budget),
            )
        )
    return [msgspec.structs.replace(option, pareto=not _dominated(option, options)) for option in options]


def _dominated(option: AdviceOption, options: Sequence[AdviceOption]) -> bool:
    """Whether another option is at least as good in time and cost, and better in one of them."""
    return any(
        other.seconds <= option.seconds
        and other.cost_usd <= option.cost_usd
        and (other.seconds < option.seconds or other.cost_usd < option.cost_usd)
        for other in options
    )


def _choose(options: Sequence[AdviceOption], goal: Goal) -> AdviceOption | None:
    feasible = [option for option in options if option.feasible]
    if not feasible:
        return None
    measure = _measure(goal)
    limit = min(map(measure, feasible)) * (1 + TIE_TOLERANCE)
    tied = [option for option in feasible if measure(option) <= limit]
    return min(
        tied,
        key=lambda option: (option.price_usd_per_node_hour, measure(option), option.seconds, option.fabric),
    )


def _measure(goal: Goal) -> Callable[[AdviceOption], float]:
    return (lambda option: option.cost_usd) if goal == "cost" else (lambda option: option.seconds)


def _fastest(options: Sequence[AdviceOption]) -> AdviceOption:
    return min(options, key=lambda option: (option.seconds, option.price_usd_per_node_hour, option.fabric))


def _cheapest_node(options: Sequence[AdviceOption]) -> AdviceOption:
    return min(options, key=lambda option: (option.price_usd_per_node_hour, option.seconds, option.fabric))


def _breakeven(options: Sequence[AdviceOption]) -> float | None:
    if len(options) < 2:
        return None
    return _cheapest_node(options).seconds / _fastest(options).seconds


def _reason(
    options: Sequence[AdviceOption],
    chosen: AdviceOption | None,
    goal: Goal,
    deadline: float | None,
    budget: float | None,
) -> str:
    limits = [f"the deadline of {deadline:g} s"] if deadline is not None else []
    limits += [f"the budget of {usd_text(budget)} US$"] if budget is not None else []
    within = " and ".join(limits)
    if chosen is None:
        fastest, least = _fastest(options), min(options, key=lambda option: option.cost_usd)
        return (
            f"no option meets {within}: the fastest is {fastest.fabric} with {fastest.seconds:.4g} s, "
            f"the least costly {least.fabric} with {usd_text(least.cost_usd)} US$"
        )
    what = "costs least" if goal == "cost" else "is fastest"
    among = f" of those that meet {within}" if within else ""
    text = f"{chosen.fabric} {what}{among}: {chosen.seconds:.4g} s and {usd_text(chosen.cost_usd)} US$ a run"
    cheapest = _cheapest_node(options)
    if len(options) == 1 or cheapest.fabric == chosen.fabric:
        return text
    faster = cheapest.seconds / chosen.seconds
    if chosen.price_usd_per_node_hour == 0 or cheapest.price_usd_per_node_hour == 0:
        return f"{text}; {faster:.3g} times as fast as {cheapest.fabric}, the cheapest node"
    dearer = chosen.price_usd_per_node_hour / cheapest.price_usd_per_node_hour
    return (
        f"{text}; against {cheapest.fabric}, the cheapest node, it is {faster:.3g} times as fast "
        f"at {dearer:.3g} times the price"
    )
