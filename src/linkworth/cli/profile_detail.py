"""Limits on how much of a profile is shown: what fits on a screen, or all."""

from typing import NamedTuple


class Detail(NamedTuple):
    """Most rows of each part, and whether two parts are side by side."""

    calls: int
    sites: int
    """Places in the program for each call."""
    sizes: int
    phases: int
    matrix_rows: int
    beside: bool = True
    brief: bool = False
    """Omit words that --full gives in full, if a screen has no line for them."""
    sentences: bool = False
    """Show each figure with a sentence on its meaning, one part below the other."""


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
"""Levels from most to least: the first one that fits the terminal is shown."""

TWO_COLUMNS = 96
"""Columns of a terminal from which shares and efficiencies are side by side."""
