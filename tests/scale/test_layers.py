"""Extents of a Cartesian communicator that stay as they are, and peers in the communicators of its parts."""

from collections.abc import Iterator
from math import isqrt
from pathlib import Path

import pytest
from written_programs import (
    BARRIER,
    Event,
    Place,
    Program,
    collective,
    communicator,
    counted,
    message,
    scales_exactly,
    swap,
    waitall,
)

from linkworth.scale.grids import balanced

LAYERS = 2
LINES = 25
BLOCKS = 960


def product(rank: int, ranks: int) -> Iterator[Event]:
    """Shift blocks of two matrices round each layer, from an offset of the layer's own, and add up over the layers."""
    side = isqrt(ranks // LAYERS)
    layer, row, column = rank // side**2, rank // side % side, rank % side
    first = layer * side**2

    def place(x: int, y: int) -> int:
        return x % side * side + y % side

    around = [place(row - 1, column), place(row + 1, column), place(row, column - 1), place(row, column + 1)]
    across = [*Place(rank, (LAYERS, side, side)).sides(0)]
    yield communicator(
        "Cart_create@layers.c:1", 2, [*range(ranks)], across + [first + each for each in around]
    )
    yield communicator("Cart_sub@layers.c:2", 3, [*range(first, first + side**2)], around)
    own = list(range(rank % side**2, ranks, side**2))
    yield communicator("Cart_sub@layers.c:3", 4, own, [-2, 1] if layer == 0 else [0, -2])
    size = 8 * (BLOCKS // side) ** 2

    def shift(line: int, to: int, source: int) -> Event:
        return swap(f"layers.c:{line}", to, source, size, tag=line, comm=3)

    skew = layer * (side // LAYERS)
    yield shift(10, place(row, column - row - skew), place(row, column + row + skew))
    yield shift(11, place(row - column - skew, column), place(row + column + skew, column))
    for _ in range(side // LAYERS):
        yield shift(20, place(row, column - 1), place(row, column + 1))
        yield shift(21, place(row - 1, column), place(row + 1, column))
    yield collective("Reduce@layers.c:30", size, comm=4, peer=0, element_bytes=8)


def pencils(rank: int, ranks: int) -> Iterator[Event]:
    """Transpose pencils within rows of a plane, also by messages, and add up in a butterfly of all ranks."""
    plane = Place(rank, balanced(ranks, 2))
    (rows, columns), (row, column) = plane.grid, plane.at
    near = [*plane.sides(0), *plane.sides(1), -2, -2]
    yield communicator("Cart_create@pencils.c:1", 2, [*range(ranks)], near)
    side = [*Place(row, (rows,)).sides(0)]
    yield communicator("Cart_sub@pencils.c:2", 3, [*range(column, ranks, columns)], side)
    # The lines of a pencil do not divide into its row's ranks, so that some exchange more than others.
    piece = 16 * (BLOCKS // rows) * (LINES // columns + (column < LINES % columns))
    yield "MPI_Alltoallw@pencils.c:3", "collective", counted(3, [piece] * rows)
    for kind in ("irecv", "isend"):
        for each in range(1, rows):
            yield message(kind, (row + each) % rows, 80, 0, "pencils.c:5", comm=3)
    yield waitall("pencils.c:6", 2 * rows - 2)
    for level in range(ranks.bit_length() - 1):
        yield swap("pencils.c:4", rank ^ 1 << level, rank ^ 1 << level, 8, comm=2)


def pools(rank: int, ranks: int) -> Iterator[Event]:
    """Transpose in groups of ranks, of which each of two pools has two, and add up over groups and pools."""
    if ranks < 4:
        yield "MPI_Barrier@pools.c:1", "collective", BARRIER
        return
    size = ranks // 4
    pool, rest = divmod(rank, 2 * size)
    group, place = divmod(rest, size)
    members = [
        [2 * size * pool + size * group + each for each in range(size)],
        [2 * size * pool + size * each + place for each in range(2)],
        [2 * size * each + rest for each in range(2)],
    ]
    for number, each in enumerate(members):
        yield communicator(f"Comm_split@pools.c:{number}", 2 + number, each, [])
    for _ in range(3):
        for number in range(3):
            yield collective(f"Allreduce@pools.c:{10 + number}", 65536 // size, comm=2 + number)


def within_walls(name: str, place: int, plane: tuple[int, int], sizes: tuple[int, int]) -> Iterator[Event]:
    """Exchange with both neighbours along each side of a plane with walls."""
    box = Place(place, plane)
    for d, size in enumerate(sizes):
        yield swap(f"{name}.c:{2 + d}", *box.sides(d), size, comm=2)


def ensemble(rank: int, ranks: int) -> Iterator[Event]:
    """Exchange within walls on the plane of each of four members."""
    size = ranks // 4
    member, place = divmod(rank, size)
    yield communicator("Comm_split@ensemble.c:1", 2, [member * size + each for each in range(size)], [])
    for _ in range(3):
        yield from within_walls("ensemble", place, balanced(size, 2), (80, 80))
        yield collective("Allreduce@ensemble.c:4", 800)


def clients(rank: int, ranks: int) -> Iterator[Event]:
    """Send to the last rank of each four, which writes, after an exchange with both neighbours among the clients."""
    serves = rank % 4 == 3
    group = [each for each in range(ranks) if (each % 4 == 3) == serves]
    low, high = Place(group.index(rank), (len(group),)).sides(0)
    yield communicator("Comm_split@clients.c:1", 2, group, [])
    for _ in range(3):
        if serves:
            for each in range(3):
                yield message("recv", rank - 3 + each, 9600, 1, "clients.c:2")
            yield "MPI_Barrier@clients.c:3", "collective", {**BARRIER, "comm": 2}
        else:
            yield swap("clients.c:4", low, high, 80, comm=2)
            yield message("send", rank // 4 * 4 + 3, 9600, 1, "clients.c:5")


def coupled(rank: int, ranks: int) -> Iterator[Event]:
    """Run two models on a quarter and three quarters of the ranks, each on a plane, and pass blocks of one to the other."""
    first = ranks // 4
    begin, size = (0, first) if rank < first else (first, ranks - first)
    place = rank - begin
    length, width = balanced(size, 2)
    yield communicator("Comm_split@coupled.c:1", 2, [begin + each for each in range(size)], [])
    for _ in range(3):
        yield from within_walls("coupled", place, (length, width), (9600 // width, 9600 // length))
        for each in range(3) if rank < first else ():
            yield message("recv", first + 3 * rank + each, 800, 1, "coupled.c:4")
        if rank >= first:
            yield message("send", place // 3, 800, 1, "coupled.c:5")
        yield "MPI_Barrier@coupled.c:6", "collective", BARRIER


def guarded(rank: int, ranks: int) -> Iterator[Event]:
    """Exchange with the neighbours that exist on the plane of each half of the ranks, which add up together."""
    size = ranks // 2
    half, place = divmod(rank, size)
    box = Place(place, balanced(size, 2))
    near = [each for each in (*box.sides(0), *box.sides(1)) if each >= 0]
    yield communicator("Comm_split@guarded.c:1", 2, [half * size + each for each in range(size)], [])
    for _ in range(3):
        for line, kind in enumerate(("isend", "irecv"), start=2):
            for each in near:
                yield message(kind, each, 800, 0, f"guarded.c:{line}", comm=2)
        yield waitall("guarded.c:4", 2 * len(near))
        yield "MPI_Barrier@guarded.c:5", "collective", BARRIER


def transposed(rank: int, ranks: int) -> Iterator[Event]:
    """Exchange with neighbours in a box and in a ring of all ranks, and transpose in rows of a plane."""
    _, columns = balanced(ranks, 2)
    row = rank // columns * columns
    yield communicator("Comm_split@transposed.c:1", 3, [*range(row, row + columns)], [])
    yield communicator("Comm_dup@transposed.c:2", 2, [*range(ranks)], [])
    box = Place(rank, balanced(ranks, 3))
    for _ in range(3):
        for d, extent in enumerate(box.grid):
            face = 8 * 48**2 * extent // ranks
            yield swap(f"transposed.c:{3 + d}", *box.sides(d, periodic=True), face, comm=2)
        yield swap("transposed.c:7", (rank + 1) % ranks, (rank - 1) % ranks, 80, comm=2)
        yield collective("Alltoall@transposed.c:6", 64, comm=3)


def reordered(rank: int, ranks: int) -> Iterator[Event]:
    """Exchange on a plane, and round the communicators of all ranks in other orders: reversed, merged, transposed."""
    length, width = balanced(ranks, 2)
    everyone = list(range(ranks))
    merged = 3 * ranks // 4
    orders = [
        everyone[::-1],
        everyone[ranks // 2 :] + everyone[: ranks // 2],
        everyone[merged:] + everyone[:merged],
        [x * width + y for y in range(width) for x in range(length)],
    ]
    yield communicator("Comm_dup@reordered.c:1", 2, everyone, [])
    for number, members in enumerate(orders, 3):
        yield communicator(f"Comm_split@reordered.c:{number}", number, members, [])
    for _ in range(3):
        yield from within_walls("reordered", rank, (length, width), (960 // width, 480 // length))
        for number, members in enumerate(orders, 3):
            low, high = Place(members.index(rank), (ranks,)).sides(0, periodic=True)
            yield swap(f"reordered.c:{10 + number}", high, low, 80, comm=number)


def sideways(rank: int, ranks: int) -> Iterator[Event]:
    """Exchange on a plane whose longer side is the other one if the ranks are no power of two."""
    length, width = balanced(ranks, 2)[:: -1 if ranks & (ranks - 1) else 1]
    yield communicator("Comm_dup@sideways.c:1", 2, [*range(ranks)], [])
    for _ in range(3):
        yield from within_walls("sideways", rank, (length, width), (960 // width, 480 // length))


@pytest.mark.parametrize(
    ("program", "counts"),
    [
        # Members of communicators are in another order than the ranks.
        (reordered, (8, 16, 32, 128)),
        # Ranks of a part lack neighbours.
        (guarded, (8, 16, 32, 64, 128)),
        # Members of an ensemble stay as many. From 16 to 64 ranks, the grids are also those of a box of all ranks.
        (ensemble, (8, 16, 32, 64, 128)),
        # Pencils lie on a plane.
        (pencils, (4, 8, 16, 32)),
    ],
)
def test_every_call_is_that_of_the_program(program: Program, counts: tuple[int, ...], tmp_path: Path) -> None:
    scales_exactly(program, counts, tmp_path)


def test_a_count_with_a_grid_of_its_own_is_left_out(tmp_path: Path) -> None:
    summary = scales_exactly(sideways, (4, 8, 16, 24, 32, 128), tmp_path)
    assert "those on 24 ranks" in " ".join(summary.scaling.remarks)


def test_two_extents_that_stay_are_shown_by_the_sizes_of_communicators(tmp_path: Path) -> None:
    # Two ranks have no such grid, and call otherwise.
    summary = scales_exactly(pools, (2, 8, 16, 32, 64), tmp_path)
    remarks = " ".join(summary.scaling.remarks)
    assert "not used, as their calls do not align with the others: those on 2 ranks" in remarks
    assert "two extents of the grid are 2 and 2 in all recordings" in remarks


@pytest.mark.parametrize(
    ("program", "counts"),
    [
        (clients, (8, 16, 32, 64)),
        # The ranks of a model are also a row of a plane in all recordings.
        (coupled, (8, 12, 16, 48)),
        (transposed, (8, 16, 32, 64)),
    ],
)
def test_parts_of_a_program_may_have_grids_of_their_own(
    program: Program, counts: tuple[int, ...], tmp_path: Path
) -> None:
    summary = scales_exactly(program, counts, tmp_path)
    assert ("grids of their own" in " ".join(summary.scaling.remarks)) == (program is not clients)


def test_layers_stay_as_many_and_their_grids_grow(tmp_path: Path) -> None:
    summary = scales_exactly(product, (8, 18, 32, 72), tmp_path)
    assert summary.scaling.grid == [2, 6, 6]
    assert "one extent of the grid is 2 in all recordings" in " ".join(summary.scaling.remarks)
