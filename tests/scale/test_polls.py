"""Programs that test for completed requests while they compute."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from written_programs import BARRIER, Event, calls, computed, scaled, trace

STEPS = 12
WORK, SPIN = 1e-3, 1e-6


def completion(line: int, mode: int, *, found: bool = True) -> Event:
    ended = [(1, False, 0, 0)] if found else []
    return f"MPI_Complete@polls.c:{line}", "complete", {"mode": mode, "listed": 1, "completions": ended}


def polled(rank: int, ranks: int) -> Iterator[tuple[Event, float]]:
    """Yield calls and the computation before each: a reduction ends in a test or in a wait, as time decides."""
    for step in range(STEPS):
        yield ("MPI_Iallreduce@polls.c:1", "icollective", BARRIER), WORK / ranks
        if (rank + step) % 3 == 0:
            yield completion(2, 4), WORK / ranks
            continue
        yield completion(2, 4, found=False), WORK / ranks
        # This much waiting, each time for as long as it takes to poll once more.
        for _ in range(5 + (rank + step) % 2):
            yield completion(2, 4, found=False), SPIN
        yield completion(3, 0), 0.0


def program(rank: int, ranks: int) -> Iterator[Event]:
    yield from (event for event, _ in polled(rank, ranks))


def computation(rank: int, ranks: int, calls: int) -> list[float]:
    return [0.0, *(seconds for _, seconds in polled(rank, ranks)), 0.0]


def test_work_before_a_poll_is_no_waiting(tmp_path: Path) -> None:
    made, summary = scaled(program, (4, 8, 16), 32, tmp_path, computation)
    assert summary.compute_seconds == pytest.approx(2 * STEPS * WORK, rel=0.01)
    assert computed(trace(program, 32, tmp_path, computation)) > 1.05 * summary.compute_seconds
    assert {entry for entry, kind, _ in calls(made, 5) if kind == "complete"} == {"MPI_Complete@polls.c:3"}
