"""Rank counts with their grids."""

from typing import NamedTuple

PARALLEL = 0.02
"""Angle up to which sizes are taken to follow the rank count; sizes are whole numbers."""


class Point(NamedTuple):
    """A rank count with its grid and problem size, at which a number is known or wanted."""

    ranks: int
    grid: tuple[int, ...]
    size: float

    def exchanged(self, one: int, other: int) -> "Point":
        """Return the point with two extents of its grid exchanged."""
        grid = list(self.grid)
        grid[one], grid[other] = grid[other], grid[one]
        return self._replace(grid=tuple(grid))
