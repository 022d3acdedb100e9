"""Imbalance of the ranks' computation."""

import statistics
from collections.abc import Sequence

from linkworth.model.profile import Imbalance


def imbalance(compute_seconds: Sequence[float]) -> Imbalance:
    """Return the spread of the ranks' computation, in seconds."""
    least_rank = min(range(len(compute_seconds)), key=compute_seconds.__getitem__)
    most_rank = max(range(len(compute_seconds)), key=compute_seconds.__getitem__)
    return Imbalance(
        least_seconds=compute_seconds[least_rank],
        mean_seconds=statistics.fmean(compute_seconds),
        most_seconds=compute_seconds[most_rank],
        least_rank=least_rank,
        most_rank=most_rank,
        deviation_seconds=statistics.pstdev(compute_seconds),
    )
