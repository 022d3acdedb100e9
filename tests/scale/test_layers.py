"""Extents of a Cartesian communicator that stay as they are, and peers in the communicators of its parts."""

from collections.abc import Iterator
from math import isqrt, prod
from pathlib import Path
from typing import Any

import pytest
from written_programs import BARRIER, RECEIVED, Event, Program, counted, message, same_calls, scaled, trace

from linkworth.scale.grids import balanced

LAYERS = 2
LINES = 25
BLOCKS = 960


def communicator(entry: str, comm: int, members: list[int], neighbours: list[int]) -> Event:
    fields: dict[str, Any] = {
        "comm": 0,
        "new_comm": comm,
        "inter": False,
        "members": members,
        "remote_members": [],
    }
    return (
        entry,
        "comm_new",
        fields | {"has_topology": True, "sources": neighbours, "destinations": neighbours},
    )


def product(rank: int, ranks: int) -> Iterator[Event]:
    """Shift blocks of two matrices round each layer, from an offset of the layer's own, and add up over the layers."""
    side = isqrt(ranks // LAYERS)
    layer, row, column = rank // side**2, rank // side % side, rank % side
    first = layer * side**2

    def place(x: int, y: int) -> int:
        return x % side * side + y % side

    around = [place(row - 1, column), place(row + 1, column), place(row, column - 1), place(row, column + 1)]
    across = [-2 if layer == 0 else rank - side**2, -2 if layer + 1 == LAYERS else rank + side**2]
    whole = across + [first + each for each in around]
    yield communicator("MPI_Cart_create@layers.c:1", 2, list(range(ranks)), whole)
    yield communicator("MPI_Cart_sub@layers.c:2", 3, list(range(first, first + side**2)), around)
    own = list(range(rank % side**2, ranks, side**2))
    yield communicator("MPI_Cart_sub@layers.c:3", 4, own, [-2, 1] if layer == 0 else [0, -2])
    size = 8 * (BLOCKS // side) ** 2

    def shift(line: int, to: int, source: int) -> Event:
        fields = {"comm": 3, "peer": to, "tag": line, "bytes": size, "recv_peer": source, "recv_tag": line}
        fields |= {"recv_bytes": size, "actual_peer": 0, "actual_tag": 0}
        return f"MPI_Sendrecv@layers.c:{line}", "sendrecv", fields

    skew = layer * (side // LAYERS)
    yield shift(10, place(row, column - row - skew), place(row, column + row + skew))
    yield shift(11, place(row - column - skew, column), place(row + column + skew, column))
    for _ in range(side // LAYERS):
        yield shift(20, place(row, column - 1), place(row, column + 1))
        yield shift(21, place(row - 1, column), place(row + 1, column))
    reduced: dict[str, Any] = {"comm": 4, "peer": 0, "bytes": size, "recv_bytes": size, "element_bytes": 8}
    yield "MPI_Reduce@layers.c:30", "collective", reduced | {"send_counts": [], "recv_counts": []}


def pencils(rank: int, ranks: int) -> Iterator[Event]:
    """Transpose pencils within rows of a plane, also by messages, and add up in a butterfly of all ranks."""
    rows, columns = balanced(ranks, 2)
    row, column = divmod(rank, columns)
    near = [rank - columns if row else -2, rank + columns if row + 1 < rows else -2]
    near += [rank - 1 if column else -2, rank + 1 if column + 1 < columns else -2]
    yield communicator("MPI_Cart_create@pencils.c:1", 2, list(range(ranks)), [*near, -2, -2])
    side = [row - 1 if row else -2, row + 1 if row + 1 < rows else -2]
    yield communicator("MPI_Cart_sub@pencils.c:2", 3, list(range(column, ranks, columns)), side)
    # The lines of a pencil do not divide into its row's ranks, so that some exchange more than others.
    piece = 16 * (BLOCKS // rows) * (LINES // columns + (column < LINES % columns))
    yield "MPI_Alltoallw@pencils.c:3", "collective", counted(3, [piece] * rows)
    for kind in ("irecv", "isend"):
        for each in range(1, rows):
            fields = {"comm": 3, "peer": (row + each) % rows, "tag": 0, "bytes": 80}
            yield f"MPI_{kind.capitalize()}@pencils.c:5", kind, fields
    ended = [(each, False, 0, 0) for each in range(2 * rows - 2, 0, -1)]
    waited = {"mode": 1, "listed": len(ended), "completions": ended}
    yield "MPI_Waitall@pencils.c:6", "complete", waited
    for level in range(ranks.bit_length() - 1):
        fields = {"comm": 2, "peer": rank ^ 1 << level, "tag": 0, "bytes": 8, "recv_peer": rank ^ 1 << level}
        yield "MPI_Sendrecv@pencils.c:4", "sendrecv", fields | {"recv_tag": 0, "recv_bytes": 8} | RECEIVED


def test_pencils_lie_on_a_plane(tmp_path: Path) -> None:
    made, _ = scaled(pencils, (4, 8, 16), 32, tmp_path)
    assert same_calls(made, trace(pencils, 32, tmp_path))


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
        yield communicator(f"MPI_Comm_split@pools.c:{number}", 2 + number, each, [])
    for _ in range(3):
        for number in range(3):
            fields = {**BARRIER, "comm": 2 + number, "bytes": 65536 // size, "recv_bytes": 65536 // size}
            yield f"MPI_Allreduce@pools.c:{10 + number}", "collective", fields


def within_walls(name: str, place: int, plane: tuple[int, int], sizes: tuple[int, int]) -> Iterator[Event]:
    """Exchange with both neighbours along each side of a plane with walls."""
    length, width = plane
    x, y = divmod(place, width)
    low, high = place - width if x else -2, place + width if x + 1 < length else -2
    yield f"MPI_Sendrecv@{name}.c:2", "sendrecv", to_both(low, high, sizes[0])
    low, high = place - 1 if y else -2, place + 1 if y + 1 < width else -2
    yield f"MPI_Sendrecv@{name}.c:3", "sendrecv", to_both(low, high, sizes[1])


def ensemble(rank: int, ranks: int) -> Iterator[Event]:
    """Exchange within walls on the plane of each of four members."""
    size = ranks // 4
    member, place = divmod(rank, size)
    length, width = balanced(size, 2)
    yield communicator("MPI_Comm_split@ensemble.c:1", 2, [member * size + each for each in range(size)], [])
    for _ in range(3):
        yield from within_walls("ensemble", place, (length, width), (80, 80))
        yield "MPI_Allreduce@ensemble.c:4", "collective", BARRIER | {"bytes": 800, "recv_bytes": 800}


def clients(rank: int, ranks: int) -> Iterator[Event]:
    """Send to the last rank of each four, which writes, after an exchange with both neighbours among the clients."""
    serves = rank % 4 == 3
    group = [each for each in range(ranks) if (each % 4 == 3) == serves]
    place = group.index(rank)
    yield communicator("MPI_Comm_split@clients.c:1", 2, group, [])
    for _ in range(3):
        if serves:
            for each in range(3):
                yield message("recv", rank - 3 + each, 9600, 1, "clients.c:2")
            yield "MPI_Barrier@clients.c:3", "collective", {**BARRIER, "comm": 2}
        else:
            after = place + 1 if place + 1 < len(group) else -2
            yield "MPI_Sendrecv@clients.c:4", "sendrecv", to_both(place - 1 if place else -2, after)
            yield message("send", rank // 4 * 4 + 3, 9600, 1, "clients.c:5")


def coupled(rank: int, ranks: int) -> Iterator[Event]:
    """Run two models on a quarter and three quarters of the ranks, each on a plane, and pass blocks of one to the other."""
    first = ranks // 4
    begin, size = (0, first) if rank < first else (first, ranks - first)
    place = rank - begin
    length, width = balanced(size, 2)
    yield communicator("MPI_Comm_split@coupled.c:1", 2, [begin + each for each in range(size)], [])
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
    length, width = balanced(size, 2)
    x, y = divmod(place, width)
    yield communicator("MPI_Comm_split@guarded.c:1", 2, [half * size + each for each in range(size)], [])
    for _ in range(3):
        near = [place - width] * (x > 0) + [place + width] * (x + 1 < length)
        near += [place - 1] * (y > 0) + [place + 1] * (y + 1 < width)
        for line, kind in enumerate(("isend", "irecv"), start=2):
            for each in near:
                fields = {"comm": 2, "peer": each, "tag": 0, "bytes": 800}
                yield f"MPI_{kind.capitalize()}@guarded.c:{line}", kind, fields
        ended = [(each, False, 0, 0) for each in range(2 * len(near), 0, -1)]
        yield "MPI_Waitall@guarded.c:4", "complete", {"mode": 1, "listed": len(ended), "completions": ended}
        yield "MPI_Barrier@guarded.c:5", "collective", BARRIER


def transposed(rank: int, ranks: int) -> Iterator[Event]:
    """Exchange with neighbours in a box and in a ring of all ranks, and transpose in rows of a plane."""
    _, columns = balanced(ranks, 2)
    row = rank // columns * columns
    yield communicator("MPI_Comm_split@transposed.c:1", 3, list(range(row, row + columns)), [])
    yield communicator("MPI_Comm_dup@transposed.c:2", 2, list(range(ranks)), [])
    grid = balanced(ranks, 3)
    for _ in range(3):
        for dimension, extent in enumerate(grid):
            step = prod(grid[dimension + 1 :])
            x = rank // step % extent
            low, high = (rank + ((x + turn) % extent - x) * step for turn in (-1, 1))
            face = 8 * 48**2 * extent // ranks
            yield f"MPI_Sendrecv@transposed.c:{3 + dimension}", "sendrecv", to_both(low, high, face)
        yield "MPI_Sendrecv@transposed.c:7", "sendrecv", to_both((rank + 1) % ranks, (rank - 1) % ranks)
        yield (
            "MPI_Alltoall@transposed.c:6",
            "collective",
            BARRIER | {"comm": 3, "bytes": 64, "recv_bytes": 64},
        )


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
    yield communicator("MPI_Comm_dup@reordered.c:1", 2, everyone, [])
    for number, members in enumerate(orders, 3):
        yield communicator(f"MPI_Comm_split@reordered.c:{number}", number, members, [])
    for _ in range(3):
        yield from within_walls("reordered", rank, (length, width), (960 // width, 480 // length))
        for number, members in enumerate(orders, 3):
            place = members.index(rank)
            fields = to_both((place + 1) % ranks, (place - 1) % ranks) | {"comm": number}
            yield f"MPI_Sendrecv@reordered.c:{10 + number}", "sendrecv", fields


def sideways(rank: int, ranks: int) -> Iterator[Event]:
    """Exchange on a plane whose longer side is the other one if the ranks are no power of two."""
    length, width = balanced(ranks, 2)[:: -1 if ranks & (ranks - 1) else 1]
    yield communicator("MPI_Comm_dup@sideways.c:1", 2, list(range(ranks)), [])
    for _ in range(3):
        yield from within_walls("sideways", rank, (length, width), (960 // width, 480 // length))


def to_both(to: int, source: int, size: int = 80) -> dict[str, Any]:
    fields = {"comm": 2, "peer": to, "tag": 0, "bytes": size, "recv_peer": source, "recv_tag": 0}
    return fields | {"recv_bytes": size, "actual_peer": 0, "actual_tag": 0}


def test_a_count_with_a_grid_of_its_own_is_left_out(tmp_path: Path) -> None:
    made, summary = scaled(sideways, (4, 8, 16, 24, 32), 128, tmp_path)
    assert "those on 24 ranks" in " ".join(summary.scaling.remarks)
    assert same_calls(made, trace(sideways, 128, tmp_path))


def test_two_extents_that_stay_are_shown_by_the_sizes_of_communicators(tmp_path: Path) -> None:
    # Two ranks have no such grid, and call otherwise.
    made, summary = scaled(pools, (2, 8, 16, 32), 64, tmp_path)
    remarks = " ".join(summary.scaling.remarks)
    assert "not used, as their calls do not align with the others: those on 2 ranks" in remarks
    assert "two extents of the grid are 2 and 2 in all recordings" in remarks
    assert same_calls(made, trace(pools, 64, tmp_path))


@pytest.mark.parametrize(
    ("program", "counts"),
    [
        (clients, (8, 16, 32, 64)),
        (coupled, (8, 16, 32, 64)),
        # The ranks of a model are also a row of a plane in all recordings.
        (coupled, (8, 12, 16, 48)),
        (transposed, (8, 16, 32, 64)),
    ],
)
def test_parts_of_a_program_may_have_grids_of_their_own(
    program: Program, counts: tuple[int, ...], tmp_path: Path
) -> None:
    *small, large = counts
    made, summary = scaled(program, small, large, tmp_path)
    assert ("grids of their own" in " ".join(summary.scaling.remarks)) == (program is not clients)
    assert same_calls(made, trace(program, large, tmp_path))


def test_members_of_communicators_may_be_in_another_order_than_the_ranks(tmp_path: Path) -> None:
    made, _ = scaled(reordered, (8, 16, 32), 128, tmp_path)
    assert same_calls(made, trace(reordered, 128, tmp_path))


def test_ranks_of_a_part_may_lack_neighbours(tmp_path: Path) -> None:
    made, _ = scaled(guarded, (8, 16, 32, 64), 128, tmp_path)
    assert same_calls(made, trace(guarded, 128, tmp_path))


def test_members_of_an_ensemble_stay_as_many(tmp_path: Path) -> None:
    # From 16 to 64 ranks, the grids are also those of a box of all ranks.
    made, _ = scaled(ensemble, (8, 16, 32, 64), 128, tmp_path)
    assert same_calls(made, trace(ensemble, 128, tmp_path))


def test_layers_stay_as_many_and_their_grids_grow(tmp_path: Path) -> None:
    made, summary = scaled(product, (8, 18, 32), 72, tmp_path)
    assert summary.scaling.grid == [2, 6, 6]
    assert "one extent of the grid is 2 in all recordings" in " ".join(summary.scaling.remarks)
    assert same_calls(made, trace(product, 72, tmp_path))
