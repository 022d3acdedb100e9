"""Times under draws, and what is assumed for them. Without numpy, so that help pages load fast."""

import msgspec

from linkworth.model.fabric import Spread

ASSUMED_SPREAD = Spread(latency=0.1, bandwidth=0.1, overhead=0.1, computation=0.02)
"""Spread of a fabric that has none of its own: round figures, not measured on any fabric (2026-11).
10 % is the size of the smaller differences from published times in docs/explanation/accuracy.md (7 to 13 %).
2 % is for runs on quiet nodes."""
OTHER_LIBRARY_OVERHEAD = 1.0
"""Spread of the overheads of a fabric that was measured with another MPI library. Over TCP between two nodes of AWS c5n, short
messages of windows both ways took 3.3 times as long with Intel MPI as with Open MPI and MPICH (JiaweiZhuang/aws-mpi-benchmark,
2019)."""
DEFAULT_DRAWS = 400


class DrawnTimes(msgspec.Struct, frozen=True, kw_only=True):
    """Result of the draws."""

    seconds: list[list[float]]
    """Seconds of each draw, by prediction."""
    assumed: list[str]
    """Fabrics that leave the spread of a parameter open, for which the assumed one stands."""
