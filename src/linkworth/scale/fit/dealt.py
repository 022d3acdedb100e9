"""Sizes of what is left of a row of blocks, step by step, if blocks are dealt to ranks in turn."""

from itertools import product
from typing import NamedTuple

import numpy as np

from linkworth.scale.fit.peers import Iterations
from linkworth.scale.fit.rules import Ranks
from linkworth.scale.grids import Position
from linkworth.scale.recording import Numbers


def left_of(first: Numbers, items: Numbers, x: Numbers, n: Numbers) -> Numbers:
    """Return how many of the items from `first` on rank x of n has, to which every n-th is dealt."""
    found: Numbers = np.maximum((items - 1 - x) // n - (first - 1 - x) // n, 0)
    return found


REPEATS = (1, 2, 3)
"""Loops one after the other that may have become one."""


def repeated(steps: Iterations, repeats: int) -> Iterations:
    """Return the iterations of so many loops that became one, each from its start."""
    total = np.maximum(steps.total // repeats, 1)
    return Iterations(steps.number % total, total)


class Dealt(NamedTuple):
    """A size that follows the number of items that a rank has left in a step."""

    dimension: int
    ahead: int
    """Items that are done in the step."""
    more: int
    """Items beyond the number of steps."""
    unit: int
    """Size of an item."""
    last: int
    """Difference of the last item's size from a unit."""
    rest: int
    """Size without any items."""
    repeats: int
    """Loops that became one."""

    def terms(self, at: Position, steps: Iterations) -> tuple[Numbers, Numbers]:
        """Return the items left, and whether the last one of all is among them."""
        x, n = at.coordinates[self.dimension], at.extents[self.dimension]
        steps = repeated(steps, self.repeats)
        first, items = steps.number + self.ahead, steps.total + self.more
        return left_of(first, items, x, n), left_of(np.maximum(first, items - 1), items, x, n)

    def values(self, ranks: Ranks) -> list[int]:
        """Return it for each rank."""
        items, last = self.terms(ranks.at, ranks.steps)
        found: list[int] = (self.unit * items + self.last * last + self.rest).tolist()
        return found


def fit_dealt(at: Position, steps: Iterations, values: Numbers) -> Dealt | None:
    """Return the rule of sizes in the steps of a loop, if they follow the items left along one dimension."""
    if not (steps.total > 1).any() or len(np.unique(at.sizes)) < 2:
        return None
    for repeats in REPEATS:
        if (steps.total % repeats).any():
            continue
        for dimension, ahead, more in product(range(len(at.extents)), (0, 1, 2), (0, 1, -1)):
            rule = Dealt(dimension, ahead, more, 0, 0, 0, repeats)
            items, last = rule.terms(at, steps)
            if not np.ptp(items):
                continue
            low, high = int(np.argmin(items)), int(np.argmax(items))
            unit = int(values[high] - values[low]) // int(items[high] - items[low])
            rest = int(values[low]) - unit * int(items[low])
            if unit and np.array_equal(unit * items + rest, values):
                return rule._replace(unit=unit, rest=rest)
            if not np.ptp(last):
                continue
            table = np.stack([items, last, np.ones_like(items)], axis=1)
            unit, of_last, rest = np.round(np.linalg.lstsq(table, values, rcond=None)[0]).astype(int).tolist()
            if unit and np.array_equal(unit * items + of_last * last + rest, values):
                return rule._replace(unit=unit, last=of_last, rest=rest)
    return None
