"""Sizes of messages across one dimension, if no recording shows how they grow with the other extents of the grid.

From 4 x 2 and 8 x 2 ranks, a message across the first dimension is equally large. It grows as those across the second do.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence

from linkworth.scale.fit.columns import SIZES, PlacedCall
from linkworth.scale.fit.numbers import Exchanged
from linkworth.scale.fit.rules import ByCount, Rule, Same
from linkworth.scale.points import Point

_ALIKE = 1e-9
"""Relative difference up to which values of a model differ by rounding only."""


def as_across_others(roles: Iterable[list[PlacedCall]], points: Sequence[Point]) -> None:
    """Let such sizes in the columns of roles grow as others of the kind of call do, unless one that is as large stays so."""
    roles = list(roles)
    alike = [len(set(extents)) == 1 for extents in zip(*(point.grid for point in points), strict=True)]
    if len(points) < 2 or alike.count(False) != 1:
        return
    hidden = alike.index(False)
    across: defaultdict[tuple[str, str], dict[int, list[Rule]]] = defaultdict(lambda: defaultdict(list))
    for column in (each for columns in roles for each in columns):
        for dimension, name, rule in _sizes(column):
            across[column.call_class, name][dimension].append(rule)
    for columns in roles:
        for number, column in enumerate(columns):
            for dimension, name, rule in _sizes(column):
                if dimension == hidden and isinstance(rule, Same) and rule.value > 0:
                    others = across[column.call_class, name]
                    found = _as_across(rule.value, hidden, others, points)
                    columns[number] = column = column._replace(rules=column.rules | {name: found or rule})


def _sizes(column: PlacedCall) -> list[tuple[int, str, Rule]]:
    """Return the sizes of a message across one dimension, with that dimension."""
    moved = set(column.moved())
    return [
        (min(moved), name, column.rules[name]) for name in SIZES if len(moved) == 1 and name in column.rules
    ]


def _as_across(
    value: int, hidden: int, across: dict[int, list[Rule]], points: Sequence[Point]
) -> Rule | None:
    for dimension, rules in across.items():
        if dimension == hidden or any(isinstance(rule, Same) and rule.value == value for rule in rules):
            continue
        grown = []
        for model in (rule.model for rule in rules if isinstance(rule, ByCount)):
            known = [model.at(point.exchanged(hidden, dimension)) for point in points]
            exact = min(known) > 0 and max(known) <= (1 + _ALIKE) * min(known)
            if exact and not isinstance(model, Exchanged) and not model.constant():
                grown.append(Exchanged(model, hidden, dimension, value / min(known), model.error))
        if grown:
            return ByCount(min(grown, key=lambda each: abs(math.log(each.factor))))
    return None
