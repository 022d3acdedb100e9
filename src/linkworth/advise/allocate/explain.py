"""Reasons why a queue has no schedule: the limits that cannot be kept."""

import math
from collections.abc import Callable
from itertools import pairwise

import msgspec

from linkworth import units
from linkworth.advise.allocate.options import AllocationOption
from linkworth.advise.allocate.program import Problem
from linkworth.advise.allocate.queue import Queue
from linkworth.advise.allocate.solve import Search, SolvedAllocation, best

MORE_NODES = (1, 2, 4, 8)


def missing_options(queue: Queue, options: list[AllocationOption]) -> str | None:
    """Return why a program cannot run at all, or None."""
    for index, program in enumerate(queue.programs):
        if all(option.program != index for option in options):
            kinds = ", ".join(
                f"{kind.name}: {kind.count} x {kind.cores or 'any number of'} cores" for kind in queue.nodes
            )
            asked = f" on {' or '.join(map(str, program.nodes))} nodes" if program.nodes else ""
            return (
                f"no kind of nodes can run {program.name}{asked} ({kinds}); give more nodes, or fewer ranks"
            )
    return None


def infeasible(queue: Queue, problem: Problem, search: Search) -> str:
    """Return which limits cannot be kept: drop each in turn, and try whether the rest can."""
    for index, deadline in enumerate(problem.deadlines):
        fastest = min(option.seconds for option in problem.options if option.program == index)
        if deadline is not None and fastest > deadline:
            return (
                f"the deadline of {queue.programs[index].name}, {units.plain(deadline)} s, is shorter than its fastest run, "
                f"{fastest:.4g} s"
            )

    def fits(changed: Problem) -> SolvedAllocation:
        return best(changed, "cost", search)

    if problem.budget is not None:
        rich = fits(msgspec.structs.replace(problem, budget=None))
        if rich.runs:
            least = sum(run.option.cost_usd for run in rich.runs)
            bound = min(least, rich.cost_bound)
            return (
                f"the budget of {units.plain(problem.budget)} US$ is too small: the least costly schedule that keeps the "
                f"deadlines costs {units.significant(least)} US$"
                + (
                    ""
                    if bound > least * (1 - 1e-6)
                    else f" (proved: at least {units.significant(bound)} US$)"
                )
            )
    relaxed = msgspec.structs.replace(problem, budget=None)
    binding = [
        queue.programs[index].name
        for index, deadline in enumerate(problem.deadlines)
        if deadline is not None
        and fits(
            msgspec.structs.replace(
                relaxed,
                deadlines=[None if place == index else each for place, each in enumerate(problem.deadlines)],
            )
        ).runs
    ]
    help_by_nodes = _more_nodes(queue, relaxed, fits)
    if binding:
        text = f"the deadline of {' or of '.join(binding)} cannot be kept with the nodes there are"
    else:
        text = "the deadlines cannot be kept together with the nodes there are, even without any one of them"
    return f"{text}; {help_by_nodes}" if help_by_nodes else text


def _more_nodes(queue: Queue, problem: Problem, fits: Callable[[Problem], SolvedAllocation]) -> str:
    def enough(place: int, more: int) -> bool:
        counts = [count + more * (number == place) for number, count in enumerate(problem.counts)]
        return bool(fits(msgspec.structs.replace(problem, counts=counts)).runs)

    found = []
    for place, kind in enumerate(queue.nodes):
        for before, most in pairwise((0, *MORE_NODES)):
            if enough(place, most):
                more = next(
                    number
                    for number in range(before + 1, most + 1)
                    if number == most or enough(place, number)
                )
                found.append((more, f"{more} more node{'s' if more > 1 else ''} of {kind.name}"))
                break
    least = min((more for more, _ in found), default=math.inf)
    texts = [text for more, text in found if more == least]
    return f"{' or '.join(texts)} would do" if texts else ""
