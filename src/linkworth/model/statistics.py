"""What repeated runs say, alone and against each other."""

from typing import Literal

import msgspec

Better = Literal["lower", "higher"]
Verdict = Literal["faster", "slower", "same", "undecided"]


class Bounds(msgspec.Struct, frozen=True, kw_only=True):
    """A confidence interval."""

    low: float
    high: float
    confidence: float
    method: Literal["BCa bootstrap", "normal"]
    """`normal` only where there are so many values that both agree."""


class WarmUp(msgspec.Struct, frozen=True, kw_only=True):
    """The first runs differ from the later ones."""

    runs: int
    """How many, from the first on."""
    relative: float
    """Their mean over that of the later runs, - 1."""
    reason: str
    """One sentence with the figures of the rule that found it."""


class Bimodality(msgspec.Struct, frozen=True, kw_only=True):
    """The runs fall into two groups."""

    lower_mean: float
    higher_mean: float
    higher_share: float
    """Part of the runs in the group with the higher values."""
    separation: float
    """Ashman's D."""
    reason: str


class Description(msgspec.Struct, frozen=True, kw_only=True):
    """Repeated runs of one thing, in the unit of the values; what needs two runs is None of a single one."""

    n: int
    mean: float
    deviation: float | None
    """Standard deviation of the sample (n - 1)."""
    median: float
    minimum: float
    maximum: float
    p99: float
    cv: float | None
    """Coefficient of variation: deviation / |mean|; None where the mean is 0."""
    mean_interval: Bounds | None
    median_interval: Bounds | None
    precision: float | None
    """Half width of the mean's interval over |mean|."""
    wanted_precision: float
    runs_needed: int | None
    """For the wanted precision of the mean at the interval's confidence; None where it cannot be told."""
    warm_up: WarmUp | None = None
    bimodality: Bimodality | None = None


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """Runs of `b` against runs of the baseline `a`."""

    better: Better
    runs_a: int
    runs_b: int
    relative_difference: float | None
    """mean(b) / mean(a) - 1; None where the baseline's mean is not above 0."""
    interval: Bounds | None
    """Of the relative difference."""
    sigmas: float | None
    """|mean(b) - mean(a)| over the sum of both standard deviations; None if neither varies."""
    three_sigma: Literal["within", "outside", "unknown"]
    """`within`: the intervals mean +- 3 standard deviations overlap. `unknown`: one run has no deviation."""
    p_different: float | None
    """Of the permutation test that both are alike."""
    exact: bool
    """All permutations were counted, not a sample of them."""
    p_equivalent: float | None
    """Of the equivalence test: the greater of its two one-sided tests."""
    margin: float
    """Relative difference that does not matter."""
    verdict: Verdict
    reason: str
    """One sentence."""
    runs_to_decide: int | None
    """Repetitions of each that would probably decide what is undecided; None where no number would, or one run says nothing."""
