"""Work that one rank does alone, and chains of computation through ranks, when messages are distributions."""

import random
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from written_programs import BARRIER, RECEIVED, Event, calls, trace

from linkworth import _engine
from linkworth.catalog import fabrics
from linkworth.replay.layout import block
from linkworth.replay.run import replay
from linkworth.scale import ScaleRequest, scale
from linkworth.trace.read import open_trace

COUNTS = (4, 8, 16)
LARGE = 64
STEPS = 3
SHARED, ALONE = 40e-3, 30e-3
"""Seconds that all ranks share in a step, and those that go on top."""
MASTERS = 2


def message(kind: str, peer: int, site: int) -> Event:
    fields = {"comm": 0, "peer": peer, "tag": site // 3, "bytes": 8} | (RECEIVED if kind == "recv" else {})
    return f"MPI_{kind.capitalize()}@a.c:{site}", kind, fields


def scattered(rank: int, ranks: int) -> Iterator[Event]:
    """Send a message to a rank that no rule gives."""
    ring = random.Random(ranks).sample(range(ranks), ranks)
    at = ring.index(rank)
    yield message("irecv", ring[at - 1], 1)
    yield message("send", ring[(at + 1) % ranks], 1)
    yield "MPI_Wait@a.c:2", "complete", {"completions": [(1, False, 0, 0)]}


def steps(rank: int, ranks: int) -> Iterator[Event]:
    """Pass a token from rank to rank."""
    for _ in range(STEPS):
        yield from scattered(rank, ranks)
        if rank > 0:
            yield message("recv", rank - 1, 3)
        if rank < ranks - 1:
            yield message("send", rank + 1, 4)
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


def seconds(path: Path) -> float:
    trace = open_trace(path).engine
    return replay(trace, fabrics.get("ib-hdr"), block(trace.ranks, 2)).seconds


def computation(path: Path) -> float:
    trace = _engine.Trace(str(path))
    return sum(float(_engine.read_rank(trace, rank)["gap_seconds"].sum()) for rank in range(trace.ranks))


@pytest.mark.parametrize("times", [by_rank_0, one_after_another, by_workers])
def test_the_slowest_rank_computes_as_long_as_others_wait(
    times: Callable[[int, int, int], list[float]], tmp_path: Path
) -> None:
    small = [trace(steps, ranks, tmp_path, times) for ranks in COUNTS]
    made = tmp_path / "made.lwt"
    summary = scale(ScaleRequest(traces=small, ranks=LARGE, output=made))
    assert "messages are distributions" in summary.scaling.remarks[0]
    wanted = trace(steps, LARGE, tmp_path, times)
    assert seconds(wanted) > STEPS * ALONE
    assert seconds(made) == pytest.approx(seconds(wanted), rel=0.05)
    assert computation(made) == pytest.approx(computation(wanted), rel=0.3)
    assert [entry for entry, kind, _ in calls(made, 5) if kind == "collective"] == [
        "MPI_Barrier@a.c:5"
    ] * STEPS
