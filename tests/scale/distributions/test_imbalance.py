"""Work that one rank does alone, and chains of computation through ranks, when messages are distributions."""

import random
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from written_programs import BARRIER, Event, calls, computed, message, scaled, seconds_on, trace

COUNTS = (4, 8, 16)
LARGE = 64
STEPS = 3
SHARED, ALONE = 40e-3, 30e-3
"""Seconds that all ranks share in a step, and those that go on top."""
MASTERS = 2


def scattered(rank: int, ranks: int) -> Iterator[Event]:
    """Send a message to a rank that no rule gives."""
    ring = random.Random(ranks).sample(range(ranks), ranks)
    at = ring.index(rank)
    yield message("irecv", ring[at - 1], 8, 0, "a.c:1")
    yield message("send", ring[(at + 1) % ranks], 8, 0, "a.c:1")
    yield "MPI_Wait@a.c:2", "complete", {"completions": [(1, False, 0, 0)]}


def steps(rank: int, ranks: int, size: int = 8) -> Iterator[Event]:
    """Pass a token from rank to rank."""
    for _ in range(STEPS):
        yield from scattered(rank, ranks)
        if rank > 0:
            yield message("recv", rank - 1, size, 1, "a.c:3")
        if rank < ranks - 1:
            yield message("send", rank + 1, size, 1, "a.c:4")
        yield "MPI_Barrier@a.c:5", "collective", BARRIER


def worked(rank: int, ranks: int, more: dict[str, float]) -> list[float]:
    """Return the computation before each call. `more`: by call, on top of what all ranks share."""
    before = {"MPI_Irecv@a.c:1": SHARED / ranks} | more
    return [0.0, *(before.get(entry, 0.0) for entry, *_ in steps(rank, ranks)), 0.0]


def by_rank_0(rank: int, ranks: int, count: int) -> list[float]:
    """Let rank 0 compute before each barrier what it does alone."""
    alone = "MPI_Barrier@a.c:5" if rank == 0 else ""
    return worked(rank, ranks, {alone: ALONE})


def one_after_another(rank: int, ranks: int, count: int) -> list[float]:
    """Let each rank compute with the token before it passes it on or ends the step."""
    last = "MPI_Barrier@a.c:5" if rank == ranks - 1 else "MPI_Send@a.c:4"
    return worked(rank, ranks, {last: ALONE / ranks})


def by_workers(rank: int, ranks: int, count: int) -> list[float]:
    """Let all but two masters share the work, and the first of them compute more."""
    own = 10 * SHARED / (ranks - MASTERS) if rank >= MASTERS else 0.0
    return worked(rank, ranks, {"MPI_Irecv@a.c:1": own + (ALONE if rank == MASTERS else 0.0)})


@pytest.mark.parametrize("times", [by_rank_0, one_after_another, by_workers])
def test_the_slowest_rank_computes_as_long_as_others_wait(
    times: Callable[[int, int, int], list[float]], tmp_path: Path
) -> None:
    made, summary = scaled(steps, COUNTS, LARGE, tmp_path, times)
    assert "messages are distributions" in summary.scaling.remarks[0]
    wanted = trace(steps, LARGE, tmp_path, times)
    assert seconds_on("ib-hdr", wanted) > STEPS * ALONE
    assert seconds_on("ib-hdr", made) == pytest.approx(seconds_on("ib-hdr", wanted), rel=0.05)
    assert computed(made) == pytest.approx(computed(wanted), rel=0.3)
    assert [entry for entry, kind, _ in calls(made, 5) if kind == "collective"] == [
        "MPI_Barrier@a.c:5"
    ] * STEPS


def test_ranks_compute_before_they_pass_messages_on(tmp_path: Path) -> None:
    program = partial(steps, size=60_000)
    made, _ = scaled(program, COUNTS, LARGE, tmp_path, one_after_another)
    wanted = trace(program, LARGE, tmp_path, one_after_another)
    assert seconds_on("gbe", wanted, nodes=64) > 1.8 * STEPS * ALONE
    assert seconds_on("gbe", made, nodes=64) == pytest.approx(seconds_on("gbe", wanted, nodes=64), rel=0.1)
