"""Small programs of each pattern, scaled: every call is that of the program at the large count."""

from collections.abc import Iterator
from functools import partial
from itertools import product
from math import isqrt, prod
from pathlib import Path
from random import Random

import pytest
from written_programs import (
    BARRIER,
    NOBODY,
    Event,
    Place,
    Program,
    calls,
    collective,
    communicator,
    counted,
    even,
    message,
    scaled,
    scales_exactly,
    swap,
    trace,
    wait,
)  # fmt: skip

from linkworth import _engine

GRIDS = {4: (1, 2, 2), 8: (2, 2, 2), 16: (2, 2, 4), 32: (2, 4, 4), 64: (4, 4, 4)}
POINTS = 48
STEPS = 7


def sendrecv(line: int, to: int, source: int, size: int) -> Event:
    return swap(f"halo.c:{line}", to, source, size)


def halo(rank: int, ranks: int) -> Iterator[Event]:
    """Exchange along each dimension, and in another way where it has one or two ranks, as LAMMPS does."""
    box = Place(rank, GRIDS[ranks])
    face = [8 * prod(POINTS // n for e, n in enumerate(box.grid) if e != d) for d in range(3)]
    for _ in range(STEPS):
        for d in range(3):
            if box.grid[d] == 1:
                continue
            low, high = box.sides(d, periodic=True)
            yield sendrecv(10, low, high, 4)
            if box.grid[d] > 2:
                yield sendrecv(11, high, low, 4)
            yield sendrecv(12, low, high, face[d])
            if box.grid[d] > 2:
                yield sendrecv(13, high, low, face[d])
        yield "MPI_Barrier@halo.c:20", "collective", BARRIER


def blocks(rank: int, ranks: int) -> Iterator[Event]:
    """Exchange with both neighbours in a ring of blocks, with tags that name the blocks."""
    share = POINTS // ranks
    after, before = (rank + 1) % ranks, (rank - 1) % ranks
    for _ in range(STEPS):
        yield message("send", after, 8, 100 + (rank + 1) * share, "ring.c:1")
        yield message("send", before, 8, 500 + rank * share, "ring.c:2")
        yield message("recv", before, 8, 100 + (before + 1) * share, "ring.c:3")
        yield message("recv", after, 8, 500 + after * share, "ring.c:4")


def branch(line: int, kind: str, peer: int, size: int) -> Event:
    return message(kind, peer, size, 3, f"tree.c:{line}")


def tree(rank: int, ranks: int) -> Iterator[Event]:
    """Reduce in a binomial tree: receive from each child, and send to the parent."""
    for _ in range(STEPS):
        bit = 1
        while bit < ranks and not rank & bit:
            if rank | bit < ranks:
                yield branch(10, "recv", rank | bit, 800)
            bit *= 2
        if bit < ranks:
            yield branch(11, "send", rank & ~bit, 800)
        yield "MPI_Barrier@tree.c:20", "collective", BARRIER


def family(rank: int, ranks: int, arity: int = 2) -> Iterator[Event]:
    """Reduce and broadcast in a tree. In a binary one, the children of rank r are 2 r + 1 and 2 r + 2."""
    children = range(arity * rank + 1, min(arity * rank + arity + 1, ranks))
    for _ in range(STEPS):
        for each in children:
            yield branch(10, "recv", each, 800)
        if rank:
            yield branch(11, "send", (rank - 1) // arity, 800)
            yield branch(12, "recv", (rank - 1) // arity, 800)
        for each in children:
            yield branch(13, "send", each, 800)


def dealing(rank: int, ranks: int) -> Iterator[Event]:
    """Deal tasks to all ranks but rank 0 in turn, of which some have one more than others."""
    for task in range(100):
        worker = 1 + task % (ranks - 1)
        if rank in (0, worker):
            yield branch(10, "recv" if rank else "send", 0 if rank else worker, 800)
    yield "MPI_Barrier@tree.c:20", "collective", BARRIER


def both(line: int, peer: int, size: int = 80) -> Event:
    return sendrecv(line, peer, peer, size)


def by_bits(rank: int, ranks: int) -> Iterator[Event]:
    """Reduce as mpi4py does: each bit of the rank decides whether it sends, and nothing ends the loop."""
    for _ in range(STEPS):
        for bit in range((ranks - 1).bit_length()):
            if rank >> bit & 1:
                yield branch(10, "send", rank & ~(1 << bit), 80)
            elif rank | 1 << bit < ranks:
                yield branch(11, "recv", rank | 1 << bit, 80)


def broadcast(rank: int, ranks: int) -> Iterator[Event]:
    """Broadcast along a binomial tree, and add up before each rank in doubling distances."""
    for _ in range(STEPS):
        bit = 1
        while bit < ranks and not rank & bit:
            bit *= 2
        if bit < ranks:
            yield branch(10, "recv", rank - bit, 80)
        while bit := bit // 2:
            if rank + bit < ranks:
                yield branch(11, "send", rank + bit, 80)
        while (bit := max(2 * bit, 1)) < ranks:
            if rank + bit < ranks:
                yield branch(12, "send", rank + bit, 8)
            if rank >= bit:
                yield branch(13, "recv", rank - bit, 8)


def halving(rank: int, ranks: int) -> Iterator[Event]:
    """Reduce and scatter in halving distances, and gather in doubling ones, half of the data in each step."""
    for _ in range(STEPS):
        bits = [1 << bit for bit in range((ranks - 1).bit_length())]
        yield from (both(10, rank ^ bit, 4096 * bit // ranks) for bit in reversed(bits))
        yield from (both(11, rank ^ bit, 4096 * bit // ranks) for bit in bits)
        # A crystal router exchanges with the mirrored rank of each half.
        yield from (both(12, rank ^ 2 * bit - 1, 4096) for bit in reversed(bits))


def bitonic(rank: int, ranks: int) -> Iterator[Event]:
    """Sort: in each turn one level more, and two bits of the rank decide on the call."""
    for turn in range((ranks - 1).bit_length()):
        for bit in reversed(range(turn + 1)):
            yield both(10 if rank >> bit & 1 == rank >> turn + 1 & 1 else 11, rank ^ 1 << bit)


def scattering(rank: int, ranks: int) -> Iterator[Event]:
    """Scatter from rank 0 along a binomial tree: each subtree gets its part, and the last one may be smaller."""
    for _ in range(STEPS):
        bit = 1
        while bit < ranks and not rank & bit:
            bit *= 2
        if bit < ranks:
            yield branch(10, "recv", rank - bit, 80 * min(bit, ranks - rank))
        while bit := bit // 2:
            if rank + bit < ranks:
                yield branch(11, "send", rank + bit, 80 * min(bit, ranks - rank - bit))


def shrinking(rank: int, ranks: int, power: int = 2) -> Iterator[Event]:
    """Broadcast what is left of a matrix, which grows with the ranks, block by block."""
    for left in range(ranks, 0, -1):
        yield collective("Bcast@shrinking.c:1", 8 * left**power, peer=0)


def appearing(rank: int, ranks: int) -> Iterator[Event]:
    """Exchange with the other half, if there are two, in loops of which one grows with the ranks."""
    for times in (3, ranks):
        for _ in range(times):
            for bit in range((ranks - 1).bit_length()):
                yield sendrecv(10, (rank + (1 << bit)) % ranks, (rank - (1 << bit)) % ranks, 80)
            if ranks % 2 == 0:
                yield both(11, (rank + ranks // 2) % ranks)


def dividing(rank: int, ranks: int) -> Iterator[Event]:
    """Add up among the ranks, then in each half of them, and so on."""
    first, size, comm = 0, ranks, 0
    while size > 1:
        yield collective("Allreduce@dividing.c:1", 8, comm=comm)
        size //= 2
        first += size if rank >= first + size else 0
        parent, comm = comm, max(comm, 1) + 1
        yield communicator("Comm_split@dividing.c:2", comm, [*range(first, first + size)], comm=parent)


def multigrid(rank: int, ranks: int) -> Iterator[Event]:
    """Exchange on each level of 64 points on which a rank has two or more."""
    for _ in range((64 // ranks).bit_length() - 1):
        yield sendrecv(10, (rank - 1) % ranks, (rank + 1) % ranks, 8)
    yield "MPI_Barrier@multigrid.c:20", "collective", BARRIER


def rounds(rank: int, ranks: int) -> Iterator[Event]:
    """Gather at a root, exchange with everyone, and sort between odd and even neighbours."""
    for _ in range(STEPS):
        for other in range(1, ranks) if rank == 0 else ():
            yield branch(10, "recv", other, 80)
        if rank:
            yield branch(11, "send", 0, 80)
    yield "MPI_Barrier@rounds.c:20", "collective", BARRIER
    yield from (both(30, rank ^ step) for step in range(1, ranks))
    for other in range(ranks):
        if other != rank:
            yield both(31, other)
    yield "MPI_Barrier@rounds.c:21", "collective", BARRIER
    for step in range(ranks):
        other = rank + 1 if (rank + step) % 2 == 0 else rank - 1
        yield both(32, other if 0 <= other < ranks else -2)


def triangle(rank: int, ranks: int) -> Iterator[Event]:
    """Receive from all ranks before, and send to all behind."""
    for other in range(ranks):
        if other < rank:
            yield branch(12, "recv", other, 80)
        elif other > rank:
            yield branch(13, "send", other, 80)


def multiply(rank: int, ranks: int) -> Iterator[Event]:
    """Multiply matrices as Cannon does: skew rows and columns by their number, then shift by one."""
    side = isqrt(ranks)
    i, j = divmod(rank, side)

    def along(line: int, di: int, dj: int) -> Event:
        to, source = ((i - di) % side * side + (j - dj) % side, (i + di) % side * side + (j + dj) % side)
        return sendrecv(line, to, source, 80)

    yield along(10, 0, i)
    yield along(11, j, 0)
    for _ in range(side):
        yield along(12, 0, 1)
        yield along(13, 1, 0)


def tournament(rank: int, ranks: int) -> Iterator[Event]:
    """Meet each other rank once, by the circle method, with a tag for each pair."""
    for step in range(ranks - 1):
        met = (2 * step - rank) % (ranks - 1)
        other = step if rank == ranks - 1 else ranks - 1 if met == rank else met
        entry, kind, fields = sendrecv(10, other, other, 4096 // ranks)
        yield entry, kind, fields | {"tag": rank * ranks + other, "recv_tag": other * ranks + rank}


def planned(rank: int, ranks: int, late: bool = False) -> Iterator[Event]:
    """Try ways to divide the ranks in an order by no rule, and exchange on the last of the communicators.

    `late`: a message from the beginning is received at the end.
    """
    number = 2
    if late:
        yield branch(5, "send", (rank + 1) % ranks, 80)
    for way in (1, 2, 3) if ranks % 7 == 1 else (3, 1, 2):
        yield f"MPI_Barrier@plan.c:{way}", "collective", BARRIER
        if ranks % 3 < way:
            yield communicator("Comm_dup@plan.c:2", number, [*range(ranks)])
            number += 1
    yield "MPI_Allreduce@plan.c:4", "collective", BARRIER
    for _ in range(STEPS):
        for entry, kind, fields in tournament(rank, ranks):
            yield entry, kind, fields | {"comm": number - 1}
    if late:
        yield branch(6, "recv", (rank - 1) % ranks, 80)


def lengths(rank: int, ranks: int) -> Iterator[Event]:
    """Ask both neighbours how long their messages are, and wait for the answers in the order of their arrival."""
    near = [(rank - 1) % ranks, (rank + 1) % ranks]
    for _ in range(STEPS):
        yield from [message("irecv", -1, 8, 3, "lengths.c:1")] * 2
        yield from (message("isend", other, 8, 3, "lengths.c:2") for other in near)
        first, second = near if rank * 7 % 3 else near[::-1]
        ended = [(4, True, first, 3), (3, True, second, 3), (2, False, 0, 0), (1, False, 0, 0)]
        yield "MPI_Waitall@lengths.c:3", "complete", {"mode": 1, "listed": 4, "completions": ended}


PLATE = {4: (4, 1), 8: (4, 2), 16: (8, 2), 32: (8, 4), 64: (16, 4)}


def plate(rank: int, ranks: int) -> Iterator[Event]:
    """Exchange with the neighbours on a plate that is four times as long as wide."""
    box = Place(rank, PLATE[ranks])
    for _ in range(STEPS):
        for line, (i, j) in enumerate([(1, 0), (-1, 0), (0, 1), (0, -1)], 10):
            yield sendrecv(line, box.neighbour(i, j), box.neighbour(-i, -j), 80)


SQUARE = {4: (2, 2), 6: (3, 2), 8: (4, 2), 9: (3, 3), 16: (4, 4), 32: (8, 4), 64: (8, 8), 128: (16, 8)}


def walls(rank: int, ranks: int) -> Iterator[Event]:
    """Exchange with all neighbours in a closed box at once. On the edges some recordings show fewer ranks than on corners."""
    box = Place(rank, SQUARE[ranks])
    sides = {(1, 0): 480 // box.grid[1], (0, 1): 480 // box.grid[0], (1, 1): 1}
    steps = [each for each in product((-1, 0, 1), repeat=2) if any(each) and box.neighbour(*each) >= 0]
    near = [box.neighbour(*each) for each in steps]
    yield communicator("Dist_graph_create_adjacent@walls.c:1", 2, [*range(ranks)], near)
    sizes = [8 * sides[abs(i), abs(j)] for i, j in steps]
    for _ in range(STEPS):
        yield "MPI_Neighbor_alltoallv@walls.c:2", "collective", counted(2, sizes)


def areas(rank: int, ranks: int) -> Iterator[Event]:
    """Let only ranks that touch no wall send their areas, which fall unevenly along the longer side."""
    box = Place(rank, SQUARE[ranks])
    length, width = box.grid
    for _ in range(STEPS):
        yield sendrecv(10, *box.sides(1), 80)
        if NOBODY not in box.sides(1):
            area = (101 // length + (box.at[0] < 101 % length)) * 480 // width
            yield sendrecv(12, rank, rank, area)


def torus(rank: int, ranks: int) -> Iterator[Event]:
    """Exchange with each neighbour once, in the order of ranks, and then meet all others log p times."""
    box = Place(rank, SQUARE[ranks])
    near = sorted({*box.sides(0, periodic=True), *box.sides(1, periodic=True)})
    for _ in range(STEPS):
        for line, kind in ((20, "isend"), (21, "recv")):
            yield from (branch(line, kind, peer, 80) for peer in near)
        yield from (wait("torus.c:1", each) for each in range(len(near), 0, -1))
        for _ in range(ranks.bit_length() - 1):
            yield "MPI_Barrier@torus.c:2", "collective", BARRIER


def ordered(rank: int, ranks: int) -> Iterator[Event]:
    """Exchange with each neighbour there is: even ranks along a side send first, and odd ones receive first."""
    box = Place(rank, SQUARE[ranks])
    for _ in range(STEPS):
        for d in (0, 1):
            low, high = box.sides(d)
            order = (("send", high), ("recv", high), ("send", low), ("recv", low))
            if odd := box.at[d] % 2:
                order = (("recv", low), ("send", low), ("recv", high), ("send", high))
            for line, (kind, peer) in enumerate(order, 10 + odd * 10):
                if peer >= 0:
                    yield branch(line, kind, peer, 800)
        yield "MPI_Barrier@ordered.c:20", "collective", BARRIER


def aggregated(rank: int, ranks: int) -> Iterator[Event]:
    """Exchange on a plane with walls, and send to the first rank of each four, which reports to rank 0."""
    box = Place(rank, SQUARE[ranks])
    for _ in range(STEPS):
        yield sendrecv(10, *box.sides(0), 80)
        yield sendrecv(11, *box.sides(1)[::-1], 80)
        for each in (1, 2, 3) if rank % 4 == 0 else ():
            yield branch(12, "recv", rank + each, 8000)
        if rank % 4:
            yield branch(13, "send", rank // 4 * 4, 8000)
        elif rank:
            yield branch(14, "send", 0, 80)
        for each in range(4, ranks, 4) if rank == 0 else ():
            yield branch(15, "recv", each, 80)
        yield "MPI_Barrier@aggregated.c:20", "collective", BARRIER


def fold(rank: int, ranks: int) -> Iterator[Event]:
    """Exchange with the mirrored rank along the northern edge, as ocean models on tripolar grids do."""
    length, width = SQUARE[ranks]
    box = Place(rank, (width, length))
    y, x = box.at
    for _ in range(STEPS):
        yield sendrecv(10, *box.sides(1, periodic=True), 80)
        yield sendrecv(11, *box.sides(0)[::-1], 80)
        if y + 1 == width:
            mirrored = y * length + length - 1 - x
            yield sendrecv(12, mirrored, mirrored, 80)


def row_collected(line: int, rank: int, columns: int) -> Iterator[Event]:
    """Send to the first rank of a row, which receives from the others."""
    x = rank % columns
    for each in range(1, columns) if x == 0 else ():
        yield branch(line, "recv", rank + each, 80)
    if x:
        yield branch(line + 1, "send", rank - x, 80)


def poles(rank: int, ranks: int) -> Iterator[Event]:
    """Exchange along meridians, and across a pole with the other side; the first of each row collects from the others."""
    rows, columns = SQUARE[ranks]
    y, x = divmod(rank, columns)
    beyond = y * columns + (x + columns // 2) % columns
    near = (rank - columns if y else beyond, rank + columns if y + 1 < rows else beyond)
    for _ in range(STEPS):
        for each in near:
            yield branch(20, "send", each, 80)
        for each in near:
            yield branch(21, "recv", each, 80)
        yield from row_collected(22, rank, columns)
        yield "MPI_Barrier@poles.c:20", "collective", BARRIER


def collecting(rank: int, ranks: int) -> Iterator[Event]:
    """Exchange along each column with walls; the first of each row collects from the others."""
    box = Place(rank, SQUARE[ranks])
    for _ in range(STEPS):
        yield sendrecv(20, *box.sides(0), 80)
        yield from row_collected(21, rank, box.grid[1])
        yield "MPI_Barrier@collecting.c:20", "collective", BARRIER


def solver(rank: int, ranks: int) -> Iterator[Event]:
    """Iterate differently often in each step, as data decide, and read the clock differently often on each rank."""
    for step in range(ranks.bit_length()):
        for _ in range(3 + step % 2 * 2):
            yield from [("MPI_Wtime@solver.c:5", "local", {})] * (1 + rank % 3)
            yield sendrecv(10, (rank - 1) % ranks, (rank + 1) % ranks, 80)
        yield "MPI_Barrier@solver.c:20", "collective", BARRIER


def probing(rank: int, ranks: int) -> Iterator[Event]:
    """Send to itself differently often on each rank, as data decide."""
    for _ in range(STEPS):
        yield sendrecv(10, (rank - 1) % ranks, (rank + 1) % ranks, 80)
    for _ in range(3 + rank * rank * 7 % 11):
        yield sendrecv(12, rank, rank, 16)
    yield "MPI_Barrier@probing.c:20", "collective", BARRIER


def halves(rank: int, ranks: int) -> Iterator[Event]:
    """Send from each rank of one half to one of the other, and between rank 0 and another rank."""
    half = ranks // 2
    for _ in range(2):
        first = rank < half
        peer = rank + half if first else rank - half
        yield message("send" if first else "recv", peer, 800, 0, f"halves.c:{1 + first}")
        yield "MPI_Barrier@halves.c:3", "collective", BARRIER
        if rank == 1:
            yield message("send", 0, 8, 1, "halves.c:4")
        elif rank == 0:
            yield message("recv", 1, 8, 1, "halves.c:5")


def twofold(rank: int, ranks: int) -> Iterator[Event]:
    """Exchange twice along each dimension of a grid, since two ranks in a ring have the other one on both sides."""
    for _ in range(STEPS):
        for bit in range(ranks.bit_length() - 1):
            yield from [both(10, rank ^ 1 << bit)] * 2


def epochs(rank: int, ranks: int) -> Iterator[Event]:
    """Write to the next rank of a ring in an epoch of all ranks."""

    def sync(number: int, kind: int, members: list[int]) -> Event:
        fields = {"sync": kind, "window": 0, "peer": -1, "found": False, "members": members}
        return f"MPI_Win_sync@epochs.c:{number}", "win_sync", fields

    yield "MPI_Win_create@epochs.c:1", "win_new", {"comm": 0, "new_window": 0, "bytes": 800}
    yield from (sync(2, 1, list(range(ranks))), sync(3, 2, list(range(ranks))))
    put = {"operation": 0, "window": 0, "peer": (rank + 1) % ranks, "bytes": 80, "recv_bytes": 0}
    yield "MPI_Put@epochs.c:4", "rma", put
    yield from (sync(5, 3, []), sync(6, 4, []))


def conjugate(rank: int, ranks: int) -> Iterator[Event]:
    """Add up along rows, and exchange with the transposed rank or pair of ranks, as the CG of NPB does."""
    rows = 1 << (ranks.bit_length() - 1) // 2
    columns = ranks // rows
    pair = columns // rows
    across = rank // pair % rows * rows + rank // columns
    for _ in range(STEPS):
        distance = columns // 2
        while distance:
            yield both(10, rank ^ distance)
            distance //= 2
        yield both(11, pair * across + rank % pair, 9600 // rows)


def mirrored(rank: int, ranks: int) -> Iterator[Event]:
    """Exchange with the transposed rank, but on the diagonal."""
    row, column = divmod(rank, isqrt(ranks))
    for _ in range(STEPS if row != column else 0):
        yield both(12, column * isqrt(ranks) + row, 80)


@pytest.mark.parametrize(
    ("program", "counts"),
    [
        # No recording has more than two ranks along the first dimension.
        (halo, (4, 8, 16, 32, 64)),
        (blocks, (3, 6, 12, 24)),
        (tree, (4, 8, 16, 64)),
        (family, (4, 8, 16, 64)),
        (partial(family, arity=4), (4, 8, 16, 32, 64)),
        (dealing, (4, 8, 16, 64)),
        (by_bits, (4, 6, 12, 24, 64)),
        (broadcast, (4, 8, 16, 32, 64)),
        (halving, (4, 8, 16, 64)),
        (bitonic, (4, 8, 16, 32, 64)),
        (rounds, (4, 8, 16, 32, 64)),
        (triangle, (4, 8, 16, 32, 64)),
        (multiply, (4, 16, 36, 64)),
        (plate, (8, 16, 32, 64)),
        # Only the largest recording shows inner ranks, with both sides alike.
        (walls, (4, 8, 16, 32)),
        # It shows some roles at one place only, whose neighbours are others elsewhere.
        (walls, (4, 6, 9, 16)),
        # Each rank has log p neighbours in all recordings.
        (torus, (4, 8, 16, 32)),
        # They show only one odd rank that is inside along the shorter side, and it is next to rank 0.
        (ordered, (4, 8, 16, 32, 64)),
        # Rings along the equator are all as long where they do not have two ranks.
        (poles, (4, 8, 16, 32, 64)),
        # Rows are as long as columns in all recordings.
        (collecting, (4, 16, 64, 128)),
        # The recording on four ranks has no rank of the first half that only sends to the other.
        (halves, (4, 8, 16, 32)),
        # The first and last of each four are at a wall in all recordings.
        (aggregated, (4, 8, 16, 32, 64)),
        # The recordings show only four inner ranks along a side.
        (fold, (4, 8, 16, 32)),
        # Two steps in rows of four ranks are half of their ranks too.
        (conjugate, (4, 8, 16, 32)),
        # On prime numbers of ranks, every grid is a line.
        (epochs, (3, 5, 7, 12)),
        # Sizes of a level that one recording has grow as those of the next.
        (scattering, (6, 12, 24, 48)),
        # Each rank of the largest recording is another combination of edges, even and odd ranks.
        (mirrored, (4, 9, 16, 36)),
    ],
)
def test_every_call_is_that_of_the_program(program: Program, counts: tuple[int, ...], tmp_path: Path) -> None:
    scales_exactly(program, counts, tmp_path)


@pytest.mark.parametrize(
    ("program", "small", "doubt"),
    [
        (scattering, (6, 12, 24), "a power of two times 1, which no recording is"),
        (partial(shrinking, power=3), (4, 8, 16), "MPI_Bcast@shrinking.c:1 follow no exact rule"),
        (
            appearing,
            (5, 10, 20),
            "structure changes at 10 ranks: MPI_Sendrecv@halo.c:11 is called from there on only",
        ),
        (dividing, (4, 8, 16), "64 ranks probably have more"),
        (multigrid, (4, 8, 16, 32), "the program's structure may change before 64 ranks: MPI_Sendrecv"),
        (areas, (4, 8, 16, 32), "MPI_Sendrecv@halo.c:12 are unequal parts along one dimension"),
        (lengths, (3, 5, 7), "all recordings are on prime numbers of ranks"),
        (probing, (4, 8, 16), "differently often on each rank"),
        (twofold, (4, 8, 16), "with two ranks along each of its dimensions"),
    ],
)
def test_what_the_recordings_may_not_show_is_told(
    program: Program, small: tuple[int, ...], doubt: str, tmp_path: Path
) -> None:
    _, summary = scaled(program, small, 64, tmp_path)
    assert doubt in " ".join(summary.scaling.remarks)


def test_a_loop_that_data_end_runs_as_often_as_in_the_mean(tmp_path: Path) -> None:
    made, summary = scaled(solver, (4, 8, 16), 64, tmp_path)
    assert "differently often each time" in " ".join(summary.scaling.remarks)
    wanted = trace(solver, 64, tmp_path)
    (length,) = {communication(made, rank) for rank in range(64)}
    assert length == pytest.approx(communication(wanted, 0), rel=0.1)


def test_a_rank_is_late_in_other_iterations_than_another(tmp_path: Path) -> None:
    """Ranks that compute a mean in every iteration would never wait for one another."""
    made, _ = scaled(barriers, (4, 8, 16), 64, tmp_path, lateness)
    read = _engine.Trace(str(made))
    late = [_engine.read_rank(read, rank)["cpu_seconds"][1:-1].round(6).tolist() for rank in range(64)]
    assert all(set(each) == {1e-4, 3e-4} for each in late)
    assert len(set(map(tuple, late))) > 1


def barriers(rank: int, ranks: int) -> Iterator[Event]:
    yield from [("MPI_Barrier@barriers.c:20", "collective", BARRIER)] * 12


def lateness(rank: int, ranks: int, calls: int) -> list[float]:
    return [3e-4 if (rank + number) % 4 == 0 else 1e-4 for number in range(calls)]


def reports(rank: int, ranks: int) -> Iterator[Event]:
    """Take messages of all ranks in the order of their arrival, each with a size of its sender, after probes or without."""
    for step in range(STEPS):
        yield collective("MPI_Allreduce@reports.c:9", 8)
        for source in Random(ranks + step).sample(range(1, ranks), ranks - 1) if rank == 0 else ():
            found = {"comm": 0, "peer": -1, "tag": 3, "actual_peer": source, "actual_tag": 3}
            yield "MPI_Recv@reports.c:10", "recv", {**found, "bytes": 5000}
            yield "MPI_Probe@reports.c:11", "probe", {**found, "found": True}
            yield message("recv", source, 80 + 8 * source, 3, "reports.c:12")
        if rank:
            yield message("send", 0, 40, 3, "reports.c:13")
            yield message("send", 0, 80 + 8 * rank, 3, "reports.c:14")


def test_messages_that_arrive_in_another_order_each_time_follow_rules(tmp_path: Path) -> None:
    made, summary = scaled(reports, (2, 4, 8), 16, tmp_path)
    assert not summary.scaling.distributions
    assert {each.partition("@")[0] for each in summary.scaling.data_dependent} == {"MPI_Recv", "MPI_Probe"}
    received = [fields for _, kind, fields in calls(made, 0) if kind in ("recv", "probe")]
    assert [each["peer"] for each in received[2::3]] == [*range(1, 16)] * STEPS
    assert [each["bytes"] for each in received[2::3]] == [80 + 8 * source for source in range(1, 16)] * STEPS
    assert [each["actual_peer"] for each in received[::3]] == [each["actual_peer"] for each in received[1::3]]


def test_a_wait_takes_its_receives_from_any_source_in_the_order_of_ranks(tmp_path: Path) -> None:
    made, summary = scaled(lengths, (4, 8, 16), 64, tmp_path)
    assert summary.scaling.data_dependent == ["MPI_Waitall@lengths.c:3"]
    (wait,) = {
        tuple(each[2] for each in fields["completions"][:2])
        for _, kind, fields in calls(made, 5)
        if kind == "complete"
    }
    assert wait == (4, 6)


def test_what_follows_a_set_up_without_a_rule_is_scaled(tmp_path: Path) -> None:
    made, summary = scaled(planned, (4, 8, 16), 64, tmp_path)
    assert "the set-up, up to MPI_Allreduce@plan.c:4" in " ".join(summary.scaling.remarks)
    assert summary.compute_seconds == pytest.approx(64 * sum(even(0, 64, len(calls(made, 0)))), rel=0.2)
    left = [entry for entry, _, _ in calls(made, 9)[:3]]
    assert left == ["MPI_Init@a.c:1", "MPI_Comm_dup@plan.c:2", "MPI_Sendrecv@halo.c:10"]
    wanted = [(fields["tag"], fields["peer"]) for _, _, fields in tournament(9, 64)] * STEPS
    assert [
        (fields["tag"], fields["peer"]) for _, kind, fields in calls(made, 9) if kind == "sendrecv"
    ] == wanted


def test_a_set_up_whose_messages_are_received_later_is_not_left_out(tmp_path: Path) -> None:
    _, summary = scaled(partial(planned, late=True), (4, 8, 16), 64, tmp_path)
    assert summary.scaling.distributions
    assert "and without it, rank 0 stops in MPI_Recv" in " ".join(summary.scaling.remarks)


def solving(rank: int, ranks: int) -> Iterator[Event]:
    """Solve in each step with as many iterations as the problem takes on any number of ranks."""
    for iterations in (9, 7, 7, 6, 6, 6):
        yield "MPI_Barrier@solve.c:1", "collective", BARRIER
        for _ in range(iterations):
            yield swap("MPI_Sendrecv@solve.c:2", (rank + 1) % ranks, (rank - 1) % ranks, 64)
            yield collective("MPI_Allreduce@solve.c:3", 8)


def test_iterations_that_are_the_same_at_all_counts_are_kept(tmp_path: Path) -> None:
    summary = scales_exactly(solving, (4, 8, 16, 32), tmp_path)
    assert "differently often" not in " ".join(summary.scaling.remarks)


def converging(rank: int, ranks: int, iterations: dict[int, int]) -> Iterator[Event]:
    """Solve once, with neighbours on a line and iterations that data decide."""
    for _ in range(iterations[ranks]):
        for peer in (rank - 1, rank + 1):
            if 0 <= peer < ranks:
                yield swap("converge.c:1", peer, peer, 64)
        yield "MPI_Barrier@converge.c:2", "collective", BARRIER


@pytest.mark.parametrize(
    ("iterations", "wanted"),
    [
        ({4: 188, 8: 211, 16: 190, 64: 0}, 196),
        ({4: 100, 8: 121, 16: 139, 64: 0}, 192),
        ({4: 70, 8: 60, 16: 43, 64: 0}, 26),
    ],
)
def test_only_a_steady_trend_of_a_solvers_iterations_goes_on(
    iterations: dict[int, int], wanted: int, tmp_path: Path
) -> None:
    made, summary = scaled(partial(converging, iterations=iterations), (4, 8, 16), 64, tmp_path)
    assert "differently often each time" in " ".join(summary.scaling.remarks)
    for rank in (0, 1, 63):
        found = sum(entry == "MPI_Barrier@converge.c:2" for entry, _, _ in calls(made, rank))
        assert found == pytest.approx(wanted, abs=2)


def communication(path: Path, rank: int) -> int:
    return sum(call_class != "local" for _, call_class, _ in calls(path, rank))


def cut(rank: int, ranks: int) -> Iterator[Event]:
    """Exchange what edges of a graph that is cut between each two ranks need: much with the next, little with others."""
    others = [each for each in range(ranks) if each != rank]

    def size(other: int) -> int:
        near = min((rank - other) % ranks, (other - rank) % ranks) == 1
        return 8 * (400 + 7 * (rank * other % 5) if near else 6400 // ranks**2 + (rank + other) % 3 + 1)

    for _ in range(STEPS):
        for other in others:
            yield message("send", other, size(other), 3, "cut.c:1")
        for other in others:
            yield message("recv", other, size(other), 3, "cut.c:2")
        yield "MPI_Barrier@cut.c:4", "collective", BARRIER


def test_sizes_that_differ_from_peer_to_peer_by_no_rule_are_no_mean(tmp_path: Path) -> None:
    _, summary = scaled(cut, (4, 8, 16), 32, tmp_path)
    assert summary.scaling.distributions


def krylov(rank: int, ranks: int) -> Iterator[Event]:
    """Reduce one number more in each iteration, and begin again with one after 30, as GMRES does."""
    for at in list(range({8: 33, 16: 40, 32: 48}.get(ranks, 55))) * 3:
        yield message("send", (rank + 1) % ranks, 800, 3, "g.c:1")
        yield message("recv", (rank - 1) % ranks, 800, 3, "g.c:2")
        yield collective("Allreduce@g.c:3", 8 * (at % 30 + 1))
        yield collective("Allreduce@g.c:4", 8)


def test_a_reduction_that_grows_in_a_loop_is_of_no_peer(tmp_path: Path) -> None:
    _, summary = scaled(krylov, (8, 16, 32), 64, tmp_path)
    assert (summary.scaling.distributions, summary.scaling.roles) == (False, "all ranks alike")
