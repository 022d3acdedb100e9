"""Distances that double up to all ranks."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from written_programs import NOBODY, Event, Program, collective, scales_exactly, swap

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
