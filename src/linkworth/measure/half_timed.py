"""Estimates for the calls of a profile that were timed at their end only (native/mpi/tracer/pace.h)."""

import math
from dataclasses import dataclass

_STANDARD_ERRORS = 3
_ENOUGH_SAMPLES = 30
"""Samples from which on their mean is taken to scatter normally."""


@dataclass(frozen=True)
class HalfTimed:
    """Totals of one procedure in one process; times in seconds.

    The *interval* of each of these calls is known: the program's computation since the call before, and the call.
    The samples are calls among them, drawn at random, of which both parts are known.
    """

    calls: int = 0
    intervals: float = 0.0
    """Sum of the short intervals."""
    long_calls: int = 0
    """Calls among `calls` whose interval turned out long, after many short ones in a row at their place."""
    long_intervals: float = 0.0
    samples: int = 0
    sampled_computation: float = 0.0
    sampled_computation_squared: float = 0.0

    @property
    def all_intervals(self) -> float:
        """Upper bound of the time in the calls."""
        return self.intervals + self.long_intervals

    @property
    def computation(self) -> float:
        """Estimated computation in the intervals; 0 without samples."""
        if not self.samples:
            return 0.0
        return min(self._short_calls * self.sampled_computation / self.samples, self.intervals)

    @property
    def inside(self) -> float:
        """Estimated time inside the calls. Long intervals count as calls: computation varies less than waits."""
        return self.all_intervals - self.computation

    @property
    def error(self) -> float:
        """Possible error of `inside` and `computation`: all long intervals, and three standard errors of the rest."""
        if self.samples < _ENOUGH_SAMPLES:
            return self.all_intervals
        mean = self.sampled_computation / self.samples
        # The difference may come out negative if the values scatter much less than their mean.
        variance = max(self.sampled_computation_squared / self.samples - mean * mean, 0.0)
        # The mean of the samples replaces that of the others, and both scatter.
        standard_error = self._short_calls * math.sqrt(variance * (1 / self.samples + 1 / self._short_calls))
        return min(_STANDARD_ERRORS * standard_error, self.intervals) + self.long_intervals

    @property
    def _short_calls(self) -> int:
        return max(self.calls - self.long_calls, 1)
