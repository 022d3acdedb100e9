"""Threads of a rank that call MPI at once (MPI_THREAD_MULTIPLE) are replayed as streams of their own."""

from collections.abc import Callable
from pathlib import Path

import pytest
from mpi_programs import compile_c, usable_mpis
from part_files import NAMES, call, payload, send_fields, shape, varint
from synthetic import fabric, way
from threaded_traces import merged

from linkworth import _engine
from linkworth.catalog import fabrics as catalog
from linkworth.cli.main import main
from linkworth.measure.plan import plan
from linkworth.model.prediction import Layout
from linkworth.model.workload import Workload
from linkworth.predict.predict import predict
from linkworth.replay.layout import lay_out
from linkworth.replay.run import Replay, replay_in_detail
from linkworth.trace.record import record

US = 1000  # in ticks of these traces
THREAD_MULTIPLE, THREAD_SERIALIZED = 3, 2
COMM_NEW, COMM_FREE = 15, 17  # classes of calls
START = 1000  # ticks at which the process starts


def init(level: int = THREAD_MULTIPLE) -> bytes:
    """Return MPI_Init from 10 us to 20 us."""
    return shape(payload(NAMES, "MPI_Init", 18, varint(level))) + call(0, 10 * US, 10 * US)


def send_shape(tag: int) -> bytes:
    return shape(payload(NAMES, "MPI_Send", 1, send_fields(0, 8, tag)))


def recv_shape(tag: int) -> bytes:
    return shape(payload(NAMES, "MPI_Recv", 3, send_fields(0, 8, tag)))


def duplicate(new: int) -> bytes:
    """Return MPI_Comm_dup of communicator 0."""
    fields = varint(0) + varint(new + 1) + bytes([0]) + varint(1) + varint(0)
    return shape(payload(NAMES, "MPI_Comm_dup", COMM_NEW, fields))


def join_groups(new: int) -> bytes:
    """Return a call that makes an inter-communicator of a group with itself, from a communicator that no other one uses."""
    fields = varint(new % 2) + varint(new + 1) + bytes([1]) + 2 * (varint(1) + varint(0))
    return shape(payload(NAMES, "MPI_Comm_dup", COMM_NEW, fields))


def replayed(folder: Path, blocks: list[tuple[int, bytes]], latency: float = 10e-6) -> Replay:
    """Replay one rank whose thread k calls from the k-th time (us from the process's start) on."""
    folder.mkdir(exist_ok=True)
    path = merged(folder, [(START + at * US, 0, records) for at, records in blocks], list(range(len(blocks))))
    memory = way(latency=latency)
    return replay_in_detail(
        _engine.Trace(str(path)), fabric(memory, memory), Layout(nodes=1, node_of_rank=[0])
    )


def workers(level: int = THREAD_MULTIPLE) -> list[tuple[int, bytes]]:
    """Return a rank whose threads 1 and 2 send to themselves while the first thread waits to join them.

    Thread 1 sends at 30 us, computes 20 us and receives until 60 us. Thread 2 does the same from 50 us to 90 us, with 30 us.
    The first thread ends with MPI_Finalize at 100 us, and has computed 1 us by then.
    """
    first = init(level) + shape(payload(NAMES, "MPI_Finalize", 19)) + call(1, 80 * US, 0, cpu=1 * US)
    one = send_shape(1) + call(0, 0, 2 * US) + recv_shape(1) + call(1, 20 * US, 8 * US)
    two = send_shape(2) + call(0, 0, 2 * US) + recv_shape(2) + call(1, 30 * US, 8 * US)
    return [(0, first), (30, one), (50, two)]


@pytest.mark.parametrize(
    ("latency_us", "seconds", "lived"),
    [
        # Thread 1 lives from 10 to 30 us, and thread 2 from 30 us on. It computes for 30 us, and the first goes on 10 us later.
        (10, 70e-6, 20e-6 + 30e-6),
        (40, 80e-6, 40e-6 + 40e-6),  # thread 2 waits until 70 us for its message
        (1000, 1040e-6, 1000e-6 + 1000e-6),
    ],
)
def test_threads_run_side_by_side_from_their_fork_to_their_join(
    tmp_path: Path, latency_us: int, seconds: float, lived: float
) -> None:
    found = replayed(tmp_path, workers(), latency_us * 1e-6)
    assert found.prediction.seconds == pytest.approx(seconds)
    assert found.result.threaded_ranks == 1
    # A rank's computation is that of each thread that lives: 1, 20 and 30 us, over the mean number of threads.
    assert found.result.rank_compute_seconds == [pytest.approx((1 + 20 + 30) * 1e-6 / (1 + lived / seconds))]


def test_a_thread_that_begins_anew_does_not_live_in_between(tmp_path: Path) -> None:
    # The first thread computes throughout. The other sends to itself and receives from 30 us to 40 us, and from 80 us on.
    # Without CPU time in the gap before that, it has begun anew.
    first = init() + duplicate(2) + call(1, 50 * US, 1 * US, cpu=50 * US)
    first += duplicate(3) + call(2, 29 * US, 0, cpu=29 * US)
    second = send_shape(1) + call(0, 0, 2 * US) + recv_shape(1) + call(1, 0, 8 * US)
    second += call(0, 40 * US, 2 * US) + call(1, 0, 8 * US)
    found = replayed(tmp_path, [(0, first), (30, second)])
    assert found.prediction.seconds == pytest.approx(79e-6)
    assert found.result.rank_compute_seconds == [pytest.approx(79e-6 / (1 + 20 / 79))]


@pytest.mark.parametrize(("beside", "streams"), [(0, 0), (800, 1)])
def test_threads_that_never_call_inside_a_call_of_another_keep_their_order(
    tmp_path: Path, beside: int, streams: int
) -> None:
    # Threads 1 and 2 take turns of 10 us: one sends to itself, and the other receives. The first thread may compute beside them.
    rounds = 40
    first = init() + shape(payload(NAMES, "MPI_Finalize", 19)) + call(1, 1000 * US, 0, cpu=beside * US)
    one = send_shape(1) + call(0, 0, 1 * US) + call(0, 19 * US, 1 * US, cpu=0) * (rounds - 1)
    two = recv_shape(1) + call(0, 0, 1 * US) + call(0, 19 * US, 1 * US, cpu=0) * (rounds - 1)
    found = replayed(tmp_path, [(0, first), (30, one), (40, two)], latency=1e-3)
    assert found.result.threaded_ranks == streams
    assert found.prediction.seconds == pytest.approx(rounds * 1e-3, rel=0.03)


def test_a_thread_takes_what_another_sends_later(tmp_path: Path) -> None:
    # The first thread receives from 30 us on what the other sends at 50 us, 30 us after MPI_Init.
    first = init() + recv_shape(1) + call(1, 10 * US, 50 * US)
    second = send_shape(1) + call(0, 0, 40 * US)
    found = replayed(tmp_path, [(0, first), (50, second)])
    assert found.prediction.seconds == pytest.approx(40e-6)


def test_a_thread_waits_for_a_request_that_another_has_made(tmp_path: Path) -> None:
    # Thread 1 posts a receive at 40 us. Thread 2, there since 30 us, computes 15 us, sends to it and waits for it.
    one = shape(payload(NAMES, "MPI_Irecv", 4, send_fields(0, 8))) + call(0, 0, 1 * US)
    wait = payload(NAMES, "MPI_Wait", 9, varint(0) + varint(1) + varint(1) + varint(2 * 1))
    two = send_shape(0) + call(0, 0, 1 * US) + shape(wait) + call(1, 24 * US, 5 * US, cpu=15 * US)
    found = replayed(tmp_path, [(0, init()), (40, one), (30, two)])
    # Sent at 10 us, there at 20 us; posted at 20 us; waited for from max(10 + 15, 20 + (55 - 41)) on.
    assert found.prediction.seconds == pytest.approx(34e-6)


@pytest.mark.parametrize("late", [0, 5], ids=["in time", "recorded late"])
def test_a_partitioned_message_ends_after_the_partitions_of_other_threads(tmp_path: Path, late: int) -> None:
    def partitioned(name: str, call_class: int) -> bytes:
        return shape(payload(NAMES, name, call_class, send_fields(0, 8) + varint(1)))

    def wait(reference: int) -> bytes:
        return shape(payload(NAMES, "MPI_Wait", 9, varint(0) + varint(1) + varint(1) + varint(2 * reference)))

    # The first thread sends to itself in partitions, twice. The other makes them ready at 40 us and 80 us, while it waits.
    # The first of these calls may be recorded when the second round has begun.
    first = init() + partitioned("MPI_Psend_init", 28) + call(1, 0, 0) + partitioned("MPI_Precv_init", 29)
    first += call(2, 0, 0) + shape(payload(NAMES, "MPI_Start", 8, varint(2) + varint(1) + varint(2)))
    first += wait(1) + wait(2)
    first += call(3, 0, 0) + call(4, 0, 22 * US) + call(5, 0, 0)
    first += call(3, 0, 0) + call(4, 0, 39 * US) + call(5, 0, 1 * US)
    ready = shape(payload(NAMES, "MPI_Pready", 30, varint(2) + varint(0) + varint(0)))
    second = ready + call(0, 0, (1 + late) * US) + call(0, (39 - late) * US, 1 * US, cpu=39 * US)
    found = replayed(tmp_path, [(0, first), (40, second)], latency=1e-3)
    assert found.prediction.seconds == pytest.approx(2 * 2e-3, rel=0.02)  # the receiver clears each


def test_a_communicator_is_freed_after_the_calls_of_other_threads_on_it(tmp_path: Path) -> None:
    freed = payload(NAMES, "MPI_Comm_free", COMM_FREE, varint(2))
    # The first thread computes from 21 us on and is never idle. It frees the communicator at 60 us.
    first = init() + duplicate(2) + call(1, 0, 1 * US)
    first += shape(freed) + call(2, 39 * US, 0, cpu=39 * US)
    # The other one sends to itself at 30 us, and receives that on the same communicator from 32 us to 58 us.
    second = shape(payload(NAMES, "MPI_Send", 1, send_fields(0, 8, 1, comm=2))) + call(0, 0, 2 * US)
    second += shape(payload(NAMES, "MPI_Recv", 3, send_fields(0, 8, 1, comm=2))) + call(1, 0, 26 * US)
    found = replayed(tmp_path, [(0, first), (30, second)], latency=1e-3)
    # Sent at 9 us, there after 1009 us, and 2 us later comes the call that frees.
    assert found.prediction.seconds == pytest.approx(1011e-6)


@pytest.mark.parametrize("make", [duplicate, join_groups], ids=["on its communicator", "of its groups"])
def test_a_collective_call_waits_for_the_one_before_it(tmp_path: Path, make: Callable[[int], bytes]) -> None:
    # The first thread computes until it makes a communicator at 60 us, and then sends to itself.
    first = init() + make(2) + call(1, 40 * US, 1 * US, cpu=40 * US)
    first += send_shape(2) + call(2, 0, 1 * US) + recv_shape(2) + call(3, 0, 2 * US)
    # The other one sends to itself at 30 us, receives that until 57 us, and makes one from the same, or between the same groups.
    second = send_shape(1) + call(0, 0, 2 * US) + recv_shape(1) + call(1, 0, 25 * US)
    second += make(3) + call(2, 0, 2 * US) + send_shape(3) + call(3, 6 * US, 1 * US)
    found = replayed(tmp_path, [(0, first), (30, second)], latency=1e-3)
    # The other's message is there after 1010 us, and 1 us after its duplicate comes the first thread's.
    assert found.prediction.seconds == pytest.approx(2011e-6)


def test_a_thread_probes_for_a_message_beside_another_that_does(tmp_path: Path) -> None:
    def probing(tag: int) -> bytes:
        fields = varint(0) + varint(0) + varint(2 * tag) + varint(1) + varint(0) + varint(2 * tag)
        probe = payload(NAMES, "MPI_Probe", 11, fields)
        return shape(probe) + call(0, 0, 40 * US)

    first = init() + send_shape(2) + call(1, 30 * US, 1 * US) + send_shape(1) + call(2, 9 * US, 1 * US)
    found = replayed(tmp_path, [(0, first), (25, probing(1)), (26, probing(2))])
    # The first thread's sends leave at 30 us and 39 us after MPI_Init.
    assert found.prediction.seconds == pytest.approx(49e-6)


def test_every_verb_that_replays_warns_of_threads(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], undrawn: None
) -> None:
    blocks = [(START + at * US, 0, records) for at, records in workers()]
    trace = str(merged(tmp_path, blocks, list(range(len(blocks)))))
    on = ["--on", "gbe", "--on", "ib-fdr", "--nodes", "1"]
    prices = ["--price", "gbe=1", "--price", "ib-fdr=2"]
    page = str(tmp_path / "report.html")
    for words in (
        ["predict", trace, *on],
        ["sweep", trace, *on],
        ["advise", trace, *on, *prices],
        ["report", trace, *on, *prices, "-o", page],
    ):
        assert main(words) == 0
        said = " ".join(capfd.readouterr().err.split())
        assert said.count("several threads call MPI at once on 1 of 1 ranks") == 1, words[0]
    assert "several threads call MPI at once on 1 of 1 ranks" in Path(page).read_text()


def test_threads_without_thread_multiple_go_one_after_the_other_unless_they_call_at_once(
    tmp_path: Path,
) -> None:
    found = replayed(tmp_path, workers(THREAD_SERIALIZED))
    assert found.result.threaded_ranks == 0
    first = init(THREAD_SERIALIZED) + send_shape(1) + call(0, 10 * US, 40 * US)
    second = send_shape(2) + call(0, 0, 50 * US)
    found = replayed(tmp_path / "inside", [(0, first), (50, second)])
    assert found.result.threaded_ranks == 1
    first = init(THREAD_SERIALIZED) + recv_shape(1) + call(1, 10 * US, 50 * US)
    second = send_shape(1) + call(0, 0, 40 * US)
    found = replayed(tmp_path / "at-once", [(0, first), (50, second)])
    assert found.result.threaded_ranks == 1
    assert found.prediction.seconds == pytest.approx(40e-6)


PROGRAM = r"""
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>
enum { THREADS = 8, ROUNDS = 40, BYTES = 4096 };
static int rank, size, shared;
static MPI_Comm own[THREADS];
static pthread_barrier_t all_there;
static void *communicate(void *argument)
{
    int me = (int)(long)argument, sum = 0, next = (rank + 1) % size, previous = (rank + size - 1) % size;
    char *out = calloc(1, BYTES), *in = calloc(1, BYTES);
    MPI_Comm comm = shared ? MPI_COMM_WORLD : own[me];
    pthread_barrier_wait(&all_there);
    for (int i = 0; i < ROUNDS; i++) {
        MPI_Sendrecv(out, BYTES, MPI_CHAR, next, me, in, BYTES, MPI_CHAR, previous, me, comm, MPI_STATUS_IGNORE);
        if (!shared) MPI_Allreduce(&i, &sum, 1, MPI_INT, MPI_SUM, comm);
    }
    free(out);
    free(in);
    return NULL;
}
int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    int level;
    shared = argc > 1;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    if (level == MPI_THREAD_MULTIPLE) {
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Comm_size(MPI_COMM_WORLD, &size);
        pthread_barrier_init(&all_there, NULL, THREADS);
        for (int i = 0; i < THREADS; i++) MPI_Comm_dup(MPI_COMM_WORLD, &own[i]);
        for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, communicate, (void *)(long)i);
        for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
        for (int i = 0; i < THREADS; i++) MPI_Comm_free(&own[i]);
    }
    MPI_Finalize();
    return 0;
}
"""
"""Eight threads of a rank: each on a communicator of its own, or all on one with a tag each."""


@pytest.mark.requires("mpi")
@pytest.mark.parametrize("shared", [False, True], ids=["own communicators", "one communicator"])
def test_a_recorded_run_of_eight_threads_is_predicted(tmp_path: Path, shared: bool) -> None:
    mpi = usable_mpis()[0]
    program = compile_c(mpi, PROGRAM, tmp_path / "threads", "-pthread")
    trace = tmp_path / "run.lwt"
    command = [str(program), *(["shared"] if shared else [])]
    record(plan(Workload(name="threads", command=command, ranks=2), mpi=mpi.name), output=trace)
    opened = _engine.Trace(str(trace))
    if next(iter(opened.iterate(0)))["fields"]["code"] < THREAD_MULTIPLE:
        pytest.skip(f"{mpi.name} does not give MPI_THREAD_MULTIPLE")
    found = predict(trace, [catalog.get("gbe")])
    assert any("several threads call MPI at once on 2 of 2 ranks" in warning for warning in found.warnings)
    # On a network with a latency only, each round costs it once or twice and does not depend on the others.
    latency = 10e-3
    network = fabric(way(latency=latency), way(latency=latency))
    seconds = replay_in_detail(opened, network, lay_out(2, 2, None, "block")).prediction.seconds
    rounds = 40 * (1 if shared else 2)
    duplicates = 8 * 2
    assert rounds * latency <= seconds < (rounds + duplicates) * latency + 1, "eight times as long in turn"
