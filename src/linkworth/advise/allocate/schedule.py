"""Schedule from an order: each run as early as the nodes allow (serial schedule generation)."""

import bisect
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from linkworth.advise.allocate.options import AllocationOption


class Run(NamedTuple):
    """One run with its start."""

    option: AllocationOption
    start: float

    @property
    def end(self) -> float:
        """Seconds from the start of the queue."""
        return self.start + self.option.seconds


class Use:
    """Number of busy nodes of a kind: `busy[i]` from `times[i]` to the next time."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.times = [0.0]
        self.busy = [0]

    def earliest(self, nodes: int, seconds: float) -> float:
        """Return the first time from which `nodes` nodes are free for `seconds`."""
        start, place = 0.0, 0
        while place < len(self.times) and self.times[place] < start + seconds:
            if self.busy[place] + nodes > self.count:
                start = self.times[place + 1]
            place += 1
        return start

    def take(self, nodes: int, start: float, end: float) -> None:
        """Make `nodes` more nodes busy from `start` to `end`."""
        first, last = self._split(start), self._split(end)
        for place in range(first, last):
            self.busy[place] += nodes

    def _split(self, time: float) -> int:
        place = bisect.bisect_left(self.times, time)
        if place == len(self.times) or self.times[place] != time:
            self.times.insert(place, time)
            self.busy.insert(place, self.busy[place - 1])
        return place


def scheduled(order: Iterable[AllocationOption], counts: Sequence[int]) -> list[Run]:
    """Start the runs one after another in `order`, each at the first moment from which enough nodes of its kind stay free.

    `counts` are the nodes of each kind. If `order` is by the starts of some feasible schedule, no run starts later
    here than there. The runs placed before it have only moved to the left, so there is still room at its old start.
    """
    uses = [Use(count) for count in counts]
    runs = []
    for option in order:
        use = uses[option.kind]
        start = use.earliest(option.nodes, option.seconds)
        use.take(option.nodes, start, start + option.seconds)
        runs.append(Run(option, start))
    return sorted(runs, key=lambda run: (run.start, run.option.program, run.option.kind, run.option.nodes))


def nodes_of(runs: Sequence[Run], counts: Sequence[int]) -> list[list[int]]:
    """Return the node numbers of each run of a schedule, in the order of its starts.

    In that order a node that is free at a run's start stays free for it, so the first free nodes suffice.
    """
    free_from = [[0.0] * count for count in counts]
    found = []
    for run in runs:
        free = [node for node, time in enumerate(free_from[run.option.kind]) if time <= run.start]
        taken = free[: run.option.nodes]
        for node in taken:
            free_from[run.option.kind][node] = run.end
        found.append(taken)
    return found


def makespan(runs: Iterable[Run]) -> float:
    """Return the end of the last run; 0 without any."""
    return max((run.end for run in runs), default=0.0)


def cost(runs: Iterable[Run]) -> float:
    """Return the cost of all runs."""
    return sum(run.option.cost_usd for run in runs)
