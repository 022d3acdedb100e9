"""Fits rules of whole numbers: sizes, counts and how often loops run."""

from collections.abc import Collection, Iterator
from math import gcd

import numpy as np
import numpy.typing as npt

from linkworth.scale.fit.cells import fit_cells
from linkworth.scale.fit.dealt import fit_dealt
from linkworth.scale.fit.numbers import Model, Monomial, Sum, like
from linkworth.scale.fit.parts import LAYERS, Product
from linkworth.scale.fit.rules import (
    INEXACT,
    OTHERS,
    Appearing,
    AtRoot,
    Block,
    ByCount,
    ByStep,
    Copied,
    InStep,
    Linear,
    Portion,
    Ranks,
    Rule,
    Same,
    Samples,
    Sloped,
    UnfitError,
    block_part,
    line,
)
from linkworth.scale.grids import Position
from linkworth.scale.recording import Numbers

_FEWEST_ON_LINE = 5
_FEWEST_FALLING = 3
"""Iterations that show an even fall."""


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
        or _sloped(samples, values, numbers)
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


def fit_others(at: Position, values: Numbers, along: Collection[int]) -> Linear | None:
    """Return the rule of a number that is one or more times that of all others along a dimension, as of what one collects.

    `along`: dimensions along which the peers are. On squares others are as long.
    """
    for dimension in sorted(range(len(at.extents)), key=lambda each: each not in along):
        others = at.extents[dimension] - 1
        each = int(values[-1]) // max(int(others[-1]), 1)
        # Several calls that one dimension of two ranks shows are no growth.
        if each > 1 and len(np.unique(values[values > 0])) < 2:
            continue
        if each and np.ptp(others) and np.array_equal(values, each * others):
            return Linear(dimension, (0, each, -each))
    return None


def fit_levels_along(at: Position, values: Numbers, dimension: int) -> ByCount | None:
    """Return equally many calls on each level of a tree or butterfly along a dimension, with a level more or less."""
    levels = np.log2(at.extents[dimension])
    calls = float(np.ptp(values) / np.ptp(levels)) if np.ptp(levels) else 0.0
    more = float(values[-1] - calls * levels[-1])
    if calls < 1 or abs(more) not in (0.0, calls) or not np.array_equal(calls * levels + more, values):
        return None
    return ByCount(Sum((Monomial(levels=dimension), Monomial()), (calls, more), 0.0))


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


def _sloped(samples: Samples, values: Numbers, numbers: list[int]) -> Sloped | None:
    """Return the rule of a number that falls evenly, if the recordings have different numbers of iterations.

    The last iteration may have what is left, which is less.
    """
    steps = samples.steps
    if not np.ptp(steps.total):
        return None
    lines = []
    for number in numbers:
        inner = (samples.recording == number) & (steps.number < steps.total - 1)
        k, of = steps.number[inner], values[inner]
        if len(np.unique(k)) < _FEWEST_FALLING:
            return None
        first, last = int(k.argmin()), int(k.argmax())
        fall = (int(of[first]) - int(of[last])) // int(k[last] - k[first])
        lines.append((int(of[first] + fall * k[first]), fall))
        if fall <= 0 or not np.array_equal(lines[-1][0] - fall * k, of):
            return None
    firsts, falls = (
        samples.fitter.fit(numbers, [float(each) for each in of]) for of in zip(*lines, strict=True)
    )
    return Sloped(firsts, falls) if max(firsts.error, falls.error) < 1e-6 else None


def _by_step(samples: Samples, values: Numbers, numbers: list[int]) -> ByStep | None:
    if not (samples.steps.total > 1).any():
        return None
    longer = bool(np.ptp(samples.steps.total))
    found = [
        ByStep(models, from_end, longer)
        for from_end in (False, True)
        if (models := _models_of_steps(samples, values, numbers, from_end=from_end)) is not None
    ]
    if longer:
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
    found = []
    for dimension in (*range(len(samples.at.extents)), OTHERS):
        parts = line(samples.at, dimension)
        if parts[0].min() < 0:
            continue
        for late in (False, True):
            for each in _blocks_along(samples, values, numbers, here, dimension, (*parts, late)):
                # Layers of neighbours are as many at all counts; what grows beside parts may be so by chance.
                if each.rest.constant():
                    return each
                found.append(each)
    return found[0] if found else None


def _blocks_along(
    samples: Samples,
    values: Numbers,
    numbers: list[int],
    here: npt.NDArray[np.bool_],
    dimension: int,
    parts: tuple[Numbers, Numbers, bool],
) -> Iterator[Block]:
    """Yield rules along a dimension. `here`: samples of the last recording in which values differ, of two sizes."""
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
                    yield Block(dimension, extent, late, unit_model, rest_model)


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
        for extent, margin, late in _extents(samples, values, numbers, dimension):
            part = block_part(extent, x, n, late=late) + margin
            if part.min() <= margin or (values % part).any():
                continue
            unit = _unit(samples, values // part, numbers, dimension + 1)
            if unit is not None:
                return Portion(dimension, extent, margin, late, unit)
    return None


def _unit(samples: Samples, values: Numbers, numbers: list[int], begin: int) -> Rule | None:
    of = [values[samples.recording == number] for number in numbers]
    if any(np.ptp(each) for each in of):
        return _block(samples, values, numbers) or _portion(samples, values, numbers, begin)
    model = samples.fitter.fit(numbers, [float(each[0]) for each in of])
    return ByCount(model) if model.error < INEXACT or isinstance(model, Product) else None


def _extents(
    samples: Samples, values: Numbers, numbers: list[int], dimension: int
) -> Iterator[tuple[int, int, bool]]:
    """Yield what is cut along a dimension, if numbers along it differ as parts with one item more: q + 1 to q.

    Each with the layers of neighbours around a part, of which the fewest come first.
    """
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
            for margin in LAYERS:
                for late in (False, True):
                    each = max(least - margin, 0)
                    yield from ((extent, margin, late) for extent in range(each * n + 1, (each + 1) * n))
        return
