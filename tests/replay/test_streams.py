"""Order of data, requests to send and answers on a TCP connection. Times are worked out by hand."""

from collections.abc import Callable, Sequence

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from synthetic import Call, fabric, irecv, isend, recv, send, waitall, way, write_trace

from linkworth import _engine
from linkworth.catalog import fabrics
from linkworth.catalog.derived import wire_bytes
from linkworth.model.fabric import Fabric, Tcp
from linkworth.model.prediction import Layout, Prediction
from linkworth.model.settings import ReplaySettings
from linkworth.replay.run import replay

US = 1e-6
MS = 1e-3
MB = 1_000_000
OVERHEAD = 1 * US
"""Small overhead that keeps any two moments apart."""
STREAM = fabric(
    way(latency=10 * US, bandwidth=1e9, overhead=OVERHEAD, eager=0),
    tcp=Tcp(one_stream_below_bytes=1 << 40),
    progress="calls",
)
PASSING = msgspec.structs.replace(STREAM, tcp=Tcp())

Predict = Callable[..., Prediction]


def exchange(partner: int, size: int = MB) -> list[Call]:
    return [irecv(partner, size), isend(partner, size), waitall(1, 2)]


def late_in_computation() -> Sequence[Sequence[Call]]:
    first, second = exchange(1), exchange(0)
    second[0].after(1 * MS)
    return [first, second]


def late_inside_mpi(size: int = MB) -> Sequence[Sequence[Call]]:
    """The second waits for word from the first, which has asked to send before."""
    receive, request, wait = exchange(1, size)
    return [
        [receive, request, send(1, 0, tag=7).after(1 * MS), wait],
        [recv(0, 0, tag=7), *exchange(0, size)],
    ]


def test_both_directions_are_full_after_a_computation(predict: Predict) -> None:
    # The second asks (1 us) before it answers (2 us) what came while it computed: its answer leaves at 1.003 ms, is there 10 us
    # later and taken in 1 us; the data needs 1 ms and 10 us, and 1 us to complete. The other direction is 8 us behind: asked at
    # 1.001, there at 1.011, answered at 1.013, back at 1.023, taken at 1.024.
    seconds = predict(late_in_computation(), STREAM).seconds
    assert seconds == pytest.approx(1 * MS + 24 * US + 1 * MS + 10 * US + 2 * OVERHEAD, abs=3 * US)


def test_directions_take_turns_after_a_wait_inside_mpi(predict: Predict) -> None:
    # Word is sent at 1.002 ms and taken at 1.013; the receive answers the request that is there at once. So the first's data
    # begins some 12 us later, and its own answer leaves when that is out, 1 ms later.
    turns = predict(late_inside_mpi(), STREAM).seconds
    assert turns == pytest.approx(1 * MS + 50 * US + 2 * MS, abs=10 * US)
    # If the answer may pass the data, it waits for one chunk of 66 us at most.
    assert predict(late_inside_mpi(), PASSING).seconds == pytest.approx(2 * MS + 80 * US, abs=35 * US)


@pytest.mark.parametrize("eager", [0, MB])
def test_a_message_to_itself_is_no_wait_inside_mpi(predict: Predict, eager: int) -> None:
    # The copy takes 1 ms, and the first's request comes meanwhile. The second notices it only after its own request. If the
    # copy were a wait, the second would answer first, and the directions would take turns: 3 ms.
    on = msgspec.structs.replace(STREAM, intranode=way(bandwidth=1e9, eager=eager))
    first, second = exchange(1), exchange(0)
    itself = [irecv(1, MB, tag=9), isend(1, MB, tag=9), waitall(1, 2)]
    seconds = predict([first, [*itself, *second]], on).seconds
    assert seconds == pytest.approx(2 * MS + 40 * US, abs=40 * US)


@pytest.mark.parametrize(
    ("settings", "size", "turns"),
    [
        (ReplaySettings(mpi_library="openmpi-4.1"), 196_000, True),
        (ReplaySettings(mpi_library="openmpi-4.1"), 200_000, False),
        (ReplaySettings(mpi_library="openmpi-4.1", mpi_settings={"btl_tcp_flags": "send"}), 196_000, False),
        (ReplaySettings(mpi_library="mpich"), 196_000, False),
    ],
)
def test_the_library_and_its_settings_decide_who_takes_turns(
    predict: Predict, settings: ReplaySettings, size: int, turns: bool
) -> None:
    gbe = fabrics.get("gbe")
    seconds = predict(late_inside_mpi(size), gbe, settings=settings).seconds - 1 * MS
    one_way = wire_bytes(gbe.link, size) / gbe.link.bandwidth_bytes_per_second
    assert seconds / one_way == pytest.approx(2.1 if turns else 1.3, abs=0.25)


def test_what_is_asked_asynchronously_comes_behind_the_data_too(predict: Predict) -> None:
    # A thread answers the first at once; the second asks in the middle of its data, and is answered behind it.
    settings = ReplaySettings(progress="asynchronous")
    first, second = exchange(1), exchange(0)
    second[1].after(0.5 * MS)
    seconds = predict([first, second], STREAM, settings=settings).seconds
    assert seconds == pytest.approx(2 * MS, abs=60 * US)
    assert predict([first, second], PASSING, settings=settings).seconds == pytest.approx(
        1.5 * MS, abs=120 * US
    )


def test_a_request_comes_behind_data_of_its_connection(predict: Predict) -> None:
    # The second request is made while the first message's data is on its way, and comes behind it; the receiver answers, and
    # only then the second message's data leaves.
    ranks = [
        [isend(1, MB), waitall(1), isend(1, MB, tag=1), waitall(1)],
        [irecv(0, MB), irecv(0, MB, tag=1), waitall(1, 2)],
    ]
    both = [predict(ranks, on).seconds for on in (STREAM, PASSING)]
    # The sender waits for its first data to leave, so nothing of it is before the second request.
    assert both[0] == pytest.approx(both[1])
    ranks[0] = [isend(1, MB), isend(1, MB, tag=1).after(0.5 * MS), waitall(1, 2)]
    asynchronous = ReplaySettings(progress="asynchronous")
    in_order, passing = (predict(ranks, on, settings=asynchronous).seconds for on in (STREAM, PASSING))
    assert in_order - passing == pytest.approx(2 * (10 + 2) * US, abs=80 * US)
    assert in_order > passing


WHOLE = 2 * MB
"""So long that no message of these tests is striped."""


@pytest.mark.parametrize(
    ("several", "takes", "behind"),
    [
        # All of a connection goes over one rail: of rank 1 to rank 0, the second of two.
        ({"aggregation": "connection"}, 1 * MS, True),
        # Each message goes over the rail that is free first, and so does a request.
        ({"aggregation": "message"}, 1 * MS, False),
        # Two rails on with each message is always the same one of two; one on, the request takes the other one.
        ({"stripe_min_bytes": WHOLE, "stripe_step": 2}, 1 * MS, True),
        ({"stripe_min_bytes": WHOLE, "stripe_step": 1}, 1 * MS, False),
        # Without such turns a short message goes behind what its connection has on any rail.
        ({"stripe_min_bytes": WHOLE}, 1 * MS, True),
        # Every rail has data at each turn.
        ({"stripe_step": 1}, 0.5 * MS, True),
        ({"stripe_step": 2}, 0.5 * MS, True),
        ({"aggregation": "packet"}, 0.5 * MS, True),
    ],
)
def test_a_request_is_behind_the_data_of_its_own_rail(
    predict: Predict, several: dict[str, object], takes: float, behind: bool
) -> None:
    # The second request is made in the middle of the first message's data, which begins after 24 us. When it is there (10 us and
    # 1 us later, or behind the data), the receiver begins to compute.
    request = Call("MPI_Probe", "probe", comm=0, peer=1, tag=1, found=True, actual_peer=1, actual_tag=1)
    computation = Call("MPI_Wtime", "local").after(5 * MS)
    ranks = [
        [irecv(1, MB), request, computation, recv(1, MB, tag=1), waitall(1)],
        [isend(0, MB), isend(0, MB, tag=1).after(takes / 2), waitall(1, 2)],
    ]
    asynchronous = ReplaySettings(progress="asynchronous")
    on = msgspec.structs.replace(STREAM, rails=2, **several)
    there = (24 * US + takes if behind else takes / 2) + 12 * US
    # Then it is answered, and the second message's data has the rails for itself.
    seconds = predict(ranks, on, settings=asynchronous).seconds
    assert seconds == pytest.approx(there + 5 * MS + 24 * US + takes, abs=40 * US)


def buffered(held: int, **changes: object) -> Fabric:
    return msgspec.structs.replace(
        STREAM, tcp=Tcp(one_stream_below_bytes=1 << 40, send_buffer_bytes=held), **changes
    )


def goes_on_after(predict: Predict, on: Fabric, *sizes: int, contention: bool = True) -> float:
    """Say how long the sender waits for its messages; then its word starts 5 ms of computation on another rank."""
    ranks = [
        [*(isend(1, size, tag=tag) for tag, size in enumerate(sizes)), waitall(*range(1, len(sizes) + 1)), send(2, 8)],
        [*(irecv(0, size, tag=tag) for tag, size in enumerate(sizes)), waitall(*range(1, len(sizes) + 1))],
        [recv(0, 8), Call("MPI_Wtime", "local").after(5 * MS)],
    ]  # fmt: skip
    settings = ReplaySettings(contention=contention)
    return predict(ranks, on, nodes=[0, 1, 0], settings=settings).seconds - 5 * MS


@pytest.mark.parametrize("contention", [True, False])
@pytest.mark.parametrize(
    ("held", "size", "done"),
    [
        (0, MB, 1000 * US),
        (30_000, MB, 970 * US),
        # 9.6 of 16 chunks of 62,500 bytes have left: inside the tenth.
        (400_000, MB, 600 * US),
        (MB - 1, MB, 0),
        (MB, MB, 0),
        # One chunk.
        (0, 50_000, 50 * US),
        (20_000, 50_000, 30 * US),
    ],
)
def test_a_sender_goes_on_once_the_kernel_has_its_message(
    predict: Predict, held: int, size: int, done: float, contention: bool
) -> None:
    # Request, answer: 20 us and overheads. Then a byte leaves each nanosecond, until the kernel holds the rest.
    seconds = goes_on_after(predict, buffered(held), size, contention=contention)
    assert seconds == pytest.approx(done + 25 * US, abs=5 * US)


def test_the_kernel_takes_so_much_a_rail_and_one_message_after_the_other(predict: Predict) -> None:
    # Two rails carry 500 kB each and hold 100 kB each: 400 us, to within half of a chunk of 62,500 bytes.
    assert goes_on_after(predict, buffered(100_000, rails=2), MB) == pytest.approx(425 * US, abs=32 * US)
    assert goes_on_after(predict, buffered(500_000, rails=2), MB) == pytest.approx(25 * US, abs=5 * US)
    # Both are answered before any data leaves. The second is the kernel's when the first has left, after 1 ms.
    assert goes_on_after(predict, buffered(MB), MB, MB) == pytest.approx(1 * MS + 28 * US, abs=6 * US)
    assert goes_on_after(predict, buffered(0), MB, MB) == pytest.approx(2 * MS + 28 * US, abs=6 * US)


def test_other_connections_do_not_wait(predict: Predict) -> None:
    # Rank 2 sends to rank 0 on the other node what is not behind rank 0's data.
    ranks = [
        [isend(1, 10 * MB), irecv(2, 1000), waitall(1), waitall(1)],
        [irecv(0, 10 * MB), waitall(1)],
        [isend(0, 1000).after(1 * MS), waitall(1)],
    ]
    seconds = predict(ranks, STREAM, nodes=[0, 1, 1]).seconds
    assert seconds == pytest.approx(10 * MS + 40 * US, abs=20 * US)


def test_a_program_alone_on_the_network_needs_the_order_of_calls_too(predict: Predict) -> None:
    alone = ReplaySettings(contention=False)
    late = [[isend(1, MB), waitall(1)], [irecv(0, MB), waitall(1).after(5 * MS)]]
    assert predict(late, STREAM, settings=alone).seconds == pytest.approx(6 * MS, abs=50 * US)
    hidden = ReplaySettings(contention=False, progress="asynchronous")
    assert predict(late, STREAM, settings=hidden).seconds == pytest.approx(5 * MS, abs=50 * US)


@given(
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3), st.sampled_from([0, 10, 2000, MB])), max_size=12)
)
def test_every_exchange_ends(
    tmp_path_factory: pytest.TempPathFactory, moves: list[tuple[int, int, int]]
) -> None:
    """No answer is lost, whoever computes, waits or polls when it comes."""
    ranks: list[list[Call]] = [[], [], []]
    for number, (rank, kind, size) in enumerate(moves):
        other = (rank + 1) % 3
        gap = kind * 100 * US
        ranks[rank].append(isend(other, size, tag=number).after(gap))
        ranks[other].append(irecv(rank, size, tag=number))
        if kind == 1:
            ranks[rank].append(Call("MPI_Test", "complete", mode=0, listed=1, completions=[]))
    for calls in ranks:
        requests = sum(call.call_class in ("isend", "irecv") for call in calls)
        calls.append(waitall(*range(1, requests + 1)))
    trace = _engine.Trace(str(write_trace(tmp_path_factory.mktemp("streams") / "t.lwt", ranks)))
    layout = Layout(nodes=2, node_of_rank=[0, 1, 0])
    in_order = replay(trace, STREAM, layout).seconds
    assert in_order >= sum(kind * 100 * US for rank, kind, _ in moves if rank == 0) - 1e-12
    assert in_order == replay(trace, STREAM, layout).seconds
