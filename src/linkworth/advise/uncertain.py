"""Certainty of a choice: the options under the same draws of the prediction's uncertain parameters."""

import math
from collections.abc import Callable, Sequence

import msgspec

from linkworth import units
from linkworth.advise.reason import name_of
from linkworth.model.advice import AdviceOption, Goal, Limits, OptionDraws, Range
from linkworth.predict.drawn import ASSUMED_SPREAD
from linkworth.predict.uncertainty import CONFIDENCE, quantile


class Drawn(msgspec.Struct, frozen=True, kw_only=True):
    """Times of all options under the same draws."""

    seconds: dict[tuple[str, int], list[float]]
    """Seconds of each draw, by fabric and number of nodes."""
    draws: int
    assumed: list[str]
    """Fabrics that leave the spread of a parameter open, for which the assumed one stands."""


TIE_TOLERANCE = 1e-3
"""Relative difference of costs (or times) up to which two options tie."""
CLOSE = 0.02
"""Relative saving up to which another option does not put the choice in doubt."""

Choose = Callable[[Sequence[AdviceOption], Goal, Callable[[AdviceOption], float]], AdviceOption | None]


def over_draws(
    options: Sequence[AdviceOption],
    drawn: Drawn,
    choice: int | None,
    goal: Goal,
    limits: Limits,
    choose: Choose,
) -> list[AdviceOption]:
    """Return the options with the results of the draws; `choice` is the index of the chosen one."""
    seconds = [drawn.seconds[option.fabric, option.nodes] for option in options]
    # Price and nodes are the same in all draws, so the cost is proportional to the time.
    costs = [
        [option.cost_usd * time / option.seconds for time in times]
        for option, times in zip(options, seconds, strict=True)
    ]
    measures = costs if goal == "cost" else seconds
    within = [
        [
            option.has_room and not limits.broken_by(time, cost)
            for time, cost in zip(times, spent, strict=True)
        ]
        for option, times, spent in zip(options, seconds, costs, strict=True)
    ]

    def winner(places: Sequence[int], draw: int) -> int | None:
        """Return which of some options is the best in a draw."""
        measure_of = {id(options[place]): measures[place][draw] for place in places}
        chosen = choose([options[place] for place in places], goal, lambda option: measure_of[id(option)])
        return next((place for place in places if options[place] is chosen), None)

    every = range(drawn.draws)
    best = [winner([place for place in range(len(options)) if within[place][draw]], draw) for draw in every]
    return [
        msgspec.structs.replace(
            option,
            draws=OptionDraws(
                best=best.count(place),
                within_limits=sum(within[place]),
                choice_is_better=0
                if choice is None
                else sum(winner([choice, place], draw) == choice for draw in every),
                seconds=_range(seconds[place], option.seconds),
                cost_usd=_range(costs[place], option.cost_usd),
                breakeven_usd_per_node_hour=_breakeven(place, options, seconds, costs),
            ),
        )
        for place, option in enumerate(options)
    ]


def too_close(
    options: Sequence[AdviceOption], drawn: Drawn, choice: int | None, goal: Goal
) -> list[AdviceOption]:
    """Return the feasible options that may be over 2 % better by the goal than the choice, within the 90 % interval.

    They are in the order of their ranks.
    """
    if choice is None:
        return []
    seconds = [drawn.seconds[option.fabric, option.nodes] for option in options]
    rates = [option.cost_usd / option.seconds if goal == "cost" else 1.0 for option in options]
    found = []
    for place, option in enumerate(options):
        if place == choice or not option.feasible or _runs_alike(option, options[choice]):
            continue
        if least_ratio(seconds[place], seconds[choice]) * rates[place] < (1 - CLOSE) * rates[choice]:
            found.append(option)
    return sorted(found, key=lambda option: option.rank)


def least_ratio(first: Sequence[float], second: Sequence[float]) -> float:
    """Return the low end of the 90 % interval of the first times over the second, draw by draw."""
    ratios = sorted(one / other for one, other in zip(first, second, strict=True))
    return quantile(ratios, (1 - CONFIDENCE) / 2)


def sentence(options: Sequence[AdviceOption], choice: int | None, goal: Goal, drawn: Drawn) -> str:
    """Return a sentence on the certainty and on what was drawn."""
    count = drawn.draws
    parts = []
    if choice is not None:
        chosen = options[choice].draws
        assert chosen is not None
        others = [
            (option.draws.choice_is_better, _runs_alike(option, options[choice]), option.rank, place)
            for place, option in enumerate(options)
            if place != choice and option.feasible and option.draws is not None
        ]
        if others:
            wins, _, _, place = min(others)
            mine, other = name_of(options[choice], options), name_of(options[place], options)
            if tied(chosen, options[place].draws, goal):
                word = "costs as much as" if goal == "cost" else "takes as long as"
                parts.append(f"{mine} {word} {other}, the nearest, in all {count} draws")
            else:
                word = "cheaper" if goal == "cost" else "faster"
                parts.append(
                    f"{mine} is {word} than {other}, the nearest, in {wins} of {count} draws, and the best of all in "
                    f"{chosen.best}"
                )
        if chosen.within_limits < count:
            parts.append(f"it is within the limits in {chosen.within_limits} of {count} draws")
    else:
        most = max(option.draws.within_limits for option in options if option.draws is not None)
        parts.append(f"an option is within the limits in {most} of {count} draws at most")
    if drawn.assumed:
        spread = ASSUMED_SPREAD
        parts.append(
            f"the spread of {', '.join(drawn.assumed)} is assumed where none is given: {units.percent(spread.latency)} of "
            f"latency, bandwidth and overhead, {units.percent(spread.computation)} of computation"
        )
    return "; ".join(parts)


def tied(one: OptionDraws | None, other: OptionDraws | None, goal: Goal) -> bool:
    """Return whether two options tie over the draws, as networks do for a program that hardly communicates."""
    if one is None or other is None:
        return False
    mine, theirs = (each.cost_usd if goal == "cost" else each.seconds for each in (one, other))
    ends = ((mine.low, theirs.low), (mine.high, theirs.high))
    return all(math.isclose(*pair, rel_tol=TIE_TOLERANCE) for pair in ends)


def _runs_alike(one: AdviceOption, other: AdviceOption) -> bool:
    """Return whether only the prices differ, so that no draw can change which is better."""
    return (one.fabric, one.nodes) == (other.fabric, other.nodes)


def _range(values: Sequence[float], figure: float | None = None) -> Range:
    """Return the central part of the values, widened to contain its figure."""
    ordered = sorted(values)
    low, high = (quantile(ordered, (1 + sign * CONFIDENCE) / 2) for sign in (-1, 1))
    return (
        Range(low=low, high=high) if figure is None else Range(low=min(low, figure), high=max(high, figure))
    )


def _breakeven(
    place: int,
    options: Sequence[AdviceOption],
    seconds: Sequence[Sequence[float]],
    costs: Sequence[Sequence[float]],
) -> Range | None:
    others = [costs[other] for other, option in enumerate(options) if other != place and option.has_room]
    if not others:
        return None
    return _range(
        [
            min(spent[draw] for spent in others) * 3600.0 / (time * options[place].nodes)
            for draw, time in enumerate(seconds[place])
        ],
        options[place].breakeven_usd_per_node_hour,
    )
