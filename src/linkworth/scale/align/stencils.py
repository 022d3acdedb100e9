"""Stencils: call sites at which ranks have messages with their neighbours on a grid, as far as these exist."""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from math import prod
from typing import NamedTuple

import numpy as np

from linkworth.scale.grids import Offset, coordinates
from linkworth.scale.recording import SENDS, Numbers, Recording

_MESSAGES = (SENDS - {"sendrecv", "isendrecv"}) | {"recv", "irecv", "recv_init", "precv_init"}


class Space(NamedTuple):
    """Places of ranks on a grid, and the dimensions along which it has no edges."""

    extents: tuple[int, ...]
    places: Numbers
    """By rank and dimension."""
    rings: Sequence[int]

    def offsets(self, ranks: Numbers, peers: Numbers) -> Numbers:
        """Return where peers are. Along rings, all ranks have the same neighbours, and it does not matter."""
        found: Numbers = self.places[peers] - self.places[ranks]
        found[:, self.rings] = 0
        return found


class Directions(NamedTuple):
    """Messages of a site with neighbours in some directions."""

    ranks: Mapping[Offset, int]
    """Number of ranks that have messages."""
    times: Mapping[Offset, int]
    """Number of messages of the rank that has most."""


class SiteMessages:
    """Messages of recordings from one rank to another one of all, by call site."""

    def __init__(self, recordings: Sequence[Recording]) -> None:
        """Collect them. They are the same on whatever grid."""
        self._pairs = [_pairs(each) for each in recordings]

    def spaces(self, grids: Sequence[tuple[int, ...]]) -> list[Space]:
        """Return the places on grids. Those with messages from one end to the other along a dimension are rings."""
        spaces = [Space(grid, _places(grid), ()) for grid in grids]
        rings = set()
        for pairs, space in zip(self._pairs, spaces, strict=True):
            for of in pairs.values():
                offsets = np.abs(space.offsets(of[:, 0], of[:, 1]))
                for dimension, n in enumerate(space.extents):
                    steps = set(np.unique(offsets[:, dimension]).tolist())
                    if n > 2 and n - 1 in steps and steps <= {0, 1, n - 1}:
                        rings.add(dimension)
        return [each._replace(rings=sorted(rings)) for each in spaces]

    def sites(self, spaces: Sequence[Space]) -> set[str]:
        """Return the sites of stencils: each rank has messages with all its neighbours in the same directions that exist.

        None if no rank of some recording lacks a neighbour. A site is none of them if the recordings do not show whether a
        dimension is a ring.
        """
        known: list[dict[str, Directions]] = []
        for pairs, space in zip(self._pairs, spaces, strict=True):
            stencils = {site: _stencil(of, space) for site, of in pairs.items()}
            known.append({site: found for site, found in stencils.items() if found is not None})
            if all(min(each.ranks.values()) == len(space.places) for each in known[-1].values()):
                return set()
        sites = {
            site
            for site in set.intersection(*map(set, known))
            if all(of[site].ranks.keys() == known[-1][site].ranks.keys() for of in known)
        }
        longest = [max(extents) for extents in zip(*(space.extents for space in spaces), strict=True)]
        times = [known[-1][site].times for site in sites]
        return sites if all(_open(of, longest) and not _on_a_line(of, spaces) for of in times) else set()


def _pairs(recording: Recording) -> dict[str, Numbers]:
    """Return by site its messages: rows of a rank, its peer, and how many there are. Other sites have other calls as well."""
    found: defaultdict[str, list[tuple[int, int, int]]] = defaultdict(list)
    others = {call.entry for call in recording.calls if call.call_class not in _MESSAGES}
    for rank, sequence in enumerate(recording.sequences):
        members = recording.communicators[rank]
        numbers, times = np.unique(sequence.calls, return_counts=True)
        for number, count in zip(numbers.tolist(), times.tolist(), strict=True):
            entry, _, fields = recording.calls[number]
            if entry in others:
                continue
            if fields["peer"] >= 0 and recording.peers(rank, fields["comm"]) == members.get(fields["comm"]):
                found[entry].append((rank, members[fields["comm"]][fields["peer"]], count))
            else:
                others.add(entry)
    return {site: np.array(of, dtype=np.int64) for site, of in found.items() if site not in others}


def _places(grid: Sequence[int]) -> Numbers:
    ranks = prod(grid)
    parts, _ = coordinates(np.arange(ranks), [np.full(ranks, n) for n in grid])
    return np.stack(parts, axis=1)


def _stencil(pairs: Numbers, space: Space) -> Directions | None:
    """Return the directions of a site's messages; None if these are not just those between neighbours."""
    offsets = space.offsets(pairs[:, 0], pairs[:, 1])
    if np.abs(offsets).max() > 1:
        return None
    ranks: dict[Offset, int] = {}
    times: dict[Offset, int] = {}
    different, which = np.unique(offsets, axis=0, return_inverse=True)
    for number, row in enumerate(different.tolist()):
        of = np.bincount(pairs[:, 0], pairs[:, 2] * (which.reshape(-1) == number))
        offset = tuple(row)
        ranks[offset], times[offset] = int(np.count_nonzero(of)), int(of.max())
        if ranks[offset] != prod(n - abs(step) for n, step in zip(space.extents, offset, strict=True)):
            return None
    return Directions(ranks, times)


def _open(times: Mapping[Offset, int], longest: Sequence[int]) -> bool:
    """Return whether dimensions of at most two ranks are no rings, in which both directions lead to the same rank.

    A site of one direction shows that, and so does one that treats a longer dimension in the same way.
    """
    for dimension, extent in enumerate(longest):
        if extent > 2 or len({offset[dimension] for offset in times} - {0}) < 2:
            continue
        longer = [other for other, n in enumerate(longest) if n > 2]
        if not any(_exchanged(times, dimension, other) == times for other in longer):
            return False
    return True


def _exchanged(times: Mapping[Offset, int], one: int, other: int) -> dict[Offset, int]:
    found = {}
    for offset, number in times.items():
        swapped = list(offset)
        swapped[one], swapped[other] = offset[other], offset[one]
        found[tuple(swapped)] = number
    return found


def _on_a_line(offsets: Collection[Offset], spaces: Sequence[Space]) -> bool:
    """Return whether directions are one distance on a line, cut into rows of two: to the next rank or that of the next row."""

    def distances(offset: Offset) -> tuple[int, ...]:
        return tuple(
            sum(step * prod(space.extents[at + 1 :]) for at, step in enumerate(offset)) for space in spaces
        )

    alike = Counter(map(distances, offsets))
    for offset in offsets:
        mirrored = [(*offset[:at], -step, *offset[at + 1 :]) for at, step in enumerate(offset) if step]
        # A stencil with corners has them on both sides.
        if alike[distances(offset)] > 1 and len(mirrored) > 1 and not set(mirrored) <= set(offsets):
            return True
    return False
