"""Quantiles of Student's t and of the normal distribution."""

import math
from statistics import NormalDist

_NORMAL = NormalDist()
_EXACT_DEGREES = 400
"""Degrees of freedom above which the expansion is exact to seven digits."""


def normal_quantile(probability: float) -> float:
    """Return the quantile of the standard normal distribution."""
    return _NORMAL.inv_cdf(probability)


def normal_share_below(z: float) -> float:
    """Return the standard normal distribution function at `z`."""
    return _NORMAL.cdf(z)


def t_share_within(t: float, degrees: int) -> float:
    """Return P(|T| <= t) for a whole number of degrees of freedom.

    Finite sums of Abramowitz & Stegun, Handbook of Mathematical Functions (1964), 26.7.3 and 26.7.4.
    """
    angle = math.atan(t / math.sqrt(degrees))
    sine, cosine = math.sin(angle), math.cos(angle)
    term, total = (cosine, cosine) if degrees % 2 else (1.0, 1.0)
    first = 3 if degrees % 2 else 2
    for k in range(first, degrees - 1, 2):
        term *= cosine * cosine * (k - 1) / k
        total += term
    share = sine * total
    if degrees % 2:
        share = 2 / math.pi * (angle + (share if degrees > 1 else 0.0))
    return min(1.0, share)  # else rounding makes a chance beyond it negative


def t_quantile(probability: float, degrees: int) -> float:
    """Return the quantile of Student's t for `probability` in (0.5, 1) and a whole number of degrees of freedom.

    It bisects the distribution function; above 400 degrees it uses the expansion in 1 / degrees (Abramowitz & Stegun
    26.7.5).
    """
    if not 0.5 < probability < 1 or degrees < 1:
        raise ValueError(f"no t quantile of {probability} with {degrees} degrees of freedom")
    z = normal_quantile(probability)
    if degrees > _EXACT_DEGREES:
        first = (z**3 + z) / 4
        second = (5 * z**5 + 16 * z**3 + 3 * z) / 96
        return z + first / degrees + second / degrees**2
    within = 2 * probability - 1
    low, high = 0.0, 2.0
    while t_share_within(high, degrees) < within:
        low, high = high, high * 2
    for _ in range(80):
        middle = (low + high) / 2
        if t_share_within(middle, degrees) < within:
            low = middle
        else:
            high = middle
    return (low + high) / 2
