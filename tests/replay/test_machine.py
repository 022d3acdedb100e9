"""The machine that is predicted: progress, copies, cores, memory, noise, background load. Times worked out by hand."""

from collections.abc import Callable

import msgspec
import pytest
from synthetic import Call, collective, fabric, irecv, isend, pcontrol, recv, send, waitall, way
from synthetic_calls import (
    COMPLETE,
    POST,
    START,
    TEST,
    WAIT,
    parrived,
    partitioned,
    pready,
    put,
    start,
    sync,
    win_new,
)

from linkworth.replay.run import Replay

US = 1e-6
MS = 1e-3
GB = 1e9
MB = 1_000_000
RENDEZVOUS = fabric(way(latency=10 * US, bandwidth=GB, eager=0))
EAGER = fabric(way(latency=10 * US, bandwidth=GB))

Run = Callable[..., Replay]


def test_progress_in_calls_alone_leaves_messages_to_the_next_call(run: Run) -> None:
    # 6 MB need 6 ms, under 10 ms of computation on both sides. Request at 10 us; the receiver looks at 10 ms; its answer and
    # the data take 10 us each and 6 ms more.
    ranks = [[isend(1, 6 * MB), waitall(1).after(10 * MS)], [irecv(0, 6 * MB), waitall(1).after(10 * MS)]]
    hidden = run(ranks, RENDEZVOUS, progress="asynchronous").prediction
    assert hidden.seconds == pytest.approx(10 * MS)
    late = run(ranks, RENDEZVOUS, progress="calls").prediction
    assert late.seconds == pytest.approx(16 * MS + 20 * US)

    # The receiver looks at 4 ms and answers; the sender looks at 5 ms, and the 3 ms of data end before both wait.
    def poll() -> Call:
        return Call("MPI_Test", "complete", mode=0, listed=1, completions=[])

    ranks = [
        [isend(1, 3 * MB), poll().after(5 * MS), waitall(1).after(5 * MS)],
        [irecv(0, 3 * MB), poll().after(4 * MS), waitall(1).after(6 * MS)],
    ]
    assert run(ranks, RENDEZVOUS, progress="calls").prediction.seconds == pytest.approx(10 * MS)
    # The request comes at 10 us. MPI_Isend, MPI_Irecv and waits for completed requests do not answer it: the last wait does,
    # at 3 ms. Answer and data take 10 us each, and 1 ms.
    ranks = [
        [irecv(1, 0, tag=7), isend(1, MB), waitall(1, 2)],
        [irecv(0, MB), isend(0, 0, tag=7).after(1 * MS), waitall(1).after(1 * MS), waitall(2).after(1 * MS)],
    ]
    assert run(ranks, RENDEZVOUS, progress="calls").prediction.seconds == pytest.approx(4 * MS + 20 * US)


def test_tests_of_partitions_and_windows_make_progress(run: Run) -> None:
    # The receiver answers when it asks for the partition, at 4 ms, so that the message ends before it waits.
    sender = [isend(1, MB), partitioned("psend_init", 1, 8, 1), start(1), pready(0), waitall(1, 2)]
    receiver = [irecv(0, MB), partitioned("precv_init", 0, 8, 1), start(1)]
    receiver += [parrived(0, arrived=False).after(4 * MS), waitall(1, 2).after(6 * MS)]
    assert run([sender, receiver], RENDEZVOUS, progress="calls").prediction.seconds == pytest.approx(10 * MS)
    # The put is taken when its target asks, at 4 ms, and the origin computes 10 ms after it.
    origin = [win_new(), sync(START, group=[1]), put(1, 8), sync(COMPLETE), pcontrol(0).after(10 * MS)]
    target = [win_new(), sync(POST, group=[0]), sync(TEST).after(4 * MS), sync(WAIT).after(6 * MS)]
    seconds = run([origin, target], RENDEZVOUS, progress="calls").prediction.seconds
    assert seconds == pytest.approx(14 * MS, abs=0.1 * MS)


def test_blocked_ranks_are_inside_mpi(run: Run) -> None:
    ranks = [[send(1, MB)], [recv(0, MB)]]
    both = [run(ranks, RENDEZVOUS, progress=kind).prediction for kind in ("asynchronous", "calls")]
    assert both[0] == both[1]


def test_a_non_blocking_collective_waits_for_its_ranks_calls(run: Run) -> None:
    # Recursive doubling on 4 ranks needs two rounds of 10 us; without progress the second starts when the rank looks again.
    ranks = [[collective("MPI_Iallreduce", 8).after(0.0), waitall(1).after(1 * MS)] for _ in range(4)]
    for calls in ranks:
        calls[0].call_class = "icollective"
    assert run(ranks, EAGER, progress="asynchronous").prediction.seconds == pytest.approx(1 * MS, abs=1 * US)
    assert run(ranks, EAGER, progress="calls").prediction.seconds == pytest.approx(
        1 * MS + 10 * US, abs=1 * US
    )


def test_an_unexpected_message_is_copied(run: Run) -> None:
    copying = fabric(way(latency=10 * US, bandwidth=GB), unexpected_copy_bytes_per_second=1e10)
    early = [[send(1, MB)], [recv(0, MB).after(5 * MS)]]
    got = run(early, copying).prediction
    assert got.seconds == pytest.approx(5 * MS + 100 * US)
    assert got.overhead_seconds == pytest.approx(100 * US)
    expected = [[send(1, MB).after(1 * MS)], [recv(0, MB)]]
    assert run(expected, copying).prediction.seconds == pytest.approx(1 * MS + 10 * US + 1 * MS)


def test_regions_have_their_own_speed(run: Run) -> None:
    ranks = [[pcontrol(2).after(1 * MS), pcontrol(3).after(4 * MS), pcontrol(0).after(9 * MS)]]
    got = run(ranks, EAGER, cpu_factor_at={3: 3.0})
    assert got.result.rank_compute_seconds[0] == pytest.approx(4 * MS + 3 * MS)


def test_noise_keeps_the_mean_and_follows_its_seed(run: Run) -> None:
    ranks = [[collective("MPI_Barrier").after(1 * MS) for _ in range(500)] for _ in range(4)]

    def compute(seed: int, noise: float = 0.2) -> list[float]:
        return run(ranks, EAGER, noise=noise, seed=seed).result.rank_compute_seconds

    assert compute(1) == compute(1)
    assert set(compute(1)).isdisjoint(compute(2)), "no rank repeats another's noise"
    assert len(set(compute(1))) == 4
    # 500 intervals: a standard error of 0.9 %.
    assert compute(1) == pytest.approx([0.5] * 4, rel=0.05)
    assert compute(1, noise=0.0) == pytest.approx([0.5] * 4)
    quiet = run(ranks, EAGER).prediction.seconds
    assert run(ranks, EAGER, noise=0.2, seed=1).prediction.seconds > quiet * 1.05


def test_background_load_takes_its_share_of_the_links(run: Run) -> None:
    ranks = [[send(1, MB)], [recv(0, MB)]]
    assert run(ranks, EAGER, background_load=0.75).prediction.seconds == pytest.approx(4 * MS + 10 * US)
    # Both directions share what the adapter's bus carries, and the load has its share of that too.
    both = [[irecv(1 - rank, MB), isend(1 - rank, MB), waitall(1, 2)] for rank in range(2)]
    half_duplex = msgspec.structs.replace(EAGER, duplex_bytes_per_second=1e9)
    assert run(both, half_duplex, background_load=0.5).prediction.seconds == pytest.approx(4 * MS, rel=0.05)
