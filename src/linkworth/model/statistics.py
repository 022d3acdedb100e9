"""Statistics of repeated runs, alone and compared with each other."""

from typing import Literal

import msgspec

Better = Literal["lower", "higher"]
Verdict = Literal["faster", "slower", "same", "undecided"]


class Bounds(msgspec.Struct, frozen=True, kw_only=True):
    """A confidence interval."""

    low: float
    high: float
    confidence: float
    method: Literal["Student's t", "BCa bootstrap", "normal", "order statistics"]
    """The first three are of means: Student's t of few values, `normal` of so many that both others agree with it."""


class WarmUp(msgspec.Struct, frozen=True, kw_only=True):
    """A difference between the first runs and the later ones."""

    runs: int
    """Number of warm-up runs, from the first on."""
    relative: float
    """Mean of these runs / mean of the later runs - 1."""
    reason: str
    """One sentence with the figures of the rule that detected it."""


class Bimodality(msgspec.Struct, frozen=True, kw_only=True):
    """Two groups of runs."""

    lower_mean: float
    higher_mean: float
    higher_share: float
    """Share of the runs in the group with the higher values."""
    separation: float
    """Ashman's D."""
    reason: str


class Description(msgspec.Struct, frozen=True, kw_only=True):
    """Repeated runs, in the unit of the values. Fields that need two runs are None for a single one."""

    n: int
    mean: float
    deviation: float | None
    """Standard deviation of the sample (n - 1)."""
    median: float
    minimum: float
    maximum: float
    p99: float
    cv: float | None
    """Coefficient of variation: deviation / |mean|. None if the mean is 0."""
    mean_interval: Bounds | None
    median_interval: Bounds | None
    precision: float | None
    """Half width of the mean's interval over |mean|."""
    wanted_precision: float
    runs_needed: int | None
    """Runs needed for the wanted precision of the mean at the interval's confidence. None if unknown."""
    warm_up: WarmUp | None = None
    bimodality: Bimodality | None = None


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """Runs of `b` compared with runs of the baseline `a`."""

    better: Better
    runs_a: int
    runs_b: int
    relative_difference: float | None
    """mean(b) / mean(a) - 1. None if the baseline's mean is not above 0."""
    interval: Bounds | None
    """Confidence interval of the relative difference."""
    sigmas: float | None
    """|mean(b) - mean(a)| over the sum of both standard deviations. None if neither varies."""
    three_sigma: Literal["within", "outside", "unknown"]
    """`within`: the intervals mean +- 3 standard deviations overlap. `unknown`: a single run has no
    deviation."""
    p_different: float | None
    """P-value of equality: the greater of the permutation test's and Welch's t test's."""
    exact: bool
    """True if all permutations were counted, not a sample of them."""
    p_equivalent: float | None
    """P-value of the equivalence test: the greater of its two one-sided tests."""
    margin: float
    """Relative difference that does not matter."""
    verdict: Verdict
    reason: str
    """One sentence."""
    runs_to_decide: int | None
    """Repetitions of each that would probably decide an undecided comparison. None if no number would, or if
    there is only one run."""
