"""A trace that was made of recordings at other rank counts."""

import re
from collections.abc import Iterable, Sequence
from math import exp, log, log1p, prod

import msgspec

from linkworth import units
from linkworth.errors import UsageError


def extents(text: str) -> tuple[int, ...]:
    """Return the extents of a grid such as `32x16`. Raises UsageError for any other text."""
    words = text.lower().split("x")
    if len(words) > 4 or not all(re.fullmatch("[1-9][0-9]{0,8}", word) for word in words):
        raise UsageError(f"{text!r}: give 1 to 4 extents of 1 to 999999999, such as 32x16")
    return tuple(map(int, words))


class LeftOut(msgspec.Struct, frozen=True, kw_only=True):
    """The largest recording, predicted from the smaller ones."""

    ranks: int
    calls: float
    """Relative difference of the number of calls, predicted from recorded. Positive: too many are predicted."""
    messages: float
    """Difference of the number of point-to-point messages."""
    bytes: float
    """Difference of the bytes that calls send."""
    compute: float
    """Difference of the computation of all ranks."""
    seconds: dict[str, float] = msgspec.field(default_factory=dict)
    """Differences of the replayed time, by fabric."""
    as_distributions: dict[str, float] = msgspec.field(default_factory=dict)
    """Differences of the time if only this recording's own messages become distributions, by fabric. Empty: none do."""


class Scaling(msgspec.Struct, frozen=True, kw_only=True):
    """Method by which a trace was scaled, and its known errors."""

    ranks: list[int]
    """Rank counts of the recordings."""
    distributions: bool = False
    """True if messages are distributions, as calls follow no rule of the rank count."""
    processors: list[str] = msgspec.field(default_factory=list)
    """Processors on which they were made, as far as they are known."""
    ranks_on_a_node: int = 1
    """Most ranks of the largest recording on one node."""
    sizes: list[float] = msgspec.field(default_factory=list)
    """Problem sizes of the recordings, if they were given."""
    size: float | None = None
    """Problem size of the trace."""
    grid: list[int]
    """Process grid; the ranks' numbers rise fastest along its last dimension."""
    roles: str
    """Rule that divides the ranks into those that call alike."""
    role_count: int
    short: bool = False
    """True if the ranks of the largest recording computed so little that much of it may be noise."""
    left_out: LeftOut | None = None
    """None if there were too few recordings."""
    data_dependent: list[str] = msgspec.field(default_factory=list)
    """Calls whose sizes depend on data, or whose order time decides. They are only like those of the largest recording."""
    uneven: float = 1.0
    """Largest part of the problem over the mean one, if the recordings do not show whether the new count divides it."""
    omitted: float = 0.0
    """Share of the largest recording's replayed time that belongs to a set-up by no rule, which is left out."""
    remarks: list[str] = msgspec.field(default_factory=list)
    """Reasons for doubt, one sentence each."""

    def time_error(self) -> float | None:
        """Return the largest relative difference of a replayed time, or None if it is not known."""
        if self.left_out is None or not self.left_out.seconds:
            return None
        return max(map(abs, self.left_out.seconds.values()))

    def warnings(self) -> list[str]:
        """Return sentences on how far the trace can be trusted."""
        counts = ", ".join(map(str, self.ranks))
        text = f"the trace is scaled from recordings on {counts} ranks"
        if (error := self.time_error()) is not None:
            largest = self.ranks[-1]
            text += f"; the same way, the time on {largest} is predicted from the smaller ones within {units.percent(error)}"
        return [text, *(f"about the scaled trace: {remark}" for remark in self.remarks)]

    def steps(self) -> float:
        """Return how many steps, as that between the two largest recordings, lead to the trace; at least 1."""
        far = [_steps(self.ranks, prod(self.grid))]
        if self.size is not None:
            far.append(_steps(self.sizes, self.size))
        return max(1.0, *far)

    def span(self) -> tuple[float, float]:
        """Return the least and the largest factor of a replayed time that the scaling leaves open."""
        known = self.left_out
        error = self._error((*known.seconds.values(), *known.as_distributions.values()) if known else ())
        return 1 / error, error * self.uneven / (1 - self.omitted)

    def communicated(self) -> tuple[float, float]:
        """Return the factors by which the messages, and their data, may be too many or too few."""
        if self.left_out is None:
            return 1.0, 1.0
        return self._error([self.left_out.messages]), self._error([self.left_out.bytes])

    def _error(self, differences: Iterable[float]) -> float:
        """Return the factor by which differences at the largest recorded count put the new one in doubt."""
        # A time that is predicted 50 % too low is half of the real one.
        error: float = exp(max((abs(log1p(max(each, -0.99))) for each in differences), default=0.0))
        return float(error ** self.steps())


def _steps(recorded: Sequence[float], reached: float) -> float:
    """Return how many times the factor between the two largest recorded numbers, or two, leads to the one reached."""
    numbers = sorted(set(recorded))
    if len(numbers) < 2:
        return 0.0
    smaller, largest = numbers[-2:]
    return log(reached / largest) / log(max(2.0, largest / smaller))


class ScaleSummary(msgspec.Struct, frozen=True, kw_only=True):
    """Document that `linkworth scale --json` prints."""

    schema: str = "linkworth.scaling/1"
    path: str
    workload: str
    ranks: int
    events: int
    bytes: int
    """Size of the trace file."""
    compute_seconds: float
    """Computation of all ranks."""
    scaling: Scaling
