"""The choice of a network, a node type and a number of nodes from predicted times and prices."""

import math
from collections.abc import Callable, Mapping, Sequence

import msgspec

from linkworth import units
from linkworth.advise.reason import by_node, by_run, fastest_of, name_of, reason
from linkworth.advise.uncertain import CLOSE, TIE_TOLERANCE, Drawn, over_draws, sentence, too_close
from linkworth.errors import UsageError
from linkworth.model.advice import Advice, AdviceOption, Goal, Limits
from linkworth.model.number_range import BUDGET_USD, SECONDS, NumberRange
from linkworth.model.prediction import PredictionSet
from linkworth.model.price import Price

__all__ = ["TIE_TOLERANCE", "advise", "cost_usd"]

SECONDS_PER_HOUR = 3600.0

Prices = Mapping[str, Price] | Mapping[str, Sequence[Price]]


def advise(
    predictions: PredictionSet | Sequence[PredictionSet],
    prices: Prices,
    limits: Limits = Limits(),
    *,
    drawn: Drawn | None = None,
) -> Advice:
    """Return the environment to choose for the predicted workload, with all options.

    `predictions` are of one workload on one or several numbers of nodes, and of ranks. `prices` maps a fabric's exact name to the
    price of one node, or to those of several node types. A run costs seconds x nodes x price / 3600 US dollars. The
    limits exclude options, and so do fewer cores than ranks on a node. The break-even price ratio compares the node-hours of the
    cheapest node and of the fastest option: up to this ratio of prices, the fastest costs less a run. `drawn` are the
    times under draws of all that is uncertain, from which the certainty follows. A prediction without a price is a
    UsageError that names its fabric.
    """
    _check_limit(limits.deadline, "deadline", SECONDS)
    _check_limit(limits.budget, "budget", BUDGET_USD)
    sets = [predictions] if isinstance(predictions, PredictionSet) else list(predictions)
    options = _options(sets, prices, limits)
    # If all nodes are free, networks differ in time only.
    goal = limits.minimised if any(option.cost_usd for option in options) else "time"
    measure = _measure(goal)
    chosen = choose([option for option in options if option.feasible], goal, measure)
    ranked = _ranked(options, chosen, goal)
    place = None if chosen is None else options.index(chosen)
    if drawn is not None and drawn.draws:
        ranked = over_draws(ranked, drawn, place, goal, limits, choose)
    close = [] if drawn is None else too_close(ranked, drawn, place, goal)
    why = reason(options, chosen, goal, limits)
    if close:
        names = ", ".join(name_of(option, options) for option in close)
        word = "cost" if goal == "cost" else "take"
        why = f"too close to call: {names} may {word} over {units.percent(CLOSE)} less than the best estimate, by which {why}"
    return Advice(
        workload=sets[0].workload,
        ranks=chosen.ranks if chosen is not None else sets[0].ranks,
        nodes=chosen.nodes if chosen is not None else sets[0].nodes,
        choice=chosen.fabric if chosen is not None and not close else None,
        too_close=list(
            dict.fromkeys(option.fabric for option in (*([chosen] if chosen and close else []), *close))
        ),
        reason=why,
        options=ranked,
        breakeven_price_ratio=_breakeven(options),
        goal=goal,
        deadline_seconds=limits.deadline,
        budget_usd=limits.budget,
        warnings=list(
            dict.fromkeys([*_other_regions(sets), *(warning for each in sets for warning in each.warnings)])
        ),
        rates=sets[0].calibration.rates,
        between_machines=sets[0].calibration.between_machines,
        collectives=sets[0].collectives,
        region=sets[0].region,
        choice_option=place,
        draws=0 if drawn is None else drawn.draws,
        uncertainty="" if drawn is None else sentence(ranked, place, goal, drawn),
    )


def _other_regions(sets: Sequence[PredictionSet]) -> list[str]:
    """Return a sentence if some times are of a part of the run and others of all of it."""
    ranks = {
        region: ", ".join(str(each.ranks) for each in sets if each.region == region)
        for region in ("marked", "whole")
    }
    if not all(ranks.values()):
        return []
    return [
        f"the times on {ranks['marked']} ranks are of the part that the program marks, and those on {ranks['whole']} ranks of "
        "the whole run: do not compare them; give traces that all contain the marks, or none"
    ]


def cost_usd(seconds: float, nodes: int, usd_per_node_hour: float) -> float:
    """Return the cost of one run in US dollars."""
    return seconds * nodes * usd_per_node_hour / SECONDS_PER_HOUR


def choose(
    options: Sequence[AdviceOption], goal: Goal, measure: Callable[[AdviceOption], float]
) -> AdviceOption | None:
    """Return the option with the least measure. Equal costs go to the cheapest node, equal times to the cheapest run."""
    if not options:
        return None
    limit = min(map(measure, options)) * (1 + TIE_TOLERANCE)
    tied = [option for option in options if measure(option) <= limit]
    return min(tied, key=by_node) if goal == "cost" else min(tied, key=by_run)


def _check_limit(value: float | None, what: str, allowed: NumberRange) -> None:
    if value is not None and value not in allowed:
        raise UsageError(f"the {what} is {value}; give {allowed}")


def _options(sets: Sequence[PredictionSet], prices: Prices, limits: Limits) -> list[AdviceOption]:
    if not any(each.predictions for each in sets):
        raise UsageError("there is no prediction to choose from; name fabrics with `on`")
    predicted = [(each, prediction) for each in sets for prediction in each.predictions]
    if unpriced := sorted({prediction.fabric for _, prediction in predicted} - set(prices)):
        raise UsageError(
            f"no price for fabric {', '.join(unpriced)}; give the US dollars of a node hour with `price` {unpriced[0]}=0.78"
        )
    kinds = [(prediction.fabric, each.nodes) for each, prediction in predicted]
    if twice := sorted({fabric for fabric, nodes in kinds if kinds.count((fabric, nodes)) > 1}):
        raise UsageError(f"fabric {', '.join(twice)} is predicted more than once; give each fabric once")
    options = []
    for each, prediction in predicted:
        seconds = prediction.seconds
        if not (math.isfinite(seconds) and seconds > 0):
            raise UsageError(
                f"the predicted time on {prediction.fabric} is {seconds} s; a positive time is needed"
            )
        given = prices[prediction.fabric]
        for price in [given] if isinstance(given, Price) else given:
            options.append(_option(each, prediction.fabric, seconds, price, limits))
    usable = [option for option in options if option.has_room]
    return [
        msgspec.structs.replace(option, pareto=option.has_room and not _dominated(option, usable))
        for option in options
    ]


def _option(
    predicted: PredictionSet, fabric: str, seconds: float, price: Price, limits: Limits
) -> AdviceOption:
    ranks_on_a_node = predicted.ppn or -(-predicted.ranks // predicted.nodes)
    dollars = price.usd_per_node_hour
    if price.usd_per_core_hour is not None and price.cores is None:
        # The mean of the nodes, since ranks that do not divide evenly leave some nodes fewer cores to pay.
        dollars = price.usd_per_core_hour * predicted.ranks / predicted.nodes
    cost = cost_usd(seconds, predicted.nodes, dollars)
    why_not = limits.broken_by(seconds, cost)
    if price.cores is not None and ranks_on_a_node > price.cores:
        why_not.append("cores")
    return AdviceOption(
        fabric=fabric,
        seconds=seconds,
        cost_usd=cost,
        price_usd_per_node_hour=dollars,
        price_name=", ".join(part for part in (price.name, price.region) if part),
        feasible=not why_not,
        nodes=predicted.nodes,
        ranks=predicted.ranks,
        market=price.market,
        price_date=price.date,
        cores=price.cores,
        why_not=why_not,
    )


def _dominated(option: AdviceOption, options: Sequence[AdviceOption]) -> bool:
    """Return whether another option is at least as good in time and cost, and better in one of them by more than a tie."""
    tie = 1 + TIE_TOLERANCE
    return any(
        other.seconds <= option.seconds * tie
        and other.cost_usd <= option.cost_usd * tie
        and (other.seconds * tie < option.seconds or other.cost_usd * tie < option.cost_usd)
        for other in options
    )


def _ranked(options: Sequence[AdviceOption], chosen: AdviceOption | None, goal: Goal) -> list[AdviceOption]:
    """Return the options in their order, each with its rank and its break-even price."""
    measure = _measure(goal)
    order = sorted(
        options,
        key=lambda option: (not option.feasible, option is not chosen, measure(option), *by_node(option)),
    )
    rank_of = {id(option): rank for rank, option in enumerate(order, 1)}
    return [
        msgspec.structs.replace(
            option, rank=rank_of[id(option)], breakeven_usd_per_node_hour=_breakeven_price(option, options)
        )
        for option in options
    ]


def _breakeven_price(option: AdviceOption, options: Sequence[AdviceOption]) -> float | None:
    """Return the price of an option's node at which its run costs as much as the cheapest other option's."""
    others = [other.cost_usd for other in options if other is not option and other.has_room]
    if not others:
        return None
    return min(others) * SECONDS_PER_HOUR / (option.seconds * option.nodes)


def _measure(goal: Goal) -> Callable[[AdviceOption], float]:
    return (lambda option: option.cost_usd) if goal == "cost" else (lambda option: option.seconds)


def _breakeven(options: Sequence[AdviceOption]) -> float | None:
    options = [option for option in options if option.has_room]
    if len(options) < 2:
        return None
    fastest = fastest_of(options)
    least_price = min(option.price_usd_per_node_hour for option in options)
    # By the core-hour, one node type has several prices.
    cheapest_types = {_type(option) for option in options if option.price_usd_per_node_hour == least_price}
    if _type(fastest) in cheapest_types:
        return 1.0
    # A run on the fastest option must cost less than on any number of the cheapest nodes.
    cheapest = min(
        (option for option in options if _type(option) in cheapest_types),
        key=lambda option: (option.cost_usd, option.seconds * option.nodes),
    )
    return cheapest.seconds * cheapest.nodes / (fastest.seconds * fastest.nodes)


def _type(option: AdviceOption) -> tuple[str, str]:
    return option.fabric, option.price_name
