"""Warm-up and bimodality: found where they are, and rarely where they are not."""

import numpy
import pytest

from linkworth.statistics.modes import bimodality
from linkworth.statistics.order import warm_up


def noise(seed, n=30):
    return numpy.random.default_rng(seed).normal(10.0, 0.1, n)


@pytest.mark.parametrize("slow", [1, 2, 3])
@pytest.mark.parametrize("factor", [1.3, 0.7])
def test_slow_or_fast_first_runs_are_warm_up(slow, factor):
    values = noise(slow)
    values[:slow] *= factor
    found = warm_up(values)
    assert found is not None
    assert found.runs == slow
    assert found.relative == pytest.approx(factor - 1, abs=0.05)


def test_a_lasting_change_is_a_change_point():
    values = noise(4)
    values[:8] += 0.3
    found = warm_up(values)
    assert found is not None
    assert 7 <= found.runs <= 9
    assert "orders" in found.reason


def test_a_slow_run_later_is_no_warm_up():
    values = noise(6)
    values[12] *= 1.4
    assert warm_up(values) is None
    values = noise(7)
    values[[0, 9, 21]] *= 1.4
    assert warm_up(values) is None


def test_a_coarse_clock_is_no_warm_up_but_a_slow_first_run_on_it_is():
    assert warm_up(numpy.array([0.07, *[0.06] * 20, 0.07, 0.06, 0.07])) is None
    found = warm_up(numpy.array([0.2, *[0.06] * 20, 0.07, 0.06, 0.07]))
    assert found is not None and found.runs == 1


@pytest.mark.parametrize("n", [6, 10, 30])
def test_noise_is_seldom_warm_up(n):
    assert sum(warm_up(noise(seed, n)) is not None for seed in range(100)) <= 4


def test_small_changes_and_few_runs_say_nothing():
    values = noise(8) * 0.001 + 10
    values[:2] += 0.01
    assert warm_up(values) is None
    assert warm_up(numpy.array([9.0, 1.0, 1.0, 1.0, 1.0])) is None
    assert bimodality(numpy.array([1.0, 1.1, 1.0, 9.0, 9.1])) is None


def test_two_groups_are_found_with_their_shares():
    rng = numpy.random.default_rng(9)
    values = numpy.concatenate([rng.normal(1.0, 0.02, 20), rng.normal(1.3, 0.03, 10)])
    rng.shuffle(values)
    found = bimodality(values)
    assert found is not None
    assert found.lower_mean == pytest.approx(1.0, abs=0.02)
    assert found.higher_mean == pytest.approx(1.3, abs=0.03)
    assert found.higher_share == pytest.approx(1 / 3, abs=0.05)
    # D = sqrt(2) x 0.3 / sqrt(0.02^2 + 0.03^2) = 11.8 of the true parameters.
    assert 8 < found.separation < 18


@pytest.mark.parametrize(
    ("shape", "most"), [("normal", 1), ("lognormal", 2), ("exponential", 2), ("uniform", 4)]
)
def test_one_group_is_seldom_two(shape, most):
    found = 0
    for seed in range(40):
        rng = numpy.random.default_rng(seed)
        draw = {
            "normal": lambda r: r.normal(10, 1, 30),
            "lognormal": lambda r: r.lognormal(0, 0.5, 30),
            "uniform": lambda r: r.uniform(1, 2, 30),
            "exponential": lambda r: r.exponential(1, 30) + 1,
        }[shape]
        found += bimodality(draw(rng)) is not None
    assert found <= most


def test_ticks_of_a_coarse_clock_are_groups_where_they_are_distant():
    assert bimodality(numpy.array([0.06] * 20 + [0.07] * 10)) is None
    assert bimodality(numpy.array([0.06] * 10 + [0.07] * 8 + [0.2] * 6 + [0.21] * 6)) is not None
    values = noise(10)
    values[:2] += 5
    assert bimodality(values) is None
