"""Programs whose ranks exchange on a grid, and do something else beside that which takes no notice of it."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from written_programs import (
    Event,
    Place,
    Program,
    computed,
    message,
    scaled,
    scales_exactly,
    swap,
    trace,
    waitall,
)

from linkworth.scale.grids import balanced

STEPS = 3


def walls(rank: int, ranks: int) -> Iterator[Event]:
    """Exchange along both sides of a plane, with nobody beyond its walls."""
    low_high = [Place(rank, balanced(ranks, 2)).sides(d) for d in (0, 1)]
    yield from (swap(f"g.c:{d}", *sides, 80) for d, sides in enumerate(low_high))
    yield from (swap(f"g.c:{2 + d}", *sides[::-1], 80) for d, sides in enumerate(low_high))


def neighbours(rank: int, ranks: int) -> Iterator[Event]:
    """Exchange with each neighbour there is on a plane, in a loop over them."""
    place = Place(rank, balanced(ranks, 2))
    low, high = place.sides(0)
    there = [(peer, tag) for tag, peer in enumerate([low, *place.sides(1), high]) if peer >= 0]
    yield from (message("irecv", peer, 80, 3 - tag, "g.c:5") for peer, tag in there)
    yield from (message("isend", peer, 80, tag, "g.c:6") for peer, tag in there)
    yield waitall("g.c:7", 2 * len(there))


def torus(rank: int, ranks: int) -> Iterator[Event]:
    """Exchange round each side of a box."""
    for d in range(3):
        low, high = Place(rank, balanced(ranks, 3)).sides(d, periodic=True)
        yield from (swap(f"g.c:{8 + d}", high, low, 80), swap(f"g.c:{11 + d}", low, high, 80))


def collected(rank: int, ranks: int) -> Iterator[Event]:
    """Exchange with each neighbour in a box in one loop, and send to rank 0."""
    box = Place(rank, balanced(ranks, 3))
    (a, f), (b, e), (c, d) = (box.sides(at, periodic=True) for at in range(3))
    near = list(enumerate((a, b, c, d, e, f)))
    yield from (message("irecv", peer, 80, 5 - tag, "g.c:15") for tag, peer in near)
    yield from (message("isend", peer, 80, tag, "g.c:16") for tag, peer in near)
    yield waitall("g.c:17", 12)
    yield from (message("recv", each, 80, 9, "g.c:18") for each in range(1, ranks) if rank == 0)
    yield from (message("send", 0, 80, 9, "g.c:19") for _ in range(rank > 0))


def halving(rank: int, ranks: int) -> Iterator[Event]:
    """Reduce in a binomial tree."""
    for bit in range((ranks - 1).bit_length()):
        if rank >> bit & 1:
            yield message("send", rank - (1 << bit), 80, 9, "t.c:1")
            return
        if rank + (1 << bit) < ranks:
            yield message("recv", rank + (1 << bit), 80, 9, "t.c:2")


def family(rank: int, ranks: int) -> Iterator[Event]:
    """Reduce in a binary tree."""
    children = range(2 * rank + 1, min(2 * rank + 3, ranks))
    yield from (message("recv", each, 80, 9, "t.c:3") for each in children)
    if rank:
        yield message("send", (rank - 1) // 2, 80, 9, "t.c:4")


def first(rank: int, ranks: int) -> Iterator[Event]:
    """Send from rank 0 to the next one."""
    if rank < 2:
        yield message("recv" if rank else "send", 1 - rank, 80, 9, f"t.c:{5 + rank}")


def both(one: Program, other: Program, rank: int, ranks: int) -> Iterator[Event]:
    for _ in range(STEPS):
        yield from one(rank, ranks)
        yield from other(rank, ranks)


@pytest.mark.parametrize(
    "program",
    [
        partial(both, walls, halving),
        partial(both, walls, family),
        # The third dimension has one or two ranks in all recordings. Those round it are known from the others.
        partial(both, torus, halving),
        partial(both, torus, first),
        collected,
    ],
)
def test_every_call_is_that_of_the_program(program: Program, tmp_path: Path) -> None:
    scales_exactly(program, (4, 8, 16, 32, 64), tmp_path)


def work(rank: int, ranks: int, calls: int) -> list[float]:
    """Return the work: before each exchange with the neighbours."""
    once = [1 / ranks, *[0.0] * (len([*neighbours(rank, ranks), *first(rank, ranks)]) - 1)]
    return [0.0, *once * STEPS, 0.0]


def test_work_before_neighbours_is_not_that_after_a_call_of_few_ranks(tmp_path: Path) -> None:
    program = partial(both, neighbours, first)
    made, _ = scaled(program, (4, 8, 16, 32), 64, tmp_path, work)
    assert computed(made) == pytest.approx(computed(trace(program, 64, tmp_path, work)))
