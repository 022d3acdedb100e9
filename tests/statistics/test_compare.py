"""Comparisons: by hand, against SciPy's permutation test, and how often the verdicts are wrong."""

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from linkworth.statistics import compare
from linkworth.statistics.compare import sigma_overlap
from linkworth.statistics.describe import runs_to_decide
from linkworth.statistics.means import difference_test, equivalence_test, permutation_test, welch_test

A = [10.0, 10.1, 9.9, 10.05]
B = [12.0, 12.1, 11.9, 12.05]


def test_separate_samples_by_hand():
    comparison = compare(A, B)
    # All of b above all of a: 1 of the 70 ways to choose 4 of 8, and 1 the other way round.
    assert comparison.exact
    assert comparison.p_different == pytest.approx(2 / 70)
    assert comparison.verdict == "slower"
    assert comparison.relative_difference == pytest.approx(12.0125 / 10.0125 - 1)
    assert comparison.interval is not None
    assert 0.18 < comparison.interval.low < 0.1998 < comparison.interval.high < 0.22
    assert comparison.three_sigma == "outside"
    # Deviation of a: squares 0.0125^2 + 0.0875^2 + 0.1125^2 + 0.0375^2 = 0.021875, over 3, root 0.08539.
    # b has the same deviation.
    assert comparison.sigmas == pytest.approx(2 / (2 * 0.0853913), rel=1e-5)
    assert comparison.runs_to_decide is None


def test_verdicts_of_few_runs_by_hand():
    assert compare(A, B, "higher").verdict == "faster"
    assert compare(B, A, "higher").verdict == "slower"
    assert compare(B, A, "lower").verdict == "faster"
    comparison = compare(A[:3], B[:3])
    assert comparison.p_different == pytest.approx(2 / 20)
    assert comparison.verdict == "undecided"
    assert comparison.runs_to_decide == 4
    comparison = compare([10.0], [20.0])
    assert comparison.relative_difference == pytest.approx(1.0)
    assert comparison.verdict == "undecided"
    assert (comparison.interval, comparison.p_different, comparison.p_equivalent) == (None, None, None)
    assert comparison.three_sigma == "unknown"


def test_alike_is_the_same_only_with_enough_precision():
    rng = numpy.random.default_rng(0)
    quiet_a, quiet_b = rng.normal(10, 0.1, 10), rng.normal(10.05, 0.1, 10)
    loud_a, loud_b = rng.normal(10, 2, 10), rng.normal(10, 2, 10)
    same, undecided = compare(quiet_a, quiet_b), compare(loud_a, loud_b)
    assert same.verdict == "same" and same.p_equivalent is not None and same.p_equivalent <= 0.05
    assert undecided.verdict == "undecided"
    assert undecided.three_sigma == "within", "the rule of the literature takes noise for equality"
    assert undecided.runs_to_decide is not None and undecided.runs_to_decide > 10


def test_a_real_difference_inside_the_margin_is_the_same():
    comparison = compare([10.0 + n / 1000 for n in range(8)], [10.1 + n / 1000 for n in range(8)])
    assert comparison.p_different is not None and comparison.p_different < 0.001
    assert comparison.verdict == "same"
    assert (
        compare(
            [10.0 + n / 1000 for n in range(8)], [10.1 + n / 1000 for n in range(8)], margin=0.005
        ).verdict
        == "slower"
    )


def test_constant_runs_and_zeros_have_no_ratio():
    assert compare([2.0] * 5, [2.0] * 5).verdict == "same"
    # The equivalence of three runs each is 1 of 20 ways, which is the level; that of two is 1 of 6.
    assert compare([2.0] * 3, [2.0] * 3).verdict == "same"
    assert compare([2.0] * 2, [2.0] * 2).verdict == "undecided"
    different = compare([2.0] * 5, [3.0] * 5)
    assert (different.verdict, different.sigmas, different.three_sigma) == ("slower", None, "outside")
    comparison = compare([0.0] * 6, [5.0, 6.0, 4.0, 5.0, 7.0, 5.0])
    assert (comparison.relative_difference, comparison.interval, comparison.p_equivalent) == (
        None,
        None,
        None,
    )
    assert comparison.verdict == "slower"


# SciPy 1.17.1: permutation_test of the difference of means, of all ways or 199,999 of them. Its two-sided value doubles
# the smaller tail, which is the same for samples of one size.
@pytest.mark.parametrize(
    ("sizes", "lower", "higher", "two_sided"),
    [
        ((4, 5), 0.976190476, 0.0317460317, None),
        ((6, 6), 0.656926407, 0.344155844, 0.688311688),
        ((12, 15), 0.802715, 0.19729, 0.39458),
    ],
)
def test_permutation_p_agrees_with_scipy(sizes, lower, higher, two_sided):
    rng = numpy.random.default_rng(sum(sizes))
    ours = permutation_test(rng.normal(10, 1, sizes[0]), rng.normal(10.8, 1, sizes[1]))
    near = 1e-8 if ours.exact else 0.02
    assert (ours.p_lower, ours.p_higher) == pytest.approx((lower, higher), abs=near)
    assert two_sided is None or ours.p_two_sided == pytest.approx(two_sided, abs=near)


def test_many_values_agree_with_the_permutations_and_few_with_hand():
    rng = numpy.random.default_rng(11)
    a, b = rng.normal(10, 1, 999), rng.normal(10.1, 1, 999)
    sampled = permutation_test(a, b)
    longer = permutation_test(numpy.append(a, a.mean()), numpy.append(b, b.mean()))
    assert longer.p_two_sided == pytest.approx(sampled.p_two_sided, abs=0.01)
    assert compare(numpy.tile(a, 3), numpy.tile(b, 3)).interval.method == "normal"
    a = numpy.array([10.0, 10.0, 10.0, 10.0])
    # Against 10.5 and 9.52 all of b lies on one side: 1 of 70 ways.
    assert equivalence_test(a, a.copy(), 0.05) == pytest.approx(1 / 70)


@given(
    st.lists(st.floats(0.1, 10), min_size=2, max_size=7), st.lists(st.floats(0.1, 10), min_size=2, max_size=7)
)
def test_exchanging_the_sides_mirrors_the_verdict(a, b):
    there, back = compare(a, b), compare(b, a)
    mirror = {"faster": "slower", "slower": "faster", "same": "same", "undecided": "undecided"}
    assert back.verdict == mirror[there.verdict]
    assert there.p_different == pytest.approx(back.p_different)
    assert there.p_equivalent == pytest.approx(back.p_equivalent)


def test_welch_p_is_the_integral_of_the_density():
    # Deviations as above: t is 0.1 / sqrt(2 x 0.0072917 / 4) = 1.65616 with 6 degrees of freedom.
    below, above = welch_test(numpy.array(A), numpy.array([10.1, 10.2, 10.0, 10.15]))
    assert 2 * above == pytest.approx(0.14877, rel=1e-4)
    assert below + above == pytest.approx(1)
    assert welch_test(numpy.ones(3), numpy.full(3, 2.0)) == (1.0, 0.0)
    assert welch_test(numpy.ones(3), numpy.ones(3)) == (0.5, 0.5)


@pytest.mark.parametrize(("sizes", "permutations_alone"), [((5, 5), 0.07), ((8, 4), 0.2)])
def test_equal_means_of_unequal_spread_are_rarely_called_different(sizes, permutations_alone):
    rng = numpy.random.default_rng(5)
    samples = [(rng.normal(100, 1, sizes[0]), rng.normal(100, 10, sizes[1])) for _ in range(600)]
    alone = [permutation_test(a, b).p_two_sided for a, b in samples]
    both = [difference_test(a, b)[0] for a, b in samples]
    assert numpy.mean(numpy.array(alone) <= 0.05) > permutations_alone
    assert numpy.mean(numpy.array(both) <= 0.05) <= 0.06
    at_the_margin = [equivalence_test(a / 10, b / 10 + 0.5, 0.05) for a, b in samples]
    assert numpy.mean(numpy.array(at_the_margin) <= 0.05) <= 0.06


def test_runs_to_decide_by_hand():
    # (1.95996 + 1.28155)^2 x 2 / 1 = 21.01 runs show a difference of one deviation with 90 %.
    assert runs_to_decide(1.0, 2.0, 0.5, significance=0.05) == 22
    # (1.64485 + 1.64485)^2 x 2 / 1 = 21.64 runs show that no difference is within one deviation.
    assert runs_to_decide(0.0, 2.0, 1.0, significance=0.05) == 22
    assert runs_to_decide(1.0, 2.0, 1.0, significance=0.05) == 22
    assert runs_to_decide(0.0, 1e9, 1e-3, significance=0.05) is None


@pytest.mark.parametrize("margin", [0.0, -1.0, float("nan")])
def test_a_margin_must_be_above_zero(margin):
    with pytest.raises(ValueError, match="margin"):
        compare(A, B, margin=margin)


def test_three_sigma_is_the_overlap_of_both_intervals():
    # Deviations 1 and 1: the intervals are 10 +- 3 and 16 +- 3, which touch, and 10 +- 3 and 16.1 +- 3, which do not.
    a = [9.0, 10.0, 11.0]
    assert compare(a, [15.0, 16.0, 17.0]).three_sigma == "within"
    assert compare(a, [15.1, 16.1, 17.1]).three_sigma == "outside"
    assert sigma_overlap([15.0, 16.0, 17.0], a) is True
    assert sigma_overlap([16.0], a) is None


def test_an_interval_with_0_in_it_shows_no_difference():
    found = compare([93.6, 90.8, 91.5, 85.1], [72.6, 79.5, 59.3, 46.4])
    assert found.p_different < 0.05 and found.interval.low < 0 < found.interval.high
    assert found.verdict == "undecided" and "but the interval contains 0" in found.reason
