"""Programs whose messages follow no rule of the rank count: they become distributions, with a warning."""

import random
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain, islice, pairwise
from pathlib import Path

import pytest
from written_programs import (
    BARRIER,
    Event,
    Program,
    calls,
    collective,
    communicator,
    counted,
    message,
    scaled,
    seconds_on,
    trace,
    waitall,
)

from linkworth.errors import ThresholdError
from linkworth.scale import run, warnings
from linkworth.scale.distributions.traffic import _messages
from linkworth.scale.recording import Call, Recording
from linkworth.scale.setup import Meetings

STEPS = 5
COUNTS = (4, 8, 16)
LARGE = 32


def neighbours(rank: int, ranks: int) -> list[tuple[int, int]]:
    """Return the ranks around one on a random graph, each with a size."""
    draw = random.Random(1000 * ranks)
    sizes: dict[frozenset[int], int] = {}
    for _ in range(2):
        ring = draw.sample(range(ranks), ranks)
        sizes |= {
            frozenset(edge): draw.randrange(200, 400) * 1000 // ranks for edge in pairwise([*ring, ring[0]])
        }
    return sorted((next(iter(edge - {rank})), size) for edge, size in sizes.items() if rank in edge)


def reduction(line: int) -> Event:
    return collective(f"Allreduce@graph.c:{line}", 8)


def completed(count: int) -> Event:
    return waitall("graph.c:3", count)


def graph(rank: int, ranks: int) -> Iterator[Event]:
    """Exchange with the neighbours on a graph."""
    for _ in range(STEPS):
        near = neighbours(rank, ranks)
        for kind in ("irecv", "isend"):
            yield from (message(kind, peer, size, 1, "graph.c:2") for peer, size in near)
        if near:
            yield completed(2 * len(near))
        yield reduction(4)


def persistent(rank: int, ranks: int) -> Iterator[Event]:
    """Do the same with requests that are started again."""
    near = neighbours(rank, ranks)
    for kind in ("recv", "send"):
        yield from (message(f"{kind}_init", peer, size, 1, "graph.c:2") for peer, size in near)
    for _ in range(STEPS):
        if near:
            yield "MPI_Startall@graph.c:3", "start", {"references": [*range(2 * len(near), 0, -1)]}
            yield completed(2 * len(near))
        yield reduction(4)


def around(rank: int, ranks: int) -> Iterator[Event]:
    """Do the same by a collective call among neighbours."""
    near = neighbours(rank, ranks)
    yield communicator("Dist_graph_create@graph.c:1", 2, [*range(ranks)], [peer for peer, _ in near])
    sizes = [size for _, size in near]
    for _ in range(STEPS):
        yield "MPI_Neighbor_alltoallv@graph.c:2", "collective", counted(2, sizes)
        yield reduction(4)


def measured(rank: int, ranks: int) -> Iterator[Event]:
    """Do the same in a region of MPI_Pcontrol."""
    for at, event in enumerate(graph(rank, ranks)):
        if at % 7 == 3:
            yield "MPI_Pcontrol@graph.c:5", "pcontrol", {"code": 2}
        yield event


def reading(rank: int, ranks: int) -> Iterator[Event]:
    """Read from the memory of the neighbours what they would send."""
    yield "MPI_Win_create@graph.c:1", "win_new", {"comm": 0, "new_window": 0, "bytes": 800_000}
    for _ in range(STEPS):
        for peer, size in neighbours(rank, ranks):
            fields = {"operation": 1, "window": 0, "peer": peer, "bytes": 0, "recv_bytes": size}
            yield "MPI_Get@graph.c:2", "rma", fields
            flush = {"sync": 10, "window": 0, "peer": peer, "found": False, "members": []}
            yield "MPI_Win_flush@graph.c:3", "win_sync", flush
        yield reduction(4)


def token(rank: int, ranks: int, *, together: int, alone: int) -> Iterator[Event]:
    """Let all ranks send to the next one, and then pass a token on; a message in each step follows no rule."""
    order = random.Random(ranks).sample(range(ranks), ranks)
    at = order.index(rank)
    for _ in range(STEPS):
        for kind, far, line in (("irecv", -1, 1), ("isend", 1, 2)):
            yield message(kind, (rank + far) % ranks, together, 1, f"token.c:{line}")
            yield message(kind, order[(at + far) % ranks], 8, 2, f"token.c:{line + 2}")
        yield waitall("token.c:5", 4)
        if rank > 0:
            yield message("recv", rank - 1, alone, 3, "token.c:6")
        if rank < ranks - 1:
            yield message("send", rank + 1, alone, 3, "token.c:7")
        yield reduction(8)


def owners(rank: int, ranks: int) -> Iterator[Event]:
    """Let another rank in each step send to all, beside a few short messages of each that follow no rule."""
    order = random.Random(ranks).sample(range(ranks), ranks)
    at = order.index(rank)
    for step in range(8 * STEPS):
        owner = order[step % ranks]
        for kind, sign, line in (("irecv", -1, 1), ("isend", 1, 2)):
            yield from (
                message(kind, order[(at + sign * far) % ranks], 8, far, f"own.c:{line}") for far in (1, 2, 3)
            )
        yield waitall("own.c:3", 6)
        if rank != owner:
            yield message("recv", owner, 30_000, 9, "own.c:4")
        else:
            yield from (message("send", to, 30_000, 9, "own.c:5") for to in range(ranks) if to != owner)
        yield reduction(6)


def sent(path: Path, ranks: int) -> tuple[int, int]:
    sizes = [
        fields["bytes"]
        for rank in range(ranks)
        for _, kind, fields in calls(path, rank)
        if kind in ("send", "isend")
    ]
    return len(sizes), sum(sizes)


@pytest.mark.parametrize(("together", "alone"), [(10**6, 10), (10, 10**5)])
def test_as_many_bytes_wait_for_one_another(together: int, alone: int, tmp_path: Path) -> None:
    program = partial(token, together=together, alone=alone)
    made, summary = scaled(program, COUNTS, LARGE, tmp_path)
    assert "messages are distributions" in summary.scaling.remarks[0]
    wanted = trace(program, LARGE, tmp_path)
    assert seconds_on("gbe", made, nodes=LARGE) == pytest.approx(
        seconds_on("gbe", wanted, nodes=LARGE), rel=0.2
    )


def test_owners_that_take_turns_send_one_after_another(tmp_path: Path) -> None:
    made, _ = scaled(owners, (8, 16, 32), 64, tmp_path)
    wanted = trace(owners, 64, tmp_path)
    assert seconds_on("gbe", made, nodes=64) == pytest.approx(seconds_on("gbe", wanted, nodes=64), rel=0.3)


@pytest.mark.parametrize("program", [persistent, around, measured])
def test_messages_on_a_graph_are_as_many_and_as_large(program: Program, tmp_path: Path) -> None:
    made, summary = scaled(program, (8, 16, 32), 64, tmp_path)
    assert "messages are distributions" in summary.scaling.remarks[0]
    assert "graph.c" in summary.scaling.remarks[0]
    assert any("MPI_Pcontrol" in remark for remark in summary.scaling.remarks) == (program is measured)
    more = any("32 ranks has" in remark for remark in summary.scaling.remarks)
    assert more == (program in (persistent, around))
    wanted = trace(graph, 64, tmp_path)
    assert sent(made, 64) == pytest.approx(sent(wanted, 64), rel=0.15)
    assert seconds_on("gbe", made) == pytest.approx(seconds_on("gbe", wanted), rel=0.25)
    reductions = [entry for entry, kind, _ in calls(made, 5) if kind == "collective"]
    assert reductions == ["MPI_Allreduce@graph.c:4"] * STEPS


@pytest.mark.parametrize(("recorded", "advised"), [((2, 4, 8), True), ((4, 8, 16), False)])
def test_larger_recordings_are_advised_if_all_are_small(
    recorded: tuple[int, ...], advised: bool, tmp_path: Path
) -> None:
    _, summary = scaled(graph, recorded, 32, tmp_path)
    assert any("or 32 ranks themselves" in remark for remark in summary.scaling.remarks) == advised


def test_data_that_is_read_is_sent(tmp_path: Path) -> None:
    made, _ = scaled(reading, COUNTS, LARGE, tmp_path)
    _, size = sent(trace(graph, LARGE, tmp_path), LARGE)
    assert sent(made, LARGE)[1] == pytest.approx(size, rel=0.15)
    assert seconds_on("gbe", made) == pytest.approx(
        seconds_on("gbe", trace(reading, LARGE, tmp_path)), rel=0.25
    )


def irregular(rank: int, ranks: int) -> Iterator[Event]:
    """Reduce more often, with another root and at another site, as data decide."""
    step = 0
    for event in graph(rank, ranks):
        yield event
        if event[1] == "collective":
            step += 1
            if step * ranks % 7 == 3:
                yield reduction(8)
    yield collective(f"Bcast@graph.c:{9 + (rank * ranks) % 3 % 2}", 8, peer=ranks * 5 % 7 % ranks)


def test_collective_calls_that_not_all_recordings_have_count_as_messages(tmp_path: Path) -> None:
    made, _ = scaled(irregular, COUNTS, LARGE, tmp_path)
    per_rank = [
        [entry[:13] for entry, kind, _ in calls(made, rank) if kind == "collective"] for rank in range(LARGE)
    ]
    assert all(each == per_rank[0] for each in per_rank)
    assert per_rank[0].count("MPI_Bcast@gra") == 1


def tasks(rank: int, ranks: int) -> Iterator[Event]:
    """Give each of 400 tasks to a rank that asks, as a master does, without a collective call."""
    draw = random.Random(ranks)
    asking = [draw.randrange(1, ranks) for _ in range(400)]
    for worker in asking if rank == 0 else [0] * asking.count(rank):
        ask, give = message("send", worker, 8, 1, "tasks.c:1"), message("recv", worker, 8, 1, "tasks.c:2")
        yield from (give, ask) if rank == 0 else (ask, give)


def test_tasks_that_a_master_gives_stay_messages_with_rank_0(tmp_path: Path) -> None:
    made, _ = scaled(tasks, COUNTS, LARGE, tmp_path)
    wanted = seconds_on("gbe", trace(tasks, LARGE, tmp_path))
    assert seconds_on("gbe", made) == pytest.approx(wanted, rel=0.4)


def results(rank: int, ranks: int) -> Iterator[Event]:
    """Take large results of 400 tasks, in each round from most ranks, and give the next tasks."""
    draw = random.Random(ranks)
    rounds = chain.from_iterable(sorted(draw.sample(range(1, ranks), ranks * 4 // 5)) for _ in range(400))
    workers = list(islice(rounds, 400))
    for worker in workers if rank == 0 else [0] * workers.count(rank):
        result, task = ("recv", "send") if rank == 0 else ("send", "recv")
        yield message(result, worker, 200_000, 1, "tasks.c:1")
        yield message(task, worker, 8, 1, "tasks.c:2")


def test_a_master_takes_results_while_others_compute(tmp_path: Path) -> None:
    def computation(rank: int, ranks: int, events: int) -> list[float]:
        draw = random.Random(1000 * ranks + rank)
        return [draw.uniform(0, 0.04) if rank and at % 2 else 0.0 for at in range(events)]

    made, _ = scaled(results, (8, 16, 32), 64, tmp_path, computation)
    wanted = seconds_on("gbe", trace(results, 64, tmp_path, computation))
    assert seconds_on("gbe", made) == pytest.approx(wanted, rel=0.2)


def erratic(rank: int, ranks: int) -> Iterator[Event]:
    """Send forty times as much on 8 ranks."""
    for entry, kind, fields in graph(rank, ranks):
        size = {"bytes": fields["bytes"] * (40 if ranks == 8 else 1)} if kind in ("isend", "irecv") else {}
        yield entry, kind, fields | size


def another(rank: int, ranks: int) -> Iterator[Event]:
    """Be another program on 16 ranks, which sends six times as often."""
    yield from list(graph(rank, ranks)) * (6 if ranks == 16 else 1)


def sharing(rank: int, ranks: int) -> Iterator[Event]:
    """Share memory beside the messages."""
    window = {"comm": 0, "new_window": 0, "bytes": 4096}
    return chain([("MPI_Win_allocate_shared@graph.c:1", "win_new", window)], graph(rank, ranks))


@pytest.mark.parametrize(
    ("program", "counts", "reason"),
    [
        (sharing, COUNTS, "messages cannot be distributions either, since ranks share memory"),
        (
            erratic,
            COUNTS,
            r"distributions, the recording on 16 ranks is off by \d\d+ % of its time.* 32 ranks themselves",
        ),
        (another, COUNTS, r"distributions, the recording on 16 ranks is off by \d\d % of its calls"),
        (graph, COUNTS[1:], "with 3 recordings or more, messages may be taken"),
    ],
)
def test_what_does_not_predict_the_largest_recording_is_refused(
    program: Program, counts: tuple[int, ...], reason: str, tmp_path: Path
) -> None:
    with pytest.raises(ThresholdError, match=rf"do not align: MPI_.*@graph.c.*{reason}"):
        scaled(program, counts, LARGE, tmp_path)
    assert not (tmp_path / "made.lwt").exists()


def test_files_and_shared_cores_may_be_the_cause_of_a_refusal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def writing(rank: int, ranks: int) -> Iterator[Event]:
        yield "MPI_File_write_all@graph.c:9", "local", {}
        yield from erratic(rank, ranks)

    monkeypatch.setattr(warnings, "shared_cores", lambda _: True)
    with pytest.raises(ThresholdError, match=r"off by .* waits of 16 ranks.* where each rank has a core$"):
        scaled(writing, COUNTS, LARGE, tmp_path)


def test_a_set_up_that_takes_most_of_the_time_is_the_reason_of_a_refusal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def without_two_steps(recordings: Sequence[Recording]) -> list[Recording]:
        return [Meetings(each).after(1, "calls from several threads at once") for each in recordings]

    monkeypatch.setattr(run, "after_threads", without_two_steps)
    monkeypatch.setattr(run, "MOST_OMITTED", 0.1)
    with pytest.raises(
        ThresholdError, match=r"distributions, MPI_Allreduce@graph.c:4: the set-up up to it .*a longer run"
    ):
        scaled(graph, COUNTS, LARGE, tmp_path)


@pytest.mark.parametrize("ranks", [2, 7, 8])
def test_a_collective_call_with_a_root_sends_one_message_to_each_other_rank(ranks: int) -> None:
    members = list(range(10, 10 + ranks))
    call = Call("MPI_Bcast@a.c:1", "collective", BARRIER | {"peer": 1, "bytes": 8})
    sent = [message for rank in members for message in _messages(call, members, rank)]
    assert sorted(sent) == [(rank, 8) for rank in members if rank != members[1]]
