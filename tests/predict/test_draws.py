"""The pattern of a trace, from which the model's error follows."""

import pytest
from synthetic import Call, collective, isend, send, waitall, write_trace
from synthetic_calls import neighbourhood, start, with_neighbours

from linkworth.predict.draws import pattern_of
from linkworth.trace.read import open_trace

SPLIT = Call("MPI_Comm_split", "comm_new", comm=0, new_comm=2, members=[0, 1])


def at_once(call, name, kind):
    return Call(name, kind, **call.fields)


@pytest.mark.parametrize(
    ("calls", "pattern", "longest"),
    [
        ([collective("MPI_Alltoall", 100), send(1, 300)], "all-to-all", 100),
        # 100 bytes for each of two ranks.
        ([SPLIT, collective("MPI_Alltoall", 100, comm=2), send(1, 300)], "exchanges", 100),
        (
            [
                at_once(
                    collective("MPI_Alltoallv", 60, send_counts=[10, 20, 30, 0]),
                    "MPI_Ialltoallv",
                    "icollective",
                )
            ],
            "all-to-all",
            30,
        ),
        ([isend(1, 90), waitall(1), *[collective("MPI_Allreduce", 10)] * 10], "collectives", 0),
        (
            [
                at_once(send(1, 90), "MPI_Send_init", "send_init"),
                *[start(1), collective("MPI_Allreduce", 80)] * 3,
            ],
            "exchanges",
            0,
        ),
        (
            [
                with_neighbours([0, 2], [0, 2], 4),
                neighbourhood("MPI_Neighbor_alltoall", 50),
                collective("MPI_Allreduce", 90),
            ],
            "exchanges",
            0,
        ),
        (
            [
                Call("MPI_Get", "rma", operation=1, window=0, peer=1, bytes=0, recv_bytes=90),
                collective("MPI_Allreduce", 80),
            ],
            "exchanges",
            0,
        ),
    ],
    ids=[
        "world",
        "part of the world",
        "non-blocking",
        "collectives",
        "persistent",
        "neighbours",
        "one-sided",
    ],
)
def test_the_pattern_is_that_of_most_bytes(tmp_path, calls, pattern, longest):
    trace = open_trace(write_trace(tmp_path / "four.lwt", [calls] * 4))
    assert pattern_of(trace) == (pattern, longest)
