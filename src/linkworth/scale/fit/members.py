"""Members of communicators: ranks that have the same colour, mostly in order of their ranks."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from linkworth.scale.grids import SHARES, Position, balanced, first_of_others, positions
from linkworth.scale.points import Point
from linkworth.scale.recording import Numbers


class Colour(NamedTuple):
    """A rule that divides all ranks."""

    kind: str
    parameter: int = 0

    def colours(self, at: Position) -> Numbers:
        """Return the colour of each rank."""
        match self.kind:
            case "all":
                return np.zeros_like(at.ranks)
            case "self":
                return at.ranks
            case "grid":
                return self._on_grid(at)
            case "plane" | "box":
                size = int(at.sizes[0])
                return self._on_grid(positions(at.ranks, size, balanced(size, OTHER_GRIDS[self.kind])))
            case "blocks of":
                return at.ranks // self.parameter
            case "modulo":
                return at.ranks % self.parameter
            case "blocks":
                return at.ranks // np.maximum(at.sizes // self.parameter, 1)
            case "share":
                return (at.ranks >= first_of_others(self.parameter, at.sizes)).astype(np.int64)
            case "leaders of":
                return (at.ranks % self.parameter > 0).astype(np.int64)
            case "lasts of":
                return ((at.ranks + 1) % self.parameter > 0).astype(np.int64)
            case "leaders":
                return (at.ranks % np.maximum(at.sizes // self.parameter, 1) > 0).astype(np.int64)
            case "last":
                return (at.ranks >= at.sizes - self.parameter).astype(np.int64)
            case _:
                return (at.ranks < self.parameter).astype(np.int64)

    def _on_grid(self, at: Position) -> Numbers:
        """Return colours that coordinates along some dimensions have in common."""
        found = np.zeros_like(at.ranks)
        for dimension, (x, n) in enumerate(zip(at.coordinates, at.extents, strict=True)):
            if self.parameter >> dimension & 1:
                found = found * n + x
        return found


OTHER_GRIDS = {"plane": 2, "box": 3}
"""Grids of other calls than most, and their dimensions."""


def candidates(dimensions: int, *, grids: bool) -> list[Colour]:
    """Return the rules to try, the simplest first. `grids`: also those of other grids than the program's."""
    found = [Colour("all"), Colour("self")]
    if dimensions > 1:
        found += [Colour("grid", mask) for mask in range(1, (1 << dimensions) - 1)]
    # The root, or the root and some more, and the others; or some at the end that write files, and the others.
    found += [Colour(kind, number) for kind in ("first", "last") for number in (1, 2, 4)]
    found += [Colour("share", number) for number in range(len(SHARES))]
    for number in (2, 3, 4, 6, 8, 12, 16, 24, 32):
        found += [
            Colour(kind, number)
            for kind in ("modulo", "blocks", "blocks of", "leaders", "leaders of", "lasts of")
        ]
    for kind, other in OTHER_GRIDS.items() if grids else ():
        found += [Colour(kind, mask) for mask in range(1, (1 << other) - 1)]
    return found


class Order(NamedTuple):
    """A rule for the order of a communicator's members."""

    kind: str = "ranks"
    parameter: int = 0

    def arrange(self, members: list[int], at: Position) -> list[int]:
        """Return members, given in order of their ranks, in this order; `at`: the positions of all ranks."""
        match self.kind:
            case "reversed":
                return members[::-1]
            case "others first":
                of, parts = _MERGED[self.parameter]
                first = len(members) * of // parts
                return members[first:] + members[:first]
            case "transposed":
                return sorted(
                    members, key=lambda rank: [int(each[rank]) for each in reversed(at.coordinates)]
                )
            case _:
                return members


RANKS = Order()
_MERGED = ((1, 2), *SHARES)
"""Parts of all ranks that `MPI_Intercomm_merge` may put behind the others."""


def orders(members: Iterable[list[int]]) -> list[Order]:
    """Return the rules to try: others than that of the ranks only for members that are not in that order."""
    if all(each == sorted(each) for each in members):
        return [RANKS]
    return [
        Order("reversed"),
        Order("transposed"),
        *(Order("others first", each) for each in range(len(_MERGED))),
    ]


class Groups:
    """Members of every rank's communicator of each colour at one count."""

    def __init__(self, point: Point) -> None:
        self._at = positions(np.arange(point.ranks, dtype=np.int64), point.ranks, point.grid)
        self._colours: dict[Colour, Numbers] = {}
        self._known: dict[tuple[Colour, Order, int], list[int]] = {}
        self._others: dict[tuple[Colour, int], list[int]] = {}

    def others(self, colour: Colour, rank: int) -> list[int]:
        """Return the ranks that are not members of the rank's communicator. Ranks of one colour share the list."""
        colours = self._colours_of(colour)
        key = colour, int(colours[rank])
        if key not in self._others:
            self._others[key] = np.flatnonzero(colours != colours[rank]).tolist()
        return self._others[key]

    def of(self, colour: Colour, rank: int, order: Order = RANKS) -> list[int]:
        """Return the members of the rank's communicator. Ranks of one colour share the list."""
        colours = self._colours_of(colour)
        key = colour, order, int(colours[rank])
        if key not in self._known:
            members = np.flatnonzero(colours == colours[rank]).tolist()
            self._known[key] = order.arrange(members, self._at)
        return self._known[key]

    def _colours_of(self, colour: Colour) -> Numbers:
        if colour not in self._colours:
            self._colours[colour] = colour.colours(self._at)
        return self._colours[colour]
