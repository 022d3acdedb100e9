"""Fields of a call as functions of the rank: rules, and the samples to which they are fitted."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from linkworth.scale.fit.numbers import Fitter, Model
from linkworth.scale.fit.peers import Iterations
from linkworth.scale.grids import GridRule, Position
from linkworth.scale.points import Point
from linkworth.scale.recording import Numbers, Recording

_ON_LINE = 3
"""Last iterations that show that a number goes on evenly, or by a factor."""
_TAIL = 5
"""Last iterations that show that it goes on as squares."""
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

    def only(self, which: Numbers) -> "Ranks":
        """Return some of the ranks."""
        return self._replace(
            at=self.at.only(which),
            steps=self.steps.only(which),
            communicators=[self.communicators[each] for each in which.tolist()],
            models=self.models[which],
        )


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
            # Most often it has all ranks, and a search for each of them would take quadratic time.
            of_all = rank < len(members) and members[rank] == rank
            place = rank if of_all else members.index(rank) if rank in members else 0
            views.append(Communicator(members, place, remote))
        return [views[place] for place in place_of.tolist()]

    def is_of_all(self, number: int) -> bool:
        """Return whether the communicator with this number has all ranks in their order."""
        rows = zip(self.communicator(number), self.rank.tolist(), self.at.sizes.tolist(), strict=True)
        return all(view.place == rank and len(view.peers()) == size for view, rank, size in rows)


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


class Turns(NamedTuple):
    """Iterations of a loop each time that it is entered, if these are the same in all recordings."""

    counts: tuple[int, ...]

    def values(self, ranks: Ranks) -> Sequence[Any]:
        """Return the rule itself for each rank, since iterations depend on how often the loop was entered."""
        return [self] * len(ranks.at.ranks)

    def at(self, entered: int) -> int:
        """Return the iterations after the loop was entered so often."""
        return self.counts[entered % len(self.counts)]


class ByStep(NamedTuple):
    """A number that depends on the count and the iteration."""

    models: Mapping[int, Model]
    from_end: bool
    longer: bool
    """The recordings have different numbers of iterations, so that there may be more at the new count."""

    def values(self, ranks: Ranks) -> Sequence[Any]:
        """Return it for each rank."""
        k = ranks.steps.total - 1 - ranks.steps.number if self.from_end else ranks.steps.number
        return [int(self._at(each, ranks.point) + 0.5) for each in k.tolist()]

    def _at(self, step: int, point: Point) -> float:
        """Return the number of one iteration. Those that no recording has go on evenly, as squares, or by a factor."""
        if step in self.models:
            return self.models[step].at(point)
        tail = self._tail(point)
        beyond = step - max(self.models)
        if _even(tail) or _squared(tail):
            bend = 0.0 if _even(tail) else tail[-1] - 2 * tail[-2] + tail[-3]
            return max(tail[-1] + beyond * (tail[-1] - tail[-2] + bend * (beyond + 1) / 2), 0.0)
        return tail[-1] * (tail[-1] / tail[-2] if len(tail) > 1 and tail[-2] > 0 else 1.0) ** beyond

    def goes_on(self, point: Point) -> bool:
        """Return whether the last iterations show how it goes on."""
        tail = self._tail(point)
        return len(tail) < _ON_LINE or _even(tail) or _squared(tail) or _multiplied(tail, 0.05)

    def is_curve(self, point: Point) -> bool:
        """Return whether later iterations follow a factor that the last ones meet nearly."""
        tail = self._tail(point)
        return (
            self.longer
            and len(tail) >= _ON_LINE
            and not (_even(tail) or _squared(tail) or _multiplied(tail, 1e-6))
        )

    def _tail(self, point: Point) -> list[float]:
        return [self.models[each].at(point) for each in sorted(self.models)[-_TAIL:]]


class Sloped(NamedTuple):
    """A number that falls evenly from iteration to iteration, such as that of the rows below a block of columns."""

    first: Model
    fall: Model

    def values(self, ranks: Ranks) -> Sequence[Any]:
        """Return it for each rank."""
        first, fall = self.first.at(ranks.point), self.fall.at(ranks.point)
        return [int(max(first - fall * each, 0.0) + 0.5) for each in ranks.steps.number.tolist()]


def _even(tail: Sequence[float]) -> bool:
    return len(tail) >= _ON_LINE and abs(tail[-1] - 2 * tail[-2] + tail[-3]) <= 1e-6 * tail[-1]


def _multiplied(tail: Sequence[float], error: float) -> bool:
    before, middle, last = tail[-_ON_LINE:]
    return abs(middle**2 - before * last) <= error * middle**2


def _squared(tail: Sequence[float]) -> bool:
    """Return whether differences change evenly, as those of what is left of a matrix."""
    return len(tail) == _TAIL and float(np.ptp(np.diff(tail, 2))) <= 1e-6 * max(tail)


OTHERS = -1
"""Stands for a dimension along which all ranks but rank 0 are, to which a master deals tasks."""


class Block(NamedTuple):
    """Its share of an extent that is cut into nearly equal parts along one dimension, or among all ranks but rank 0."""

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
    margin: int
    """Layers of neighbours around each part."""
    late: bool
    unit: Rule

    def values(self, ranks: Ranks) -> Sequence[Any]:
        """Return it for each rank."""
        return [
            unit * (part + self.margin)
            for unit, part in zip(self.unit.values(ranks), _parts_of(self, ranks), strict=True)
        ]


def _parts_of(share: Block | Portion, ranks: Ranks) -> list[int]:
    """Return how many items of its extent each rank has."""
    parts: list[int] = block_part(share.extent, *line(ranks.at, share.dimension), late=share.late).tolist()
    return parts


def line(at: Position, dimension: int) -> tuple[Numbers, Numbers]:
    """Return the places along a dimension, and its extent."""
    if dimension == OTHERS:
        return at.ranks - 1, np.maximum(at.sizes - 1, 1)
    return at.coordinates[dimension], at.extents[dimension]


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
