"""Loops over the dimensions of the process grid, as of a program that exchanges with its neighbours in each in turn."""

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from linkworth.scale.fit.number_rules import fit_number, measured
from linkworth.scale.fit.numbers import Exchanged
from linkworth.scale.fit.peers import Iterations, OffGridError
from linkworth.scale.fit.rules import ByCount, Copied, Ranks, Rule, Samples
from linkworth.scale.grids import Position, coordinates, divisors
from linkworth.scale.recording import NOBODY, Numbers

ANY = 1 << 40
_EXTENTS = ((2, ANY), (2, 2), (3, ANY), (1, ANY))
"""Extents of the dimensions that a loop may run over. Programs leave out those of one rank, and often treat two apart."""


class Repeats(NamedTuple):
    """A loop that runs `each` times for every dimension with an extent from `least` to `most`, in some rounds."""

    least: int
    most: int
    each: int
    rounds: int = 1

    def dimensions(self, grid: Sequence[int]) -> list[int]:
        """Return the dimensions in order."""
        return [at for at, extent in enumerate(grid) if self.least <= extent <= self.most]

    def values(self, ranks: Ranks) -> Sequence[Any]:
        """Return how often it runs for each rank."""
        times = self.rounds * self.each * len(self.dimensions(ranks.point.grid))
        return [times] * len(ranks.at.ranks)


def fit_repeats(at: Position, counts: Numbers) -> list[Repeats]:
    """Return the rules that give how often a loop runs for each rank."""
    found = []
    for least, most in _EXTENTS if len(at.extents) > 1 else ():
        dimensions: Numbers = np.sum([(least <= n) & (n <= most) for n in at.extents], axis=0)
        some = np.flatnonzero(dimensions)
        if not len(some) or counts[some[0]] <= 0:
            continue
        each = int(counts[some[0]] // dimensions[some[0]])
        if np.array_equal(each * dimensions, counts):
            found.append(Repeats(least, most, each))
    return found


class Across(NamedTuple):
    """A peer across one dimension, another one in each iteration."""

    communicator: int
    repeats: Repeats
    descending: bool
    offsets: tuple[int, ...]
    """By iteration within a dimension."""
    none: Mapping[tuple[int, int], int]
    """By dimension and iteration within it: the negative number of a peer that does not exist."""
    edges: bool = False
    """The peer is MPI_PROC_NULL beyond the edges of the grid."""

    def place(self, grid: Sequence[int], iteration: int) -> tuple[int, int]:
        """Return the dimension, and the iteration within it. Raises OffGridError if the loop runs over none."""
        dimensions = self.repeats.dimensions(grid)[:: -1 if self.descending else 1]
        if not dimensions:
            raise OffGridError
        turn = iteration % (self.repeats.each * len(dimensions))
        return dimensions[turn // self.repeats.each], turn % self.repeats.each

    def values(self, ranks: Ranks) -> Sequence[Any]:
        """Return it for each rank."""
        # All are evaluated at the same iteration.
        dimension, turn = self.place(ranks.point.grid, int(ranks.steps.number[0]))
        if (dimension, turn) in self.none:
            return [self.none[dimension, turn]] * len(ranks.at.ranks)
        index = np.array([each[self.communicator].place for each in ranks.communicators], dtype=np.int64)
        parts, _ = coordinates(index, ranks.at.extents)
        there, extent = parts[dimension] + self.offsets[turn], ranks.at.extents[dimension]
        parts[dimension] = there % extent
        found = np.zeros_like(index)
        for part, n in zip(parts, ranks.at.extents, strict=True):
            found = found * n + part
        if self.edges:
            found = np.where(parts[dimension] == there, found, NOBODY)
        out: list[int] = found.tolist()
        return out


def fit_across(
    samples: Samples, peers: Numbers, communicator: int, loops: Sequence[Repeats]
) -> Across | None:
    """Return the rule of peers in a loop over dimensions. `loops`: what the loop may be."""
    views = samples.communicator(communicator)
    sizes = np.array([len(view.members) for view in views], dtype=np.int64)
    if not np.array_equal(sizes, samples.at.sizes):
        return None
    index = np.array([view.place for view in views], dtype=np.int64)
    extents = samples.at.extents
    own, _ = coordinates(index, extents)
    theirs, _ = coordinates(np.maximum(peers, 0), extents)
    edges = bool(np.ptp(peers)) and NOBODY in peers
    moved = [
        there - here if edges else (there - here) % n
        for here, there, n in zip(own, theirs, extents, strict=True)
    ]
    if (np.sum([each != 0 for each in moved], axis=0)[peers >= 0] > 1).any():
        # No loop leads along two dimensions at once.
        return None
    fit = _fit_with_edges if edges else _fit_offsets
    # Rounds over all dimensions may follow one another, such as that of even and that of odd points.
    several = (
        each._replace(each=each.each // rounds, rounds=rounds)
        for each in loops
        for rounds in reversed(divisors(each.each))
    )
    for repeats, descending in product(several, (False, True)):
        found = fit(Across(communicator, repeats, descending, (), {}, edges), samples, peers, moved)
        if found is not None:
            return found
    return None


def places(rule: Across, samples: Samples) -> tuple[Numbers, Numbers]:
    """Return the dimension of each sample, and its iteration within it."""
    grids = np.stack(samples.at.extents, axis=1)
    keys, which = np.unique(
        np.concatenate([grids, samples.steps.number[:, None]], axis=1), axis=0, return_inverse=True
    )
    found = np.array([rule.place(key[:-1], key[-1]) for key in keys.tolist()], dtype=np.int64)
    return found[which.reshape(-1), 0], found[which.reshape(-1), 1]


def _fit_offsets(rule: Across, samples: Samples, peers: Numbers, moved: Sequence[Numbers]) -> Across | None:
    dimension, turn = places(rule, samples)
    offsets = []
    none: dict[tuple[int, int], int] = {}
    for number in range(rule.repeats.each):
        constant: int | None = None
        # The longest dimension shows the direction: on one of two ranks both are the same.
        for at in sorted(range(len(moved)), key=lambda each: -int(samples.at.extents[each].max())):
            here = np.flatnonzero((dimension == at) & (turn == number))
            if not len(here):
                continue
            if (peers[here] < 0).any():
                if np.ptp(peers[here]):
                    return None
                none[at, number] = int(peers[here[0]])
                continue
            n, distance = samples.at.extents[at][here], moved[at][here]
            if constant is None:
                longest = int(np.argmax(n))
                constant = int(distance[longest])
                if 2 * constant > n[longest]:
                    constant -= int(n[longest])
            if constant == 0 or ((distance - constant) % n).any():
                return None
        if constant is None and not none:
            return None
        offsets.append(constant or 0)
    return rule._replace(offsets=tuple(offsets), none=none)


def _fit_with_edges(
    rule: Across, samples: Samples, peers: Numbers, moved: Sequence[Numbers]
) -> Across | None:
    dimension, turn = places(rule, samples)
    every = np.arange(len(peers))
    along = np.stack(moved)[dimension, every]
    offsets = np.zeros(rule.repeats.each, dtype=np.int64)
    inner = peers >= 0
    offsets[turn[inner]] = along[inner]
    there = np.stack(samples.at.coordinates)[dimension, every] + offsets[turn]
    inside = (there >= 0) & (there < np.stack(samples.at.extents)[dimension, every])
    if not offsets.all() or not np.array_equal(inside, inner) or (peers[~inner] != NOBODY).any():
        return None
    if (along[inner] != offsets[turn[inner]]).any():
        return None
    return rule._replace(offsets=tuple(offsets.tolist()))


class ByDimension(NamedTuple):
    """A number with one rule for each dimension and iteration within it."""

    peer: Across
    rules: Mapping[tuple[int, int], Rule]

    def values(self, ranks: Ranks) -> Sequence[Any]:
        """Return it for each rank. A dimension that no recording shows is like the nearest one, with their extents exchanged."""
        dimension, turn = self.peer.place(ranks.point.grid, int(ranks.steps.number[0]))
        ranks = ranks._replace(steps=Iterations.once(len(ranks.at.ranks)))
        shown = sorted(
            (at for at, number in self.rules if number == turn), key=lambda at: abs(at - dimension)
        )
        if shown[0] != dimension:
            ranks = ranks._replace(
                at=_exchanged(ranks.at, dimension, shown[0]), point=ranks.point.exchanged(dimension, shown[0])
            )
        return self.rules[shown[0], turn].values(ranks)


def fit_by_dimension(samples: Samples, values: Numbers, peer: Across, site: str) -> ByDimension:
    """Return the rule of a number that belongs to a peer. `site`: call and field."""
    dimension, turn = places(peer, samples)
    parts = []
    for at, number in np.unique(np.stack([dimension, turn], axis=1), axis=0).tolist():
        which = np.flatnonzero((dimension == at) & (turn == number))
        recordings = np.unique(samples.recording[which]).tolist()
        some = samples.only(which)._replace(
            steps=Iterations.once(len(which)), fitter=samples.fitter.of_faces(at)
        )
        parts.append((-len(recordings), number, at, some, values[which]))
    rules: dict[tuple[int, int], Rule] = {}
    for shown, number, at, some, here in sorted(parts, key=lambda part: part[:3]):
        # A number of one recording grows as it does across the dimension that the most recordings show.
        donors = [(there, rule) for (there, turn_of), rule in rules.items() if turn_of == number]
        rule = _as_across(some, here, at, *donors[0]) if shown == -1 and donors else None
        rules[at, number] = rule or fit_number(some, here, site)
    return ByDimension(peer, rules)


def _as_across(samples: Samples, values: Numbers, at: int, donor: int, rule: Rule) -> Rule | None:
    if not isinstance(rule, ByCount | Copied) or isinstance(rule.model, Exchanged):
        return None
    point = samples.point(int(samples.recording[0]))
    before = rule.model.at(point.exchanged(at, donor))
    if before <= 0:
        return None
    factor = float(values.mean()) / before
    return measured(samples, values, Exchanged(rule.model, at, donor, factor, rule.model.error))


def _exchanged(at: Position, one: int, other: int) -> Position:
    def swapped(each: list[Numbers]) -> list[Numbers]:
        out = list(each)
        out[one], out[other] = out[other], out[one]
        return out

    return at._replace(coordinates=swapped(at.coordinates), extents=swapped(at.extents))
