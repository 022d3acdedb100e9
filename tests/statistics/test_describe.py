"""Descriptions: by hand, against SciPy's BCa, and what holds for all values."""

import math

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linkworth.statistics import compare, describe
from linkworth.statistics.describe import runs_for_mean

SKEWED = numpy.random.default_rng(1).lognormal(0.0, 0.6, 30)
TIMES = st.lists(st.floats(1e-6, 1e6), min_size=1, max_size=20)


def test_five_runs_by_hand():
    description = describe([10.0, 12.0, 11.0, 13.0, 14.0])
    assert (description.n, description.mean, description.median) == (5, 12.0, 12.0)
    assert (description.minimum, description.maximum) == (10.0, 14.0)
    # Squares of the deviations: 4 + 0 + 1 + 1 + 4 = 10, over n - 1 = 4.
    assert description.deviation == pytest.approx(2.5**0.5)
    assert description.cv == pytest.approx(2.5**0.5 / 12)
    # Type 7: place 0.99 x 4 = 3.96 of the sorted values, 0.96 of the way from 13 to 14.
    assert description.p99 == pytest.approx(13.96)


def test_one_run_and_equal_runs_have_no_spread():
    description = describe([3.0])
    assert description.mean == description.median == description.p99 == 3.0
    assert (description.deviation, description.cv, description.mean_interval) == (None, None, None)
    assert description.runs_needed is None
    description = describe([2.0] * 8)
    assert description.mean_interval is not None
    assert (description.mean_interval.low, description.mean_interval.high) == (2.0, 2.0)
    assert description.precision == 0.0
    assert description.warm_up is None and description.bimodality is None


# SciPy 1.17.1: bootstrap with method="BCa" and 99,999 samples, and quantile_test. The means of 6 and 10 values: t(5) = 2.5706,
# t(9) = 2.2622.
@pytest.mark.parametrize(
    ("values", "mean", "median"),
    [
        (SKEWED, (0.91676, 1.22799), (0.8475870397936199, 1.2304137749829402)),
        (SKEWED[:6], (0.79193, 1.73242), (min(SKEWED[:6]), max(SKEWED[:6]))),
        (numpy.arange(10.0) ** 2 + 1, (9.2519, 49.7481), (2.0, 65.0)),
    ],
)
def test_intervals_agree_with_scipy(values, mean, median):
    description = describe(list(values))
    ours, (low, high) = description.mean_interval, mean
    assert ours is not None and description.median_interval is not None
    assert (ours.low, ours.high) == pytest.approx((low, high), abs=0.08 * (high - low))
    assert (description.median_interval.low, description.median_interval.high) == median


@given(TIMES)
def test_what_always_holds(values):
    description = describe(values)
    assert description.minimum <= description.median <= description.p99 <= description.maximum
    if bounds := description.median_interval:
        assert (
            description.minimum * (1 - 1e-12)
            <= bounds.low
            <= bounds.high
            <= description.maximum * (1 + 1e-12)
        )
    if bounds := description.mean_interval:
        assert 0 <= bounds.low <= description.mean <= bounds.high
    assert describe(values) == description


@given(st.lists(st.floats(0.5, 2.0), min_size=3, max_size=15), st.sampled_from([1e-6, 1024.0]))
@settings(max_examples=25)
def test_the_unit_does_not_matter(values, unit):
    one, other = describe(values), describe([value * unit for value in values])
    assert one.mean_interval is not None and other.mean_interval is not None
    assert other.mean_interval.low == pytest.approx(one.mean_interval.low * unit, rel=1e-6)
    assert other.runs_needed == one.runs_needed


@pytest.mark.parametrize("runs", [2, 3, 5, 10])
def test_intervals_of_few_runs_contain_what_they_promise(runs):
    rng = numpy.random.default_rng(runs)
    held = ratios = medians = 0
    for _ in range(150):
        a, b = rng.normal(10, 0.3, runs), rng.normal(10, 0.3, runs)
        description, ratio = describe(a), compare(a, b).interval
        mean, median = description.mean_interval, description.median_interval
        held += mean.low <= 10 <= mean.high
        medians += median.low <= 10 <= median.high
        ratios += ratio.low <= 0 <= ratio.high
    # 95 % of 150 are 142, give or take 3.
    assert held > 134 and ratios > 134
    # The range of 2, 3 and 5 values contains the median in 50, 75 and 94 %.
    assert median.confidence == min(0.95, 1 - 0.5 ** (runs - 1))
    assert medians > 150 * median.confidence - 3 * math.sqrt(
        150 * median.confidence * (1 - median.confidence)
    )


def test_many_values_take_the_normal_interval_and_agree_with_the_bootstrap():
    values = numpy.random.default_rng(2).exponential(1.0, 2500)
    many, fewer = describe(list(values)), describe(list(values[:1999]))
    assert many.mean_interval is not None and fewer.mean_interval is not None
    assert (many.mean_interval.method, fewer.mean_interval.method) == ("normal", "BCa bootstrap")
    half = (many.mean_interval.high - many.mean_interval.low) / 2
    assert half == pytest.approx(1.96 * values.std(ddof=1) / 50, rel=1e-3)
    assert many.median_interval is not None
    assert many.median_interval.low < many.median < many.median_interval.high


def test_runs_for_a_precision_by_hand():
    # t(24) = 2.0639 x 0.05 / 5 = 0.0206 is not enough for 2 %; t(26) = 2.0555 x 0.05 / sqrt(27) = 0.0198 is.
    assert runs_for_mean(0.05, 0.02, 0.95) == 27
    assert runs_for_mean(0.0, 0.02, 0.95) == 2
    assert runs_for_mean(50.0, 0.001, 0.95) is None


@pytest.mark.parametrize(("values", "said"), [([], "no values"), ([1.0, float("nan")], "nan")])
def test_what_cannot_be_described_is_refused(values, said):
    with pytest.raises(ValueError, match=said):
        describe(values)
