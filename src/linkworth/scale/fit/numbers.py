"""Numbers as models of few terms: c p^a log^b p, also in the extents of the grid and the size of the problem."""

import itertools
import math
from collections import defaultdict
from collections.abc import Sequence
from copy import copy
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from linkworth.scale.fit.parts import Product, fit_face, fit_power, fit_quotient
from linkworth.scale.points import PARALLEL, Point

Floats = np.ndarray[Any, np.dtype[np.float64]]


class Monomial(NamedTuple):
    """ranks^a rounds^b size^c log2(size)^d, and a power of each extent of the grid.

    The rounds are those of distances that double up to all ranks: log2(ranks), rounded up.
    """

    ranks: float = 0
    logarithm: float = 0
    size: float = 0
    extents: tuple[float, ...] = ()
    size_logarithm: float = 0
    levels: int | None = None
    """Dimension whose rounds are a factor."""

    def has_rounds(self) -> bool:
        """Return whether rounds are a factor."""
        return bool(self.logarithm) or self.levels is not None

    def at(self, point: Point) -> float:
        """Return its value."""
        value: float = float(point.ranks) ** self.ranks * point.size**self.size
        if self.logarithm:
            value *= max(math.ceil(math.log2(point.ranks)), 0.5) ** self.logarithm
        if self.size_logarithm:
            value *= math.log2(max(point.size, 1.0)) ** self.size_logarithm
        if self.levels is not None:
            value *= math.ceil(math.log2(point.grid[self.levels]))
        for extent, power in zip(point.grid, self.extents, strict=False):
            value *= float(extent) ** power
        return value


class Sum(NamedTuple):
    """A sum of monomials with coefficients."""

    terms: tuple[Monomial, ...]
    coefficients: tuple[float, ...]
    error: float
    """Relative error when each point is left out in turn; 0 if all are met, and infinite if it is not known."""

    def constant(self) -> bool:
        """Return whether it is the same everywhere."""
        return self.terms == (Monomial(),)

    def at(self, point: Point) -> float:
        """Return its value, which is never negative."""
        return max(
            sum(c * term.at(point) for c, term in zip(self.coefficients, self.terms, strict=True)), 0.0
        )


_LEVELS = (Monomial(), Monomial(logarithm=1), Monomial(size_logarithm=1))


def fit_levels(points: Sequence[Point], values: Floats) -> Sum | None:
    """Return a number of levels, each with half the points of the one before, if all values of several sizes show it."""
    x = np.array([[term.at(point) for term in _LEVELS] for point in points])
    some = [0, *(at for at in (1, 2) if np.ptp(x[:, at]))]
    if 2 not in some or len(values) <= len(some):
        return None
    found, _, order, _ = np.linalg.lstsq(x[:, some], values, rcond=None)
    halves = np.abs(6 * found[1:] - np.round(6 * found[1:])).max() < _EXACT
    if order < len(some) or not halves or np.abs(x[:, some] @ found - values).max() > _EXACT:
        return None
    return Sum(tuple(_LEVELS[at] for at in some), tuple(found.tolist()), 0.0)


class Exchanged(NamedTuple):
    """A number that grows as one across another dimension does."""

    model: Sum | Product
    one: int
    other: int
    factor: float
    error: float

    def constant(self) -> bool:
        """Return whether it is the same everywhere."""
        return False

    def at(self, point: Point) -> float:
        """Return its value."""
        return self.factor * self.model.at(point.exchanged(self.one, self.other))


Model = Sum | Product | Exchanged


def power_law(points: Sequence[Point], values: Sequence[float], least: float, most: float) -> Sum:
    """Return a number that goes on from the last value, above 0, as powers of ranks and size, by least squares.

    `least` and `most` bound the powers.
    """
    ratios = [(each.ranks / points[-1].ranks, each.size / points[-1].size) for each in points]
    known = [
        (np.log(ratio), math.log(value / values[-1]))
        for ratio, value in zip(ratios, values, strict=True)
        if value > 0
    ]
    # If the size follows the rank count, the least powers are taken, and not large ones that cancel.
    x, y = np.array([x for x, _ in known]), np.array([y for _, y in known])
    powers = np.linalg.lstsq(x, y, rcond=PARALLEL)[0]
    ranks, size = np.clip(powers, least, most).tolist()
    term = Monomial(ranks, size=size)
    return Sum((term,), (values[-1] / term.at(points[-1]),), math.inf)


_FALLING = 0.999
"""Ratio of two powers above which they are equal but for rounding."""


def saturating(points: Sequence[Point], values: Sequence[float], new: Point) -> float | None:
    """Return a number whose growth falls from recording to recording, and goes on falling by the same factor.

    Ranks that have all neighbours they can have send no more messages. Return None if the last three values do not show
    that, or if the problem's size differs.
    """
    if len(points) < 3 or min(values[-3:]) <= 0 or len({each.size for each in (*points, new)}) > 1:
        return None
    x = np.log([float(each.ranks) for each in points[-3:]])
    earlier, later = (np.diff(np.log(values[-3:])) / np.diff(x)).tolist()
    if earlier * later <= 0 or abs(later) > _FALLING * abs(earlier):
        return None
    # The power falls exponentially with the logarithm of the count, and is known in the middle of each interval.
    middle = (x[1] + x[2]) / 2
    decay = math.log(earlier / later) / ((x[2] - x[0]) / 2)
    before, after = np.exp(-decay * (np.array([x[2], math.log(new.ranks)]) - middle)).tolist()
    return values[-1] * math.exp(later / decay * (before - after))


STEEPEST = 2.0
"""Power of the rank count, or of the size, with which a number is taken to grow or fall at most."""
_TRIED = 400
"""Powers that are tried."""


def growing(points: Sequence[Point], values: Sequence[float], new: Point) -> float | None:
    """Return a number of which one part stays the same, and the other grows as a power of the rank count.

    Beside messages of neighbours, those between all pairs of ranks soon are most. Return None if the last three values do
    not show such parts, or if the problem's size differs.
    """
    if len(points) < 3 or min(values[-3:]) <= 0 or len({each.size for each in (*points, new)}) > 1:
        return None
    first, middle, last = (float(each.ranks) for each in points[-3:])
    earlier, later = np.diff(values[-3:]).tolist()
    powers = np.linspace(0.0, STEEPEST, _TRIED + 1)[1:]
    ratios = (last**powers - middle**powers) / (middle**powers - first**powers)
    if earlier <= 0 or not ratios[0] <= later / earlier <= ratios[-1] * (1 + _EXACT):
        return None
    power = float(np.interp(later / earlier, ratios, powers))
    factor = later / (last**power - middle**power)
    same = values[-1] - factor * last**power
    return same + factor * new.ranks**power if same > 0 else None


_BEND = 0.6
"""Difference of two powers from which it is no noise: as if the value in the middle were a fifth off."""


def alternating(points: Sequence[Point], values: Sequence[float], new: Point) -> float | None:
    """Return a number that grows from every other recording to the next but one, as on grids that are squares in between.

    It rises by the same difference, or falls by the same factor, as from the first of the last three to the last. Return
    None if its power does not change by much, and then change back if there are four recordings or more. Also do so if the
    new count is not as far from the middle one, or if the problem's size differs.
    """
    if len(points) < 3 or min(values[-4:]) <= 0 or len({each.size for each in (*points, new)}) > 1:
        return None
    ranks = [each.ranks for each in points[-4:]]
    if new.ranks * ranks[-3] != ranks[-2] * ranks[-1]:
        return None
    powers = np.diff(np.log(values[-4:])) / np.diff(np.log(ranks))
    bends = np.diff(powers)
    # If there are only two powers, a smaller one of the same sign is saturation.
    turns = bends.prod() < 0 if len(bends) > 1 else not min(powers[0], 0) < powers[1] < max(powers[0], 0)
    if not turns or np.abs(bends).min() < _BEND:
        return None
    before, at, after = values[-3:]
    return at + after - before if after > before else at * after / before


def like(model: Model, point: Point, value: float) -> Model:
    """Return the model of a number that has a value at a point, and grows as another model does."""
    before = model.at(point)
    if before <= 0:
        return Sum((Monomial(),), (value,), 0.0)
    if isinstance(model, Sum):
        return model._replace(coefficients=tuple(value / before * each for each in model.coefficients))
    if isinstance(model, Product):
        return model._replace(unit=max(round(model.unit * value / before), 1))
    return model._replace(factor=model.factor * value / before)


_SHARED, _WHOLE = Monomial(-1), Monomial()


def shared(points: Sequence[Point], values: Floats) -> Sum:
    """Return work through the last value, above 0, of which all ranks share a part, and each does the rest (Amdahl's law).

    Neither part is negative; their proportions have the least relative squares.
    """
    known = values > 0
    x = np.array([[term.at(point) for term in (_SHARED, _WHOLE)] for point in points])[known]
    x /= values[known, None]
    best = (math.inf, np.zeros(2))
    for some in ([0, 1], [0], [1]):
        parts = np.zeros(2)
        parts[some] = np.linalg.lstsq(x[:, some], np.ones(len(x)), rcond=None)[0]
        if parts.min() >= 0:
            best = min(best, (float(((x @ parts - 1) ** 2).sum()), parts), key=lambda each: each[0])
    share, whole = (best[1] / (x[-1] @ best[1])).tolist()
    return Sum((_SHARED, _WHOLE), (share, whole), math.inf)


_LEAST_POWER, _MOST_POWER = -2.0, 3.0
"""Powers of ranks and size with which the time before a call is taken to grow."""


def measured(points: Sequence[Point], values: Floats) -> Sum:
    """Return a measured time, above 0 at the last point, that no curve meets.

    It follows Amdahl's law, or powers if sizes differ or if it falls faster than shared work throughout, as faces of blocks do.
    """
    work = values * [point.ranks for point in points]
    if len({each.size for each in points}) > 1 or (len(points) > 2 and (np.diff(work) < 0).all()):
        return power_law(points, values.tolist(), _LEAST_POWER, _MOST_POWER)
    return shared(points, values)


_POWERS = (0.0, -1.0, -0.5, 1.0, 0.5, -2 / 3, -1 / 3, 1 / 3, 2 / 3, -2.0, -1.5, -4 / 3, 1.5, 2.0)
_SIZES = (0.0, 1.0, 2.0, 3.0, 0.5, 2 / 3, 1 / 3, 4 / 3, 1.5)
_PAIRED = (0.0, -0.5, -1.0, -1.5, -1 / 3, -2 / 3, 0.5, 1.0)
_EXACT = 1e-9
_CLOSE = 0.02
"""Error of a curve up to which it is taken for measured times. Noise bends others, the further from the points the more."""


_Series = tuple[tuple[int, ...], tuple[float, ...]]
"""Numbers of points, and a value at each."""


class _Pool:
    """Series of the values of one field."""

    def __init__(self) -> None:
        self.series: dict[_Series, None] = {}
        self._by_value: defaultdict[tuple[int, float], list[dict[int, float]]] = defaultdict(list)

    def add(self, series: _Series) -> None:
        """Add a series that is not known yet."""
        if series not in self.series:
            self.series[series] = None
            at = dict(zip(*series, strict=True))
            for each in at.items():
                self._by_value[each].append(at)

    def beyond(self, series: _Series) -> _Series | None:
        """Return the first series with the same values at these points and at more, if there is one."""
        values = dict(zip(*series, strict=True))
        rarest = min((self._by_value.get(each, []) for each in values.items()), key=len)
        for at in rarest:
            if at.items() > values.items():
                return tuple(at), tuple(at.values())
        return None


class _Curves:
    """Fits curves to series of numbers at some points, and remembers them."""

    def __init__(self, points: Sequence[Point], *, weak: bool, across: Sequence[int]) -> None:
        self._points = points
        self._across = across
        sized = len({point.size for point in points}) > 1
        extents = len(points[0].grid)
        monomials = [
            Monomial(a, b, c) for c in (_SIZES if sized else (0.0,)) for b in (0, 1, 2, -1) for a in _POWERS
        ]
        if extents > 1:
            monomials += [
                Monomial(0, 0, c, powers)
                for c in (_SIZES if sized else (0.0,))
                for powers in itertools.product((0.0, -1.0, 1.0), repeat=extents)
                if 0 < sum(map(abs, powers)) < 4
            ]
        self._monomials = sorted(
            monomials, key=lambda each: (not _is_area(each, across), *_complexity(each, weak=weak))
        )
        simple = [
            number
            for number, each in enumerate(self._monomials)
            if (
                not each.logarithm
                and not each.size
                and each.ranks in _PAIRED
                and not any(map(abs, each.extents))
            )
            or each == Monomial(0, 1)
        ]
        if sized:
            simple += [
                number
                for number, each in enumerate(self._monomials)
                if each.size and each.ranks in (0, -1) and not each.logarithm and not each.extents
            ]
        elif extents > 1:
            simple += [
                number
                for number, each in enumerate(self._monomials)
                if each.extents and sum(each.extents) < 0 and max(each.extents) <= 0
            ]
        self._pairs = list(itertools.combinations(simple, 2))
        self._first = np.array([first for first, _ in self._pairs], dtype=np.int64)
        self._second = np.array([second for _, second in self._pairs], dtype=np.int64)
        self._known: dict[_Series, Model] = {}
        self._smooth: dict[_Series, Model] = {}
        self._values = np.array([[m.at(point) for point in points] for m in self._monomials])
        # A piece of what ranks in a row exchange: each has its part of all, and cuts it once more.
        self._pieces = [
            Monomial(0, 0, c, powers)
            for c in (_SIZES if sized else (0.0,))
            for powers in itertools.product((-1.0, -2.0, 0.0), repeat=extents)
            if extents > 1 and powers.count(-2.0) == 1
        ]

    def fit(self, numbers: Sequence[int], values: Sequence[float]) -> Model:
        """Return the model with the least leave-one-out error of values at the points with these numbers."""
        key = (tuple(numbers), tuple(values))
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._fit(list(numbers), np.array(values, dtype=float))
        return found

    def smooth(self, numbers: Sequence[int], values: Floats) -> Model:
        """Return the model of measured times."""
        key = (tuple(numbers), tuple(values.tolist()))
        found = self._smooth.get(key)
        if found is None:
            found = self.fit(*key)
            # A part that is taken away is noise, and leaves no time at all at some count.
            taken = isinstance(found, Sum) and min(found.coefficients) < 0
            if (found.error > _CLOSE or taken) and values[-1] > 0:
                found = measured([self._points[number] for number in numbers], values)
            self._smooth[key] = found
        return found

    def _fit(self, numbers: list[int], y: Floats) -> Model:
        if (y == y[0]).all():
            return Sum((Monomial(),), (float(y[0]),), 0.0)
        scale = np.maximum(np.abs(y), np.abs(y).mean() * 1e-3)
        x = self._values[:, numbers]
        single = _single(self._monomials, x, y, scale)
        if single.error <= _EXACT or len(y) < 3:
            return single
        if self._pieces:
            pieces = np.array([[m.at(self._points[number]) for number in numbers] for m in self._pieces])
            piece = _single(self._pieces, pieces, y, scale)
            if piece.error <= _EXACT:
                return piece
        points = [self._points[number] for number in numbers]
        # Few grids do not tell a face with margins from an area and a constant.
        face = fit_face(points, y.tolist(), self._across)
        exact = [face] if face is not None and face.error == 0 else []
        # Layers of neighbours hardly count in large problems, so that other curves come close to small ones.
        sized = len({point.size for point in points}) > 1
        power = fit_power(points, y.tolist()) if not (sized and exact) else None
        exact += [power] if power is not None else []
        if exact:
            # A message is as large as the face that it crosses, and rather a power of parts than of two sides.
            return min(exact, key=lambda each: (each.follows(self._across), each is face))
        levels = fit_levels(points, y) if sized else None
        if levels is not None:
            return levels
        pair = self._pair(x, y, scale)
        # Two terms meet three points often by chance: they must do so much better than one.
        better = 0.02 if len(y) == 3 else 0.5
        if pair is not None and pair.error < better * single.error:
            single = pair
        return single if single.error == 0 else fit_quotient(points, y.tolist()) or face or single

    def _pair(self, x: Floats, y: Floats, scale: Floats) -> Sum | None:
        """Return the best sum of two monomials."""
        best: Sum | None = None
        v = y / scale
        weighted = x / scale
        for which, error in enumerate(_left_out(weighted[self._first], weighted[self._second], v).tolist()):
            if best is not None and error >= 0.87 * best.error:
                continue
            first, second = self._pairs[which]
            u = np.stack([weighted[first], weighted[second]], axis=1)
            c, _, order, _ = np.linalg.lstsq(u, v, rcond=None)
            if order == 2:
                terms = (self._monomials[first], self._monomials[second])
                best = Sum(terms, (float(c[0]), float(c[1])), _rounded(error))
            if _rounded(error) == 0:
                break
        return best


def _single(monomials: Sequence[Monomial], x: Floats, y: Floats, scale: Floats) -> Sum:
    """Return the best monomial. `x`: the values of each."""
    # Weighted so that relative errors count.
    u, v = x / scale, y / scale
    uv, uu = u * v, u * u
    left = uv.sum(axis=1, keepdims=True) - uv
    below = np.maximum(uu.sum(axis=1, keepdims=True) - uu, 1e-300)
    errors = np.sqrt((((left / below) * u - v) ** 2).mean(axis=1))
    best = int(np.argmax(errors <= max(errors.min() * 1.15, errors.min() + 1e-10)))
    c = uv[best].sum() / uu[best].sum()
    return Sum((monomials[best],), (float(c),), _rounded(float(errors[best])))


def _left_out(one: Floats, other: Floats, v: Floats) -> Floats:
    """Return for each pair of terms (rows) the error when each value (column) is left out of its least squares in turn."""

    def others(products: Floats) -> Floats:
        rest: Floats = products.sum(axis=1, keepdims=True) - products
        return rest

    a, b, c = others(one * one), others(one * other), others(other * other)
    d, e = others(one * v), others(other * v)
    determinant, trace = a * c - b * b, np.maximum(a + c, 1e-300)
    # If the terms are multiples of each other, many solutions fit; this takes the shortest.
    single = determinant < 1e-12 * trace * trace
    safe = np.where(single, 1.0, determinant)
    first = np.where(single, d / trace, (c * d - b * e) / safe)
    second = np.where(single, e / trace, (a * e - b * d) / safe)
    errors: Floats = np.sqrt(((first * one + second * other - v) ** 2).mean(axis=1))
    return errors


def _rounded(error: float) -> float:
    return 0.0 if error < _EXACT else error


def _is_area(monomial: Monomial, across: Sequence[int]) -> bool:
    """Return whether it is the inverse of all extents but those, with the size as a side's points or as all points."""
    extents = len(monomial.extents)
    sides = extents - len(across)
    return (
        bool(across)
        and extents > 1
        and monomial.size in (0.0, float(sides), sides / extents)
        and all(power == -(at not in across) for at, power in enumerate(monomial.extents))
    )


def _complexity(monomial: Monomial, *, weak: bool) -> tuple[float, ...]:
    usual = 0.0 if weak else -1.0
    total = monomial.ranks if not monomial.extents else sum(monomial.extents) / max(len(monomial.extents), 1)
    return (
        abs(monomial.logarithm) + (0.5 if monomial.extents else 0) + abs(monomial.size % 1 > 0),
        abs(monomial.size),
        _POWERS.index(monomial.ranks) if monomial.ranks in _POWERS else 99,
        abs(total - usual),
    )


@lru_cache(maxsize=64)
def _curves(points: tuple[Point, ...], *, weak: bool, across: tuple[int, ...]) -> _Curves:
    """Return the curves at some points. Programs under many assumptions ask for the same."""
    return _Curves(points, weak=weak, across=across)


class Fitter:
    """Fits numbers of one program, of which some are alike in several places."""

    def __init__(
        self, points: Sequence[Point], *, weak: bool, grouped: bool = False, grids: bool = False
    ) -> None:
        """Fit at these points.

        `grouped`: roles are places in groups of ranks that follow one another, whatever the grid. `grids`: some calls are on
        another grid than the program's.
        """
        self.grouped = grouped
        self.grids = grids
        self._weak = weak
        self._of_faces: dict[tuple[int, ...], Fitter] = {}
        self._all: Fitter | None = None
        """Fitter of messages to nobody, whose dimension is not known; None unless this one is of faces."""
        self._points = points
        self._pools: defaultdict[str, _Pool] = defaultdict(_Pool)
        self._iterations = _Pool()
        self.shares: defaultdict[str, list[Any]] = defaultdict(list)
        """By call and field: rules of ranks' shares of an extent, which other roles may have as well."""
        self.peers: dict[str, Any] = {}
        """By call and field: rules of peers that all ranks have, whatever their roles."""
        self.around: list[Any] = []
        """Lists of neighbours over which loops run."""
        self.neighbours: set[str] = set()
        """Calls and fields whose peers are next to the rank on a grid with edges."""
        self._prefer_area(())

    def _prefer_area(self, across: tuple[int, ...]) -> None:
        """Prefer, of models that are equally good, the area across those dimensions if there are some."""
        curves = _curves(tuple(self._points), weak=self._weak, across=across)
        self.fit = curves.fit
        self.smooth = curves.smooth

    def of_faces(self, *across: int) -> "Fitter":
        """Return the fitter of messages across some dimensions, for grids on which the powers of extents cannot be told."""
        if across not in self._of_faces:
            # All but the models and the pools is the same for both.
            found = self._of_faces[across] = copy(self)
            found._all, found._of_faces, found._pools = self, {}, defaultdict(_Pool)
            found._prefer_area(across)
        return self._of_faces[across]

    def on(self, grids: Sequence[tuple[int, ...]]) -> "Fitter":
        """Return the fitter of numbers that follow other grids at the same counts."""
        found = copy(self)
        found._points = [point._replace(grid=grid) for point, grid in zip(self._points, grids, strict=True)]
        found._all, found._of_faces, found._pools = None, {}, defaultdict(_Pool)
        found._prefer_area(())
        return found

    def pooled(self, site: str, numbers: Sequence[int], values: Sequence[float]) -> Model:
        """Return the model of a call's number. Other roles may have the same values at these points, and at more."""
        own = tuple(numbers), tuple(values)
        # Equal at two counts or more, it is the same number at whatever place it is sent.
        pools = self._pools_of(site)[: len(numbers)]
        wider = self._all._pools_of(site)[: len(numbers)] if self._all else []
        for pool in pools + wider:
            more = pool.beyond(own)
            if more is not None:
                return self.fit(*more)
        if len(numbers) == 1:
            return self._like_others(site, numbers[0], values[0])
        for pool in pools:
            pool.add(own)
        found = self.fit(numbers, values)
        return found._replace(error=math.inf) if self._hides_an_extent(numbers) else found

    def iterates(self, numbers: Sequence[int], values: Sequence[float]) -> bool:
        """Return whether a loop whose iterations data decide has as many at these points in other roles."""
        return self._iterations.beyond((tuple(numbers), tuple(values))) is not None

    def iterations(self, numbers: Sequence[int], values: Sequence[float]) -> Model:
        """Return the model of iterations that data decide. Other roles may have as many at these points, and at more.

        Only a steady trend goes on, if not by a curve, then as a power; the rest is the data's.
        """
        own = tuple(numbers), tuple(values)
        own = self._iterations.beyond(own) or own
        self._iterations.add(own)
        points, values = [self._points[number] for number in own[0]], own[1]
        changes = np.diff(values)
        if len({each.size for each in points}) == 1 and not ((changes > 0).all() or (changes < 0).all()):
            return Sum((Monomial(),), (float(np.mean(values)),), math.inf)
        found = self.fit(*own)
        bends = isinstance(found, Sum) and min(found.coefficients) < 0
        if found.error == 0 or (found.error <= _CLOSE and not bends):
            return found
        return power_law(points, values, -1.0, 1.0)

    def _hides_an_extent(self, numbers: Sequence[int]) -> bool:
        """Return whether some points are alike along a dimension, though not all are."""
        extents = np.array([point.grid for point in self._points])
        few = extents[list(numbers)]
        return bool(((few == few[0]).all(axis=0) & (extents != extents[0]).any(axis=0)).any())

    def remember(self, site: str, value: float) -> None:
        """Note a number that is the same at all points, for roles that fewer recordings have."""
        series = tuple(range(len(self._points))), (float(value),) * len(self._points)
        for pool in self._pools_of(site):
            pool.add(series)

    def _pools_of(self, site: str) -> list[_Pool]:
        """Return those of the call's field and of that field of any call."""
        return [self._pools[site], self._pools[f"any {site.rpartition(' ')[2]}"]]

    def _like_others(self, site: str, number: int, value: float) -> Model:
        """Return the model of a value at one point: it grows as the nearest number of the same call does."""
        known = [
            (abs(theirs[others.index(number)] - value), others, theirs)
            for others, theirs in self._pools[site].series
            if number in others and theirs[others.index(number)] > 0
        ]
        if not known:
            return self.fit([number], [value])
        _, others, theirs = min(known, key=lambda each: each[0])
        return like(self.fit(others, theirs), self._points[number], value)
