"""Directions round rings of two ranks, in which the next rank is also the one before.

A program that exchanges along several dimensions does so in the same way along each. So the dimensions that are longer in
some recording show the directions of the others.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from linkworth.scale.fit.columns import PlacedCall
from linkworth.scale.fit.partners import Partner
from linkworth.scale.fit.peers import Term
from linkworth.scale.fit.rules import Each
from linkworth.scale.recording import Numbers

_Place = tuple[str, int, int]
"""Field, place in its list of peers or -1, and dimension."""


class Move(NamedTuple):
    """A peer next to the rank along one dimension or more."""

    leaf: int
    name: str
    item: int
    """Place in a list of peers, or -1."""
    call_class: str
    terms: Sequence[Term]
    """By dimension along which it is elsewhere."""


def directed(
    columns: Sequence[PlacedCall], column_of_leaf: Numbers, longest: Sequence[int]
) -> tuple[list[PlacedCall], Numbers]:
    """Return the columns, and that of each leaf, with directions along each dimension.

    `longest`: by dimension, its longest extent in the recordings.
    """
    along: defaultdict[tuple[int, ...], list[Move]] = defaultdict(list)
    for leaf, column in enumerate(column_of_leaf.tolist()):
        for dimensions, move in _moves(leaf, columns[column]):
            along[dimensions].append(move)
    turned: defaultdict[int, dict[_Place, int]] = defaultdict(dict)
    for dimensions, moves in along.items():
        for place, dimension in enumerate(dimensions):
            like = _donor(along, dimensions, place, longest) if longest[dimension] == 2 else None
            for own, shown in zip(moves, like, strict=True) if like is not None else ():
                if own.terms[place].kind == "ring":
                    turned[own.leaf][own.name, own.item, dimension] = shown.terms[place].constant
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


def _moves(leaf: int, column: PlacedCall) -> Iterator[tuple[tuple[int, ...], Move]]:
    """Yield the peers of a call next to the rank, and the dimensions along which they are elsewhere."""
    for name, rule in column.rules.items():
        for item, each in enumerate(rule.items) if isinstance(rule, Each) else [(-1, rule)]:
            dimensions = tuple(each.moved()) if isinstance(each, Partner) else ()
            if isinstance(each, Partner) and dimensions:
                terms = [each.peer.terms[dimension] for dimension in dimensions]
                if all(_is_next(term) for term in terms):
                    yield dimensions, Move(leaf, name, item, column.call_class, terms)


def _is_next(term: Term) -> bool:
    return term.kind in ("ring", "shift") and abs(term.constant) == 1 and not term.skews


def _donor(
    along: Mapping[tuple[int, ...], Sequence[Move]],
    dimensions: tuple[int, ...],
    place: int,
    longest: Sequence[int],
) -> Sequence[Move] | None:
    """Return the peers along as many dimensions that show the directions along one of these. Rings show it rather than lines."""
    donors = sorted(
        (each for each in along if len(each) == len(dimensions) and longest[each[place]] > 2),
        key=lambda each: (
            any(move.terms[place].kind != "ring" for move in along[each]),
            abs(each[place] - dimensions[place]),
        ),
    )
    return next((along[each] for each in donors if _alike(along[each], along[dimensions])), None)


def _alike(one: Sequence[Move], other: Sequence[Move]) -> bool:
    return [(each.call_class, each.name) for each in one] == [(each.call_class, each.name) for each in other]


def _turned(column: PlacedCall, constants: Mapping[_Place, int]) -> PlacedCall:
    rules = dict(column.rules)
    for (name, item, dimension), constant in constants.items():
        rule = rules[name]
        if isinstance(rule, Each):
            items = list(rule.items)
            items[item] = _with(items[item], dimension, constant)
            rules[name] = Each(tuple(items))
        else:
            rules[name] = _with(rule, dimension, constant)
    return column._replace(rules=rules)


def _with(rule: Any, dimension: int, constant: int) -> Partner:  # noqa: ANN401 (the rule of a peer, of which there are many kinds)
    assert isinstance(rule, Partner)
    terms = [
        term._replace(constant=constant) if at == dimension else term
        for at, term in enumerate(rule.peer.terms)
    ]
    return rule._replace(peer=rule.peer._replace(terms=tuple(terms)))
