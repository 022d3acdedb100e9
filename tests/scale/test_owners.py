"""Programs in which each step has an owner, and ones with groups of ranks."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from written_programs import (
    BARRIER,
    Event,
    Place,
    Program,
    calls,
    collective,
    communicator,
    exchanged,
    message,
    same_calls,
    scaled,
    scales_exactly,
    seconds_on,
    swap,
    trace,
)

from linkworth import _engine

GRIDS = {4: (2, 2), 8: (4, 2), 16: (4, 4), 32: (8, 4)}
STEPS = 24


def broadcast(line: int, comm: int, root: int, size: int) -> Event:
    return collective(f"Bcast@owners.c:{line}", size, comm=comm, peer=root)


def split(comm: int, members: list[int]) -> Event:
    return communicator(f"Comm_split@owners.c:2{comm}", comm, members)


def split_twice(rank: int, ranks: int, columns: int) -> Iterator[Event]:
    """Make communicators of the rank's row and column."""
    row, column = divmod(rank, columns)
    yield split(2, [row * columns + each for each in range(columns)])
    yield split(3, list(range(column, ranks, columns)))


def rows_and_columns(rank: int, ranks: int) -> Iterator[Event]:
    """Multiply matrices: broadcast in rows and columns, each of which owns as many steps."""
    rows, columns = GRIDS[ranks]
    yield from split_twice(rank, ranks, columns)
    for step in range(STEPS):
        yield broadcast(2, 2, step * columns // STEPS, 80)
        yield broadcast(3, 3, step * rows // STEPS, 80)


def cyclic(rank: int, ranks: int) -> Iterator[Event]:
    """Factorise a matrix: one rank after the other owns a column."""
    for step in range(STEPS):
        yield broadcast(4, 0, step % ranks, 80)


def unrolled(rank: int, ranks: int) -> Iterator[Event]:
    """Factorise a matrix by a loop of which the compiler made one over three columns each, with some before it."""
    for _ in range(3):
        for step in range(32):
            yield broadcast(40 if step < 2 else 41 + step % 3, 0, step % ranks, 80)
        yield "MPI_Barrier@owners.c:44", "collective", BARRIER


def twice(rank: int, ranks: int) -> Iterator[Event]:
    """Factorise two matrices, each from the first owner on."""
    for _ in range(2):
        yield from cyclic(rank, ranks)


def blocks(rank: int, ranks: int) -> Iterator[Event]:
    """Eliminate 24 rows but the last one, of which the first ranks own one more."""
    size, longer = divmod(STEPS, ranks)
    owners = [owner for owner in range(ranks) for _ in range(size + (owner < longer))]
    for step in range(STEPS - 1):
        yield broadcast(5, 0, owners[step], 80)


def collected(rank: int, ranks: int) -> Iterator[Event]:
    """Reduce to every third rank in turn, and collect samples from all: roots alone get something."""
    for step in range(STEPS):
        root = 3 * step % ranks
        yield collective("Reduce@owners.c:45", 80, peer=root, recv_bytes=80 if rank == root else 0)
    sample = 8 * (ranks - 1)
    yield collective("Gather@owners.c:46", sample, peer=0, recv_bytes=sample * ranks if rank == 0 else 0)


def writer(rank: int, ranks: int) -> Iterator[Event]:
    """Compute on all ranks but the last one, and send it what it writes."""
    last = ranks - 1
    yield split(2, [last] if rank == last else list(range(last)))
    for _ in range(STEPS):
        if rank < last:
            yield "MPI_Allreduce@owners.c:6", "collective", BARRIER | {"comm": 2}
            yield message("send", last, 80, 3, "owners.c:7")
        for source in range(last) if rank == last else ():
            yield message("recv", source, 80, 3, "owners.c:8")


def epochs(rank: int, ranks: int) -> Iterator[Event]:
    """Put into the memory of both neighbours, to which epochs are open."""
    near = [(rank + 1) % ranks, (rank - 1) % ranks]
    yield "MPI_Win_create@owners.c:9", "win_new", {"comm": 0, "new_window": 0, "bytes": 800}
    for _ in range(STEPS):
        for sync, members in ((1, near), (2, near)):
            fields = {"sync": sync, "window": 0, "peer": -1, "found": False, "members": members}
            yield f"MPI_Win_sync@owners.c:{sync}", "win_sync", fields
        for line, peer in enumerate(near):
            fields = {"operation": 0, "window": 0, "peer": peer, "bytes": 80, "recv_bytes": 0}
            yield f"MPI_Put@owners.c:1{line}", "rma", fields
        for sync in (3, 4):
            fields = {"sync": sync, "window": 0, "peer": -1, "found": False, "members": []}
            yield f"MPI_Win_sync@owners.c:{sync}", "win_sync", fields


def coupled(rank: int, ranks: int) -> Iterator[Event]:
    """Run two models on half the ranks each, which exchange fields through a communicator between both."""
    half = ranks // 2
    groups = [list(range(half)), list(range(half, ranks))]
    second = rank >= half
    yield split(2, groups[second])
    between = {"comm": 2, "inter": True, "remote_members": groups[not second]}
    yield communicator("Intercomm_create@owners.c:15", 3, groups[second], **between)
    for _ in range(STEPS):
        yield "MPI_Allreduce@owners.c:16", "collective", BARRIER | {"comm": 2, "bytes": 8}
        for line, kind in ((17, "recv"), (18, "send")) if second else ((19, "send"), (20, "recv")):
            yield message(kind, rank % half, 80, 3, f"owners.c:{line}", comm=3)


def ocean(rank: int, ranks: int) -> Iterator[Event]:
    """Run two models on a quarter and three quarters of the ranks, of which the first ranks exchange fields."""
    first = ranks // 4
    second = rank >= first
    groups = [list(range(first)), list(range(first, ranks))]
    yield split(2, groups[second])
    between = {"comm": 2, "inter": True, "remote_members": groups[not second]}
    yield communicator("Intercomm_create@owners.c:28", 3, groups[second], **between)
    counts = [80] * len(groups[not second])
    yield exchanged("Alltoallv@owners.c:29", counts, counts, comm=3)
    for _ in range(STEPS):
        if rank in (0, first):
            peer = first if rank == 0 else 0
            yield swap("owners.c:30", peer, peer, 80, tag=3)
        yield broadcast(31, 2, 0, 80)


def aggregators(rank: int, ranks: int) -> Iterator[Event]:
    """Exchange with both neighbours on a line, and send to the first of each four ranks."""
    low, high = Place(rank, (ranks,)).sides(0)
    for _ in range(STEPS):
        yield swap("owners.c:32", high, low, 80, tag=3)
        yield swap("owners.c:33", low, high, 80, tag=3)
        first = rank // 4 * 4
        for source in range(first + 1, first + 4) if rank == first else ():
            yield message("recv", source, 800, 4, "owners.c:34")
        if rank != first:
            yield message("send", first, 800, 4, "owners.c:35")


@pytest.mark.parametrize(
    "program",
    [aggregators, ocean, rows_and_columns, cyclic, unrolled, blocks, collected, writer, epochs, coupled],
)
def test_every_call_is_that_of_the_program(program: Program, tmp_path: Path) -> None:
    scales_exactly(program, (4, 8, 16, 32), tmp_path)


BLOCKS, BYTES = 24, 80


def mine(first: int, line: int, lines: int) -> int:
    """Return how many of the blocks from `first` on a line of ranks has."""
    return sum(block % lines == line for block in range(first, BLOCKS))


def factorisation(rank: int, ranks: int) -> Iterator[Event]:
    """Factorise a block-cyclic matrix: the owners of a column send its panel along rows, whose first rank gets a count."""
    rows, columns = SQUARES[ranks]
    row, column = divmod(rank, columns)
    yield from split_twice(rank, ranks, columns)
    for step in range(BLOCKS):
        size = BYTES * mine(step + 1, row, rows)
        if column == step % columns:
            yield broadcast(11, 3, step % rows, BYTES)
            for other in range(columns - 1):
                yield message("send", row * columns + other + (other >= column), size, 4, "owners.c:12")
        else:
            yield message("recv", row * columns + step % columns, size, 4, "owners.c:13")
        yield broadcast(14, 3, step % rows, BYTES * mine(step + 1, column, columns))


def copied(rank: int, ranks: int) -> Iterator[Event]:
    """Factorise a matrix with a program in which the compiler has copied calls, for ranks with nothing left."""
    rows, columns = SQUARES[ranks]
    row, column = divmod(rank, columns)
    yield from split_twice(rank, ranks, columns)
    for step in range(BLOCKS):
        left = mine(step + 1, row, rows)
        if column == step % columns:
            yield broadcast(23, 3, step % rows, BYTES)
        yield broadcast(24 if left else 25, 2, step % columns, BYTES * left)
        below = mine(step + 1, column, columns)
        yield broadcast(26 if below else 27, 3, step % rows, BYTES * below)


def symmetric(rank: int, ranks: int) -> Iterator[Event]:
    """Factorise a symmetric block-cyclic matrix: what crosses rows comes from the rank on the diagonal of a square grid."""
    rows, columns = SQUARES[ranks]
    row, column = divmod(rank, columns)
    yield from split_twice(rank, ranks, columns)
    for step in range(BLOCKS):
        yield broadcast(21, 2, step % columns, BYTES * mine(step + 1, row, rows))
        for _ in range(mine(step + 1, column, columns)):
            yield broadcast(22, 3, column, BYTES)


SQUARES = {4: (2, 2), 9: (3, 3), 16: (4, 4), 36: (6, 6)}


def without_sites(path: Path) -> list[list[Event]]:
    """Return the calls of all ranks; of several copies of a call, any may be taken."""
    return [
        [(entry.partition("@")[0], kind, fields) for entry, kind, fields in calls(path, rank)]
        for rank in range(_engine.Trace(str(path)).ranks)
    ]


@pytest.mark.parametrize("program", [factorisation, symmetric, copied])
def test_owners_of_a_matrix_dealt_in_two_dimensions_call_otherwise(program: Program, tmp_path: Path) -> None:
    made, _ = scaled(program, (4, 9, 16), 36, tmp_path)
    assert without_sites(made) == without_sites(trace(program, 36, tmp_path))


ROWS = {4: 192, 8: 384, 16: 768, 32: 1536}


def test_rows_below_a_block_of_columns_become_less_by_steps(tmp_path: Path) -> None:
    """A larger matrix has more blocks of columns. The blocks do not divide it evenly."""

    def growing(rank: int, ranks: int) -> Iterator[Event]:
        for step in range(ROWS[ranks] // 32):
            yield broadcast(28, 0, step % ranks, 8 * (ROWS[ranks] * 9 // 8 - 32 * step))

    made, _ = scaled(growing, (4, 8, 16), 32, tmp_path, sizes=list(ROWS.values()))
    assert same_calls(made, trace(growing, 32, tmp_path))


def by_owners(rank: int, ranks: int, calls: int) -> list[float]:
    """Return what the owner of each step computes before it, which becomes less from step to step."""
    steps = [1e-3 * (STEPS - step) if step % ranks == rank else 1e-5 for step in range(STEPS)]
    return [0.0, *steps * ((calls - 2) // STEPS), 0.0]


@pytest.mark.parametrize(("program", "counts"), [(cyclic, (4, 8, 16)), (twice, (4, 7, 10))])
def test_the_owner_of_a_step_computes_as_that_of_the_same_step(
    program: Program, counts: tuple[int, ...], tmp_path: Path
) -> None:
    made, _ = scaled(program, counts, 32, tmp_path, by_owners)
    expected = seconds_on("ib-hdr", trace(program, 32, tmp_path, by_owners))
    assert seconds_on("ib-hdr", made) == pytest.approx(expected, rel=0.01)


def ring(rank: int, ranks: int, ahead: int = 0) -> Iterator[Event]:
    """Factorise a matrix: pass each panel round a ring, from its owner and from the rank `ahead` of it, as HPL may.

    The rank ahead is half of the ring away if no other is given.
    """
    ahead = ahead or ranks // 2
    for step in range(STEPS):
        away, size = (rank - step) % ranks, 800 * (STEPS - step)
        if away == 0:
            yield message("send", (rank + 1) % ranks, size, step, "ring.c:1")
        if away == 0 and ahead > 1:
            yield message("send", (rank + ahead) % ranks, size, step, "ring.c:2")
        if away:
            source = rank - away if away in (1, ahead) else rank - 1
            yield message("recv", source % ranks, size, step, "ring.c:3")
        if 0 < away < ranks - 1 and away != ahead - 1:
            yield message("send", (rank + 1) % ranks, size, step, "ring.c:4")


@pytest.mark.parametrize("program", [partial(ring, ahead=1), ring])
def test_a_panel_that_ranks_pass_on_has_an_owner(program: Program, tmp_path: Path) -> None:
    summary = scales_exactly(program, (4, 8, 16, 32), tmp_path)
    assert not summary.scaling.distributions
