"""Levels of a multigrid, on which the ranks that have no points rest, and rules for the calls of those that work.

A level with `width` points along an axis of P ranks works on one of each P / width of them. Messages go that far.
"""

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from linkworth.scale.fit.rules import Ranks, Samples, UnfitError
from linkworth.scale.grids import Position
from linkworth.scale.recording import Numbers

Mask = npt.NDArray[np.bool_]
HERE, FINER, GIVES, TAKES = "here", "finer", "gives", "takes"
"""Along an axis, a rank works on the level; on the next finer one; there too, and others only on that; only on that."""


class Level(NamedTuple):
    """A level, or the step between it and the next finer one, and so the ranks that make a call of it."""

    width: int
    last: bool
    """The last of the ranks that share a point works, not the first."""
    shape: tuple[int, ...]
    """By axis: multiple of the width."""
    parts: tuple[str, ...]
    """By axis: a rank's part."""

    def between(self) -> bool:
        """Return whether it is a step between two levels."""
        return GIVES in self.parts or TAKES in self.parts

    def stride(self, axis: int, n: Numbers, finer: int = 0) -> Numbers:
        """Return the distance between ranks that work, on a level that is so many times finer."""
        found: Numbers = np.maximum(n // ((self.width << finer) * self.shape[axis]), 1)
        return found

    def reach(self, axis: int, n: Numbers) -> Numbers:
        """Return how far messages go."""
        return self.stride(axis, n, int(self.between()))

    def extent(self, axis: int, n: int, finer: int) -> int:
        """Return the points of each rank that works, on a level that is so many times finer."""
        return max((self.width << finer) * self.shape[axis] // n, 1)

    def calls(self, at: Position) -> Mask:
        """Return which ranks call."""
        found = np.ones(len(at.ranks), dtype=bool)
        for axis, (x, n) in enumerate(zip(at.coordinates, at.extents, strict=True)):
            found &= self.takes_part(axis, x, n)
        return found

    def takes_part(self, axis: int, x: Numbers, n: Numbers) -> Mask:
        """Return which ranks have the part along an axis."""
        part, own, finer = self.parts[axis], self.stride(axis, n), self.stride(axis, n, 1)
        here, there = (x + self.last) % own == 0, (x + self.last) % finer == 0
        match part:
            case "here":
                found: Mask = here
            case "finer":
                found = there
            case "gives":
                found = here & (own != finer)
            case _:
                found = there & ~here
        return found

    def rests(self, grid: Sequence[int]) -> set[int]:
        """Return the axes along which ranks rest."""
        return {axis for axis, n in enumerate(grid) if n > self.width * self.shape[axis]}

    def times(self, factor: float) -> "Level":
        """Return the same on a level with so many times the points."""
        return self._replace(width=int(self.width * factor))


class Resting(NamedTuple):
    """Number of times that a call is made: once by the ranks that work on its level."""

    levels: tuple[Level, ...]
    """All that the recordings allow."""
    axes: frozenset[int]
    """Axes along which ranks rest in a recording."""
    shown: frozenset[int]
    """Widths of levels of which it is known what ranks do that rest on them."""
    site: str

    def values(self, ranks: Ranks) -> Sequence[Any]:
        """Return it for each rank."""
        grid = ranks.point.grid
        if any(n & (n - 1) for n in grid):
            raise UnfitError(self.site, "ranks rest on coarse levels, which is known for powers of two only")
        for level in self.levels:
            axes = level.rests(grid)
            if axes - self.axes:
                raise UnfitError(
                    self.site,
                    f"ranks rest on coarse levels along dimension {min(axes - self.axes) + 1} of the grid, as in no recording",
                )
            if axes and level.width not in self.shown:
                raise UnfitError(
                    self.site, f"ranks rest on its level of {level.width} points, as in no recording"
                )
        calling = [level.calls(ranks.at).astype(np.int64) for level in self.levels]
        found: list[int] = _agreed(calling, self.site, "which ranks rest on its level").tolist()
        return found

    def times(self, factor: float) -> "Resting":
        """Return the same on a level with so many times the points."""
        return self._replace(levels=tuple(level.times(factor) for level in self.levels))


class Strided(NamedTuple):
    """A peer that is the next rank that works, along some axes."""

    ways: tuple[tuple[Level, tuple[int, ...]], ...]
    """All that the recordings allow: levels, and directions by axis."""
    site: str

    def values(self, ranks: Ranks) -> Sequence[Any]:
        """Return it for each rank."""
        peers = [_next(ranks.at, *way) for way in self.ways]
        found: list[int] = _agreed(peers, self.site, "which its peers are on a coarse level").tolist()
        return found

    def times(self, factor: float) -> "Strided":
        """Return the same on a level with so many times the points."""
        return self._replace(ways=tuple((level.times(factor), signs) for level, signs in self.ways))


class LevelFace(NamedTuple):
    """Bytes of a face of the points that a rank has on a level."""

    level: Level
    finer: bool
    """They are points of the next finer level."""
    margins: tuple[int | None, ...]
    """By axis: points around its own that belong to the face; None: the face is across this axis."""
    unit: int

    def bytes(self, grid: Sequence[int]) -> int:
        """Return them."""
        found = self.unit
        for axis, (n, margin) in enumerate(zip(grid, self.margins, strict=True)):
            found *= 1 if margin is None else self.level.extent(axis, n, self.finer) + margin
        return found


class Faces(NamedTuple):
    """Bytes on a level."""

    ways: tuple[LevelFace, ...]
    """All that the recordings allow."""
    site: str

    def values(self, ranks: Ranks) -> Sequence[Any]:
        """Return it for each rank."""
        sizes = [np.full(len(ranks.at.ranks), way.bytes(ranks.point.grid)) for way in self.ways]
        found: list[int] = _agreed(sizes, self.site, "how large its messages are on a coarse level").tolist()
        return found

    def times(self, factor: float) -> "Faces":
        """Return the same on a level with so many times the points."""
        return self._replace(ways=tuple(way._replace(level=way.level.times(factor)) for way in self.ways))


class OnLevel(NamedTuple):
    """A call of a level."""

    levels: tuple[Level, ...]
    """All that the recordings allow."""
    peers: frozenset[str]
    """Fields that are ranks on the level."""
    faces: Mapping[str, tuple[LevelFace, ...]]
    """Fields that are sizes on the level."""

    def rule(self, name: str, samples: Samples, values: Numbers, site: str) -> "Strided | Faces | None":
        """Return the rule of a field, or None if it does not depend on the level. Raises UnfitError."""
        if name in self.faces:
            return Faces(self.faces[name], site)
        if name not in self.peers:
            return None
        directions = product((0, 1, -1), repeat=len(samples.at.extents))
        ways = tuple(
            (level, signs)
            for level, signs in product(self.levels, list(directions))
            if np.array_equal(_next(samples.at, level, signs), values)
        )
        if not ways:
            raise UnfitError(site, "its peers are not the next ranks on its level")
        return Strided(ways, site)


def _agreed(found: Sequence[Numbers], site: str, what: str) -> Numbers:
    """Return what all ways give that the recordings allow. Raises UnfitError."""
    if any(not np.array_equal(each, found[0]) for each in found):
        raise UnfitError(site, f"the recordings do not show {what}")
    return found[0]


def _next(at: Position, level: Level, signs: Sequence[int]) -> Numbers:
    """Return the next rank that works in these directions."""
    found = np.zeros_like(at.ranks)
    for axis, (x, n) in enumerate(zip(at.coordinates, at.extents, strict=True)):
        found = found * n + (x + signs[axis] * level.reach(axis, n)) % n
    return found
