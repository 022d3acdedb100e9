"""Permutation tests of the difference of two means, exact for small samples."""

import math
from itertools import combinations
from typing import TYPE_CHECKING, Any

import msgspec

from linkworth.statistics.bootstrap import MANY, SEED
from linkworth.statistics.student import normal_share_below

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_EXACT = 20_000
"""Most ways to divide the runs that are all counted; 8 against 8 runs have 12,870."""
PERMUTATIONS = 9999
_TIE = 1e-9
"""Relative difference, due to rounding, up to which values are equal."""


class PermutationTest(msgspec.Struct, frozen=True, kw_only=True):
    """Chances of a difference mean(b) - mean(a) like the observed one if only chance divided the runs."""

    p_lower: float
    """Chance of a difference as low or lower."""
    p_higher: float
    p_two_sided: float
    """Chance of a difference as far from 0."""
    exact: bool


def permutation_test(a: "NDArray[Any]", b: "NDArray[Any]") -> PermutationTest:
    """Test whether two samples come from one distribution, by the difference of their means.

    Fisher's and Pitman's test: the share of all ways to divide the values into samples of these sizes. If there are
    more than 20,000 ways, 9999 random ones and the observed one are used (Phipson & Smyth, Stat. Appl. Genet. Mol.
    Biol. 9, 2010). For 2000 values and more it is the normal approximation with separate variances, to which the test
    converges.
    """
    import numpy

    pooled = numpy.concatenate([a, b])
    if len(pooled) >= MANY:
        return _normal_test(a, b)
    ways = math.comb(len(pooled), len(b))
    exact = ways <= MOST_EXACT
    if exact:
        chosen = numpy.array(list(combinations(range(len(pooled)), len(b))))
        sums = pooled[chosen].sum(axis=1)
    else:
        rng = numpy.random.default_rng(SEED)
        rows = rng.permuted(numpy.tile(pooled, (PERMUTATIONS, 1)), axis=1)
        sums = numpy.concatenate([[b.sum()], rows[:, : len(b)].sum(axis=1)])
    differences = sums / len(b) - (pooled.sum() - sums) / len(a)
    observed = b.mean() - a.mean()
    tie = _TIE * float(numpy.abs(pooled).max())
    return PermutationTest(
        p_lower=float((differences <= observed + tie).mean()),
        p_higher=float((differences >= observed - tie).mean()),
        p_two_sided=float((numpy.abs(differences) >= abs(observed) - tie).mean()),
        exact=exact,
    )


def _normal_test(a: "NDArray[Any]", b: "NDArray[Any]") -> PermutationTest:
    difference = float(b.mean() - a.mean())
    error = math.sqrt(float(a.var(ddof=1)) / len(a) + float(b.var(ddof=1)) / len(b))
    # Without an error, two different constants are as far apart as possible.
    far = math.copysign(40.0, difference) if difference else 0.0
    z = difference / error if error else far
    below = normal_share_below(z)
    return PermutationTest(
        p_lower=below, p_higher=1 - below, p_two_sided=2 * min(below, 1 - below), exact=False
    )
