"""Whole numbers as products of the parts of an extent that is cut among ranks."""

import itertools
import math
from collections.abc import Collection, Sequence
from typing import NamedTuple

from linkworth.scale.points import Point

MARGINS = (0, 1, -1, 2, -2)
DIVISORS = (2, 3, 4)
UNITS = (8, 4, 16, 1, 24, 32, 40)
"""Bytes of a point."""
LAYERS = (0, 1, 2, 4, 6)
"""Layers of neighbours on both sides together."""
MOST_SHARED = 64
"""Largest common factor of all parts that is tried."""


class Factor(NamedTuple):
    """The part of an extent that every rank has, or the whole parts of which the ranks along a dimension consist."""

    dimension: int
    """Dimension of the grid along which the extent is cut; -1: among all ranks."""
    margin: int
    """Points that are added to each part."""
    extent: float = 0
    """0 for parts of the ranks, such as the steps that each layer does."""
    divisor: int = 1
    growth: float = 0
    """Power of the problem's size with which the extent grows."""

    def of(self, point: Point) -> int:
        """Return its value."""
        parts = _parts(point, self.dimension)
        whole = round(self.extent * point.size**self.growth)
        return (whole // parts if whole else parts // self.divisor) + self.margin

    def is_likely(self, point: Point) -> bool:
        """Return whether its extent is a whole number there, and parts are at least as thick as the layers around them."""
        whole = float(self.extent * point.size**self.growth)
        near = round(whole)
        part = near // _parts(point, self.dimension)
        return abs(whole - near) <= 1e-6 * whole and part >= max(self.margin, 1)

    def divides(self, point: Point) -> bool:
        """Return whether all parts of its extent are equal there."""
        whole: int = round(self.extent * point.size**self.growth)
        return whole % _parts(point, self.dimension) == 0


class Product(NamedTuple):
    """A whole number of units for the product of some parts, such as the face of a box with layers of neighbours around it."""

    unit: int
    factors: tuple[Factor, ...]
    error: float = 0.0

    def constant(self) -> bool:
        """Return whether it is the same everywhere."""
        return False

    def follows(self, across: Collection[int]) -> bool:
        """Return whether an extent along one of these dimensions matters."""
        return any(factor.dimension in across for factor in self.factors)

    def at(self, point: Point) -> float:
        """Return its value."""
        return float(self.unit * math.prod(factor.of(point) for factor in self.factors))


def _parts(point: Point, dimension: int) -> int:
    return point.ranks if dimension < 0 else point.grid[dimension]


def fit_quotient(points: Sequence[Point], values: Sequence[float]) -> Product | None:
    """Return the quotient that gives all values, if three extents or more show it."""
    for dimension in range(len(points[0].grid)):
        if len({point.grid[dimension] for point in points}) < 3:
            continue
        for divisor, margin in itertools.product(DIVISORS, MARGINS[:3]):
            steps = Factor(dimension, margin, divisor=divisor)
            last = steps.of(points[-1])
            unit = round(values[-1] / last) if last else 0
            found = Product(unit, (steps,))
            if unit and all(found.at(point) == value for point, value in zip(points, values, strict=True)):
                return found
    return None


def fit_face(
    points: Sequence[Point], values: Sequence[float], across: Collection[int] = ()
) -> Product | None:
    """Return the face of a box, or an edge, that gives all values, of which two or more differ.

    Faces that most recordings cut into equal parts come first, then those with the least margins, then the most even one.
    Two values of problems of one size do not show whether it is exact. It is then the most even one with the same margin along
    all its sides. If problems differ in size, that may be an extent or the number of points. Extents along the dimensions
    `across` which a message moves hardly matter.
    """
    sized = len({point.size for point in points}) > 1
    whole = _whole(values, 3)
    different = len(set(whole))
    if different < 2:
        return None
    exact = sized or different > 2
    common = math.gcd(*whole)
    dimensions = range(len(points[0].grid))
    found: list[tuple[tuple[float, ...], Product]] = []
    growths = (1.0, 1 / len(dimensions)) if sized else (0.0,)
    for unit, growth in itertools.product([each for each in UNITS if common % each == 0], growths):
        wanted = [each // unit for each in whole]
        pairs = _sides(wanted[0])
        known = [_factors(points, wanted, dimension, growth, pairs) for dimension in dimensions]
        for count in (2, 1) if sized or not exact else (2,):
            for along in itertools.combinations(dimensions, count):
                if not _shows(points, whole, along):
                    continue
                for each in pairs if count == 2 else [(wanted[0],)]:
                    for factors in itertools.product(
                        *(known[at].get(side, ()) for at, side in zip(along, each, strict=True))
                    ):
                        face = Product(unit, factors, 0.0 if exact else math.inf)
                        even = len({factor.margin for factor in factors}) == 1
                        if (exact or even) and [face.at(point) for point in points] == whole:
                            found.append((_cost(face, points, across, exact=exact), face))
    return min(found, key=lambda each: each[0])[1] if found else None


def _shows(points: Sequence[Point], values: Sequence[int], along: Sequence[int]) -> bool:
    """Return whether the values are the same where the problem and the extents along these dimensions are."""
    known = [(point.size, *(point.grid[dimension] for dimension in along)) for point in points]
    return len(set(zip(known, values, strict=True))) == len(set(known))


def _sides(area: int) -> list[tuple[int, int]]:
    """Return the pairs of sides that have this product."""
    lengths = [each for each in range(1, math.isqrt(area) + 1) if area % each == 0]
    return list({pair for each in lengths for pair in ((each, area // each), (area // each, each))})


def _factors(
    points: Sequence[Point],
    areas: Sequence[int],
    dimension: int,
    growth: float,
    sides: Sequence[tuple[int, int]],
) -> dict[int, list[Factor]]:
    """Return the likely extents along a dimension whose parts divide all areas, by the side at the first point."""
    found: dict[int, list[Factor]] = {}
    for side, _ in sides:
        for margin in LAYERS:
            extent = (side - margin) * points[0].grid[dimension]
            factor = Factor(dimension, margin, extent / points[0].size ** growth, growth=growth)
            if extent > 0 and all(
                factor.is_likely(point) and area % factor.of(point) == 0
                for point, area in zip(points[::-1], areas[::-1], strict=True)
            ):
                found.setdefault(side, []).append(factor)
    return found


def _cost(
    face: Product, points: Sequence[Point], across: Collection[int], *, exact: bool
) -> tuple[float, ...]:
    """Return how unlikely a face is, what matters most first."""
    extents = [factor.extent for factor in face.factors]
    uneven = max(extents) / min(extents)
    layers = sum(factor.margin for factor in face.factors)
    unequal = sum(not factor.divides(point) for factor in face.factors for point in points)
    last = (layers, uneven, -face.factors[0].growth) if exact else (uneven, layers)
    return (face.follows(across), unequal, *last)


def _whole(values: Sequence[float], fewest: int) -> list[int]:
    """Return the values if they are whole numbers above 0 and as many as `fewest`, else none."""
    whole = [int(each) for each in values]
    return whole if len(whole) >= fewest and min(whole) > 0 and whole == list(values) else []


def root(number: int, exponent: int) -> int:
    """Return the whole root, or 0."""
    found = round(number ** (1 / exponent))
    return found if found**exponent == number else 0


def fit_power(points: Sequence[Point], values: Sequence[float]) -> Product | None:
    """Return the simplest power that gives all values."""
    whole = _whole(values, 3)
    if not whole:
        return None
    common = math.gcd(*whole)
    best: tuple[tuple[int, int, int], Product] | None = None
    for dimension in range(-1, len(points[0].grid) if len(points[0].grid) > 1 else 0):
        parts = [_parts(point, dimension) for point in points]
        if len(set(parts)) < 3:
            continue
        for exponent in (1, 2, 3):
            for shared in range(1, MOST_SHARED + 1):
                unit, rest = divmod(common, shared**exponent)
                if rest:
                    continue
                roots = [root(each // unit, exponent) for each in whole]
                if not all(roots):
                    continue
                for margin in MARGINS:
                    found = _extent([each - margin for each in roots], parts)
                    if found is not None:
                        cost = (abs(margin), exponent, -unit)
                        if best is None or cost < best[0]:
                            best = cost, Product(unit, (Factor(dimension, margin, found),) * exponent)
    return None if best is None else best[1]


def _extent(each: Sequence[int], parts: Sequence[int]) -> int | None:
    """Return the extent whose share of all parts is given; of several, the one that most numbers of parts divide."""
    if min(each) <= 0:
        return None
    low = max(share * of for share, of in zip(each, parts, strict=True))
    high = min((share + 1) * of for share, of in zip(each, parts, strict=True))
    if low >= high:
        return None
    return max(range(low, high), key=lambda extent: sum(extent % of == 0 for of in parts))
