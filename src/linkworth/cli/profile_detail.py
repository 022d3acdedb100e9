"""Limits on how much of a profile is shown: what fits on a screen, or all."""

from typing import NamedTuple


class Detail(NamedTuple):
    """The most rows of each part, and whether two parts stand side by side."""

    calls: int
    sites: int
    """Places of the program for each call."""
    sizes: int
    phases: int
    matrix_rows: int
    beside: bool = True
    brief: bool = False
    """Words that --full says at length are left out, where a screen has no line for them."""
    sentences: bool = False
    """Each figure with a whole sentence on what it means, one part below the other."""


FULL = Detail(calls=10**6, sites=10, sizes=10**6, phases=10**6, matrix_rows=64, beside=False, sentences=True)

SCREENS = (
    Detail(calls=5, sites=1, sizes=8, phases=10, matrix_rows=32),
    Detail(calls=5, sites=1, sizes=5, phases=9, matrix_rows=16),
    Detail(calls=5, sites=1, sizes=5, phases=6, matrix_rows=16),
    Detail(calls=5, sites=1, sizes=4, phases=5, matrix_rows=12),
    Detail(calls=5, sites=1, sizes=4, phases=4, matrix_rows=8),
    Detail(calls=5, sites=1, sizes=3, phases=3, matrix_rows=0),
    Detail(calls=5, sites=1, sizes=3, phases=3, matrix_rows=0, brief=True),
    Detail(calls=4, sites=1, sizes=2, phases=2, matrix_rows=0, brief=True),
    Detail(calls=3, sites=1, sizes=1, phases=1, matrix_rows=0, brief=True),
)
"""From most to least: the first one that fits the terminal is shown."""

TWO_COLUMNS = 96
"""Columns of a terminal from which shares and efficiencies stand side by side."""
