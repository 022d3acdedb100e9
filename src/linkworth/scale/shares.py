"""Shares of a problem that were equal in all recordings, and may not be at the new count."""

from collections.abc import Iterator, Sequence
from math import lcm, prod
from typing import NamedTuple

from linkworth.scale.behaviour import Behaviour
from linkworth.scale.fit.columns import PlacedCall
from linkworth.scale.fit.numbers import Sum
from linkworth.scale.fit.parts import Product
from linkworth.scale.fit.rules import Block, Portion, rules_within
from linkworth.scale.recording import Recording
from linkworth.scale.search import Target

_UNEVEN = {"send_counts", "recv_counts"}
"""Fields of collectives whose parts may differ; those of the others are equal by MPI's rules."""


class Unseen(NamedTuple):
    """A dimension of the grid along which no recording shows how a remainder is shared out."""

    dimension: int
    largest: float
    """Largest part over the mean one, at most."""


def unseen_remainders(
    program: Behaviour, recordings: Sequence[Recording], target: Target
) -> Iterator[Unseen]:
    """Yield the dimensions along which shares fall evenly in all recordings, and perhaps not at the new count.

    The recordings' numbers of ranks divide the problem, and so does what divides their least common multiple. Nothing
    is known about other numbers: bytes do not show how many points they are.
    """
    numbers = [
        number
        for role in program.roles.values()
        for rule in (*role.counts, *(size for column in role.columns for size in _of_parts(column)))
        for number in rules_within(rule)
        if isinstance(number, Block | Portion | Sum | Product)
    ]
    shown = {number.dimension for number in numbers if isinstance(number, Block | Portion)}
    grids = [program.arrangement.grid(recording.ranks) for recording in recordings]
    cut = {
        dimension
        for number in numbers
        if isinstance(number, Sum | Product)
        for dimension in _falling(number, grids)
    }
    sizes = {recording.size for recording in recordings}
    for dimension, parts in enumerate(program.arrangement.grid(target.ranks)):
        known = lcm(*(grid[dimension] for grid in grids))
        if dimension in shown or not (-1 in cut or dimension in cut) or known % parts == 0:
            continue
        if len(sizes) > 1 and all(
            recording.size % grid[dimension] == 0 for recording, grid in zip(recordings, grids, strict=True)
        ):
            # The sizes are lengths that the recordings' numbers of ranks divide.
            if target.size % parts:
                yield Unseen(dimension, -(-target.size // parts) * parts / target.size)
            continue
        yield Unseen(dimension, _largest(known, parts))


def _of_parts(column: PlacedCall) -> Iterator[object]:
    """Yield the rules of sizes that may differ among ranks."""
    collective = "collective" in column.call_class
    for name, rule in column.rules.items():
        if name in _UNEVEN or (name in ("bytes", "recv_bytes") and not collective):
            yield rule


def _falling(number: Sum | Product, grids: Sequence[tuple[int, ...]]) -> Iterator[int]:
    """Yield the dimensions along which an exact number falls evenly on all grids; -1: any."""
    if isinstance(number, Product):
        for factor in number.factors:
            parts = [grid[factor.dimension] if factor.dimension >= 0 else prod(grid) for grid in grids]
            if factor.extent and all(factor.extent % each == 0 for each in parts):
                yield factor.dimension
        return
    for term in number.terms if number.error == 0 else ():
        if term.ranks < 0:
            yield -1
        yield from (dimension for dimension, power in enumerate(term.extents) if power < 0)


def _largest(known: int, parts: int) -> float:
    """Return the largest part over the mean one, of problems that `known` divides and `parts` does not."""
    # More than one item for each, so that no rank is idle. The ratio falls with the length.
    lengths = [
        length for each in range(1, 2 * parts + 1) if (length := each * known) > parts and length % parts
    ]
    return max((-(-length // parts) * parts / length for length in lengths), default=1.0)
