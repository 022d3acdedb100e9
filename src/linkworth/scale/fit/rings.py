"""Directions round rings of two ranks, in which the next rank is also the one before.

A program that exchanges along several dimensions does so in the same way along each. So the dimensions that are longer in
some recording show the directions of the others.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from linkworth.scale.fit.columns import PlacedCall
from linkworth.scale.fit.partners import Partner
from linkworth.scale.fit.rules import Each
from linkworth.scale.recording import Numbers


class Move(NamedTuple):
    """A peer next to the rank along one dimension."""

    leaf: int
    name: str
    item: int
    """Place in a list of peers, or -1."""
    call_class: str
    dimension: int
    constant: int


def directed(
    columns: Sequence[PlacedCall], column_of_leaf: Numbers, longest: Sequence[int]
) -> tuple[list[PlacedCall], Numbers]:
    """Return the columns, and that of each leaf, with directions along each dimension.

    `longest`: by dimension, its longest extent in the recordings.
    """
    along: defaultdict[int, list[Move]] = defaultdict(list)
    for leaf, column in enumerate(column_of_leaf.tolist()):
        for move in _moves(leaf, columns[column]):
            along[move.dimension].append(move)
    turned: defaultdict[int, dict[tuple[str, int], int]] = defaultdict(dict)
    for dimension in (each for each in along if longest[each] == 2):
        donors = sorted(along, key=lambda each: abs(each - dimension))
        like = next(
            (each for each in donors if longest[each] > 2 and _alike(along[each], along[dimension])), None
        )
        for own, shown in zip(along[dimension], along[like], strict=True) if like is not None else ():
            turned[own.leaf][own.name, own.item] = shown.constant
    found = list(columns)
    known: dict[Any, int] = {}
    places = column_of_leaf.copy()
    for leaf, constants in turned.items():
        column = int(column_of_leaf[leaf])
        key = column, tuple(constants.items())
        if key not in known:
            known[key] = len(found)
            found.append(_turned(columns[column], constants))
        places[leaf] = known[key]
    used, places = np.unique(places, return_inverse=True)
    return [found[each] for each in used.tolist()], places


def _moves(leaf: int, column: PlacedCall) -> Iterator[Move]:
    for name, rule in column.rules.items():
        for item, each in enumerate(rule.items) if isinstance(rule, Each) else [(-1, rule)]:
            dimension = each.across() if isinstance(each, Partner) else None
            if isinstance(each, Partner) and dimension is not None:
                term = each.peer.terms[dimension]
                if term.kind == "ring" and abs(term.constant) == 1 and not term.skews:
                    yield Move(leaf, name, item, column.call_class, dimension, term.constant)


def _alike(one: Sequence[Move], other: Sequence[Move]) -> bool:
    return [(each.call_class, each.name) for each in one] == [(each.call_class, each.name) for each in other]


def _turned(column: PlacedCall, constants: dict[tuple[str, int], int]) -> PlacedCall:
    rules = dict(column.rules)
    for (name, item), constant in constants.items():
        rule = rules[name]
        if isinstance(rule, Each):
            items = list(rule.items)
            items[item] = _with(items[item], constant)
            rules[name] = Each(tuple(items))
        else:
            rules[name] = _with(rule, constant)
    return column._replace(rules=rules)


def _with(rule: Any, constant: int) -> Partner:  # noqa: ANN401 (the rule of a peer, of which there are many kinds)
    assert isinstance(rule, Partner)
    dimension = rule.across()
    terms = [
        term._replace(constant=constant) if at == dimension else term
        for at, term in enumerate(rule.peer.terms)
    ]
    return rule._replace(peer=rule.peer._replace(terms=tuple(terms)))
