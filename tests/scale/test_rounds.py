"""Distances that double up to all ranks, what there is one of for each, and work before loops over them."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from written_programs import NOBODY, Event, Program, collective, computed, scaled, scales_exactly, swap

STEPS = 7


def prefix(rank: int, ranks: int) -> Iterator[Event]:
    """Add up before each rank in doubling distances, with nobody beyond the ends."""
    for _ in range(STEPS):
        for bit in range((ranks - 1).bit_length()):
            low, high = rank - (1 << bit), rank + (1 << bit)
            yield swap("r.c:1", high if high < ranks else NOBODY, low if low >= 0 else NOBODY, 80)
        yield collective("Barrier@r.c:2")


@pytest.mark.parametrize(
    ("program", "counts"),
    [
        # The distances in the largest recording are as many as rules may take turns.
        (prefix, (4, 8, 16, 64)),
        (prefix, (5, 10, 20, 40)),
    ],
)
def test_every_call_is_that_of_the_program(program: Program, counts: tuple[int, ...], tmp_path: Path) -> None:
    scales_exactly(program, counts, tmp_path)


def butterflies(rank: int, ranks: int) -> Iterator[Event]:
    """Exchange in halving distances, again and again."""
    for _ in range(STEPS):
        for bit in reversed(range(ranks.bit_length() - 1)):
            yield swap("r.c:6", rank ^ 1 << bit, rank ^ 1 << bit, 8 << bit)


def work_before_each(rank: int, ranks: int, calls: int) -> list[float]:
    return [0.0, *[1 / ranks, *[0.0] * (ranks.bit_length() - 2)] * STEPS, 0.0]


def test_work_before_a_loop_is_as_much_where_the_loop_is_longer(tmp_path: Path) -> None:
    made, _ = scaled(butterflies, (4, 8, 16), 64, tmp_path, work_before_each)
    assert computed(made) == pytest.approx(STEPS)
