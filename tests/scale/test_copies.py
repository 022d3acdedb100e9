"""Programs of which a compiler, or their own branches, have one collective call at several addresses."""

import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from written_programs import Event, Program, calls, collective, scaled, swap

LEVELS = 6


def search(rank: int, ranks: int) -> Iterator[Event]:
    """Exchange the vertices of each level; data decide at which of three copies of the call a rank does so."""
    draw = random.Random(1000 * ranks + rank)
    for _ in range(LEVELS):
        yield collective(f"Alltoall@search.c:{draw.randint(1, 3)}", 4096 // ranks)
        yield collective("Allreduce@search.c:4", 8)


def ring(rank: int, ranks: int) -> Iterator[Event]:
    """Do the same beside messages round a ring."""
    for event in search(rank, ranks):
        yield event
        yield swap("search.c:5", (rank + 1) % ranks, (rank - 1) % ranks, 8192 // ranks)


@pytest.mark.parametrize("program", [search, ring])
def test_a_call_at_several_sites_is_one(program: Program, tmp_path: Path) -> None:
    made, summary = scaled(program, [4, 8, 16], 32, tmp_path)
    assert not summary.scaling.distributions
    for rank in range(32):
        wanted = [
            (entry.replace("c:2", "c:1").replace("c:3", "c:1"), *rest) for entry, *rest in program(rank, 32)
        ]
        assert calls(made, rank)[1:-1] == wanted
