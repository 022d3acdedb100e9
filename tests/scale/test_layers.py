"""Extents of a Cartesian communicator that stay as they are, and peers in the communicators of its parts."""

from collections.abc import Iterator
from math import isqrt
from pathlib import Path
from typing import Any

from written_programs import RECEIVED, Event, same_calls, scaled, trace

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
    """Transpose pencils within rows of a plane, and add up in a butterfly of all ranks."""
    rows, columns = balanced(ranks, 2)
    row, column = divmod(rank, columns)
    near = [rank - columns if row else -2, rank + columns if row + 1 < rows else -2]
    near += [rank - 1 if column else -2, rank + 1 if column + 1 < columns else -2]
    yield communicator("MPI_Cart_create@pencils.c:1", 2, list(range(ranks)), [*near, -2, -2])
    side = [row - 1 if row else -2, row + 1 if row + 1 < rows else -2]
    yield communicator("MPI_Cart_sub@pencils.c:2", 3, list(range(column, ranks, columns)), side)
    # The lines of a pencil do not divide into its row's ranks, so that some exchange more than others.
    piece = 16 * (BLOCKS // rows) * (LINES // columns + (column < LINES % columns))
    yield (
        "MPI_Alltoallw@pencils.c:3",
        "collective",
        {"comm": 3, "peer": -1, "bytes": rows * piece, "recv_bytes": rows * piece, "element_bytes": 1}
        | {"send_counts": [piece] * rows, "recv_counts": [piece] * rows},
    )
    for level in range(ranks.bit_length() - 1):
        fields = {"comm": 2, "peer": rank ^ 1 << level, "tag": 0, "bytes": 8, "recv_peer": rank ^ 1 << level}
        yield "MPI_Sendrecv@pencils.c:4", "sendrecv", fields | {"recv_tag": 0, "recv_bytes": 8} | RECEIVED


def test_pencils_lie_on_a_plane(tmp_path: Path) -> None:
    made, _ = scaled(pencils, (4, 8, 16), 32, tmp_path)
    assert same_calls(made, trace(pencils, 32, tmp_path))


def test_layers_stay_as_many_and_their_grids_grow(tmp_path: Path) -> None:
    made, summary = scaled(product, (8, 18, 32), 72, tmp_path)
    assert summary.scaling.grid == [2, 6, 6]
    assert "one extent of the grid is 2 in all recordings" in " ".join(summary.scaling.remarks)
    assert same_calls(made, trace(product, 72, tmp_path))
