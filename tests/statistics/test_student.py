"""Quantiles, against tables and SciPy."""

import pytest

from linkworth.statistics.student import normal_quantile, t_quantile


# SciPy 1.17.1: t.ppf at 0.6, 0.95 and 0.999.
@pytest.mark.parametrize(
    ("degrees", "quantiles"),
    [
        (1, (0.3249196962, 6.313751515, 318.308839)),
        (2, (0.2886751346, 2.91998558, 22.32712477)),
        (3, (0.2766706623, 2.353363435, 10.21453185)),
        (4, (0.2707222947, 2.131846786, 7.17318222)),
        (7, (0.2631668614, 1.894578605, 4.785289629)),
        (399, (0.2535160975, 1.648681534, 3.110782962)),
        (400, (0.2535156748, 1.648671941, 3.110731274)),
        (401, (0.2535152543, 1.648662397, 3.110679845)),
        (5000, (0.253360584, 1.645158438, 3.09186312)),
    ],
)
def test_t_quantiles_against_scipy(degrees, quantiles):
    ours = [t_quantile(probability, degrees) for probability in (0.6, 0.95, 0.999)]
    assert ours == pytest.approx(quantiles, rel=1e-6)


def test_normal_quantiles_and_impossible_ones():
    with pytest.raises(ValueError, match="0 degrees"):
        t_quantile(0.9, 0)
    assert normal_quantile(0.975) == pytest.approx(1.959964, abs=1e-6)
