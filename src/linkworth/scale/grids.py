"""Process grids: how ranks may be arranged, and which ranks of an arrangement may behave alike."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cache, partial
from itertools import product
from math import isqrt, prod
from typing import NamedTuple

import numpy as np

from linkworth.scale.recording import Numbers

Offset = tuple[int, ...]
"""By dimension: where a neighbour is, from -1 to 1."""


@cache
def balanced(ranks: int, dimensions: int) -> tuple[int, ...]:
    """Return the factors that MPI_Dims_create would choose: as close to each other as possible, not increasing."""
    best: tuple[int, ...] = ()

    def search(rest: int, most: int, taken: tuple[int, ...]) -> None:
        nonlocal best
        if len(taken) == dimensions - 1:
            if rest <= most and (not best or max((*taken, rest)) - rest < best[0] - best[-1]):
                best = (*taken, rest)
            return
        for factor in divisors(rest):
            if factor <= most:
                search(rest // factor, factor, (*taken, factor))

    search(ranks, ranks, ())
    return best


@cache
def least_surface(ranks: int, shape: tuple[float, ...]) -> tuple[int, ...]:
    """Return the factors that cut a box of this shape into parts with the least surface, of several with the smallest first."""

    def surface(grid: tuple[int, ...]) -> float:
        parts = [length / extent for length, extent in zip(shape, grid, strict=True)]
        return round(sum(prod(parts) / part for part in parts), 9)

    return min(_factorings(ranks, len(shape)), key=surface)


def _factorings(ranks: int, dimensions: int) -> list[tuple[int, ...]]:
    if dimensions == 1:
        return [(ranks,)]
    return [
        (first, *rest)
        for first in reversed(divisors(ranks))
        for rest in _factorings(ranks // first, dimensions - 1)
    ]


def is_square(number: int) -> bool:
    """Return whether a number is the square of a whole one."""
    return isqrt(number) ** 2 == number


def odd_part(number: int) -> int:
    """Return what is left of a number divided by two as often as possible."""
    return number // (number & -number)


def divisors(number: int) -> list[int]:
    """Return the divisors, the largest first."""
    small = [each for each in range(1, int(number**0.5) + 1) if number % each == 0]
    return sorted({*small, *(number // each for each in small)}, reverse=True)


_SIDES = (1.0, 0.75, 1.5, 0.5, 2.0, 0.33, 3.0, 0.25, 4.0, 0.125, 8.0)
"""Lengths of sides over that of the first one that are tried."""
_FEWEST_ALIKE = 3
"""Recordings whose communicators are as large in all of them not by chance."""
_ALL_NEIGHBOURS = 0.99
"""Share of messages between neighbours from which they show the grid."""


class GridRule(NamedTuple):
    """A rule for the process grid at every rank count. Rank numbers rise fastest along the last dimension."""

    dimensions: int
    ascending: bool
    given: tuple[int, ...] = ()
    """The grid at the new count, if the user names it."""
    given_ranks: int = 0
    shape: tuple[float, ...] = ()
    """Lengths of a box that is cut into parts with the least surface; empty for parts that are as many along each side."""
    doubtful: bool = False
    """Boxes of other shapes have the same grids in all recordings, and another one at the new count."""
    neighbours: float = 0.0
    """Share of a recording's messages that are between neighbours, in the recording in which it is the least."""
    fixed: tuple[int, ...] = ()
    """By dimension: the extent at every count, such as that of layers, or 0; empty if there is none."""

    def certain(self) -> bool:
        """Return whether the messages show the grid: nearly all are between neighbours on a plane or in a box."""
        return self.dimensions in (2, 3) and self.neighbours >= _ALL_NEIGHBOURS

    def grid(self, ranks: int) -> tuple[int, ...]:
        """Return the extents of the grid."""
        if self.given and ranks == self.given_ranks:
            return self.given
        if self.shape:
            return least_surface(ranks, self.shape)
        fixed = self.fixed or (0,) * self.dimensions
        found = balanced(ranks // prod(extent or 1 for extent in fixed), fixed.count(0))
        rest = iter(found[::-1] if self.ascending else found)
        return tuple(extent or next(rest) for extent in fixed)

    def describe(self, ranks: int) -> str:
        """Return the grid as in 4 x 8."""
        return " x ".join(str(extent) for extent in self.grid(ranks))


class Shown(NamedTuple):
    """Signs of the grids in recordings."""

    cartesian: Sequence[tuple[int, ...]]
    """By recording: the extents of its Cartesian communicator of all ranks, or none."""
    group_sizes: Collection[int]
    """Sizes of communicators, and numbers of them, that all recordings have."""
    partners: Sequence[Numbers]
    """By recording: rows of a sender and a receiver."""


def arrangements(
    counts: Sequence[int], new: int, given: tuple[int, ...] | None, shown: Shown
) -> Iterator[GridRule]:
    """Return the arrangements to try, the simplest first."""
    found: list[GridRule] = []
    known = set()
    seen = max(map(len, shown.cartesian), default=0)
    shapes: list[tuple[int, ...]] = [(0,) * each for each in range(1, 5)]
    for fixed in (*sorted(shapes, key=lambda each: len(each) != seen), *_layers(counts, new, shown)):
        if given is not None and len(fixed) != len(given):
            continue
        for ascending in (False, True):
            rule = GridRule(
                len(fixed), ascending, given or (), new if given else 0, fixed=fixed if any(fixed) else ()
            )
            grids = tuple(rule.grid(count) for count in (*counts, new))
            # Four dimensions of at most two ranks each are the bits of a rank.
            bits = not given and len(fixed) > 3 and seen < 4 and max(map(max, grids[:-1])) <= 2
            if grids not in known and not bits:
                known.add(grids)
                # Nothing shows a plane if all recordings are lines, as on prime numbers of ranks.
                hidden = len(fixed) > 1 and all(sum(n > 1 for n in grid) < 2 for grid in grids[:-1])
                found.append(rule._replace(neighbours=0.0 if hidden else _neighbours(grids, shown.partners)))
    # Neighbours on a plane are also at constant distances on a line, until the plane becomes wider.
    found.sort(
        key=lambda each: (
            not each.certain(),
            [each.grid(count) for count in counts] != list(shown.cartesian),
            # Layers in front of square ones are grids whose longer sides come last, too.
            each.ascending and not each.fixed,
        )
    )
    yield from found
    yield from _of_boxes(
        counts, new, given, shown.partners, max((each.neighbours for each in found), default=0.0)
    )


def _layers(counts: Sequence[int], new: int, shown: Shown) -> Iterator[tuple[int, ...]]:
    """Yield extents that are the same at all counts, such as those of replicated layers, with 0 for the others."""
    found: list[tuple[int, ...]] = []
    if all(shown.cartesian) and all(
        balanced(count, len(grid)) == grid for count, grid in zip(counts, shown.cartesian, strict=True)
    ):
        # They are those of MPI_Dims_create, of which some are equal by chance.
        return
    if len({len(each) for each in shown.cartesian}) == 1 and shown.cartesian[0]:
        found.append(
            tuple(each[0] if len(set(each)) == 1 else 0 for each in zip(*shown.cartesian, strict=True))
        )
    elif len(counts) >= _FEWEST_ALIKE:
        if all(is_square(2 * count) for count in (*counts, new)):
            # Pairs of ranks on a square grid, as where powers of two are no squares.
            found.append((0, 0, 2))
        for size in sorted(shown.group_sizes):
            found += [(size, 0), (0, size), (size, 0, 0), (0, 0, size)]
        for one, other in product(sorted(shown.group_sizes), repeat=2):
            found += [(one, 0, other), (one, other, 0), (0, one, other)]
    for fixed in found:
        layers = prod(extent or 1 for extent in fixed)
        if 0 in fixed and any(fixed) and all(count % layers == 0 for count in (*counts, new)):
            yield fixed


def _of_boxes(
    counts: Sequence[int], new: int, given: tuple[int, ...] | None, partners: Sequence[Numbers], least: float
) -> Iterator[GridRule]:
    """Yield grids of boxes with sides of different lengths, if more messages than `least` are between neighbours on them."""
    shapes: defaultdict[tuple[tuple[int, ...], ...], list[tuple[float, ...]]] = defaultdict(list)
    for dimensions in (2, 3):
        if given is None or dimensions == len(given):
            for sides in product(_SIDES, repeat=dimensions - 1):
                shapes[tuple(least_surface(count, (1.0, *sides)) for count in counts)].append((1.0, *sides))
    scores = {grids: _neighbours(grids, partners) for grids in shapes}
    highest = max(scores.values(), default=0.0)
    if highest <= least:
        return
    for grids, score in scores.items():
        if score == highest:
            at_new = Counter(least_surface(new, shape) for shape in shapes[grids])
            likely = at_new.most_common(1)[0][0]
            shape = next(each for each in shapes[grids] if least_surface(new, each) == likely)
            yield GridRule(
                len(shape),
                False,
                given or (),
                new if given else 0,
                shape,
                doubtful=given is None and len(at_new) > 1,
                neighbours=score,
            )


def _neighbours(grids: Sequence[tuple[int, ...]], partners: Sequence[Numbers]) -> float:
    """Return the share of partners that are next to each other on the grid, in the recording in which it is the least."""
    shares = []
    for grid, pairs in zip(grids, partners, strict=False):
        if len(pairs):
            extents = [np.full(len(pairs), extent, dtype=np.int64) for extent in grid]
            ends = [coordinates(pairs[:, end], extents)[0] for end in (0, 1)]
            steps = [
                np.minimum((to - source) % n, (source - to) % n)
                for source, to, n in zip(*ends, extents, strict=True)
            ]
            shares.append(float((np.sum(steps, axis=0) == 1).mean()))
    return min(shares, default=0.0)


class Position(NamedTuple):
    """Ranks on their grids; an array of one number for each rank, and lists of these by dimension."""

    ranks: Numbers
    sizes: Numbers
    coordinates: list[Numbers]
    extents: list[Numbers]

    def only(self, which: Numbers) -> "Position":
        """Return some of the ranks, in the order of `which`."""
        return Position(
            self.ranks[which],
            self.sizes[which],
            [each[which] for each in self.coordinates],
            [each[which] for each in self.extents],
        )


def coordinates(ranks: Numbers, extents: Sequence[Numbers]) -> tuple[list[Numbers], Numbers]:
    """Return the coordinates of ranks by dimension, and the multiples of the whole grid that are left over."""
    found: list[Numbers] = []
    rest = ranks
    for extent in reversed(extents):
        found.insert(0, rest % extent)
        rest = rest // extent
    return found, rest


def positions(ranks: Numbers, size: int, grid: tuple[int, ...]) -> Position:
    """Return where ranks of a communicator of `size` are."""
    extents = [np.full(len(ranks), extent, dtype=np.int64) for extent in grid]
    return Position(ranks, np.full(len(ranks), size, dtype=np.int64), coordinates(ranks, extents)[0], extents)


def _ends(depth: int) -> Callable[[Position], list[Numbers]]:
    """Tell ranks apart by their distance from both ends of each dimension, up to `depth`."""

    def keys(at: Position) -> list[Numbers]:
        found = []
        for x, n in zip(at.coordinates, at.extents, strict=True):
            found += [np.minimum(x, depth), np.minimum(n - 1 - x, depth)]
        return found

    return keys


def _parity(at: Position) -> list[Numbers]:
    return [x % 2 for x in at.coordinates]


def _root(at: Position) -> list[Numbers]:
    return [np.minimum(at.ranks, 1)]


def _root_and_last(at: Position) -> list[Numbers]:
    return [np.minimum(at.ranks, 1), np.minimum(at.sizes - 1 - at.ranks, 1)]


def _first_two(at: Position) -> list[Numbers]:
    return [np.minimum(at.ranks, 2)]


def _diagonal(at: Position) -> list[Numbers]:
    return [np.sign(x - at.coordinates[0]) for x in at.coordinates[1:]]


def _halves(at: Position) -> list[Numbers]:
    return [2 * at.ranks // at.sizes]


ROLES: tuple[tuple[str, Callable[[Position], list[Numbers]]], ...] = (
    ("all ranks alike", lambda at: []),
    ("rank 0 and the others", _root),
    ("first, last and inner ranks", _root_and_last),
    ("the first two ranks and the others", _first_two),
    ("corners, edges and inner ranks", _ends(1)),
    ("corners, edges and inner ranks, and rank 0", lambda at: _ends(1)(at) + _root(at)),
    ("the diagonal and its sides", lambda at: _diagonal(at) + _root(at)),
    ("even and odd ranks", lambda at: _parity(at) + _root_and_last(at)),
    ("edges, even and odd ranks", lambda at: _ends(1)(at) + _parity(at)),
    ("two halves", _halves),
    ("two layers of edges and inner ranks", _ends(2)),
)
"""Ways to divide ranks, the coarsest first."""


SHARES = ((1, 4), (1, 3), (2, 3), (3, 4))
"""Parts of all ranks that may run another model than the others; halves are a kind of their own."""


def first_of_others(share: int, ranks: Numbers) -> Numbers:
    """Return the first rank behind a share, of so many ranks."""
    of, parts = SHARES[share]
    return ranks * of // parts


ARITIES = (2, 3, 4, 8, 16)
"""Children that ranks may have in a tree."""


def _of_share(share: int, at: Position) -> list[Numbers]:
    first = first_of_others(share, at.sizes)
    others = at.ranks >= first
    return [others.astype(np.int64), (at.ranks == first * others).astype(np.int64)]


def _children(most: int, at: Position) -> list[Numbers]:
    return [*_root(at), np.clip(at.sizes - 1 - most * at.ranks, 0, most)]


def _firsts_of_halves(at: Position) -> list[Numbers]:
    return [*_halves(at), np.minimum(at.ranks % np.maximum(at.sizes // 2, 1), 1)]


_PARTED: tuple[tuple[str, Callable[[Position], list[Numbers]]], ...] = (
    *(
        (
            f"the first {of}/{parts} of all ranks and the others, and the first of both",
            partial(_of_share, share),
        )
        for share, (of, parts) in enumerate(SHARES)
    ),
    *(
        (f"ranks with equally many of up to {most} children in a tree", partial(_children, most))
        for most in ARITIES
    ),
    ("two halves, and the first of both", _firsts_of_halves),
    ("two halves, and the first two ranks", lambda at: _halves(at) + _first_two(at)),
    ("two halves, and the first and last rank", lambda at: _halves(at) + _root_and_last(at)),
)
PARTED = tuple(-1 - number for number in range(len(_PARTED)))
"""Kinds of roles of models on parts of all ranks, of ranks in trees, and of halves of which single ranks do more."""


def kind_of_groups(size: int, *, rooted: bool) -> int:
    """Return the kind of roles of ranks in groups of that size, in each of which the first, the second, ... call alike.

    `rooted`: rank 0 calls otherwise than the others.
    """
    return len(ROLES) + 2 * size + rooted


def are_groups(kind: int) -> bool:
    """Return whether roles are places in groups."""
    return kind >= len(ROLES)


def are_parts(kind: int) -> bool:
    """Return whether roles are those of models on parts of all ranks."""
    return 0 <= -1 - kind < len(SHARES)


def described(kind: int) -> str:
    """Return how ranks are divided."""
    if kind < 0:
        return _PARTED[-1 - kind][0]
    if kind < len(ROLES):
        return ROLES[kind][0]
    size, rooted = divmod(kind - len(ROLES), 2)
    return f"places in groups of {size} ranks{', and rank 0' if rooted else ''}"


def role_keys(kind: int, at: Position) -> list[tuple[int, ...]]:
    """Return the role of each rank."""
    columns: list[Numbers]
    if kind < 0:
        columns = _PARTED[-1 - kind][1](at)
    elif kind < len(ROLES):
        columns = ROLES[kind][1](at)
    else:
        size, rooted = divmod(kind - len(ROLES), 2)
        columns = [at.ranks % size] + _root(at) * rooted
    if not columns:
        return [()] * len(at.ranks)
    return [tuple(row) for row in np.stack(columns, axis=1).tolist()]
