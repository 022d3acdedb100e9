"""Programs whose ranks rest on coarse levels, scaled: every call is that of the program at the large count, or it is refused."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from written_programs import BARRIER, Event, Program, message, scaled, scales_exactly, swap

from linkworth.errors import ThresholdError

GRIDS = {4: (2, 2), 8: (4, 2), 16: (4, 4), 32: (8, 4), 64: (8, 8), 256: (16, 16)}
CYCLES = 2


class Mesh:
    """Levels of a mesh on one rank. The first or the last of the ranks that share a point works."""

    def __init__(self, rank: int, ranks: int, points: tuple[int, int], *, last: bool) -> None:
        self.points, self.last = points, last
        self.grid = GRIDS[ranks]
        self.place = divmod(rank, self.grid[1])

    def stride(self, level: int, axis: int) -> int:
        return max(1, self.grid[axis] * 2**level // self.points[axis])

    def works(self, level: int, axis: int) -> bool:
        return (self.place[axis] + self.last) % self.stride(level, axis) == 0

    def side(self, level: int, axis: int) -> int:
        return max(1, (self.points[axis] >> level) // self.grid[axis])

    def at(self, axis: int, distance: int) -> int:
        there = list(self.place)
        there[axis] = (there[axis] + distance) % self.grid[axis]
        return there[0] * self.grid[1] + there[1]

    def exchange(self, level: int) -> Iterator[Event]:
        """With both neighbours along each axis; the second one has corners."""
        for axis in (0, 1):
            step, size = self.stride(level, axis), 8 * (self.side(level, 1 - axis) + 2 * axis)
            for direction in (step, -step):
                yield swap(f"mesh.c:{axis}", self.at(axis, direction), self.at(axis, -direction), size, tag=1)

    def between(self, level: int, axes: tuple[int, int], *, down: bool, tag: int) -> Iterator[Event]:
        """Give what ranks have to those that go on, or bring it back, along one axis after the other."""
        for axis in axes:
            step, wide = self.stride(level, axis), self.stride(level + 1, axis)
            if step == wide or (axis == 1 and not self.works(level + 1, 0)):
                continue
            goes_on = self.works(level + 1, axis)
            kind = "recv" if goes_on == down else "send"
            peer = self.at(axis, step if goes_on != self.last else -step)
            # The restricted points of the level, or those of the next one with their neighbours.
            size = 8 * (self.side(level, 1 - axis) + 1 if down else self.side(level + 1, 1 - axis) + 2)
            yield message(kind, peer, size, tag, f"mesh.c:{2 + down}")


def cycles(
    rank: int,
    ranks: int,
    points: tuple[int, int] = (64, 64),
    *,
    last: bool = False,
    w_cycle: bool = False,
    tagged: bool = False,
) -> Iterator[Event]:
    """V- or W-cycles on levels down to two points."""
    mesh = Mesh(rank, ranks, points, last=last)
    coarsest = min(points).bit_length() - 2

    def cycle(level: int) -> Iterator[Event]:
        if not (mesh.works(level, 0) and mesh.works(level, 1)):
            return
        yield from mesh.exchange(level)
        if level < coarsest:
            tag = level if tagged else 2
            yield from mesh.between(level, (0, 1), down=True, tag=tag)
            yield from cycle(level + 1)
            if w_cycle and level == coarsest - 1:
                yield from cycle(level + 1)
            yield from mesh.between(level, (1, 0), down=False, tag=tag)
            yield from mesh.exchange(level)

    for _ in range(CYCLES):
        yield from cycle(0)
        yield "MPI_Barrier@mesh.c:9", "collective", BARRIER


@pytest.mark.parametrize(
    ("program", "counts"),
    [
        (cycles, (4, 16, 64, 256)),
        (partial(cycles, last=True), (4, 8, 16, 32, 64)),
        (partial(cycles, w_cycle=True), (8, 16, 32, 64)),
        # Other numbers of ranks rest along one axis than along the other.
        (partial(cycles, points=(64, 32)), (4, 8, 16, 32, 64)),
    ],
)
def test_every_call_is_that_of_the_program(program: Program, counts: tuple[int, ...], tmp_path: Path) -> None:
    summary = scales_exactly(program, counts, tmp_path)
    first = "some of 256 ranks rest on levels of 8 points"
    assert (first in " ".join(summary.scaling.remarks)) is (counts[-1] == 256)


def test_what_the_recordings_do_not_show_is_refused(tmp_path: Path) -> None:
    with pytest.raises(
        ThresholdError, match="rest on coarse levels along dimension 2 of the grid, as in no recording"
    ):
        scaled(cycles, (4, 8), 64, tmp_path)


def test_messages_whose_tag_depends_on_the_level_are_distributions(tmp_path: Path) -> None:
    _, summary = scaled(partial(cycles, tagged=True), (4, 8, 16, 32), 64, tmp_path)
    assert "its tag depends on the level" in summary.scaling.remarks[0]
