"""Partitioned messages: times worked out by hand from the rules in docs/reference/replay.md."""

from collections.abc import Callable

import pytest
from synthetic import Call, fabric, pcontrol, recv, send, waitall, way
from synthetic_calls import parrived, partitioned, pready, start

from linkworth.errors import UsageError
from linkworth.model.prediction import Prediction
from linkworth.model.settings import ReplaySettings

US = 1e-6
Predict = Callable[..., Prediction]
ON = fabric(way(latency=10 * US, bandwidth=1e9, overhead=2 * US, eager=4096))
MPICH = ReplaySettings(mpi_library="mpich")
OPENMPI = ReplaySettings(mpi_library="openmpi-5.0")

# Four partitions of 1000 bytes, ready every 10 us.
SENDER = [
    partitioned("psend_init", 1, 1000, 4),
    start(1),
    *(pready(partition).after(10 * US) for partition in range(4)),
    waitall(1),
]
RECEIVER = [partitioned("precv_init", 0, 1000, 4), start(1), waitall(1)]


def test_mpich_sends_all_partitions_once_they_are_ready_and_cleared(predict: Predict) -> None:
    # Cleared long before: 40 + o_s + L + 4 us + o_r
    got = predict([SENDER, RECEIVER], ON, settings=MPICH)
    assert got.seconds == pytest.approx(58 * US)
    assert got.internode_bytes == 4000
    # Start at 100, o_s + L + o_r to the sender; L + 4 us + o_r
    late = [partitioned("precv_init", 0, 1000, 4), start(1).after(100 * US), waitall(1)]
    assert predict([SENDER, late], ON, settings=MPICH).seconds == pytest.approx(130 * US)
    # The sender waits until its data has left: 114 + 4.
    waits = [*SENDER, pcontrol(0).after(50 * US)]
    assert predict([waits, late], ON, settings=MPICH).seconds == pytest.approx(168 * US)


def test_openmpi_sends_each_partition_by_itself_before_its_receiver_comes(predict: Predict) -> None:
    # Ready at 12, 24, 36, 48 with o_s each; the last one: L + 1 us + o_r
    got = predict([SENDER, RECEIVER], ON, settings=OPENMPI)
    assert got.seconds == pytest.approx(61 * US)
    assert got.internode_bytes == 4000
    # All are there at 59; then o_r for each.
    late = [partitioned("precv_init", 0, 1000, 4), start(1).after(100 * US), waitall(1)]
    assert predict([SENDER, late], ON, settings=OPENMPI).seconds == pytest.approx(108 * US)
    copied = fabric(
        way(latency=10 * US, bandwidth=1e9, overhead=2 * US, eager=4096), unexpected_copy_bytes_per_second=1e9
    )
    assert predict([SENDER, late], copied, settings=OPENMPI).seconds == pytest.approx(112 * US)


def test_long_partitions_of_openmpi_take_the_rendezvous(predict: Predict) -> None:
    # The same as a message of 8000 bytes: 3 x 10 + 5 x 2 + 8
    sender = [partitioned("psend_init", 1, 8000, 1), start(1), pready(0), waitall(1)]
    receiver = [partitioned("precv_init", 0, 8000, 1), start(1), waitall(1)]
    assert predict([sender, receiver], ON, settings=OPENMPI).seconds == pytest.approx(48 * US)
    late = [partitioned("precv_init", 0, 8000, 1), start(1).after(100 * US), waitall(1)]
    # Answered at 100: [o_r + o_s] + L + o_r + L + 8 us + o_r
    assert predict([sender, late], ON, settings=OPENMPI).seconds == pytest.approx(136 * US)


def test_polls_for_a_partition_are_waiting(predict: Predict) -> None:
    polls = [parrived(0, arrived=False).after(1 * US) for _ in range(1000)]
    receiver = [*RECEIVER[:2], *polls, *(parrived(each, arrived=True).after(1 * US) for each in range(4))]
    computed = predict([SENDER, receiver], ON, settings=OPENMPI).compute_seconds
    assert computed == pytest.approx(40 * US)  # of the sender


def test_partitions_that_arrived_are_waited_for_alone_in_any_count(predict: Predict) -> None:
    polls = [
        partitioned("precv_init", 0, 1000, 4),
        start(1),
        parrived(0, arrived=False),
        parrived(0, arrived=True),
        pcontrol(0).after(1 * US),
    ]
    sender = [pcontrol(1), *SENDER[:3], pcontrol(0)]
    # The first partition leaves at 12 and is there at 23.
    got = predict([sender, [pcontrol(1), *polls]], ON, settings=OPENMPI)
    assert got.seconds == pytest.approx(24 * US)
    # The first of its two is the sender's first two, the second of which leaves at 24.
    receiver = [
        pcontrol(1),
        partitioned("precv_init", 0, 2000, 2),
        start(1),
        parrived(0, arrived=True),
        pcontrol(0),
        waitall(1),
    ]
    got = predict([SENDER, receiver], ON, settings=OPENMPI)
    assert got.seconds == pytest.approx(35 * US)


def test_rounds_follow_each_other(predict: Predict) -> None:
    sender: list[Call] = [partitioned("psend_init", 1, 1000, 2)]
    receiver: list[Call] = [partitioned("precv_init", 0, 1000, 2)]
    for _ in range(3):
        sender += [start(1), pready(0, 1), waitall(1), recv(1, 0)]
        receiver += [start(1), waitall(1), send(0, 0)]
    on = fabric(way(latency=10 * US, bandwidth=1e9))
    # Open MPI: 2 us of data + L there, L back. MPICH: the same, as the way is clear before the answer is there...
    assert predict([sender, receiver], on, settings=OPENMPI).seconds == pytest.approx(3 * 22 * US)
    # ... but in the first round, where clearing it takes L, and in those whose start comes after the answer left.
    assert predict([sender, receiver], on, settings=MPICH).seconds == pytest.approx(3 * 22 * US + 10 * US)


@pytest.mark.parametrize("settings", [MPICH, OPENMPI])
def test_a_send_may_be_made_after_its_receive_waits(predict: Predict, settings: ReplaySettings) -> None:
    late = [partitioned("psend_init", 1, 1000, 1).after(100 * US), *SENDER[1:2], pready(0), waitall(1)]
    receiver = [partitioned("precv_init", 0, 1000, 1), start(1), waitall(1)]
    assert predict([late, receiver], ON, settings=settings).seconds == pytest.approx(115 * US)


@pytest.mark.parametrize("settings", [MPICH, OPENMPI])
def test_pairs_are_made_in_order_by_tag(predict: Predict, settings: ReplaySettings) -> None:
    sender = [
        partitioned("psend_init", 1, 100, 1, tag=5),
        partitioned("psend_init", 1, 3000, 1, tag=6),
        start(2, 1),
        pready(0, reference=1),
        pready(0, reference=2).after(200 * US),
        waitall(2, 1),
    ]
    receiver = [
        partitioned("precv_init", 0, 3000, 1, tag=6),
        partitioned("precv_init", 0, 100, 1, tag=5),
        start(2, 1),
        pcontrol(1),
        waitall(2),
        pcontrol(0),
        waitall(1),
    ]
    got = predict([sender, receiver], fabric(way(latency=10 * US, bandwidth=1e9)), settings=settings)
    cleared = 10 * US if settings is MPICH else 0
    assert got.seconds == pytest.approx(13 * US + cleared)


@pytest.mark.parametrize("settings", [MPICH, OPENMPI])
def test_nothing_goes_to_no_process(predict: Predict, settings: ReplaySettings) -> None:
    calls = [partitioned("psend_init", -2, 1000, 4), start(1), pready(0, 3), waitall(1)]
    assert predict([calls], ON, settings=settings).seconds == 0


@pytest.mark.parametrize("settings", [MPICH, OPENMPI])
def test_a_message_without_partitions_is_empty(predict: Predict, settings: ReplaySettings) -> None:
    sender = [partitioned("psend_init", 1, 1000, 0), start(1), waitall(1)]
    receiver = [partitioned("precv_init", 0, 1000, 0), start(1), waitall(1)]
    got = predict([sender, receiver], ON, settings=settings)
    assert got.internode_bytes == 0
    assert got.seconds > 0


def test_impossible_partitions_and_those_never_ready_are_refused(predict: Predict) -> None:
    with pytest.raises(UsageError, match="a partition that its message does not have"):
        predict([[partitioned("psend_init", 0, 8, 4), start(1), pready(2, 4)]], ON)
    ranks = [[*SENDER[:4], waitall(1)], RECEIVER]
    with pytest.raises(UsageError, match="rank 1 stops in MPI_Waitall"):
        predict(ranks, ON, settings=OPENMPI)
