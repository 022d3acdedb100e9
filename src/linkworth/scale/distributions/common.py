"""Longest common subsequences of series of calls."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from linkworth.scale.recording import Numbers

_MOST_PAIRS = 1_000_000_000
"""Pairs of items of two series that are compared at most."""


def in_common(series: Sequence[Sequence[str]]) -> list[Numbers] | None:
    """Return by series the places of a subsequence of all, as long as can be found by taking them one after the other.

    None if they are too long, or have nothing in common.
    """
    numbers: dict[str, int] = {}
    coded = [np.array([numbers.setdefault(each, len(numbers)) for each in of]) for of in series]
    shared = coded[-1]
    for each in coded[:-1]:
        if len(shared) * len(each) > _MOST_PAIRS:
            return None
        shared = shared[longest_common(shared, each)[0]]
    return [longest_common(shared, each)[1] for each in coded] if len(shared) else None


def longest_common(one: Numbers, other: Numbers) -> tuple[Numbers, Numbers]:
    """Return the places of a longest common subsequence in both (Wagner and Fischer, 1974), in a bit for each pair."""
    # By place in `one`: whether it, or the place in `other`, adds nothing to what is before.
    without_one: list[npt.NDArray[np.uint8]] = []
    without_other: list[npt.NDArray[np.uint8]] = []
    row = np.zeros(len(other) + 1, dtype=np.int32)
    for symbol in one.tolist():
        longer = row.copy()
        longer[1:] = np.maximum.accumulate(np.maximum(row[1:], row[:-1] + (other == symbol)))
        without_one.append(np.packbits(longer[1:] == row[1:]))
        without_other.append(np.packbits(longer[1:] == longer[:-1]))
        row = longer
    pairs = []
    i, j = len(one) - 1, len(other) - 1
    while i >= 0 and j >= 0:
        if _bit(without_one[i], j):
            i -= 1
        elif _bit(without_other[i], j):
            j -= 1
        else:
            pairs.append((i, j))
            i, j = i - 1, j - 1
    found = np.array(pairs[::-1], dtype=np.int64).reshape(-1, 2)
    return found[:, 0], found[:, 1]


def _bit(packed: npt.NDArray[np.uint8], at: int) -> int:
    return int(packed[at >> 3]) >> (7 - (at & 7)) & 1
