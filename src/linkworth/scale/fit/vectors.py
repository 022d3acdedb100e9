"""Counts of vector collectives: by rank of the communicator, over the counts of all its ranks."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from linkworth.scale.fit.numbers import Model
from linkworth.scale.fit.rules import Copied, Each, Ranks, Rule, Samples, UnfitError, block_part, fit_number
from linkworth.scale.recording import Call, is_of_neighbours

Floats = np.ndarray[Any, np.dtype[np.float64]]


class Even(NamedTuple):
    """The same count for every peer."""

    number: Rule
    communicator: int

    def values(self, ranks: Ranks) -> Sequence[Any]:
        """Return it for each rank."""
        return [
            [count] * len(each[self.communicator].members)
            for count, each in zip(self.number.values(ranks), ranks.communicators, strict=True)
        ]


class Parts(NamedTuple):
    """Nearly equal parts of an extent; the first ones are longer."""

    extent: Model
    unit: Model
    communicator: int
    late: bool

    def values(self, ranks: Ranks) -> Sequence[Any]:
        """Return it for each rank."""
        extent, unit = int(self.extent.at(ranks.point) + 0.5), int(self.unit.at(ranks.point) + 0.5)
        out = []
        for each in ranks.communicators:
            size = len(each[self.communicator].members)
            parts = np.arange(size, dtype=np.int64)
            out.append((unit * block_part(extent, parts, np.full(size, size), late=self.late)).tolist())
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
            row = _stretched(self.pattern, view.place, len(view.members))
            out.append([int(count + 0.5) * self.unit for count in (row * (mean / self.unit)).tolist()])
        return out


def _stretched(pattern: Floats, index: int, size: int) -> Floats:
    """Return one row of the pattern with another number of ranks: each cell is the mean of what it covers."""
    row = _averages(pattern, index, size)
    return _averages_all(row, size)


def _averages(pattern: Floats, index: int, size: int) -> Floats:
    rows = pattern.shape[0]
    low, high = index * rows / size, (index + 1) * rows / size
    weights = np.clip(np.minimum(np.arange(1, rows + 1), high) - np.maximum(np.arange(rows), low), 0, None)
    mean: Floats = (weights[:, None] * pattern).sum(axis=0) / weights.sum()
    return mean


def _averages_all(row: Floats, size: int) -> Floats:
    total = np.concatenate([[0.0], np.cumsum(row)])
    edges = np.arange(size + 1) * (len(row) / size)
    means: Floats = np.diff(np.interp(edges, np.arange(len(row) + 1), total)) / (len(row) / size)
    return means


def fit_vector(samples: Samples, lists: Sequence[list[int]], call: Call) -> Rule:
    """Return the rule of the counts by peer."""
    if is_of_neighbours(call.entry):
        return _of_neighbours(samples, lists, call.entry)
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
    if all(all(each == rows[0][1] for _, each in rows) for rows in by_recording):
        found = _parts(samples, numbers, [rows[0][1] for rows in by_recording], communicator)
        if found is not None:
            return found
    views = samples.communicator(communicator)
    last = by_recording[-1]
    size = len(views[last[0][0]].members)
    pattern = np.zeros((size, size))
    seen = np.zeros(size)
    for index, each in last:
        if len(each) != size:
            raise UnfitError(call.entry, "its communicators have different sizes")
        pattern[views[index].place] += each
        seen[views[index].place] += 1
    if not seen.all():
        # One role's ranks only, such as the root: the others have no rows, and none are asked for.
        pattern[seen == 0] = pattern[seen > 0].mean(axis=0) / max(seen.max(), 1)
        seen[seen == 0] = 1
    pattern /= seen[:, None]
    means = [float(np.mean([np.mean(each) for _, each in rows])) for rows in by_recording]
    unit = int(np.gcd.reduce([count for _, each in last for count in each])) or 1
    return Stretched(
        pattern / max(pattern.mean(), 1e-300), samples.fitter.fit(numbers, means), unit, communicator
    )


def _of_neighbours(samples: Samples, lists: Sequence[list[int]], site: str) -> Each:
    """Return one rule for each neighbour, as each may be across another side of the rank's part."""
    if len({len(each) for each in lists}) > 1:
        raise UnfitError(site, "its numbers of neighbours differ")
    return Each(
        tuple(fit_number(samples, np.array(column), f"{site} counts") for column in zip(*lists, strict=True))
    )


def _parts(
    samples: Samples, numbers: Sequence[int], lists: Sequence[list[int]], communicator: int
) -> Parts | None:
    unit = min((max(one) - min(one) for one in lists if max(one) > min(one)), default=0)
    if not unit:
        return None
    for late in (False, True):
        extents, units = [], []
        for one in lists:
            own = max(one) - min(one) or unit
            extent, rest = divmod(sum(one), own)
            parts = np.arange(len(one), dtype=np.int64)
            if (
                rest
                or (own * block_part(extent, parts, np.full(len(one), len(one)), late=late)).tolist() != one
            ):
                break
            extents.append(float(extent))
            units.append(float(own))
        else:
            return Parts(
                samples.fitter.fit(numbers, extents), samples.fitter.fit(numbers, units), communicator, late
            )
    return None
