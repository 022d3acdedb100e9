"""Quantiles, against tables and SciPy."""

import pytest

from linkworth.statistics.student import normal_quantile, t_quantile, t_share_within


@pytest.mark.parametrize(
    ("probability", "degrees", "table"),
    # Abramowitz & Stegun, table 26.10.
    [(0.975, 1, 12.706), (0.975, 2, 4.303), (0.975, 9, 2.262), (0.995, 29, 2.756), (0.95, 120, 1.658)],
)
def test_t_quantiles_of_the_table(probability, degrees, table):
    assert t_quantile(probability, degrees) == pytest.approx(table, abs=6e-4)


@pytest.mark.parametrize("degrees", [1, 2, 3, 4, 7, 30, 399, 400, 401, 5000])
@pytest.mark.parametrize("probability", [0.6, 0.95, 0.975, 0.999])
def test_t_quantiles_against_scipy(probability, degrees):
    import scipy.stats  # a second to import, in each process that collects the tests

    assert t_quantile(probability, degrees) == pytest.approx(
        scipy.stats.t.ppf(probability, degrees), rel=1e-6
    )


def test_one_degree_of_freedom_is_the_cauchy_distribution():
    assert t_share_within(1.0, 1) == pytest.approx(0.5)


def test_an_impossible_quantile_is_refused():
    with pytest.raises(ValueError, match="0 degrees"):
        t_quantile(0.9, 0)


def test_the_normal_quantile():
    assert normal_quantile(0.975) == pytest.approx(1.959964, abs=1e-6)
