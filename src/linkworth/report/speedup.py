"""Effect of the compared networks on one run: the slowest of them against the fastest."""

from collections.abc import Iterable

import msgspec

from linkworth import units

_SAME = 1.005
"""Times that differ by less are shown as equal."""


class Speedup(msgspec.Struct, frozen=True, kw_only=True):
    """The slowest and the fastest of several networks for one run."""

    slowest: str
    fastest: str
    ratio: float
    """Time on the slowest over the time on the fastest."""

    @property
    def factor(self) -> str:
        """The ratio as text, such as `4.3 x`."""
        return f"{units.significant(self.ratio)} x"

    @property
    def sentence(self) -> str:
        """Both networks and the ratio as text."""
        if self.ratio < _SAME:
            return "equally fast on all of these networks"
        return f"{self.factor} as fast on {self.fastest} as on {self.slowest}"


def speedup(times: Iterable[tuple[str, float]]) -> Speedup | None:
    """Compare the networks of `times` (name and seconds). Return None unless there are two positive times."""
    ordered = sorted((each for each in times if each[1] > 0), key=lambda each: each[1])
    if len(ordered) < 2:
        return None
    (fastest, least), (slowest, most) = ordered[0], ordered[-1]
    return Speedup(slowest=slowest, fastest=fastest, ratio=most / least)
