"""Grids of replicated layers: the extents of a Cartesian communicator, and peers in the communicators of a layer."""

from collections.abc import Iterator
from math import isqrt
from pathlib import Path
from typing import Any

from written_programs import Event, same_calls, scaled, trace

LAYERS = 2
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


def test_layers_stay_as_many_and_their_grids_grow(tmp_path: Path) -> None:
    made, summary = scaled(product, (8, 18, 32), 72, tmp_path)
    assert summary.scaling.grid == [2, 6, 6]
    assert "one extent of the grid is 2 in all recordings" in " ".join(summary.scaling.remarks)
    assert same_calls(made, trace(product, 72, tmp_path))
