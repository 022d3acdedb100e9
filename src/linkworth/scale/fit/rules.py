"""Fields of a call as functions of the rank: rules that are fitted to samples and evaluated at the new count."""

from collections.abc import Iterator, Mapping, Sequence
from math import gcd
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from linkworth.scale.fit.cells import fit_cells
from linkworth.scale.fit.dealt import fit_dealt
from linkworth.scale.fit.numbers import Fitter, Model, like
from linkworth.scale.fit.peers import Iterations
from linkworth.scale.grids import GridRule, Position
from linkworth.scale.points import Point
from linkworth.scale.recording import Numbers, Recording

_FEWEST_ON_LINE = 5
_TAIL = 3
"""Last iterations that show how a number goes on."""


INEXACT = 0.01
"""Relative error when each recording is left out. Whole parts of an extent have less."""


class UnfitError(Exception):
    """A call that no rule describes."""

    def __init__(self, site: str, reason: str) -> None:
        super().__init__(f"{site}: {reason}")
        self.fitted = 0
        """Number of calls described before. The failure with the most is that of the best assumptions."""


class Communicator(NamedTuple):
    """One rank's view of a communicator."""

    members: Sequence[int]
    place: int
    """The rank's number in it."""
    remote: Sequence[int] = ()
    """Members of the other group, if it is between two groups."""

    def peers(self) -> Sequence[int]:
        """Return the ranks that the peers of messages are."""
        return self.remote or self.members


class Ranks(NamedTuple):
    """Ranks at the new count, all of one role, at which rules are evaluated; one entry for each of them."""

    at: Position
    steps: Iterations
    point: Point
    arrangement: GridRule
    communicators: Sequence[Mapping[int, Communicator]]
    models: Numbers
    """Each rank's nearest one in the largest recording."""


class Samples(NamedTuple):
    """Events that correspond to one another; one entry for each."""

    at: Position
    steps: Iterations
    recording: Numbers
    """Number of the recording."""
    rank: Numbers
    recordings: Sequence[Recording]
    arrangement: GridRule
    fitter: Fitter

    def only(self, which: Numbers) -> "Samples":
        """Return some of the samples."""
        return self._replace(
            at=self.at.only(which),
            steps=self.steps.only(which),
            recording=self.recording[which],
            rank=self.rank[which],
        )

    def point(self, number: int) -> Point:
        """Return the point of a recording."""
        recording = self.recordings[number]
        return Point(recording.ranks, self.arrangement.grid(recording.ranks), recording.size)

    def communicator(self, number: int) -> list[Communicator]:
        """Return each sample's communicator with this number."""
        span = int(self.rank.max()) + 1
        pairs, place_of = np.unique(self.recording * span + self.rank, return_inverse=True)
        views = []
        for recording, rank in (divmod(pair, span) for pair in pairs.tolist()):
            members = self.recordings[recording].communicators[rank].get(number, [])
            remote = self.recordings[recording].remotes[rank].get(number, [])
            views.append(Communicator(members, members.index(rank) if rank in members else 0, remote))
        return [views[place] for place in place_of.tolist()]


class Rule(Protocol):
    """Value of a field at the new count."""

    def values(self, ranks: Ranks) -> Sequence[Any]:
        """Return it for each rank."""
        ...


def rules_within(rule: object) -> Iterator[object]:
    """Yield a rule and all of which it is made, except for what is within numbers that depend on data."""
    yield rule
    if isinstance(rule, dict):
        for each in rule.values():
            yield from rules_within(each)
    elif isinstance(rule, tuple) and not isinstance(rule, Copied):
        for each in rule:
            yield from rules_within(each)


class Same(NamedTuple):
    """A field that never differs."""

    value: Any

    def values(self, ranks: Ranks) -> Sequence[Any]:
        """Return it for each rank."""
        return [self.value] * len(ranks.at.ranks)


class ByCount(NamedTuple):
    """A number that depends on the rank count alone."""

    model: Model

    def values(self, ranks: Ranks) -> Sequence[Any]:
        """Return it for each rank."""
        return [int(self.model.at(ranks.point) + 0.5)] * len(ranks.at.ranks)

    def exact(self) -> bool:
        """Return whether it meets all recordings, of which there are enough to show that."""
        return self.model.error == 0


class Appearing(NamedTuple):
    """Number of calls that only the recordings from some count on have, or only those below it."""

    rule: Rule
    site: str
    ranks: int
    """The smallest count with the calls, or without them."""
    appear: bool

    def values(self, ranks: Ranks) -> Sequence[Any]:
        """Return it for each rank."""
        return self.rule.values(ranks)


class Varying(NamedTuple):
    """Mean iterations of a loop that runs differently often each time, as data decide."""

    model: Model
    site: str

    def values(self, ranks: Ranks) -> Sequence[Any]:
        """Return it for each rank."""
        return [self.model.at(ranks.point)] * len(ranks.at.ranks)


class ByStep(NamedTuple):
    """A number that depends on the count and the iteration."""

    models: Mapping[int, Model]
    from_end: bool

    def values(self, ranks: Ranks) -> Sequence[Any]:
        """Return it for each rank."""
        k = ranks.steps.total - 1 - ranks.steps.number if self.from_end else ranks.steps.number
        return [int(self._at(each, ranks.point) + 0.5) for each in k.tolist()]

    def _at(self, step: int, point: Point) -> float:
        """Return the number of one iteration. Those that no recording has go on evenly, or by a factor."""
        if step in self.models:
            return self.models[step].at(point)
        tail = self._tail(point)
        beyond = step - max(self.models)
        if _even(tail):
            return max(tail[-1] + beyond * (tail[-1] - tail[-2]), 0.0)
        return tail[-1] * (tail[-1] / tail[-2] if len(tail) > 1 and tail[-2] > 0 else 1.0) ** beyond

    def goes_on(self, point: Point) -> bool:
        """Return whether the last iterations show how it goes on."""
        tail = self._tail(point)
        return (
            len(tail) < _TAIL or _even(tail) or abs(tail[1] ** 2 - tail[0] * tail[2]) <= 0.05 * tail[1] ** 2
        )

    def _tail(self, point: Point) -> list[float]:
        return [self.models[each].at(point) for each in sorted(self.models)[-_TAIL:]]


def _even(tail: Sequence[float]) -> bool:
    return len(tail) == _TAIL and abs(tail[2] - 2 * tail[1] + tail[0]) <= 1e-6 * tail[2]


class Block(NamedTuple):
    """Its share of an extent that is cut into nearly equal parts along one dimension."""

    dimension: int
    extent: int
    late: bool
    """The last parts are the longer ones, not the first."""
    unit: Model
    rest: Model

    def values(self, ranks: Ranks) -> Sequence[Any]:
        """Return it for each rank."""
        unit, rest = self.unit.at(ranks.point), self.rest.at(ranks.point)
        return [int(unit * part + rest + 0.5) for part in _parts_of(self, ranks)]


class Portion(NamedTuple):
    """A number in proportion to the rank's part of an extent, such as the face of a box that is cut along several sides."""

    dimension: int
    extent: int
    late: bool
    unit: Rule

    def values(self, ranks: Ranks) -> Sequence[Any]:
        """Return it for each rank."""
        return [
            unit * part for unit, part in zip(self.unit.values(ranks), _parts_of(self, ranks), strict=True)
        ]


def _parts_of(share: Block | Portion, ranks: Ranks) -> list[int]:
    """Return how many items of its extent each rank has."""
    x, n = ranks.at.coordinates[share.dimension], ranks.at.extents[share.dimension]
    parts: list[int] = block_part(share.extent, x, n, late=share.late).tolist()
    return parts


def block_part(extent: int, x: Numbers, n: Numbers, *, late: bool) -> Numbers:
    """Return how many of `extent` items part x of n has."""
    left = extent % n
    return extent // n + ((x >= n - left) if late else (x < left))


class Copied(NamedTuple):
    """A number that depends on data: as on a like rank of the largest recording, times a ratio."""

    known: Mapping[int, float]
    model: Model
    base: float
    """The model's value at the largest recording."""

    def values(self, ranks: Ranks) -> Sequence[Any]:
        """Return it for each rank."""
        ratio = self.model.at(ranks.point) / self.base if self.base else 1.0
        mean = sum(self.known.values()) / len(self.known)
        return [int(self.known.get(rank, mean) * ratio + 0.5) for rank in ranks.models.tolist()]


class Latest(NamedTuple):
    """References to the latest requests, as many as a model says."""

    length: Rule
    oldest_first: bool
    completions: bool

    def values(self, ranks: Ranks) -> Sequence[Any]:
        """Return it for each rank."""
        out = []
        for count in self.length.values(ranks):
            references = range(count, 0, -1) if self.oldest_first else range(1, count + 1)
            out.append([(each, False, 0, 0) for each in references] if self.completions else list(references))
        return out


class Each(NamedTuple):
    """A list whose items have rules of their own."""

    items: tuple[Rule, ...]

    def values(self, ranks: Ranks) -> Sequence[Any]:
        """Return it for each rank."""
        columns = [item.values(ranks) for item in self.items]
        return [list(row) for row in zip(*columns, strict=True)]


class Completed(NamedTuple):
    """Requests that were completed, with the matches of their wildcards."""

    references: tuple[int, ...]
    wild: tuple[bool, ...]
    peers: Rule
    tags: Rule

    def values(self, ranks: Ranks) -> Sequence[Any]:
        """Return it for each rank."""
        return [
            list(zip(self.references, self.wild, peers, tags, strict=True))
            for peers, tags in zip(self.peers.values(ranks), self.tags.values(ranks), strict=True)
        ]


class InStep(NamedTuple):
    """A rule of the step of a loop around that of the call."""

    rule: Rule

    def values(self, ranks: Ranks) -> Sequence[Any]:
        """Return it for each rank."""
        assert ranks.steps.outer is not None
        return self.rule.values(ranks._replace(steps=ranks.steps.outer))


def fit_number(samples: Samples, values: Numbers, site: str = "") -> Rule:
    """Return the rule of a number. `site`: call and field whose numbers may be alike in other roles, if there are any."""
    numbers = np.unique(samples.recording).tolist()
    if (values == values[0]).all() and (not site or len(numbers) == len(samples.recordings) or values[0] < 0):
        return Same(int(values[0]))
    # Few ranks do not show a share, such as rank 0 alone.
    share: Rule | None = next(
        (each for each in samples.fitter.shares[site] if _meets(each, samples, values)), None
    )
    if share is not None:
        return share
    of = [values[samples.recording == number] for number in numbers]
    if all((each == each[0]).all() for each in of):
        return ByCount(samples.fitter.pooled(site, numbers, [float(each[0]) for each in of]))
    outer = samples.steps.outer
    if outer is not None:
        of_step = fit_dealt(samples.at, outer, values) or _by_step(
            samples._replace(steps=outer), values, numbers
        )
        if of_step is not None:
            return InStep(of_step)
    found = (
        fit_dealt(samples.at, samples.steps, values)
        or _by_step(samples, values, numbers)
        or fit_cells(samples.at, samples.steps, values)
        or _linear(samples.at, values)
        or _block(samples, values, numbers)
        or _portion(samples, values, numbers)
    )
    if site and isinstance(found, Block | Portion):
        samples.fitter.shares[site].append(found)
    if found is not None:
        return found
    model = samples.fitter.fit(numbers, [float(each.mean()) for each in of])
    return _copied(samples, values, model)


class AtRoot(NamedTuple):
    """A number of the root of a collective call, such as the bytes that it gathers, and that of all others."""

    root: Rule
    others: Rule
    peer: Rule
    communicator: int
    each: bool
    """The root has so many for each member of the communicator."""

    def values(self, ranks: Ranks) -> Sequence[Any]:
        """Return it for each rank."""
        views = [each[self.communicator] for each in ranks.communicators]
        rows = zip(
            self.root.values(ranks), self.others.values(ranks), self.peer.values(ranks), views, strict=True
        )
        return [
            (root * len(view.members) if self.each else root) if peer == view.place else other
            for root, other, peer, view in rows
        ]


def fit_at_root(
    samples: Samples, values: Numbers, peer: Rule, peers: Numbers, communicator: int
) -> AtRoot | None:
    """Return the rules of a number if that of roots is another one; None if others differ as well.

    `peers`: the roots, and `peer`: their rule.
    """
    views = samples.communicator(communicator)
    is_root = peers == [view.place for view in views]
    root, others = np.flatnonzero(is_root), np.flatnonzero(~is_root)
    if not len(root) or not len(others):
        return None
    rule = fit_number(samples.only(others), values[others])
    if not isinstance(rule, Same | ByCount):
        return None
    sizes = np.array([len(view.members) for view in views])[root]
    of_roots = samples.only(root)
    own, each = fit_number(of_roots, values[root]), False
    if isinstance(own, ByCount) and not own.exact() and not (values[root] % sizes).any():
        own, each = fit_number(of_roots, values[root] // sizes), True
    return AtRoot(own, rule, peer, communicator, each)


def _meets(rule: Rule, samples: Samples, values: Numbers) -> bool:
    """Return whether a rule of other ranks gives the values of some samples."""
    for number in np.unique(samples.recording).tolist():
        here = np.flatnonzero(samples.recording == number)
        some = samples.only(here)
        ranks = Ranks(some.at, some.steps, samples.point(number), samples.arrangement, (), some.rank)
        if not np.array_equal(rule.values(ranks), values[here]):
            return False
    return True


class Linear(NamedTuple):
    """A number that rises or falls evenly with a coordinate, such as that of the ranks before or behind."""

    dimension: int
    coefficients: tuple[int, int, int]
    """Factors of the coordinate and of the extent, and the constant."""

    def values(self, ranks: Ranks) -> Sequence[Any]:
        """Return it for each rank."""
        found: list[int] = self.of(ranks.at).tolist()
        return found

    def of(self, at: Position) -> Numbers:
        """Return it by position."""
        a, b, c = self.coefficients
        return a * at.coordinates[self.dimension] + b * at.extents[self.dimension] + c


def _linear(at: Position, values: Numbers) -> Linear | None:
    for dimension, (x, n) in enumerate(zip(at.coordinates, at.extents, strict=True)):
        # A few values show no slope.
        if len(np.unique(n)) < 2 or len(np.unique(values)) < _FEWEST_ON_LINE:
            continue
        found = np.linalg.lstsq(np.stack([x, n, np.ones_like(x)], axis=1), values, rcond=None)[0]
        a, b, c = np.round(found).astype(int).tolist()
        rule = Linear(dimension, (a, b, c))
        if np.array_equal(rule.of(at), values):
            return rule
    return None


def fit_others(at: Position, values: Numbers) -> Linear | None:
    """Return the rule of a number of all others along a dimension, from which the first of a row collects."""
    for dimension, n in enumerate(at.extents):
        if np.ptp(n) and np.array_equal(values, n - 1):
            return Linear(dimension, (0, 1, -1))
    return None


def measured(samples: Samples, values: Numbers, model: Model) -> Rule:
    """Return the rule of a number that grows as a model does."""
    return ByCount(model) if (values == values[0]).all() else _copied(samples, values, model)


def _copied(samples: Samples, values: Numbers, model: Model) -> Copied:
    last = int(samples.recording.max())
    known: dict[int, list[int]] = {}
    mine = samples.recording == last
    for rank, value in zip(samples.rank[mine].tolist(), values[mine].tolist(), strict=True):
        known.setdefault(rank, []).append(value)
    base = model.at(samples.point(last))
    return Copied({rank: sum(each) / len(each) for rank, each in known.items()}, model, base)


def fit_appearance(samples: Samples, times: Numbers, site: str) -> Appearing:
    """Return the rule of how often a loop runs that does not run at all in some recordings."""
    numbers = np.unique(samples.recording).tolist()
    runs = [bool(times[samples.recording == number].all()) for number in numbers]
    change = next((at for at in range(1, len(runs)) if runs[at] != runs[at - 1]), 0)
    if not change or runs[change:] != [runs[-1]] * (len(runs) - change) or not _alike(samples, times):
        raise UnfitError(
            site, "it is called at some counts and not at others, which the grid does not explain"
        )
    since = samples.recordings[numbers[change]].ranks
    if not runs[-1]:
        return Appearing(Same(0), site, since, appear=False)
    there = np.flatnonzero(times)
    return Appearing(fit_number(samples.only(there), times[there]), site, since, appear=True)


def _alike(samples: Samples, times: Numbers) -> bool:
    """Return whether all ranks of a recording run a loop, or none does."""
    return all(
        (times[samples.recording == number] > 0).all() or not times[samples.recording == number].any()
        for number in np.unique(samples.recording)
    )


def _by_step(samples: Samples, values: Numbers, numbers: list[int]) -> ByStep | None:
    if not (samples.steps.total > 1).any():
        return None
    found = [
        ByStep(models, from_end)
        for from_end in (False, True)
        if (models := _models_of_steps(samples, values, numbers, from_end=from_end)) is not None
    ]
    if np.ptp(samples.steps.total):
        largest = samples.point(numbers[-1])
        found = [each for each in found if each.goes_on(largest)]
    # Models that are the same at all counts are more likely.
    return min(
        found, key=lambda each: sum(not model.constant() for model in each.models.values()), default=None
    )


def _models_of_steps(
    samples: Samples, values: Numbers, numbers: list[int], *, from_end: bool
) -> dict[int, Model] | None:
    k = samples.steps.total - 1 - samples.steps.number if from_end else samples.steps.number
    models: dict[int, Model] = {}
    for step in np.unique(k).tolist():
        of = {number: values[(samples.recording == number) & (k == step)] for number in numbers}
        known = [number for number in numbers if len(of[number])]
        if any((of[number] != of[number][0]).any() for number in known):
            return None
        before = models.get(step - 1)
        if before is not None and len(known) == 1 < len(numbers):
            # One recording shows no growth: it is that of the iteration before.
            models[step] = like(before, samples.point(known[0]), float(of[known[0]][0]))
            continue
        models[step] = samples.fitter.fit(known, [float(of[number][0]) for number in known])
        if models[step].error >= 1e-3:
            return None
    return models if len(models) == max(models) + 1 else None


def _block(samples: Samples, values: Numbers, numbers: list[int]) -> Block | None:
    last = next(each for each in reversed(numbers) if np.ptp(values[samples.recording == each]))
    here = samples.recording == last
    if len(np.unique(values[here])) > 2:
        return None
    for dimension in range(len(samples.at.extents)):
        x, n = samples.at.coordinates[dimension], samples.at.extents[dimension]
        for late in (False, True):
            found = _block_along(samples, values, numbers, here, dimension, (x, n, late))
            if found is not None:
                return found
    return None


def _block_along(
    samples: Samples,
    values: Numbers,
    numbers: list[int],
    here: npt.NDArray[np.bool_],
    dimension: int,
    parts: tuple[Numbers, Numbers, bool],
) -> Block | None:
    """Return the rule along a dimension. `here`: samples of the last recording in which values differ, of two sizes."""
    x, n, late = parts
    low, high = int(values[here].min()), int(values[here].max())
    unit = high - low
    n_last = int(n[here][0])
    # The ranks with the higher value are all before, or all behind, those with the lower one.
    highest = x[here][values[here] == high]
    lowest = x[here][values[here] == low]
    if late:
        more = range(n_last - int(highest.min()), n_last - int(lowest.max()))
    else:
        more = range(int(highest.max()) + 1, int(lowest.min()) + 1)
    if not more:
        return None
    # The extent is not known if the samples are some of the ranks only, nor is a part that all have.
    for rest in _rests(samples, values, here, n, unit):
        if (low - rest) % unit or low < rest:
            continue
        each = (low - rest) // unit
        for left in more:
            extent = each * n_last + left
            units, rests = [], []
            for number in numbers:
                mine = samples.recording == number
                part = block_part(extent, x[mine], n[mine], late=late)
                value = values[mine]
                if np.ptp(part):
                    slope, remainder = divmod(int(np.ptp(value)), int(np.ptp(part)))
                    if remainder or not slope:
                        break
                else:
                    slope, remainder = divmod(int(value[0]) - rest, max(int(part[0]), 1))
                    if remainder:
                        break
                offset = int(value[0]) - slope * int(part[0])
                if not np.array_equal(slope * part + offset, value):
                    break
                units.append(float(slope))
                rests.append(float(offset))
            else:
                unit_model = samples.fitter.fit(numbers, units)
                rest_model = samples.fitter.fit(numbers, rests)
                if max(unit_model.error, rest_model.error) < 1e-6:
                    return Block(dimension, extent, late, unit_model, rest_model)
    return None


def _rests(
    samples: Samples, values: Numbers, here: npt.NDArray[np.bool_], n: Numbers, unit: int
) -> dict[int, None]:
    """Return what each rank may have beside its part: a few units, or as many as parts in another recording suggest."""
    found = dict.fromkeys((0, unit, 2 * unit, 4 * unit, -unit, -2 * unit))
    parts, mean = int(n[here][0]), float(values[here].mean())
    for number in np.unique(samples.recording[~here]):
        there = samples.recording == number
        if int(n[there][0]) != parts:
            extent = (float(values[there].mean()) - mean) / (1 / int(n[there][0]) - 1 / parts)
            found[round((mean - extent / parts) / unit) * unit] = None
    return found


def _portion(samples: Samples, values: Numbers, numbers: list[int], begin: int = 0) -> Portion | None:
    """Return the rule of a product of parts along two or more dimensions, each of them once. `begin`: the first dimension."""
    if values.min() <= 0:
        return None
    for dimension in range(begin, len(samples.at.extents)):
        x, n = samples.at.coordinates[dimension], samples.at.extents[dimension]
        for extent, late in _extents(samples, values, numbers, dimension):
            part = block_part(extent, x, n, late=late)
            if part.min() <= 0 or (values % part).any():
                continue
            unit = _unit(samples, values // part, numbers, dimension + 1)
            if unit is not None:
                return Portion(dimension, extent, late, unit)
    return None


def _unit(samples: Samples, values: Numbers, numbers: list[int], begin: int) -> Rule | None:
    of = [values[samples.recording == number] for number in numbers]
    if any(np.ptp(each) for each in of):
        return _block(samples, values, numbers) or _portion(samples, values, numbers, begin)
    model = samples.fitter.fit(numbers, [float(each[0]) for each in of])
    return ByCount(model) if model.error < INEXACT else None


def _extents(
    samples: Samples, values: Numbers, numbers: list[int], dimension: int
) -> Iterator[tuple[int, bool]]:
    """Yield what is cut along a dimension, if numbers along it differ as parts with one item more: q + 1 to q."""
    others = [x for each, x in enumerate(samples.at.coordinates) if each != dimension]
    for number in reversed(numbers):
        here = samples.recording == number
        first = int(np.argmax(here))
        line = values[here & np.all([x == x[first] for x in others], axis=0)]
        low, high = int(line.min()), int(line.max())
        if low == high:
            continue
        least = low // gcd(low, high)
        if high * least == low * (least + 1):
            n = int(samples.at.extents[dimension][first])
            for late in (False, True):
                yield from ((extent, late) for extent in range(least * n + 1, (least + 1) * n))
        return
