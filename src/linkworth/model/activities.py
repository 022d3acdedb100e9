"""Time of the ranks by kind."""

import msgspec


class Activities(msgspec.Struct, frozen=True, kw_only=True):
    """Seconds of each kind of time, for groups of neighbouring ranks in equal stretches of time."""

    ranks: int
    ranks_per_row: int
    """The last row may have fewer."""
    width_seconds: float
    """Length of a stretch."""
    end_seconds: float
    """End of the last stretch in which a rank did anything."""
    seconds: dict[str, list[list[float]]]
    """[kind][row][stretch], summed over the row's ranks: `computation`, `point-to-point`, `collective`, `one-sided`,
    `other calls` and `waiting`, each if it occurs."""

    def ranks_of(self, row: int) -> int:
        """Return the number of ranks in a row."""
        return min(self.ranks_per_row, self.ranks - row * self.ranks_per_row)

    @property
    def starts(self) -> list[float]:
        """Start of each stretch in seconds."""
        stretches = len(next(iter(self.seconds.values()))[0])
        return [number * self.width_seconds for number in range(stretches)]

    def length(self, stretch: int) -> float:
        """Return the length of a stretch in seconds: the last one ends with the run."""
        return min(self.width_seconds, self.end_seconds - stretch * self.width_seconds)
