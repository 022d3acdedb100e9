"""The integer program of a queue: time in slots, a variable for the runs of an option that start in a slot.

With times rounded **up** to slots, a solution is a schedule of the real times. With times and starts rounded **down**
it is a relaxation. Cut the start and the end of every run of a real schedule to slots: the run ends in slot
floor(end), so it takes at least floor(seconds / slot) slots from slot floor(start) on. Runs that share slot t both
run at the end of t in the real schedule, so the nodes suffice in each slot. A queue that is infeasible rounded down
is infeasible, and its optimum is a bound.
"""

import math
from collections import Counter
from collections.abc import Sequence
from typing import Literal, NamedTuple

import msgspec

from linkworth.advise.allocate.highs import LinearRow, Solved, minimise
from linkworth.advise.allocate.options import AllocationOption
from linkworth.model.allocation import AllocationGoal

_NEARLY = 1e-9
"""A time this close to a whole number of slots is one."""


class Problem(msgspec.Struct, frozen=True, kw_only=True):
    """Runs to place, and their limits."""

    options: list[AllocationOption]
    runs: list[int]
    """Number of runs of each program."""
    counts: list[int]
    """Nodes of each kind."""
    deadlines: list[float | None]
    """Deadline of each program."""
    budget: float | None = None

    def by_program(self) -> list[list[AllocationOption]]:
        """Return the options of each program."""
        return [
            [option for option in self.options if option.program == program]
            for program in range(len(self.runs))
        ]


class Slots(NamedTuple):
    """Division of time into slots."""

    seconds: float
    number: int
    """Every run ends within so many slots."""
    rounding: Literal["up", "down"] = "up"

    def of(self, seconds: float) -> int:
        """Return a duration in slots."""
        exact = seconds / self.seconds
        return math.ceil(exact - _NEARLY) if self.rounding == "up" else math.floor(exact + _NEARLY)

    def until(self, deadline: float | None) -> int:
        """Return the slots before a deadline."""
        if deadline is None:
            return self.number
        return min(self.number, math.floor(deadline / self.seconds + _NEARLY))


class SlotSolution(NamedTuple):
    """A solution in slots."""

    solved: Solved
    order: list[AllocationOption]
    """One entry for each run, by start."""


def solve(problem: Problem, slots: Slots, goal: AllocationGoal, seconds: float) -> SlotSolution:
    """Find the least cost (US dollars) or the least makespan (slots) under all limits, for at most so many `seconds`."""
    starts: list[tuple[AllocationOption, int]] = []
    for option in problem.options:
        last = slots.until(problem.deadlines[option.program]) - slots.of(option.seconds)
        starts += [(option, slot) for slot in range(last + 1)]
    wanted = {program: runs for program, runs in enumerate(problem.runs) if runs}
    missing = wanted.keys() - {option.program for option, _ in starts}
    if missing:
        return SlotSolution(Solved("infeasible", [], math.inf), [])
    costs = [option.cost_usd if goal == "cost" else 0.0 for option, _ in starts]
    uppers = [problem.runs[option.program] for option, _ in starts]
    rows = [
        LinearRow(
            [(column, 1.0) for column, (option, _) in enumerate(starts) if option.program == program],
            runs,
            runs,
        )
        for program, runs in wanted.items()
    ]
    # Variable `first_used + t`: some node is busy in slot t or later.
    first_used = len(starts)
    if goal == "makespan":
        costs += [1.0] * slots.number
        uppers += [1] * slots.number
        rows += [
            LinearRow([(first_used + slot, 1.0), (first_used + slot + 1, -1.0)], 0.0, math.inf)
            for slot in range(slots.number - 1)
        ]
    rows += _capacity(problem, slots, starts, first_used if goal == "makespan" else None)
    if problem.budget is not None:
        rows.append(
            LinearRow(
                [(column, option.cost_usd) for column, (option, _) in enumerate(starts)],
                -math.inf,
                problem.budget * (1 + _NEARLY),
            )
        )
    solved = minimise(costs, uppers, rows, time_limit=seconds)
    chosen = Counter(
        {column: count for column, count in enumerate(solved.values[: len(starts)]) if count > 0}
    )
    in_time = sorted(chosen.elements(), key=lambda column: starts[column][1])
    return SlotSolution(solved, [starts[column][0] for column in in_time])


def _capacity(
    problem: Problem, slots: Slots, starts: Sequence[tuple[AllocationOption, int]], first_used: int | None
) -> list[LinearRow]:
    """Return a row for each kind and slot: the running runs use at most as many nodes as there are."""
    terms: dict[tuple[int, int], list[tuple[int, float]]] = {}
    for column, (option, start) in enumerate(starts):
        for slot in range(start, start + slots.of(option.seconds)):
            terms.setdefault((option.kind, slot), []).append((column, float(option.nodes)))
    rows = []
    for (kind, slot), busy in terms.items():
        count = float(problem.counts[kind])
        if first_used is None:
            rows.append(LinearRow(busy, -math.inf, count))
        else:
            rows.append(LinearRow([*busy, (first_used + slot, -count)], -math.inf, 0.0))
    return rows
