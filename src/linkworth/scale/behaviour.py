"""Behaviour of a program: its roles, and for each one a sequence of calls with rules."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from linkworth.scale.align.folding import Item
from linkworth.scale.align.ladders import ByBits
from linkworth.scale.fit.columns import PlacedCall
from linkworth.scale.fit.numbers import Model
from linkworth.scale.fit.rules import Appearing, Rule
from linkworth.scale.grids import GridRule, described
from linkworth.scale.points import Point
from linkworth.scale.recording import Numbers, Times

Key = tuple[int, ...]
SLOT_BITS = 31
SLOT_MASK = (1 << SLOT_BITS) - 1


class Events(NamedTuple):
    """One rank's events in the largest recording, slot by slot in order; at least one of each slot."""

    first: Numbers
    """By slot: where its events begin; and the number of all."""
    compute: Times
    durations: Times
    has_cpu: np.ndarray[tuple[int], np.dtype[np.bool_]]
    steps: Numbers
    """Steps of a loop with owners to which they belong, or 0."""


class InSteps(NamedTuple):
    """Computation in the largest recording before the events of a loop with owners, in the mean of ranks."""

    keys: Numbers
    """Slots and steps, in order."""
    compute: Times
    totals: Numbers
    """By leaf: the steps there are; 0: it is in no such loop."""

    @staticmethod
    def key(slot: Numbers, step: Numbers) -> Numbers:
        """Return the key of a slot in a step."""
        found: Numbers = (slot << SLOT_BITS) | step
        return found

    def before(self, slot: Numbers, step: Numbers) -> Times:
        """Return the computation before events of slots: in that step, or the nearest one of its slot; -1: in none."""
        key = self.key(slot, step)
        after = np.minimum(np.searchsorted(self.keys, key), len(self.keys) - 1)
        sides = np.stack([np.maximum(after - 1, 0), after])
        away = np.where(self.keys[sides] >> SLOT_BITS == slot, np.abs(self.keys[sides] - key), 1 << SLOT_BITS)
        nearest = np.argmin(away, axis=0), np.arange(len(slot))
        found: Times = np.where(away[nearest] < 1 << SLOT_BITS, self.compute[sides[nearest]], -1.0)
        return found


class Role(NamedTuple):
    """Ranks that call alike."""

    top: list[Item]
    column_of_leaf: Numbers
    like: Numbers
    """By leaf: one that the recordings have, with the same computation."""
    columns: list[PlacedCall]
    counts: list[Rule]
    """By loop: how often it runs."""
    slots: Numbers
    """Codes of the slots: a leaf after the one before it. Computation belongs to a slot."""
    group_of_slot: Numbers
    compute: dict[int, Model]
    """By group of slots: computation before one of its events."""
    whole: Sequence[int]
    """Groups of slots whose model is that of all computation of a rank before their events."""
    last: Point
    models: dict[int, Events]
    """By rank of the largest recording."""
    in_steps: InSteps | None
    recordings: int
    """Number of recordings that show it."""


class Behaviour(NamedTuple):
    """All roles."""

    arrangement: GridRule
    kind: int
    roles: dict[Key, Role]

    def describe(self) -> str:
        """Return how ranks are divided."""
        return described(self.kind)

    def copied(self) -> set[str]:
        """Return the calls with fields that depend on data."""
        return {column.entry for role in self.roles.values() for column in role.columns if column.copied()}

    def appearing(self) -> bool:
        """Return whether only some counts have some calls."""
        return any(isinstance(count, Appearing) for role in self.roles.values() for count in role.counts)

    def features(self) -> set[tuple[int, ...]]:
        """Return what decides on the steps of ladders."""
        rules = (rule for role in self.roles.values() for rule in role.counts)
        return {rule.features for rule in rules if isinstance(rule, ByBits)}


def slot_codes(leaf: Numbers) -> Numbers:
    """Return the slot of each event of a sequence: its leaf, and the one before plus 1."""
    before = np.concatenate([[0], leaf[:-1] + 1])
    codes: Numbers = (before << SLOT_BITS) | leaf
    return codes
