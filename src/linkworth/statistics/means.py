"""Tests of two means: the greater of the chances of a permutation test and of Welch's t test.

The permutation test is exact for any two samples of one distribution. It calls equal means of unequal spread different too
often: at a level of 5 %, 5 runs and 5 with ten times their spread in 9 % of cases, and 8 and 4 in 24 %. Welch's test keeps
its level there.
"""

import math
from itertools import combinations
from typing import TYPE_CHECKING, Any

import msgspec

from linkworth.statistics.bootstrap import MANY, SEED
from linkworth.statistics.student import t_share_within

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_EXACT = 20_000
"""Most ways to divide the runs that are all counted; 8 against 8 runs have 12,870."""
PERMUTATIONS = 9999
_TIE = 1e-9
"""Relative difference, due to rounding, up to which values are equal."""


def difference_test(a: "NDArray[Any]", b: "NDArray[Any]") -> tuple[float, bool]:
    """Return the chance of means as far apart if they are equal, and whether all permutations were counted."""
    test = permutation_test(a, b)
    return max(test.p_two_sided, 2 * min(welch_test(a, b))), test.exact


def equivalence_test(a: "NDArray[Any]", b: "NDArray[Any]", margin: float) -> float:
    """Return the chance of means as near as these if their relative difference were `margin` or more.

    Two one-sided tests (Schuirmann, J. Pharmacokinet. Biopharm. 15, 1987) of `b` against `a` scaled to the margin's end:
    1 + margin, and 1 / (1 + margin), so that exchanging `a` and `b` changes nothing. The values must be positive.
    """
    above, below = a * (1 + margin), a / (1 + margin)
    return max(
        permutation_test(above, b).p_lower,
        welch_test(above, b)[0],
        permutation_test(below, b).p_higher,
        welch_test(below, b)[1],
    )


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
    Biol. 9, 2010). For 2000 values and more it is Welch's test, to which it converges.
    """
    import numpy

    pooled = numpy.concatenate([a, b])
    if len(pooled) >= MANY:
        lower, higher = welch_test(a, b)
        return PermutationTest(
            p_lower=lower, p_higher=higher, p_two_sided=2 * min(lower, higher), exact=False
        )
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


def degrees_of_freedom(error_a: float, error_b: float, runs_a: int, runs_b: int) -> int:
    """Return Welch's degrees of freedom, rounded down, of two squared standard errors; 1 if both are 0."""
    shares = error_a**2 / (runs_a - 1) + error_b**2 / (runs_b - 1)
    return math.floor((error_a + error_b) ** 2 / shares * (1 + 1e-9)) if shares else 1


def welch_test(a: "NDArray[Any]", b: "NDArray[Any]") -> tuple[float, float]:
    """Return the chances of a difference mean(b) - mean(a) as low or lower, and as high or higher, if both means are equal."""
    difference = float(b.mean() - a.mean())
    of_a, of_b = (float(each.var(ddof=1)) / len(each) for each in (a, b))
    error = math.sqrt(of_a + of_b)
    within = float(difference != 0)  # without an error, two different constants are as far apart as possible
    if error:
        degrees = degrees_of_freedom(of_a, of_b, len(a), len(b))
        within = t_share_within(abs(difference) / error, degrees)
    beyond = (1 - within) / 2
    return (beyond, 1 - beyond) if difference < 0 else (1 - beyond, beyond)
