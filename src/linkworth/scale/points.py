"""Rank counts with their grids."""

from typing import NamedTuple


class Point(NamedTuple):
    """A rank count with its grid and problem size, at which a number is known or wanted."""

    ranks: int
    grid: tuple[int, ...]
    size: float
