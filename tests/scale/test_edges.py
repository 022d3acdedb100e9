"""Programs on boxes that are short along a dimension in all recordings, with edges and without."""

from collections.abc import Iterator
from itertools import product
from math import prod
from pathlib import Path
from typing import Any

import pytest
from written_programs import BARRIER, RECEIVED, Event, Program, counted, same_calls, scaled, seconds_on, trace

from linkworth import _engine
from linkworth.scale.check import recorded
from linkworth.scale.recording import Recording
from linkworth.trace.read import open_trace

GRIDS = {
    4: (2, 2, 1),
    6: (3, 2, 1),
    8: (2, 2, 2),
    12: (3, 2, 2),
    16: (4, 2, 2),
    24: (4, 3, 2),
    32: (4, 4, 2),
    36: (4, 3, 3),
    48: (4, 4, 3),
    64: (4, 4, 4),
}
POINTS = 48
STEPS = 7
NOBODY = -2


class Box:
    """A rank's place in a box."""

    def __init__(self, rank: int, ranks: int) -> None:
        self.grid = GRIDS[ranks]
        self.place = [rank // prod(self.grid[d + 1 :]) % self.grid[d] for d in range(3)]

    def neighbour(self, offsets: tuple[int, ...], *, periodic: bool = False) -> int:
        found = 0
        for x, step, n in zip(self.place, offsets, self.grid, strict=True):
            there = (x + step) % n if periodic else x + step
            if not 0 <= there < n:
                return NOBODY
            found = found * n + there
        return found

    def along(self, dimension: int, step: int, *, periodic: bool = False) -> int:
        return self.neighbour(tuple(step if d == dimension else 0 for d in range(3)), periodic=periodic)

    def face(self, dimension: int) -> int:
        return 8 * prod(POINTS // n for d, n in enumerate(self.grid) if d != dimension)


def exchange(line: int, to: int, source: int, size: int) -> Event:
    fields = {"comm": 0, "peer": to, "tag": 0, "bytes": size, "recv_peer": source, "recv_tag": 0}
    fields |= {"recv_bytes": size, "actual_peer": 0, "actual_tag": 0}
    return f"MPI_Sendrecv@box.c:{line}", "sendrecv", fields


def looped(rank: int, ranks: int) -> Iterator[Event]:
    """Exchange both ways along each dimension, in a loop over them."""
    box = Box(rank, ranks)
    for _ in range(STEPS):
        for d in range(3):
            low, high = box.along(d, -1), box.along(d, 1)
            yield exchange(10, low, high, box.face(d))
            yield exchange(11, high, low, box.face(d))
        yield "MPI_Barrier@box.c:20", "collective", BARRIER


def unrolled(rank: int, ranks: int) -> Iterator[Event]:
    """Exchange with neighbours across faces and across an edge, each in a call of its own."""
    box = Box(rank, ranks)
    for _ in range(STEPS):
        for line, step in enumerate([(1, 0, 0), (0, -1, 0), (0, 0, 1), (1, 1, 0)]):
            back: tuple[int, ...] = tuple(-each for each in step)
            yield exchange(30 + line, box.neighbour(step), box.neighbour(back), 80)
        yield "MPI_Barrier@box.c:20", "collective", BARRIER


def persistent(rank: int, ranks: int) -> Iterator[Event]:
    """Start requests that were made for each dimension."""
    box = Box(rank, ranks)
    for d, step in product(range(3), (-1, 1)):
        fields = {"comm": 0, "peer": box.along(d, step), "tag": d, "bytes": box.face(d)}
        yield "MPI_Recv_init@box.c:40", "recv_init", fields
        yield "MPI_Send_init@box.c:41", "send_init", fields
    ended = [(each, False, 0, 0) for each in range(12, 0, -1)]
    for _ in range(STEPS):
        yield "MPI_Startall@box.c:42", "start", {"references": [*range(12, 0, -1)]}
        yield "MPI_Waitall@box.c:43", "complete", {"mode": 1, "listed": 12, "completions": ended}


def round_rings(rank: int, ranks: int) -> Iterator[Event]:
    """Exchange both ways round each dimension, in a loop over them."""
    box = Box(rank, ranks)
    for _ in range(STEPS):
        for d in range(3):
            low, high = box.along(d, -1, periodic=True), box.along(d, 1, periodic=True)
            yield exchange(60, low, high, box.face(d))
            yield exchange(61, high, low, box.face(d))
        yield "MPI_Barrier@box.c:20", "collective", BARRIER


def tagged(rank: int, ranks: int) -> Iterator[Event]:
    """Receive from both sides along each dimension and send to them, with a tag for each direction."""
    box = Box(rank, ranks)
    ended = [(each, False, 0, 0) for each in range(12, 0, -1)]
    for _ in range(STEPS):
        for call, back in (("irecv", 0), ("isend", 1)):
            for number, (d, step) in enumerate(product(range(3), (-1, 1))):
                peer = box.along(d, step, periodic=True)
                fields = {"comm": 0, "peer": peer, "tag": number ^ back, "bytes": box.face(d)}
                yield f"MPI_{call.capitalize()}@box.c:{70 + number}", call, fields
        yield "MPI_Waitall@box.c:80", "complete", {"mode": 1, "listed": 12, "completions": ended}


def topology(rank: int, ranks: int) -> Iterator[Event]:
    """Exchange pieces as large as the faces with the neighbours on a periodic grid of a new communicator."""
    box = Box(rank, ranks)
    near = [box.along(d, step, periodic=True) for d, step in product(range(3), (-1, 1))]
    sizes = [box.face(d) for d in range(3) for _ in range(2)]
    made: dict[str, Any] = {"comm": 0, "new_comm": 2, "members": list(range(ranks)), "remote_members": []}
    made |= {"inter": False, "has_topology": True, "sources": near, "destinations": near}
    yield "MPI_Dist_graph_create_adjacent@box.c:50", "comm_new", made
    for _ in range(STEPS):
        yield "MPI_Neighbor_alltoallv@box.c:51", "collective", counted(2, sizes)


def message(line: int, kind: str, peer: int, size: int) -> Event:
    fields = {"comm": 0, "peer": peer, "tag": 0, "bytes": size}
    return f"MPI_{kind.capitalize()}@box.c:{line}", kind, fields


def listed(rank: int, ranks: int) -> Iterator[Event]:
    """Exchange with each of up to 26 neighbours in the order of their ranks, and wait for one after the other."""
    box = Box(rank, ranks)
    offsets = [each for each in product((-1, 0, 1), repeat=3) if any(each) and box.neighbour(each) >= 0]
    for _ in range(STEPS):
        for kind in ("irecv", "send"):
            for each in offsets:
                size = 8 * prod(POINTS // 4 for step in each if not step)
                yield message(110, kind, box.neighbour(each), size)
        for left in range(len(offsets), 0, -1):
            ended = [(left, False, 0, 0)]
            yield "MPI_Wait@box.c:112", "complete", {"mode": 0, "listed": 1, "completions": ended}


def guarded(rank: int, ranks: int) -> Iterator[Event]:
    """Exchange across each face beyond which there is a neighbour, with persistent requests."""
    box = Box(rank, ranks)
    made = 0
    for number, (d, step) in enumerate(product(range(3), (-1, 1))):
        peer = box.along(d, step)
        for kind in ("recv_init", "send_init") if peer >= 0 else ():
            yield message(120 + number, kind, peer, box.face(d))
            made += 1
    ended = [(each, False, 0, 0) for each in range(made, 0, -1)]
    for _ in range(STEPS):
        yield "MPI_Startall@box.c:130", "start", {"references": [*range(made, 0, -1)]}
        yield "MPI_Waitall@box.c:131", "complete", {"mode": 1, "listed": made, "completions": ended}


def overlapped(rank: int, ranks: int) -> Iterator[Event]:
    """Ask the neighbours for lengths, and reduce while persistent messages to them are on their way."""
    box = Box(rank, ranks)
    faces = [(d, step) for d, step in product(range(3), (-1, 1)) if box.along(d, step) >= 0]
    near = [box.along(*face) for face in faces]
    for _ in near:
        yield message(140, "irecv", -1, 8)
    for peer in near:
        yield message(141, "send", peer, 8)
    # The answers come in whatever order.
    answers = sorted(near, key=lambda peer: peer * 7 % 5)
    ended = [(back, True, peer, 0) for back, peer in zip(range(len(near), 0, -1), answers, strict=True)]
    yield "MPI_Waitall@box.c:142", "complete", {"mode": 1, "listed": len(near), "completions": ended}
    for kind in ("recv_init", "send_init"):
        for face, peer in zip(faces, near, strict=True):
            yield message(143, kind, peer, box.face(face[0]))
    count = 2 * len(near)
    for step in range(STEPS):
        backs = [*range(count + step, step, -1)]
        yield "MPI_Startall@box.c:145", "start", {"references": backs}
        yield "MPI_Iallreduce@box.c:146", "icollective", BARRIER | {"bytes": 8, "recv_bytes": 8}
        ended = [(back + 1, False, 0, 0) for back in backs]
        yield "MPI_Waitall@box.c:147", "complete", {"mode": 1, "listed": count, "completions": ended}
        yield ("MPI_Wait@box.c:148", "complete", {"mode": 0, "listed": 1, "completions": [(1, False, 0, 0)]})


LATTICES = {4: (2, 2, 1, 1), 8: (2, 2, 2, 1), 16: (2, 2, 2, 2), 32: (4, 2, 2, 2), 64: (4, 4, 2, 2)}


def around(rank: int, ranks: int) -> Iterator[Event]:
    """Receive and send both ways round each of four dimensions that has more than one rank."""
    grid = LATTICES[ranks]
    for d, step in product(range(4), (1, -1)):
        stride = prod(grid[d + 1 :])
        x = rank // stride % grid[d]
        to, source = (rank + ((x + each) % grid[d] - x) * stride for each in (step, -step))
        for kind, peer in (("irecv", source), ("isend", to)) if grid[d] > 1 else ():
            fields = {"comm": 0, "peer": peer, "tag": 2 * d + (step > 0), "bytes": 80}
            yield f"MPI_{kind.capitalize()}@box.c:170", kind, fields


def wait(requests: int) -> Event:
    ended = [(each, False, 0, 0) for each in range(requests, 0, -1)]
    return "MPI_Waitall@box.c:171", "complete", {"mode": 1, "listed": requests, "completions": ended}


def lattice(rank: int, ranks: int) -> Iterator[Event]:
    """Exchange round four dimensions, and wait for all."""
    for _ in range(STEPS):
        made = list(around(rank, ranks))
        yield from made
        yield wait(len(made))


def checkered(rank: int, ranks: int) -> Iterator[Event]:
    """Exchange even and then odd points round four dimensions, and wait in each direction."""
    for _ in range(2 * STEPS):
        for each in around(rank, ranks):
            yield each
            if each[1] == "isend":
                yield wait(2)


def once(rank: int, ranks: int) -> Iterator[Event]:
    """Exchange with each neighbour round a torus once, in the order of ranks; both ways round two ranks lead to one."""
    box = Box(rank, ranks)
    sizes = {box.along(d, step, periodic=True): box.face(d) for d, step in product(range(3), (-1, 1))}
    near = sorted(sizes.keys() - {rank})
    ended = [(each, False, 0, 0) for each in range(2 * len(near), 0, -1)]
    for _ in range(STEPS):
        for kind, line in (("irecv", 180), ("isend", 181)):
            for peer in near:
                name, call_class, fields = message(line, kind, peer, sizes[peer])
                yield name, call_class, fields | {"tag": peer if kind == "irecv" else rank}
        fields = {"mode": 1, "listed": len(ended), "completions": ended}
        yield "MPI_Waitall@box.c:182", "complete", fields


def corners(rank: int, ranks: int) -> Iterator[Event]:
    """Exchange in all 26 directions round a torus, though several lead to one rank, but not with itself."""
    box = Box(rank, ranks)
    made = 0
    for kind, sign in (("irecv", -1), ("isend", 1)):
        for tag, offsets in enumerate(product((-1, 0, 1), repeat=3)):
            peer = box.neighbour(tuple(sign * each for each in offsets), periodic=True)
            if peer != rank:
                fields = {"comm": 0, "peer": peer, "tag": tag, "bytes": 80}
                yield f"MPI_{kind.capitalize()}@box.c:190", kind, fields
                made += 1
    ended = [(each, False, 0, 0) for each in range(made, 0, -1)]
    yield "MPI_Waitall@box.c:191", "complete", {"mode": 1, "listed": made, "completions": ended}


def closed_above(rank: int, ranks: int) -> Iterator[Event]:
    """Exchange with the neighbours that there are in a box that is a ring along its last dimension."""
    box = Box(rank, ranks)
    near = [box.along(d, step, periodic=d == 2) for d, step in product(range(3), (-1, 1))]
    there = [each for each in near if each >= 0]
    ended = [(each, False, 0, 0) for each in range(2 * len(there), 0, -1)]
    for _ in range(STEPS):
        for kind in ("irecv", "isend"):
            for peer in there:
                yield message(140, kind, peer, 80)
        yield "MPI_Waitall@box.c:141", "complete", {"mode": 1, "listed": len(ended), "completions": ended}


def open_above(rank: int, ranks: int) -> Iterator[Event]:
    """Exchange across faces and edges of a box that is open along its last dimension, where there is a neighbour."""
    box = Box(rank, ranks)

    def near(offsets: tuple[int, ...]) -> int:
        around = box.neighbour((*offsets[:2], 0), periodic=True)
        return around + offsets[2] if 0 <= box.place[2] + offsets[2] < box.grid[2] else NOBODY

    sides = [near(tuple(step if d == each else 0 for each in range(3))) for d in range(3) for step in (-1, 1)]
    made: dict[str, Any] = {"comm": 0, "new_comm": 2, "members": list(range(ranks)), "remote_members": []}
    made |= {"inter": False, "has_topology": True, "sources": sides, "destinations": sides}
    yield "MPI_Cart_create@box.c:100", "comm_new", made
    for _ in range(STEPS):
        for tag, offsets in enumerate(product((-1, 0, 1), repeat=3)):
            if sum(map(abs, offsets)) not in (1, 2):
                continue
            source, to = near(tuple(-each for each in offsets)), near(offsets)
            if source >= 0:
                yield "MPI_Irecv@box.c:101", "irecv", {"comm": 2, "peer": source, "tag": tag, "bytes": 80}
            if to >= 0:
                yield "MPI_Isend@box.c:102", "isend", {"comm": 2, "peer": to, "tag": tag, "bytes": 80}


def test_another_grid_than_that_of_cartesian_communicators_is_told(tmp_path: Path) -> None:
    # No recording has an inner rank along the last dimension, and the calls also fit a plane.
    _, summary = scaled(open_above, (4, 8, 16, 32), 64, tmp_path)
    assert "Cartesian communicators have other grids" in " ".join(summary.scaling.remarks)


@pytest.mark.parametrize("program", [lattice, checkered])
def test_a_loop_over_dimensions_is_as_long_as_there_are_dimensions(program: Program, tmp_path: Path) -> None:
    made, _ = scaled(program, (4, 8, 16, 32), 64, tmp_path)
    assert same_calls(made, trace(program, 64, tmp_path))


def test_two_ranks_in_a_ring_are_no_edges(tmp_path: Path) -> None:
    # Both neighbours along the last dimension are the same rank in all recordings.
    _, summary = scaled(closed_above, (8, 16, 32), 64, tmp_path)
    assert summary.scaling.distributions


def tile(rank: int, ranks: int) -> Iterator[Event]:
    """Exchange with the neighbours on a plane that there are, and send to rank 0.

    Faces have corners, and no count divides the plane.
    """
    rows, columns, _ = {4: (2, 2, 1), 8: (4, 2, 1), 16: (4, 4, 1), 32: (8, 4, 1), 64: (8, 8, 1)}[ranks]
    y, x = divmod(rank, columns)
    width, height = (side // n + (at < side % n) for side, n, at in ((970, columns, x), (950, rows, y)))
    near = [(rank - 1, height, x > 0), (rank + 1, height, x + 1 < columns)]
    near += [(rank - columns, width, y > 0), (rank + columns, width, y + 1 < rows)]
    rooted = {"peer": 0, "bytes": 8, "recv_bytes": 8 * ranks if rank == 0 else 0}
    yield "MPI_Gather@tile.c:1", "collective", BARRIER | rooted
    for _ in range(STEPS):
        made = 0
        for line, (peer, side, exists) in enumerate(near):
            for kind in ("irecv", "isend") if exists else ():
                yield message(150 + line, kind, peer, 16 * (side + 5))
                made += 1
        ended = [(each, False, 0, 0) for each in range(made, 0, -1)]
        yield "MPI_Waitall@tile.c:2", "complete", {"mode": 1, "listed": made, "completions": ended}
    for line, kind, peer, exists in (
        (155, "isend", rank - 1, x > 0),
        (156, "irecv", rank + 1, x + 1 < columns),
    ):
        if exists:
            yield message(line, kind, peer, 80)
        ended = [(1, False, 0, 0)] if exists else []
        yield (
            f"MPI_Waitall@tile.c:{line}",
            "complete",
            {"mode": 1, "listed": len(ended), "completions": ended},
        )
    if rank > 0:
        yield message(160, "send", 0, 800)
    for peer in range(1, ranks) if rank == 0 else ():
        yield "MPI_Recv@tile.c:3", "recv", {"comm": 0, "peer": peer, "tag": 0, "bytes": 800} | RECEIVED


def chain(rank: int, ranks: int) -> Iterator[Event]:
    """Pass on what comes from the rank before, if there is one, to the next."""
    for _ in range(STEPS):
        if rank > 0:
            yield (
                "MPI_Recv@chain.c:1",
                "recv",
                {"comm": 0, "peer": rank - 1, "tag": 0, "bytes": 80} | RECEIVED,
            )
        if rank + 1 < ranks:
            yield message(2, "send", rank + 1, 80)


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


def uneven(rank: int, ranks: int) -> Iterator[Event]:
    """Exchange faces of a box whose sides no number of ranks divides."""
    box = Box(rank, ranks)
    sides = [side // n + (x < side % n) for side, n, x in zip(SIDES, box.grid, box.place, strict=True)]
    for _ in range(STEPS):
        for d in range(3):
            face = 8 * prod(sides) // sides[d]
            yield exchange(90 + d, box.along(d, -1), box.along(d, 1), face)


@pytest.mark.parametrize(
    ("program", "counts"),
    [
        (uneven, (4, 8, 16, 32, 64)),
        # No recording has an inner rank along the last dimension.
        (looped, (4, 8, 16, 32, 48)),
        (looped, (8, 16, 32, 64)),
        (unrolled, (4, 8, 16, 32, 64)),
        (unrolled, (6, 12, 24, 48)),
        (persistent, (4, 8, 16, 32, 64)),
        (persistent, (6, 12, 24, 36)),
        # Nor does one show the direction along the last dimension.
        (round_rings, (4, 8, 16, 32, 64)),
        (round_rings, (6, 12, 24, 48)),
        (tagged, (4, 8, 16, 32, 64)),
        (tagged, (8, 16, 32, 48)),
        (topology, (4, 8, 16, 32, 64)),
        (listed, (4, 8, 16, 32, 64)),
        (guarded, (8, 16, 32, 64)),
        (once, (4, 8, 16, 32, 64)),
        (corners, (4, 8, 16, 32, 64)),
        (tile, (4, 8, 16, 32, 64)),
    ],
)
def test_ranks_of_a_kind_that_no_recording_has(
    program: Program, counts: tuple[int, ...], tmp_path: Path
) -> None:
    *small, large = counts
    made, summary = scaled(program, small, large, tmp_path)
    assert same_calls(made, trace(program, large, tmp_path))
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
