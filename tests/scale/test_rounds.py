"""Distances that double up to all ranks, what there is one of for each, and work before loops over them."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from written_programs import NOBODY, Event, Place, Program, collective, computed, scaled, scales_exactly, swap

from linkworth import _engine
from linkworth.scale.grids import balanced

STEPS = 7


def prefix(rank: int, ranks: int) -> Iterator[Event]:
    """Add up before each rank in doubling distances, with nobody beyond the ends."""
    for _ in range(STEPS):
        for bit in range((ranks - 1).bit_length()):
            low, high = rank - (1 << bit), rank + (1 << bit)
            yield swap("r.c:1", high if high < ranks else NOBODY, low if low >= 0 else NOBODY, 80)
        yield collective("Barrier@r.c:2")


def sums(rank: int, ranks: int) -> Iterator[Event]:
    """Add up as many numbers as distances double up to all ranks."""
    yield collective("Allreduce@r.c:3", 8 * (ranks - 1).bit_length())


def ring(rank: int, ranks: int) -> Iterator[Event]:
    """Pass data on round a ring."""
    yield swap("r.c:13", (rank + 1) % ranks, (rank - 1) % ranks, 80)


def sheet(rank: int, ranks: int) -> Iterator[Event]:
    """Exchange round both sides of a plane."""
    plane = Place(rank, balanced(ranks, 2))
    yield from (swap(f"r.c:{4 + d}", *plane.sides(d, periodic=True), 80) for d in (0, 1))


def box(rank: int, ranks: int) -> Iterator[Event]:
    """Exchange in both directions round each side of a box."""
    cell = Place(rank, balanced(ranks, 3))
    for d in range(3):
        low, high = cell.sides(d, periodic=True)
        yield from (swap(f"r.c:{7 + d}", high, low, 80), swap(f"r.c:{10 + d}", low, high, 80))


@pytest.mark.parametrize(
    ("program", "counts"),
    [
        # The distances in the largest recording are as many as rules may take turns.
        (prefix, (4, 8, 16, 64)),
        (prefix, (5, 10, 20, 40)),
        (sums, (4, 6, 9, 16, 36)),
        # The largest recording has one rank along the third dimension, which shows no direction.
        (box, (4, 9, 16, 25, 36)),
    ],
)
def test_every_call_is_that_of_the_program(program: Program, counts: tuple[int, ...], tmp_path: Path) -> None:
    scales_exactly(program, counts, tmp_path)


@pytest.mark.parametrize(
    ("program", "small", "doubt"),
    [
        (sums, (6, 12, 24), "64 ranks are not 24 doubled or halved"),
        (sheet, (3, 9, 15), "every process grid is a plane"),
        (ring, (2, 4), "4 ranks or fewer hide grids"),
    ],
)
def test_what_the_recordings_may_not_show_is_told(
    program: Program, small: tuple[int, ...], doubt: str, tmp_path: Path
) -> None:
    _, summary = scaled(program, small, 64, tmp_path)
    assert doubt in " ".join(summary.scaling.remarks)


def butterflies(rank: int, ranks: int) -> Iterator[Event]:
    """Exchange in halving distances, again and again."""
    for _ in range(STEPS):
        for bit in reversed(range(ranks.bit_length() - 1)):
            yield swap("r.c:6", rank ^ 1 << bit, rank ^ 1 << bit, 8 << bit)


def rounds(rank: int, ranks: int) -> Iterator[Event]:
    """Exchange in doubling distances, again and again, with nothing between two such loops."""
    for _ in range(STEPS):
        for bit in range(ranks.bit_length() - 1):
            yield swap("r.c:15", rank ^ 1 << bit, rank ^ 1 << bit, 8)


def work_before_each(rank: int, ranks: int, calls: int) -> list[float]:
    return [0.0, *[1 / ranks, *[0.0] * (ranks.bit_length() - 2)] * STEPS, 0.0]


def test_work_before_a_loop_is_as_much_where_the_loop_is_longer(tmp_path: Path) -> None:
    made, _ = scaled(butterflies, (4, 8, 16), 64, tmp_path, work_before_each)
    assert computed(made) == pytest.approx(STEPS)


def test_work_before_a_loop_stays_in_one_piece(tmp_path: Path) -> None:
    made, _ = scaled(rounds, (2, 4, 8), 64, tmp_path, work_before_each)
    gaps = _engine.read_rank(_engine.Trace(str(made)), 5)["gap_seconds"]
    assert gaps == pytest.approx(work_before_each(5, 64, len(gaps)), abs=1e-9)
