"""Vector collectives in which data decide what ranks have for one another."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from written_programs import BARRIER, Event, calls, exchanged, message, scaled, seconds_on, trace


def share(rank: int, ranks: int) -> int:
    """Return the bytes of a rank: nothing of the root and of each third one, and unequal parts of the others."""
    return 0 if rank % 3 == 0 else 48_000 // ranks + 8 * (rank * 7 % 5)


def vector(name: str, rank: int, ranks: int) -> Event:
    gathers = name == "Gatherv"
    own, total, counts = (
        ("bytes", "recv_bytes", "recv_counts") if gathers else ("recv_bytes", "bytes", "send_counts")
    )
    fields = BARRIER | {"peer": 0, own: share(rank, ranks)}
    if rank == 0:
        of_all = [share(each, ranks) for each in range(ranks)]
        fields |= {counts: of_all, total: sum(of_all)}
    return f"MPI_{name}@pieces.c:{1 + gathers}", "collective", fields


def spread(rank: int, ranks: int) -> Iterator[Event]:
    """Scatter data of which some ranks have none, and gather them."""
    for _ in range(5):
        yield vector("Scatterv", rank, ranks)
        yield vector("Gatherv", rank, ranks)


def test_a_root_counts_what_the_ranks_have(tmp_path: Path) -> None:
    made, _ = scaled(spread, (4, 8, 16), 32, tmp_path)
    own = [fields["recv_bytes"] for rank in range(32) for _, _, fields in calls(made, rank)[1:2]]
    _, _, of_root = calls(made, 0)[1]
    assert of_root["send_counts"] == own
    # No rank waits for a message that nobody sends.
    assert seconds_on("gbe", made) == pytest.approx(seconds_on("gbe", trace(spread, 32, tmp_path)), rel=0.25)


def piece(rank: int, to: int, ranks: int) -> int:
    """Return the bytes from one rank to another: none to most."""
    mixed = (rank * 31 + to * 17 + ranks * 7) % 23
    return 8 * mixed if mixed > 16 else 0


def sparse(rank: int, ranks: int) -> Iterator[Event]:
    """Exchange with few others, after a message of rank 0, so that ranks have roles."""
    for _ in range(5):
        if rank < 2:
            yield message("recv" if rank else "send", 1 - rank, 80, 3, f"pieces.c:{rank}")
        to = [piece(rank, each, ranks) for each in range(ranks)]
        of = [piece(each, rank, ranks) for each in range(ranks)]
        yield exchanged("Alltoallv@pieces.c:3", to, of)


def test_ranks_receive_what_the_others_send(tmp_path: Path) -> None:
    made, _ = scaled(sparse, (4, 8, 16), 32, tmp_path)
    last = [calls(made, rank)[-2][2] for rank in range(32)]
    for rank, fields in enumerate(last):
        assert fields["recv_counts"] == [each["send_counts"][rank] for each in last]
    assert seconds_on("gbe", made) > 0
