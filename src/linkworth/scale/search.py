"""The simplest grid and roles with which every call of the recordings is described."""

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from linkworth.errors import ThresholdError
from linkworth.scale.grids import ROLES, GridRule, arrangements, positions, role_keys
from linkworth.scale.points import Point
from linkworth.scale.program import Behaviour, Builder, Key
from linkworth.scale.recording import Alphabet, Recording
from linkworth.scale.rules import UnfitError

FEWEST_LEFT_OUT = 3
"""Recordings of which one can be left out: the others must still show how things grow."""

LIKENESS: tuple[Callable[[str], bool], ...] = (
    lambda _: True,
    lambda name: name in ("tag", "recv_tag", "completed"),
    lambda _: False,
)
"""Fields by which calls are told apart where all recordings have the same values, from the strictest."""


class Target(NamedTuple):
    """The count, size and grid to reach."""

    ranks: int
    size: float
    grid: tuple[int, ...] | None
    weak: bool


class Found(NamedTuple):
    """A program, and the assumptions with which it was found."""

    program: Behaviour
    likeness: int

    def point(self, ranks: int, size: float) -> Point:
        """Return a count with its grid."""
        return Point(ranks, self.program.arrangement.grid(ranks), size)


class Aligned(NamedTuple):
    """A program, the recordings that it describes, and those that it does not."""

    found: Found
    recordings: list[Recording]
    dropped: list[Recording]


def find_aligned(recordings: Sequence[Recording], target: Target) -> Aligned:
    """Return the program of as many recordings as align. Raises ThresholdError for all if no three with the largest do.

    A dimension with one or two ranks calls otherwise: its neighbours are the rank itself, or one rank on both sides.
    """
    try:
        return Aligned(find(recordings, target), list(recordings), [])
    except ThresholdError as error:
        refused = error
    *smaller, largest = recordings
    for kept in range(len(smaller) - 1, FEWEST_LEFT_OUT - 2, -1):
        # Those of larger counts first: their grids are more like the new one.
        for some in combinations(reversed(smaller), kept):
            chosen = [*reversed(some), largest]
            try:
                found = find(chosen, target)
            except ThresholdError:
                continue
            return Aligned(found, chosen, [each for each in recordings if each not in chosen])
    raise ThresholdError(
        f"{refused}. A dimension with one or two ranks often calls otherwise: at least three recordings should have three "
        "ranks or more along each, such as 27, 36 and 48 on a cube"
    )


def find(recordings: Sequence[Recording], target: Target) -> Found:
    """Return the program. Raises ThresholdError with the call that fits no rule under the best assumptions."""
    seen = max((_topology(recording) for recording in recordings), default=0)
    counts = [recording.ranks for recording in recordings]
    best: UnfitError | None = None
    builders = [
        Builder(recordings, Alphabet(list(recordings), likeness), weak=target.weak) for likeness in LIKENESS
    ]
    for arrangement in arrangements(counts, target.ranks, target.grid, seen):
        for kind in range(len(ROLES)):
            wanted = roles(arrangement, kind, target.ranks)
            for likeness, builder in enumerate(builders):
                try:
                    return Found(builder.build(arrangement, kind, wanted), likeness)
                except UnfitError as error:
                    if best is None or error.fitted > best.fitted:
                        best = error
    assert best is not None
    raise ThresholdError(f"the recordings do not align: {best}")


def again(recordings: Sequence[Recording], target: Target, found: Found) -> Found:
    """Return the program of fewer recordings under the same assumptions. Raises UnfitError."""
    builder = Builder(recordings, Alphabet(list(recordings), LIKENESS[found.likeness]), weak=target.weak)
    arrangement, kind = found.program.arrangement, found.program.kind
    return Found(builder.build(arrangement, kind, roles(arrangement, kind, target.ranks)), found.likeness)


def roles(arrangement: GridRule, kind: int, ranks: int) -> set[Key]:
    """Return the roles at a count."""
    at = positions(np.arange(ranks, dtype=np.int64), ranks, arrangement.grid(ranks))
    return set(role_keys(kind, at))


def _topology(recording: Recording) -> int:
    """Return the dimensions of the recording's Cartesian communicator, or 0."""
    return max(
        (
            len(call.fields["sources"]) // 2
            for call in recording.calls
            if call.call_class == "comm_new"
            and call.fields["has_topology"]
            and len(call.fields["members"]) == recording.ranks
            and "cart" in call.entry.lower()
        ),
        default=0,
    )
