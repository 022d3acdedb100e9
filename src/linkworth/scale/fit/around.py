"""Loops over a list of the neighbours of a rank. The rank itself is not in it, and each neighbour is often in it once.

Round a torus that has two ranks along a dimension, both directions lead to one neighbour. In the order of ranks, each has its
neighbours in another order of directions.
"""

from collections.abc import Iterator, Sequence
from itertools import chain, product
from typing import Any, NamedTuple

import numpy as np

from linkworth.scale.fit.number_rules import fit_number
from linkworth.scale.fit.peers import Iterations
from linkworth.scale.fit.rules import Ranks, Rule, Samples, UnfitError
from linkworth.scale.grids import Offset, Position, coordinates
from linkworth.scale.recording import Numbers

_MOST_RANKS = 1 << 40
_FEW = 32


class _Lists(NamedTuple):
    """Lists of some ranks."""

    peers: Numbers
    """By rank: its neighbours, and then -1."""
    offsets: Numbers
    """By rank and neighbour: number of its offset."""
    lengths: Numbers


class Around(NamedTuple):
    """The list of a rank's neighbours in a stencil."""

    offsets: tuple[Offset, ...]
    rings: tuple[bool, ...]
    """By dimension: it has no edges."""
    by_rank: bool
    """Neighbours are in the order of their ranks, not of the offsets."""
    once: bool = True
    """A neighbour in two directions is in the list once."""

    def lists(self, at: Position) -> _Lists:
        """Return the lists of ranks."""
        steps = np.array(self.offsets, dtype=np.int64)
        found = np.zeros((len(at.ranks), len(steps)), dtype=np.int64)
        there = np.ones_like(found, dtype=bool)
        for dimension, (x, n) in enumerate(zip(at.coordinates, at.extents, strict=True)):
            place = x[:, None] + steps[None, :, dimension]
            if self.rings[dimension]:
                place = place % n[:, None]
            there &= (place >= 0) & (place < n[:, None])
            found = found * n[:, None] + place
        there &= found != at.ranks[:, None]
        for number in range(1, len(steps) if self.once else 0):
            there[:, number] &= ~(there[:, :number] & (found[:, :number] == found[:, number, None])).any(
                axis=1
            )
        order = np.argsort(np.where(there, found if self.by_rank else 0, _MOST_RANKS), axis=1, kind="stable")
        peers = np.take_along_axis(np.where(there, found, -1), order, axis=1)
        return _Lists(peers, order, there.sum(axis=1))


class NextAround(NamedTuple):
    """A peer that is another neighbour in each iteration."""

    around: Around
    communicator: int

    def values(self, ranks: Ranks) -> Sequence[Any]:
        """Return it for each rank."""
        # All are evaluated at the same iteration.
        found: list[int] = self.around.lists(ranks.at).peers[:, int(ranks.steps.number[0])].tolist()
        return found


class PerNeighbour(NamedTuple):
    """A number in proportion to that of a rank's neighbours, such as the requests that it waits for."""

    around: Around
    each: int

    def values(self, ranks: Ranks) -> Sequence[Any]:
        """Return it for each rank."""
        found: list[int] = (self.each * self.around.lists(ranks.at).lengths).tolist()
        return found


class ByOffset(NamedTuple):
    """A number with one rule for each direction to a neighbour, or for both ways of each."""

    around: Around
    rules: dict[Offset, Rule]
    both: bool
    site: str

    def values(self, ranks: Ranks) -> Sequence[Any]:
        """Return it for each rank."""
        number = int(ranks.steps.number[0])
        which = self.around.lists(ranks.at).offsets[:, number]
        out: list[Any] = [0] * len(which)
        for each in np.unique(which).tolist():
            here = np.flatnonzero(which == each)
            rule = self.rules.get(_direction(self.around.offsets[each], both=self.both))
            if rule is None:
                raise UnfitError(self.site, "no recording shows a neighbour in some direction")
            some = ranks.only(here)._replace(steps=Iterations.once(len(here)))
            for place, value in zip(here.tolist(), rule.values(some), strict=True):
                out[place] = value
        return out


def fit_around(samples: Samples, peers: Numbers, communicator: int) -> NextAround | None:
    """Return the rule of peers in a loop over a list of neighbours, which is as long as the list."""
    steps = samples.steps
    if not np.ptp(steps.total) or (peers < 0).any() or not samples.is_of_all(communicator):
        return None
    if not _are_near(samples.at, peers):
        return None
    known, longest = samples.fitter.around, int(steps.total.max())
    # There are hundreds of lists, and a few samples refuse most.
    few = np.unique(np.linspace(0, len(peers) - 1, _FEW).astype(np.int64))
    some = samples.only(few)
    for around in chain(known, _stencils([int(n.max()) for n in samples.at.extents])):
        if (
            longest <= len(around.offsets)
            and _gives(around, some, peers[few])
            and _gives(around, samples, peers)
        ):
            if around not in known:
                known.append(around)
            return NextAround(around, communicator)
    return None


def _are_near(at: Position, peers: Numbers) -> bool:
    """Return whether all peers are at most one step away along each dimension of a torus, as in every stencil."""
    there, _ = coordinates(peers, at.extents)
    steps = [(to - x) % n for to, x, n in zip(there, at.coordinates, at.extents, strict=True)]
    return all(((step <= 1) | (step == n - 1)).all() for step, n in zip(steps, at.extents, strict=True))


def _gives(around: Around, samples: Samples, peers: Numbers) -> bool:
    """Return whether loops over the lists have these peers and are as long."""
    at, steps = samples.at, samples.steps
    ranks = np.stack([at.sizes, at.ranks])
    _, first, which = np.unique(ranks, axis=1, return_index=True, return_inverse=True)
    found, which = around.lists(at.only(first)), which.reshape(-1)
    return np.array_equal(found.lengths[which], steps.total) and np.array_equal(
        found.peers[which, steps.number], peers
    )


def _stencils(longest: Sequence[int]) -> Iterator[Around]:
    """Yield stencils of neighbours across faces, edges and corners. `longest`: the longest extent of each dimension.

    Along a dimension of two ranks, nothing shows whether it is a ring. It is taken to be as the others are.
    """
    dimensions = len(longest)
    kinds = [(each,) * dimensions for each in (True, False)]
    kinds += [each for each in product((True, False), repeat=dimensions) if len(set(each)) > 1]
    if max(longest) < 3:
        return
    for rings, most in product(kinds, range(1, dimensions + 1)):
        if len(set(rings)) > 1 and min(longest) < 3:
            continue
        across = [each for each in product((-1, 0, 1), repeat=dimensions) if 0 < sum(map(abs, each)) <= most]
        yield Around(tuple(across), rings, by_rank=True)
        orders = [across, [each[::-1] for each in across]]
        if most == 1:
            # One dimension after the other.
            turns = sorted(across, key=lambda each: [not step for step in each])
            orders += [turns, [each[::-1] for each in turns]]
        for each, once in product(orders, (True, False)):
            for some in (each, each[::-1], [tuple(-step for step in offset) for offset in each]):
                yield Around(tuple(some), rings, by_rank=False, once=once)


def fit_neighbours(samples: Samples, values: Numbers) -> PerNeighbour | None:
    """Return the rule of a number that is in proportion to that of the neighbours in a list that some call has."""
    for around in samples.fitter.around:
        lengths = around.lists(samples.at).lengths
        longest = int(lengths.argmax())
        each = int(values[longest]) // max(int(lengths[longest]), 1)
        if each and np.array_equal(each * lengths, values):
            return PerNeighbour(around, each)
    return None


def fit_by_offset(samples: Samples, values: Numbers, peer: NextAround, site: str, *, both: bool) -> ByOffset:
    """Return the rules of a number that belongs to a neighbour. `both`: it is the same in both ways along a dimension."""
    rows = np.arange(len(values))
    which = peer.around.lists(samples.at).offsets[rows, samples.steps.number]
    directions = [_direction(each, both=both) for each in peer.around.offsets]
    rules: dict[Offset, Rule] = {}
    for direction in dict.fromkeys(directions):
        here = np.flatnonzero([directions[each] == direction for each in which.tolist()])
        if len(here):
            across = [at for at, step in enumerate(direction) if step]
            some = samples.only(here)._replace(
                steps=Iterations.once(len(here)), fitter=samples.fitter.of_faces(*across)
            )
            rules[direction] = fit_number(some, values[here], site)
    return ByOffset(peer.around, rules, both, site)


def _direction(offset: Offset, *, both: bool) -> Offset:
    return tuple(map(abs, offset)) if both else offset
