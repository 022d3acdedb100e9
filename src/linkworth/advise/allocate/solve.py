"""Solver for queues: heuristics for a first schedule, integer programs for the best one and its bounds."""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import NamedTuple

import msgspec

from linkworth.advise.allocate.options import AllocationOption
from linkworth.advise.allocate.program import Problem, Slots, solve
from linkworth.advise.allocate.schedule import Run, Use, cost, makespan, scheduled
from linkworth.model.allocation import AllocationGoal, State

SLOTS = 120
TIME_LIMIT_SECONDS = 20.0
_NEARLY = 1e-9


class Search(NamedTuple):
    """Effort of the search for a schedule."""

    slots: int = SLOTS
    """Slots into which the time is divided."""
    time_limit: float = TIME_LIMIT_SECONDS
    """Seconds for each integer program."""


DEFAULT = Search()


class SolvedAllocation(msgspec.Struct, frozen=True, kw_only=True):
    """A schedule, and how good it is proved to be."""

    state: State
    runs: list[Run]
    """Runs of the schedule; empty without one."""
    cost_bound: float
    makespan_bound: float
    slot_seconds: float


def best(problem: Problem, goal: AllocationGoal, search: Search = DEFAULT) -> SolvedAllocation:
    """Return the schedule of least cost, then of least makespan; or of least makespan within the budget.

    The schedule always keeps all limits with the real times; the bounds hold for every schedule, whatever its starts.
    """
    cheapest = _cheapest(problem, search)
    if not cheapest.runs:
        return cheapest
    if goal == "cost":
        within = msgspec.structs.replace(problem, budget=cost(cheapest.runs))
        shorter = _shortest(within, cheapest.runs, search)
        return msgspec.structs.replace(
            shorter,
            state="optimal" if cheapest.state == "optimal" else "feasible",
            cost_bound=cheapest.cost_bound,
            slot_seconds=max(cheapest.slot_seconds, shorter.slot_seconds),
        )
    found = _shortest(problem, cheapest.runs, search)
    runs = found.runs
    if cost(runs) > cheapest.cost_bound * (1 + _NEARLY):
        runs = _cheaper(problem, runs, search)
    return msgspec.structs.replace(found, runs=runs, cost_bound=cheapest.cost_bound)


def _cheaper(problem: Problem, known: list[Run], search: Search) -> list[Run]:
    """Return a schedule that ends no later than a known one and costs less, or else the known one."""
    end = makespan(known)
    limits = [end if deadline is None else min(end, deadline) for deadline in problem.deadlines]
    ending = msgspec.structs.replace(problem, deadlines=limits)
    width = _width(problem, end, search.slots)
    slots = Slots(width, math.floor(end / width + _NEARLY))
    runs = scheduled(solve(ending, slots, "cost", search.time_limit).order, problem.counts)
    return runs if runs and keeps_limits(ending, runs) and cost(runs) < cost(known) else known


def _cheapest(problem: Problem, search: Search) -> SolvedAllocation:
    """Return a schedule of least cost.

    Programs without a deadline take their cheapest option whenever there is room: this costs least and delays nobody.
    Only the others share the nodes up to the last deadline.
    """
    cheapest_of = [
        min(options, key=lambda option: (option.cost_usd, option.seconds)) for options in problem.by_program()
    ]
    free = [program for program, deadline in enumerate(problem.deadlines) if deadline is None]
    floor = sum(runs * option.cost_usd for runs, option in zip(problem.runs, cheapest_of, strict=True))
    outcome = SolvedAllocation(
        state="infeasible", runs=[], cost_bound=floor, makespan_bound=0.0, slot_seconds=0.0
    )
    if _over(floor, problem.budget):
        return outcome
    candidates = [runs for runs in _heuristics(problem) if keeps_limits(problem, runs)]
    least = min(candidates, key=lambda runs: (cost(runs), makespan(runs)), default=[])
    if least and cost(least) <= floor * (1 + _NEARLY):
        return msgspec.structs.replace(outcome, state="optimal", runs=least)
    limits = [deadline for deadline in problem.deadlines if deadline is not None]
    hurried = _hurried(problem, free)
    width = _width(problem, max(limits), search.slots)
    number = math.floor(max(limits) / width + _NEARLY)
    free_cost = sum(problem.runs[program] * cheapest_of[program].cost_usd for program in free)
    for _ in range(3):
        found = solve(hurried, Slots(width, number), "cost", search.time_limit)
        bound = solve(hurried, Slots(width, number, "down"), "cost", search.time_limit).solved
        if bound.state == "infeasible":
            return msgspec.structs.replace(outcome, cost_bound=math.inf, slot_seconds=width)
        if found.order or least:
            break
        # A schedule exists with times rounded down but not up: use finer slots.
        width, number = width / 2, number * 2
    order = [*found.order]
    order += [cheapest_of[program] for program in free for _ in range(problem.runs[program])]
    if found.order:
        runs = scheduled(order, problem.counts)
        if keeps_limits(problem, runs) and (not least or cost(runs) < cost(least)):
            least = runs
    total = max(floor, free_cost + bound.bound)
    if _over(total, problem.budget):
        return msgspec.structs.replace(outcome, cost_bound=total, slot_seconds=width)
    if not least:
        return msgspec.structs.replace(outcome, state="undecided", cost_bound=total, slot_seconds=width)
    proved = cost(least) <= total * (1 + 1e-7) + 1e-12
    return msgspec.structs.replace(
        outcome,
        state="optimal" if proved else "feasible",
        runs=least,
        cost_bound=min(total, cost(least)),
        slot_seconds=width,
    )


def _shortest(problem: Problem, known: list[Run], search: Search) -> SolvedAllocation:
    """Return a schedule of least makespan within the budget; `known` is one within all limits."""
    candidates = [known, *(runs for runs in _heuristics(problem) if keeps_limits(problem, runs))]
    least = min(candidates, key=lambda runs: (makespan(runs), cost(runs)))
    horizon = makespan(least)
    width = _width(problem, horizon, search.slots)
    number = math.ceil(horizon / width - _NEARLY)
    found = solve(problem, Slots(width, number), "makespan", search.time_limit)
    if found.order:
        runs = scheduled(found.order, problem.counts)
        if keeps_limits(problem, runs) and (makespan(runs), cost(runs)) < (makespan(least), cost(least)):
            least = runs
    bound = solve(problem, Slots(width, number, "down"), "makespan", search.time_limit).solved
    in_slots = math.ceil(bound.bound - 1e-6) if math.isfinite(bound.bound) else 0
    lower = max(in_slots * width, *map(_least_seconds, problem.by_program()))
    proved = makespan(least) <= lower * (1 + 1e-7)
    return SolvedAllocation(
        state="optimal" if proved else "feasible",
        runs=least,
        cost_bound=0.0,
        makespan_bound=min(lower, makespan(least)),
        slot_seconds=width,
    )


def keeps_limits(problem: Problem, runs: Sequence[Run]) -> bool:
    """Return whether a schedule keeps all deadlines and the budget."""
    if _over(cost(runs), problem.budget):
        return False
    return all(
        (deadline := problem.deadlines[run.option.program]) is None or run.end <= deadline * (1 + _NEARLY)
        for run in runs
    )


def _over(spent: float, budget: float | None) -> bool:
    return budget is not None and spent > budget * (1 + _NEARLY)


def _heuristics(problem: Problem) -> list[list[Run]]:
    """Return schedules by simple rules: the cheapest, fastest or smallest option of each program, in several orders."""
    rules: list[Callable[[AllocationOption], tuple[float, float]]] = [
        lambda option: (option.cost_usd, option.seconds),
        lambda option: (option.seconds, option.cost_usd),
        lambda option: (option.seconds * option.nodes / problem.counts[option.kind], option.cost_usd),
    ]
    schedules = []
    for rule in rules:
        chosen = [min(options, key=rule) for options in problem.by_program()]
        orders: list[Callable[[AllocationOption], tuple[float, float]]] = [
            lambda option: (_deadline(problem, option.program), -option.seconds),
            lambda option: (-option.seconds * option.nodes, -option.seconds),
        ]
        for order in orders:
            ordered = sorted(chosen, key=order)
            schedules.append(
                scheduled(
                    [option for option in ordered for _ in range(problem.runs[option.program])],
                    problem.counts,
                )
            )
    schedules.append(_by_earliest_end(problem))
    return schedules


def _by_earliest_end(problem: Problem) -> list[Run]:
    """Return the schedule in which each run takes its earliest-ending option, most urgent and longest first."""
    choices_of = problem.by_program()
    programs = sorted(
        range(len(problem.runs)),
        key=lambda program: (_deadline(problem, program), -_least_seconds(choices_of[program])),
    )
    uses = [Use(count) for count in problem.counts]
    runs: list[Run] = []

    def start_of(option: AllocationOption) -> float:
        return uses[option.kind].earliest(option.nodes, option.seconds)

    for program in programs:
        for _ in range(problem.runs[program]):
            best_one = min(
                choices_of[program], key=lambda option: (start_of(option) + option.seconds, option.cost_usd)
            )
            start = start_of(best_one)
            uses[best_one.kind].take(best_one.nodes, start, start + best_one.seconds)
            runs.append(Run(best_one, start))
    return sorted(runs, key=lambda run: (run.start, run.option.program))


def _deadline(problem: Problem, program: int) -> float:
    deadline = problem.deadlines[program]
    return math.inf if deadline is None else deadline


def _least_seconds(options: Sequence[AllocationOption]) -> float:
    return min(option.seconds for option in options)


def _hurried(problem: Problem, free: Sequence[int]) -> Problem:
    """Return the problem without runs of the programs that have no deadline; the budget is checked on the whole."""
    return msgspec.structs.replace(
        problem,
        options=[option for option in problem.options if option.program not in free],
        runs=[0 if program in free else runs for program, runs in enumerate(problem.runs)],
        budget=None,
    )


def _width(problem: Problem, horizon: float, slots: int) -> float:
    """Return the width of a slot: the common measure of all times if coarse enough, else a share of the horizon."""
    times = [option.seconds for option in problem.options]
    times += [deadline for deadline in problem.deadlines if deadline is not None]
    exact = _common_measure(times)
    if exact is not None and horizon / exact <= slots:
        return exact
    return horizon / slots


def _common_measure(times: Sequence[float]) -> float | None:
    """Return the largest common measure of all times in milliseconds, or None if a time is no whole number of them."""
    common = 0
    for time in times:
        milliseconds = round(time * 1000)
        if milliseconds == 0 or abs(time * 1000 - milliseconds) > 1e-6:
            return None
        common = math.gcd(common, milliseconds)
    return float(Fraction(common, 1000))
