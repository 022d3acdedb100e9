"""Counts of vector collectives: by rank of the communicator, over the counts of all its ranks."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from linkworth.scale.fit.number_rules import fit_number
from linkworth.scale.fit.numbers import Model
from linkworth.scale.fit.partners import moved_along
from linkworth.scale.fit.rules import Copied, Each, Ranks, Rule, Samples, UnfitError, block_part
from linkworth.scale.recording import NOBODY, Call, Numbers, is_of_neighbours

Floats = np.ndarray[Any, np.dtype[np.float64]]


class Even(NamedTuple):
    """The same count for every peer."""

    number: Rule
    communicator: int

    def values(self, ranks: Ranks) -> Sequence[Any]:
        """Return it for each rank."""
        return [
            [count] * len(each[self.communicator].peers())
            for count, each in zip(self.number.values(ranks), ranks.communicators, strict=True)
        ]


class Parts(NamedTuple):
    """Nearly equal parts of an extent, in units of each rank's own; the first parts are longer."""

    extent: Model
    unit: Rule
    communicator: int
    late: bool

    def values(self, ranks: Ranks) -> Sequence[Any]:
        """Return it for each rank."""
        extent = int(self.extent.at(ranks.point) + 0.5)
        out = []
        for each, unit in zip(ranks.communicators, self.unit.values(ranks), strict=True):
            size = len(each[self.communicator].peers())
            out.append((unit * _cut(extent, size, late=self.late)).tolist())
        return out


class Stretched(NamedTuple):
    """Counts that depend on data: the pattern of the largest recording, stretched to the ranks there are."""

    pattern: Floats
    """By own rank and peer: count, relative to the mean."""
    mean: Model
    unit: int
    communicator: int

    def values(self, ranks: Ranks) -> Sequence[Any]:
        """Return it for each rank."""
        mean = self.mean.at(ranks.point)
        out = []
        for each in ranks.communicators:
            view = each[self.communicator]
            own = _averages(self.pattern, view.place, len(view.members))
            row = _averages_all(own, len(view.peers()))
            out.append([int(count + 0.5) * self.unit for count in (row * (mean / self.unit)).tolist()])
        return out


def _averages(pattern: Floats, index: int, size: int) -> Floats:
    """Return one row of the pattern with another number of ranks: the mean of those that it covers."""
    rows = pattern.shape[0]
    low, high = index * rows / size, (index + 1) * rows / size
    weights = np.clip(np.minimum(np.arange(1, rows + 1), high) - np.maximum(np.arange(rows), low), 0, None)
    mean: Floats = (weights[:, None] * pattern).sum(axis=0) / weights.sum()
    return mean


def _averages_all(row: Floats, size: int) -> Floats:
    """Return a row with another number of peers: each cell is the mean of what it covers."""
    total = np.concatenate([[0.0], np.cumsum(row)])
    edges = np.arange(size + 1) * (len(row) / size)
    means: Floats = np.diff(np.interp(edges, np.arange(len(row) + 1), total)) / (len(row) / size)
    return means


def fit_vector(samples: Samples, lists: Sequence[list[int]], call: Call, *, received: bool) -> Rule:
    """Return the rule of the counts by peer."""
    if is_of_neighbours(call.entry):
        return _of_neighbours(samples, lists, call, received=received)
    communicator = int(call.fields["comm"])
    numbers = np.unique(samples.recording).tolist()
    by_recording = [
        [(index, each) for index, each in enumerate(lists) if samples.recording[index] == number]
        for number in numbers
    ]
    if all(len(set(each)) == 1 for each in lists):
        count = fit_number(samples, np.array([each[0] for each in lists]))
        if not isinstance(count, Copied):
            return Even(count, communicator)
    for late in (False, True):
        found = _parts(samples, lists, call, late=late)
        if found is not None:
            return found
    views = samples.communicator(communicator)
    last = by_recording[-1]
    view = views[last[0][0]]
    pattern = np.zeros((len(view.members), len(view.peers())))
    seen = np.zeros(len(view.members))
    for index, each in last:
        if len(each) != len(view.peers()):
            raise UnfitError(call.entry, "its communicators have different sizes")
        pattern[views[index].place] += each
        seen[views[index].place] += 1
    if not seen.all():
        # One role's ranks only, such as the root: the others have no rows, and none are asked for.
        pattern[seen == 0] = pattern[seen > 0].mean(axis=0) / max(seen.max(), 1)
        seen[seen == 0] = 1
    pattern /= seen[:, None]
    means = [float(np.mean([np.mean(each) for _, each in rows])) for rows in by_recording]
    # Counts that are all alike in the largest recording are no unit of those in others.
    unit = int(np.gcd.reduce([count for each in lists for count in each])) or 1
    return Stretched(
        pattern / max(pattern.mean(), 1e-300), samples.fitter.fit(numbers, means), unit, communicator
    )


def _of_neighbours(samples: Samples, lists: Sequence[list[int]], call: Call, *, received: bool) -> Each:
    """Return one rule for each neighbour, as each may be across another side of the rank's part."""
    if len({len(each) for each in lists}) > 1:
        raise UnfitError(call.entry, "its numbers of neighbours differ")
    communicator = int(call.fields["comm"])
    ranks = zip(samples.recording.tolist(), samples.rank.tolist(), strict=True)
    near = [
        samples.recordings[number].neighbours[rank].get(communicator, ([], []))[not received]
        for number, rank in ranks
    ]
    rules = []
    for number, column in enumerate(zip(*lists, strict=True)):
        peers = np.array([each[number] if number < len(each) else NOBODY for each in near], dtype=np.int64)
        # Other roles have messages across the same side, which may be as large as those across others at some counts.
        moved = moved_along(samples.at, peers)
        fitter = samples.fitter.of_faces(*moved) if moved else samples.fitter
        rules.append(fit_number(samples._replace(fitter=fitter), np.array(column), f"{call.entry} counts"))
    return Each(tuple(rules))


def _parts(samples: Samples, lists: Sequence[list[int]], call: Call, *, late: bool) -> Parts | None:
    """Return the rule of counts of which each rank's differ by its unit. Counts that are alike are of the same extent."""
    units = np.array([max(each) - min(each) for each in lists])
    if not units.any():
        return None
    extents: dict[int, int] = {}
    for number, each, unit in zip(samples.recording.tolist(), lists, units.tolist(), strict=True):
        if unit and extents.setdefault(number, sum(each) // unit) != sum(each) // unit:
            return None
    numbers = np.unique(samples.recording).tolist()
    known = set(extents.values())
    for number in numbers:
        if number not in extents:
            one = lists[int(np.argmax(samples.recording == number))]
            extents[number] = min(known) if len(known) == 1 else sum(one) // int(units[units > 0].min())
    own = [
        sum(each) // max(extents[number], 1)
        for number, each in zip(samples.recording.tolist(), lists, strict=True)
    ]
    for number, each, unit in zip(samples.recording.tolist(), lists, own, strict=True):
        if (unit * _cut(extents[number], len(each), late=late)).tolist() != each:
            return None
    extent = samples.fitter.fit(numbers, [float(extents[number]) for number in numbers])
    return Parts(extent, fit_number(samples, np.array(own)), int(call.fields["comm"]), late)


def _cut(extent: int, parts: int, *, late: bool) -> Numbers:
    """Return the sizes of nearly equal parts."""
    return block_part(extent, np.arange(parts, dtype=np.int64), np.full(parts, parts), late=late)
