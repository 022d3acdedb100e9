"""Ranks that compute at once on a node share its memory and cores; those that wait leave theirs to the others. By hand."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as some
from synthetic import Call, collective, fabric, pcontrol, recv, send, way, write_trace

from linkworth import _engine
from linkworth.model.prediction import Layout
from linkworth.model.settings import ReplaySettings
from linkworth.replay.run import Replay, replay_in_detail

US = 1e-6
MS = 1e-3
ON = fabric(way(latency=10 * US))
MEMORY = {"memory_demand_bytes_per_second": 40e9, "memory_bandwidth_bytes_per_second": 60e9}
"""Two ranks that compute at once go on at 60 / 80 of their speed."""

Run = Callable[..., Replay]


def replayed(folder: Path, ranks: Sequence[Sequence[Call]], nodes: list[int], **settings: object) -> Replay:
    trace = _engine.Trace(str(write_trace(folder / "hand.lwt", ranks)))
    layout = Layout(nodes=max(nodes) + 1, node_of_rank=nodes)
    return replay_in_detail(trace, ON, layout, settings=ReplaySettings(**settings))  # type: ignore[arg-type]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return lambda ranks, nodes, **settings: replayed(tmp_path, ranks, nodes, **settings)


def computing(*milliseconds: float) -> list[list[Call]]:
    return [[collective("MPI_Barrier").after(each * MS)] for each in milliseconds]


@pytest.mark.parametrize("contention", [True, False])
def test_who_ends_leaves_the_memory_to_the_others(run: Run, contention: bool) -> None:
    # Both go on at 3/4 until the second has its 3 ms at 4 ms; the first has 6 ms left, alone.
    got = run(computing(9, 3), [0, 0], contention=contention, **MEMORY)
    assert got.result.rank_compute_seconds == pytest.approx([10 * MS, 4 * MS])


def test_who_waits_leaves_the_memory_to_the_others(run: Run) -> None:
    # The second rank waits for a message until 6.01 ms. Then both go on at 3/4: the first has 2.99 ms left and takes 2.99 / 0.75;
    # the second has then done 2.99 of its 3 ms and does the rest alone.
    ranks = [
        [collective("MPI_Barrier").after(9 * MS)],
        [recv(2, 0), collective("MPI_Barrier").after(3 * MS)],
        [send(1, 0).after(6 * MS), collective("MPI_Barrier")],
    ]
    got = run(ranks, [0, 0, 1], **MEMORY)
    together = 2.99 * MS / 0.75
    assert got.result.rank_compute_seconds == pytest.approx(
        [6.01 * MS + together, together + 0.01 * MS, 6 * MS]
    )
    assert got.prediction.seconds == pytest.approx(6.01 * MS + together + 0.02 * MS + 10 * US, rel=0.01)


def test_a_rank_alone_on_its_node_keeps_its_time(run: Run) -> None:
    alone = run(computing(1.1, 0.3, 0.7), [0, 1, 2]).result.rank_compute_seconds
    assert run(computing(1.1, 0.3, 0.7), [0, 1, 2], **MEMORY).result.rank_compute_seconds == alone


def test_more_ranks_than_cores_share_them(run: Run) -> None:
    # Three ranks on two cores, one of which does 1.2 times as much with two: 2.2 cores' worth for three.
    got = run(computing(2.2, 2.2, 2.2), [0, 0, 0], cores_per_node=2, thread_gain=1.2)
    assert got.result.rank_compute_seconds == pytest.approx([3 * MS] * 3)
    # A third and fourth rank on a core add nothing.
    crowded = run(computing(1.5, 1.5, 1.5, 1.5), [0] * 4, cores_per_node=1, thread_gain=1.5)
    assert crowded.result.rank_compute_seconds == pytest.approx([4 * MS] * 4)
    # A core that does no more with two ranks than with one: 4 ms of work for two cores.
    turns = run(computing(1, 1, 2), [0] * 3, cores_per_node=2)
    assert turns.result.rank_compute_seconds == pytest.approx([1.5 * MS, 1.5 * MS, 2.5 * MS])


def test_the_scarcer_of_cores_and_memory_decides_in_its_region(run: Run) -> None:
    both = run(computing(3, 3, 3), [0] * 3, cores_per_node=2, **MEMORY)
    assert both.result.rank_compute_seconds == pytest.approx([6 * MS] * 3)
    roomy = run(computing(3, 3, 3), [0] * 3, cores_per_node=1, **MEMORY)
    assert roomy.result.rank_compute_seconds == pytest.approx([9 * MS] * 3)
    ranks = [[pcontrol(1), pcontrol(2).after(1 * MS), pcontrol(0).after(2 * MS)] for _ in range(2)]
    got = run(ranks, [0, 0], **MEMORY)
    assert got.result.level_compute_seconds == pytest.approx({1: 2 * MS / 0.75, 2: 4 * MS / 0.75})
    assert got.prediction.compute_seconds == pytest.approx(4 * MS)


@given(
    some.lists(some.lists(some.integers(0, 50), min_size=1, max_size=4), min_size=2, max_size=5),
    some.integers(1, 3),
)
def test_sharing_keeps_all_work_and_never_hurries(
    tmp_path_factory: pytest.TempPathFactory, works: list[list[int]], cores: int
) -> None:
    rounds = max(map(len, works))
    ranks = [
        [collective("MPI_Barrier").after((work[i] if i < len(work) else 0) * MS) for i in range(rounds)]
        for work in works
    ]
    folder = tmp_path_factory.mktemp("shared")
    nodes = [0] * len(works)
    free = replayed(folder, ranks, nodes)
    shared = replayed(folder, ranks, nodes, cores_per_node=cores)
    for slow, fast in zip(shared.result.rank_compute_seconds, free.result.rank_compute_seconds, strict=True):
        assert slow >= fast * (1 - 1e-9)
    # The cores cannot do their work in less time than it takes, nor need they be idle beside a rank that could use them.
    work = sum(map(sum, works)) * MS
    assert shared.prediction.seconds >= work / cores * (1 - 1e-9)
    assert shared.prediction.seconds <= free.prediction.seconds + work / cores
    assert shared.prediction == replayed(folder, ranks, nodes, cores_per_node=cores).prediction
