"""Programs on boxes that are short along a dimension in all recordings, with edges and without."""

from collections.abc import Iterator
from itertools import product
from math import prod
from pathlib import Path

import pytest
from written_programs import (
    BARRIER,
    NOBODY,
    Event,
    Place,
    Program,
    collective,
    communicator,
    computed,
    counted,
    message,
    same_calls,
    scaled,
    scales_exactly,
    seconds_on,
    swap,
    trace,
    wait,
    waitall,
)

from linkworth import _engine
from linkworth.scale.check import recorded
from linkworth.scale.recording import Recording
from linkworth.trace.read import open_trace

GRIDS = {
    1: (1, 1, 1),
    4: (2, 2, 1),
    6: (3, 2, 1),
    8: (2, 2, 2),
    12: (3, 2, 2),
    16: (4, 2, 2),
    24: (4, 3, 2),
    27: (3, 3, 3),
    32: (4, 4, 2),
    36: (4, 3, 3),
    48: (4, 4, 3),
    64: (4, 4, 4),
}
POINTS = 48
STEPS = 7


class Box(Place):
    """A rank's place in a box."""

    def __init__(self, rank: int, ranks: int) -> None:
        super().__init__(rank, GRIDS[ranks])

    def face(self, dimension: int) -> int:
        return 8 * prod(POINTS // n for d, n in enumerate(self.grid) if d != dimension)


def exchange(line: int, to: int, source: int, size: int) -> Event:
    return swap(f"box.c:{line}", to, source, size)


def looped(rank: int, ranks: int) -> Iterator[Event]:
    """Exchange both ways along each dimension, in a loop over them."""
    box = Box(rank, ranks)
    for _ in range(STEPS):
        for d in range(3):
            low, high = box.sides(d)
            yield exchange(10, low, high, box.face(d))
            yield exchange(11, high, low, box.face(d))
        yield "MPI_Barrier@box.c:20", "collective", BARRIER


def unrolled(rank: int, ranks: int) -> Iterator[Event]:
    """Exchange with neighbours across faces and across an edge, each in a call of its own."""
    box = Box(rank, ranks)
    for _ in range(STEPS):
        for line, (x, y, z) in enumerate([(1, 0, 0), (0, -1, 0), (0, 0, 1), (1, 1, 0)], 30):
            yield exchange(line, box.neighbour(x, y, z), box.neighbour(-x, -y, -z), 80)
        yield "MPI_Barrier@box.c:20", "collective", BARRIER


def round_rings(rank: int, ranks: int) -> Iterator[Event]:
    """Exchange both ways round each dimension, in a loop over them."""
    box = Box(rank, ranks)
    for _ in range(STEPS):
        for d in range(3):
            low, high = box.sides(d, periodic=True)
            yield exchange(60, low, high, box.face(d))
            yield exchange(61, high, low, box.face(d))
        yield "MPI_Barrier@box.c:20", "collective", BARRIER


def tagged(rank: int, ranks: int) -> Iterator[Event]:
    """Receive from both sides along each dimension and send to them, with a tag for each direction."""
    box = Box(rank, ranks)
    for _ in range(STEPS):
        for kind, back in (("irecv", 0), ("isend", 1)):
            for number, (d, step) in enumerate(product(range(3), (-1, 1))):
                yield call(70 + number, kind, box.along(d, step, periodic=True), box.face(d), number ^ back)
        yield waitall("box.c:80", 12)


def topology(rank: int, ranks: int) -> Iterator[Event]:
    """Exchange pieces as large as the faces with the neighbours on a periodic grid of a new communicator."""
    box = Box(rank, ranks)
    near = [box.along(d, step, periodic=True) for d, step in product(range(3), (-1, 1))]
    yield communicator("Dist_graph_create_adjacent@box.c:50", 2, [*range(ranks)], near)
    sizes = [box.face(d) for d in range(3) for _ in range(2)]
    for _ in range(STEPS):
        yield "MPI_Neighbor_alltoallv@box.c:51", "collective", counted(2, sizes)


def call(line: int, kind: str, peer: int, size: int, tag: int = 0) -> Event:
    return message(kind, peer, size, tag, f"box.c:{line}")


def listed(rank: int, ranks: int) -> Iterator[Event]:
    """Exchange with each of up to 26 neighbours in the order of their ranks, and wait for one after the other."""
    box = Box(rank, ranks)
    offsets = [each for each in product((-1, 0, 1), repeat=3) if any(each) and box.neighbour(*each) >= 0]
    for _ in range(STEPS):
        for kind, each in product(("irecv", "send"), offsets):
            yield call(110, kind, box.neighbour(*each), 8 * prod(POINTS // 4 for step in each if not step))
        yield from (wait("box.c:112", left) for left in range(len(offsets), 0, -1))


def guarded(rank: int, ranks: int) -> Iterator[Event]:
    """Exchange across each face beyond which there is a neighbour, with persistent requests."""
    box = Box(rank, ranks)
    made = 0
    for number, (d, step) in enumerate(product(range(3), (-1, 1)), 120):
        peer = box.along(d, step)
        for kind in ("recv_init", "send_init") if peer >= 0 else ():
            yield call(number, kind, peer, box.face(d))
            made += 1
    for _ in range(STEPS):
        yield "MPI_Startall@box.c:130", "start", {"references": [*range(made, 0, -1)]}
        yield waitall("box.c:131", made)


def overlapped(rank: int, ranks: int) -> Iterator[Event]:
    """Ask the neighbours for lengths, and reduce while persistent messages to them are on their way."""
    box = Box(rank, ranks)
    faces = [(d, step) for d, step in product(range(3), (-1, 1)) if box.along(d, step) >= 0]
    near = [box.along(*face) for face in faces]
    yield from (call(140, "irecv", -1, 8) for _ in near)
    yield from (call(141, "send", peer, 8) for peer in near)
    # The answers come in whatever order.
    answers = sorted(near, key=lambda peer: peer * 7 % 5)
    ended = [(back, True, peer, 0) for back, peer in zip(range(len(near), 0, -1), answers, strict=True)]
    yield "MPI_Waitall@box.c:142", "complete", {"mode": 1, "listed": len(near), "completions": ended}
    for kind in ("recv_init", "send_init"):
        yield from (call(143, kind, box.along(*face), box.face(face[0])) for face in faces)
    count = 2 * len(near)
    for step in range(STEPS):
        backs = [*range(count + step, step, -1)]
        yield "MPI_Startall@box.c:145", "start", {"references": backs}
        yield "MPI_Iallreduce@box.c:146", "icollective", BARRIER | {"bytes": 8, "recv_bytes": 8}
        ended = [(back + 1, False, 0, 0) for back in backs]
        yield "MPI_Waitall@box.c:147", "complete", {"mode": 1, "listed": count, "completions": ended}
        yield wait("box.c:148")


LATTICES = {4: (2, 2, 1, 1), 8: (2, 2, 2, 1), 16: (2, 2, 2, 2), 32: (4, 2, 2, 2), 64: (4, 4, 2, 2)}


def around(rank: int, ranks: int) -> Iterator[Event]:
    """Receive and send both ways round each of four dimensions that has more than one rank."""
    box = Place(rank, LATTICES[ranks])
    for d, step in product(range(4), (1, -1)):
        if box.grid[d] > 1:
            yield call(170, "irecv", box.along(d, -step, periodic=True), 80, 2 * d + (step > 0))
            yield call(170, "isend", box.along(d, step, periodic=True), 80, 2 * d + (step > 0))


def lattice(rank: int, ranks: int) -> Iterator[Event]:
    """Exchange round four dimensions, and wait for all."""
    for _ in range(STEPS):
        made = list(around(rank, ranks))
        yield from made
        yield waitall("box.c:171", len(made))


def checkered(rank: int, ranks: int) -> Iterator[Event]:
    """Exchange even and then odd points round four dimensions, and wait in each direction."""
    for _ in range(2 * STEPS):
        for each in around(rank, ranks):
            yield each
            if each[1] == "isend":
                yield waitall("box.c:171", 2)


def once(rank: int, ranks: int) -> Iterator[Event]:
    """Exchange with each neighbour round a torus once, in the order of ranks; both ways round two ranks lead to one."""
    box = Box(rank, ranks)
    sizes = {box.along(d, step, periodic=True): box.face(d) for d, step in product(range(3), (-1, 1))}
    near = sorted(sizes.keys() - {rank})
    for _ in range(STEPS):
        yield from (call(180, "irecv", peer, sizes[peer], peer) for peer in near)
        yield from (call(181, "isend", peer, sizes[peer], rank) for peer in near)
        yield waitall("box.c:182", 2 * len(near))


def corners(rank: int, ranks: int) -> Iterator[Event]:
    """Exchange in all 26 directions round a torus, though several lead to one rank, but not with itself."""
    box = Box(rank, ranks)
    made = 0
    for kind, sign in (("irecv", -1), ("isend", 1)):
        for tag, offsets in enumerate(product((-1, 0, 1), repeat=3)):
            peer = box.neighbour(*(sign * each for each in offsets), periodic=True)
            if peer != rank:
                yield call(190, kind, peer, 80, tag)
                made += 1
    yield waitall("box.c:191", made)


def edges(rank: int, ranks: int) -> Iterator[Event]:
    """Exchange across faces and edges round a torus."""
    box = Box(rank, ranks)
    offsets = [(1, 0, 0), (0, 1, 0), (0, 0, 1), (-1, 1, 0), (-1, 0, 1), (0, -1, 1)]
    for number, ((x, y, z), way) in enumerate(product(offsets, (-1, 1))):
        to, source = (box.neighbour(k * x, k * y, k * z, periodic=True) for k in (way, -way))
        yield exchange(200 + number, to, source, 80)


def closed_above(rank: int, ranks: int) -> Iterator[Event]:
    """Exchange with the neighbours that there are in a box that is a ring along its last dimension."""
    box = Box(rank, ranks)
    near = [box.along(d, step, periodic=d == 2) for d, step in product(range(3), (-1, 1))]
    there = [each for each in near if each >= 0]
    for _ in range(STEPS):
        yield from (call(140, kind, peer, 80) for kind, peer in product(("irecv", "isend"), there))
        yield waitall("box.c:141", 2 * len(there))


def open_above(rank: int, ranks: int) -> Iterator[Event]:
    """Exchange across faces and edges of a box that is open along its last dimension, where there is a neighbour."""
    box = Box(rank, ranks)

    def near(x: int, y: int, z: int) -> int:
        return box.neighbour(x, y, 0, periodic=True) + z if box.along(2, z) >= 0 else NOBODY

    sides = [near(*(step if d == each else 0 for each in range(3))) for d in range(3) for step in (-1, 1)]
    yield communicator("Cart_create@box.c:100", 2, [*range(ranks)], sides)
    for _ in range(STEPS):
        for tag, offsets in enumerate(product((-1, 0, 1), repeat=3)):
            if sum(map(abs, offsets)) not in (1, 2):
                continue
            source, to = near(*(-each for each in offsets)), near(*offsets)
            if source >= 0:
                yield message("irecv", source, 80, tag, "box.c:101", comm=2)
            if to >= 0:
                yield message("isend", to, 80, tag, "box.c:102", comm=2)


def test_another_grid_than_that_of_cartesian_communicators_is_told(tmp_path: Path) -> None:
    # No recording has an inner rank along the last dimension, and the calls also fit a plane.
    _, summary = scaled(open_above, (4, 8, 16, 32), 64, tmp_path)
    assert "Cartesian communicators have other grids" in " ".join(summary.scaling.remarks)


@pytest.mark.parametrize(
    ("program", "counts"),
    [
        # A ring of two ranks has the directions of another ring.
        (edges, (8, 16, 32, 64)),
        # A loop over dimensions is as long as there are dimensions.
        (lattice, (4, 8, 16, 32, 64)),
        (checkered, (4, 8, 16, 32, 64)),
        # One rank shows no messages.
        (guarded, (1, 8, 27, 64)),
        (listed, (1, 8, 27, 64)),
    ],
)
def test_every_call_is_that_of_the_program(program: Program, counts: tuple[int, ...], tmp_path: Path) -> None:
    scales_exactly(program, counts, tmp_path)


def test_two_ranks_in_a_ring_are_no_edges(tmp_path: Path) -> None:
    # Both neighbours along the last dimension are the same rank in all recordings.
    _, summary = scaled(closed_above, (8, 16, 32), 64, tmp_path)
    assert summary.scaling.distributions


def tile(rank: int, ranks: int) -> Iterator[Event]:
    """Exchange with the neighbours on a plane that there are, and send to rank 0.

    Faces have corners, and no count divides the plane.
    """
    box = Place(rank, {4: (2, 2), 8: (4, 2), 16: (4, 4), 32: (8, 4), 64: (8, 8)}[ranks])
    height, width = (
        side // n + (x < side % n) for side, n, x in zip((950, 970), box.grid, box.at, strict=True)
    )
    left, right = box.sides(1)
    near = zip((left, right, *box.sides(0)), (height, height, width, width), range(150, 154), strict=True)
    there = [each for each in near if each[0] >= 0]
    yield collective("Gather@tile.c:1", 8, peer=0, recv_bytes=8 * ranks if rank == 0 else 0)
    for _ in range(STEPS):
        for peer, side, line in there:
            yield from (call(line, kind, peer, 16 * (side + 5)) for kind in ("irecv", "isend"))
        yield waitall("tile.c:2", 2 * len(there))
    for line, kind, peer in ((155, "isend", left), (156, "irecv", right)):
        if peer >= 0:
            yield call(line, kind, peer, 80)
        yield waitall(f"tile.c:{line}", int(peer >= 0))
    if rank > 0:
        yield call(160, "send", 0, 800)
    for peer in range(1, ranks) if rank == 0 else ():
        yield message("recv", peer, 800, 0, "tile.c:3")


def chain(rank: int, ranks: int) -> Iterator[Event]:
    """Pass on what comes from the rank before, if there is one, to the next."""
    for _ in range(STEPS):
        if rank > 0:
            yield message("recv", rank - 1, 80, 0, "chain.c:1")
        if rank + 1 < ranks:
            yield call(2, "send", rank + 1, 80)


def work_of_chain(rank: int, ranks: int, calls: int) -> list[float]:
    """Return a second after each message from the rank before, or before each to the next one."""
    if rank == 0:
        return [0.0, *[1.0] * STEPS, 0.0]
    return [0.0, 0.0, *[1.0] * STEPS] if rank == ranks - 1 else [0.0, *[0.0, 1.0] * STEPS, 0.0]


def test_ranks_at_an_edge_compute_as_much_as_others(tmp_path: Path) -> None:
    made, _ = scaled(chain, (4, 8, 16), 32, tmp_path, work_of_chain)
    read = _engine.Trace(str(made))
    work = [_engine.read_rank(read, rank)["cpu_seconds"].sum() for rank in range(32)]
    assert work == pytest.approx([STEPS] * 32)


SIDES = (90, 100, 75)


PLANES = {4: (2, 2), 16: (4, 4), 64: (8, 8)}


def swept(rank: int, ranks: int) -> Iterator[tuple[Event, float]]:
    """Yield what passes blocks on along both dimensions of a plane, there and back, and the computation before each call."""
    plane = Place(rank, PLANES[ranks])
    work = 0.0
    for dimension, side in enumerate(plane.grid):
        low, high = plane.sides(dimension)
        for line, source, to in ((30, low, high), (32, high, low)):
            for _ in range(16 // side):
                if source != NOBODY:
                    yield call(line, "recv", source, 80), work
                    work = 0.0
                work += line / side
                if to != NOBODY:
                    yield call(line + 1, "send", to, 80), work
                    work = 0.0
    yield ("MPI_Barrier@box.c:34", "collective", BARRIER), work


def sweep(rank: int, ranks: int) -> Iterator[Event]:
    """Pass blocks on."""
    return (event for event, _ in swept(rank, ranks))


def work_of_sweep(rank: int, ranks: int, calls: int) -> list[float]:
    """Return the work on each block: before it is passed on, or before the next call of the last rank."""
    return [0.0, *(work for _, work in swept(rank, ranks)), 0.0]


def test_two_ranks_along_a_dimension_show_what_others_compute_between_neighbours(tmp_path: Path) -> None:
    made, _ = scaled(sweep, (4, 16), 64, tmp_path, work_of_sweep)
    there = trace(sweep, 64, tmp_path, work_of_sweep)
    assert same_calls(made, there)
    assert computed(made) == pytest.approx(computed(there))
    assert seconds_on("ib-hdr", made) == pytest.approx(seconds_on("ib-hdr", there))


def uneven(rank: int, ranks: int) -> Iterator[Event]:
    """Exchange faces of a box whose sides no number of ranks divides."""
    box = Box(rank, ranks)
    sides = [side // n + (x < side % n) for side, n, x in zip(SIDES, box.grid, box.at, strict=True)]
    for _ in range(STEPS):
        for d in range(3):
            yield exchange(90 + d, *box.sides(d), 8 * prod(sides) // sides[d])


@pytest.mark.parametrize(
    ("program", "counts"),
    [
        (uneven, (4, 8, 16, 32, 64)),
        # No recording has an inner rank along the last dimension.
        (looped, (4, 8, 16, 32, 48)),
        (unrolled, (4, 8, 16, 32, 64)),
        # Nor does one show the direction along the last dimension.
        (round_rings, (4, 8, 16, 32, 64)),
        (tagged, (4, 8, 16, 32, 64)),
        (topology, (4, 8, 16, 32, 64)),
        (once, (4, 8, 16, 32, 64)),
        (corners, (4, 8, 16, 32, 64)),
        (tile, (4, 8, 16, 32, 64)),
    ],
)
def test_ranks_of_a_kind_that_no_recording_has(
    program: Program, counts: tuple[int, ...], tmp_path: Path
) -> None:
    summary = scales_exactly(program, counts, tmp_path)
    assert summary.scaling.left_out is not None
    assert summary.scaling.left_out.calls == 0
    assert not any("slabs" in each for each in summary.scaling.remarks)


def test_persistent_messages_between_which_others_start(tmp_path: Path) -> None:
    made, summary = scaled(overlapped, (8, 16, 32), 64, tmp_path)
    as_recorded = Recording(open_trace(trace(overlapped, 64, tmp_path)), 1.0)
    totals = recorded(as_recorded)
    assert totals.messages > STEPS * 3 * 64
    assert recorded(Recording(open_trace(made), 1.0))[1:3] == totals[1:3]
    assert seconds_on("gbe", made) == pytest.approx(seconds_on("gbe", as_recorded.trace.path), rel=0.01)
    assert summary.scaling.left_out is not None
    assert summary.scaling.left_out.messages == 0
