"""Programs that test for completed requests while they compute."""

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from random import Random

import pytest
from written_programs import BARRIER, Event, Program, calls, computed, message, same_calls, scaled, trace

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


BACK = [4, 3, 2, 1]


def exchanged(rank: int, ranks: int, *completions: tuple[str, int, list[int]]) -> Iterator[Event]:
    """Yield a receive from and a send to each neighbour in a ring, and calls that complete them."""
    for line, kind, way in ((4, "irecv", -1), (5, "isend", 1)):
        yield message(kind, (rank + way) % ranks, 4096, 7, f"polls.c:{line}")
        yield message(kind, (rank - way) % ranks, 4096, 8, f"polls.c:{line}")
    for site, mode, ended in completions:
        yield (
            site,
            "complete",
            {"mode": mode, "listed": len(ended)} | {"completions": [(back, False, 0, 0) for back in ended]},
        )


def by_chance(*place: int) -> int:
    return Random(repr(place)).randrange(place[-1])


def overlapped(rank: int, ranks: int) -> Iterator[Event]:
    """Yield calls whose time decides how many requests a test completes before the wait for the others."""
    for step in range(STEPS):
        first = by_chance(rank, ranks, step, 5)
        tested = ("MPI_Testsome@polls.c:6", 7, BACK[:first])
        yield from exchanged(rank, ranks, tested, ("MPI_Waitall@polls.c:7", 1, BACK[first:]))


def some_at_a_time(rank: int, ranks: int) -> Iterator[Event]:
    """Yield calls with a loop that waits until all is complete, once or twice as time decides."""
    for step in range(STEPS):
        first = 1 + by_chance(rank, ranks, step, 4)
        waits = [("MPI_Waitsome@polls.c:8", 3, ended) for ended in (BACK[:first], BACK[first:]) if ended]
        yield from exchanged(rank, ranks, *waits)


def probed(source: int, tag: int) -> Iterator[Event]:
    """Yield a receive of the message that a probe finds."""
    found = {"comm": 0, "peer": source, "tag": tag, "found": True, "actual_peer": source, "actual_tag": tag}
    yield "MPI_Iprobe@polls.c:10", "probe", found
    yield message("recv", source, 4096, tag, "polls.c:11")


def found_in_a_loop(rank: int, ranks: int, order: list[int], *, at_once: bool) -> Iterator[Event]:
    """Yield two sends, and in some order what a loop finds and receives, and tests that complete the sends."""
    for way in (1, -1):
        yield message("isend", (rank + way) % ranks, 4096, way + 3, "polls.c:9")
    for step in order:
        way, tested = (1, 2) if step % 2 else (-1, 1)
        if step < 2:
            yield from probed((rank - way) % ranks, way + 3)
        elif not at_once:
            ended = [(tested, False, 0, 0)]
            yield "MPI_Test@polls.c:12", "complete", {"mode": 4, "listed": 1, "completions": ended}
    if at_once:
        ended = [(back, False, 0, 0) for back in (2, 1)]
        yield "MPI_Test@polls.c:12", "complete", {"mode": 1, "listed": 2, "completions": ended}
    yield "MPI_Allreduce@polls.c:13", "collective", BARRIER


def in_any_order(rank: int, ranks: int) -> Iterator[Event]:
    for step in range(STEPS):
        order = sorted(range(4), key=lambda each: by_chance(rank, ranks, step, each, 1 << 20))
        yield from found_in_a_loop(rank, ranks, order, at_once=False)


def in_one_order(rank: int, ranks: int) -> Iterator[Event]:
    for _ in range(STEPS):
        yield from found_in_a_loop(rank, ranks, [0, 1, 2, 3], at_once=True)


def gathered_by_probes(rank: int, ranks: int) -> Iterator[Event]:
    """Send two messages to rank 0, which receives them in the order of the blocking sends, and overlap others."""
    for tag in (9, 3):
        if rank > 0:
            yield message("send", 0, 4096, tag, f"polls.c:{tag}")
        for source in range(1, ranks) if rank == 0 else ():
            yield from probed(source, tag)
    yield from overlapped(rank, ranks)


def program(rank: int, ranks: int) -> Iterator[Event]:
    yield from (event for event, _ in polled(rank, ranks))


def computation(rank: int, ranks: int, calls: int) -> list[float]:
    return [0.0, *(seconds for _, seconds in polled(rank, ranks)), 0.0]


def test_work_before_a_poll_is_no_waiting(tmp_path: Path) -> None:
    made, summary = scaled(program, (4, 8, 16), 32, tmp_path, computation)
    assert summary.compute_seconds == pytest.approx(2 * STEPS * WORK, rel=0.01)
    assert computed(trace(program, 32, tmp_path, computation)) > 1.05 * summary.compute_seconds
    assert {entry for entry, kind, _ in calls(made, 5) if kind == "complete"} == {"MPI_Complete@polls.c:3"}


@pytest.mark.parametrize(
    ("described", "site"), [(overlapped, "MPI_Waitall@polls.c:7"), (some_at_a_time, "MPI_Waitsome@polls.c:8")]
)
def test_one_wait_is_for_all_that_completes_in_parts(tmp_path: Path, described: Program, site: str) -> None:
    def at_once(rank: int, ranks: int) -> Iterator[Event]:
        for _ in range(STEPS):
            yield from exchanged(rank, ranks, (site, 1, BACK))

    made, _ = scaled(described, (4, 8, 16), 32, tmp_path)
    assert same_calls(made, trace(at_once, 32, tmp_path))


def test_a_loop_receives_before_its_sends_are_complete(tmp_path: Path) -> None:
    made, summary = scaled(in_any_order, (4, 8, 16), 32, tmp_path)
    assert not summary.scaling.distributions
    assert same_calls(made, trace(in_one_order, 32, tmp_path))


def test_receives_without_tests_stay_in_their_order(tmp_path: Path) -> None:
    made, _ = scaled(gathered_by_probes, (4, 8, 16), 32, tmp_path)
    tags = [fields["tag"] for _, kind, fields in calls(made, 0) if kind == "recv"]
    assert tags == [9] * 31 + [3] * 31


def asking(rank: int, ranks: int, *, polls: int) -> Iterator[Event]:
    """Yield a partitioned exchange round a ring that asks for a partition until it is there, fewer than `polls` times in vain."""
    for line, kind, way in ((9, "psend_init", 1), (10, "precv_init", -1)):
        _, _, fields = message(kind, (rank + way) % ranks, 4096, 7, "")
        yield f"MPI_P@polls.c:{line}", kind, fields | {"partitions": 1}
    for step in range(STEPS):
        yield "MPI_Startall@polls.c:11", "start", {"references": [2, 1]}
        ready = {"references": [2], "first_partition": 0, "last_partition": 0}
        yield "MPI_Pready@polls.c:12", "pready", ready
        in_vain = by_chance(rank, ranks, step, polls)
        for found in (*[False] * in_vain, True):
            asked = {"references": [1], "first_partition": 0, "found": found}
            yield "MPI_Parrived@polls.c:13", "parrived", asked
        ended = [(2, False, 0, 0), (1, False, 0, 0)]
        yield "MPI_Waitall@polls.c:14", "complete", {"mode": 1, "listed": 2, "completions": ended}


def test_a_partition_that_has_not_arrived_is_waiting(tmp_path: Path) -> None:
    made, _ = scaled(partial(asking, polls=9), (4, 8, 16), 32, tmp_path)
    assert same_calls(made, trace(partial(asking, polls=1), 32, tmp_path))


def exposed(rank: int, ranks: int, *, polls: int) -> Iterator[Event]:
    """Yield puts round a ring into a window whose rank asks until they are there, fewer than `polls` times in vain."""

    def sync(name: str, kind: int, *, found: bool = False, group: Sequence[int] = ()) -> Event:
        fields = {"sync": kind, "window": 0, "peer": -1, "found": found, "members": list(group)}
        return f"MPI_Win_{name}@polls.c:{15 + kind}", "win_sync", fields

    yield "MPI_Win_create@polls.c:15", "win_new", {"comm": 0, "new_window": 0, "bytes": 4096}
    put = {"operation": 0, "window": 0, "peer": (rank + 1) % ranks, "bytes": 4096, "recv_bytes": 0}
    for step in range(STEPS):
        yield sync("post", 1, group=[(rank - 1) % ranks])
        yield sync("start", 2, group=[(rank + 1) % ranks])
        yield "MPI_Put@polls.c:30", "rma", put
        yield sync("complete", 3)
        for found in (*[False] * by_chance(rank, ranks, step, polls), True):
            yield sync("test", 5, found=found)
    yield "MPI_Win_free@polls.c:31", "win_free", {"window": 0}


def test_a_window_whose_accesses_have_not_ended_is_waiting(tmp_path: Path) -> None:
    made, _ = scaled(partial(exposed, polls=9), (4, 8, 16), 32, tmp_path)
    assert same_calls(made, trace(partial(exposed, polls=1), 32, tmp_path))
