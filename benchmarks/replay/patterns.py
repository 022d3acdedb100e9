"""The communication patterns that the replay is timed on: those of the reference figures of other simulators."""

from pathlib import Path

from linkworth import _engine
from linkworth.bench.replayed.calls import metadata, writer

RANKS = 64
SIDE = 8
WORK_SECONDS = 20e-6


def ring(path: Path, turns: int, size: int = 8) -> int:
    """Every rank sends to its right and receives from its left, `turns` times. Returns the number of messages."""
    trace = writer(path, RANKS)
    for rank in range(RANKS):
        fields = {
            "comm": 0,
            "peer": (rank + 1) % RANKS,
            "bytes": size,
            "recv_peer": (rank - 1) % RANKS,
            "recv_bytes": size,
        }
        for _ in range(turns):
            trace.event(rank, "MPI_Sendrecv", "sendrecv", fields, WORK_SECONDS)
    trace.close()
    return RANKS * turns


def stencil(path: Path, turns: int, size: int = 8192) -> int:
    """A periodic 8 x 8 grid: four receives, four sends, one wait a turn. Returns the number of messages."""
    return _stencil(path, turns, SIDE, SIDE, size)


def _stencil(path: Path, turns: int, rows: int, columns: int, size: int, tile: int = 1) -> int:
    """Ranks are numbered tile by tile of `tile` x `tile`, row by row inside each and of tiles."""
    ranks = rows * columns

    def number(row: int, column: int) -> int:
        in_order = row // tile * (columns // tile) + column // tile
        return in_order * tile * tile + row % tile * tile + column % tile

    trace = writer(path, ranks)
    done = [(reference, False, 0, 0) for reference in range(8, 0, -1)]
    for place in range(ranks):
        row, column = divmod(place, columns)
        rank = number(row, column)
        peers = [
            number((row + 1) % rows, column),
            number((row - 1) % rows, column),
            number(row, (column + 1) % columns),
            number(row, (column - 1) % columns),
        ]
        for _ in range(turns):
            gap = WORK_SECONDS
            for peer in peers:
                trace.event(rank, "MPI_Irecv", "irecv", {"comm": 0, "peer": peer, "bytes": size}, gap)
                gap = 0.0
            for peer in peers:
                trace.event(rank, "MPI_Isend", "isend", {"comm": 0, "peer": peer, "bytes": size})
            trace.event(rank, "MPI_Waitall", "complete", {"mode": 1, "listed": 8, "completions": done})
    trace.close()
    return ranks * turns * len(peers)


def all_to_all(path: Path, turns: int, ranks: int = RANKS, size: int = 65536) -> int:
    """`turns` all-to-alls. Returns the number of messages."""
    trace = writer(path, ranks)
    fields = {"comm": 0, "peer": -1, "bytes": size, "recv_bytes": size}
    for rank in range(ranks):
        for _ in range(turns):
            trace.event(rank, "MPI_Alltoall", "collective", fields, WORK_SECONDS)
    trace.close()
    return ranks * (ranks - 1) * turns


def grid(path: Path, turns: int, ranks: int, size: int = 8192, tile: int = 1) -> int:
    """The stencil on as square a grid of `ranks` (a power of two) as there is. Returns the number of messages."""
    columns = 1 << ((ranks.bit_length() - 1) // 2)
    return _stencil(path, turns, ranks // columns, columns, size, tile)


def long_stencil(path: Path, messages: int) -> int:
    """The bundled stencil's skeleton on 4 ranks, which is written as fast as it is read. Returns the number of messages."""
    per_iteration = 16
    iterations = max(1, messages // per_iteration)
    command = ["16x16x2", "--iterations", str(iterations), "--radiation-every", "0", "--output-every", "0"]
    phases = len(_engine.skeleton_programs()["stencil"])
    _engine.record_skeleton("stencil", command, 4, [1e-9] * phases, str(path), metadata("stencil", 4))
    return iterations * per_iteration
