"""Profiles of traces made by hand, against figures worked out by hand."""

import pytest
import synthetic
from synthetic import PROC_NULL, Call, bridge, collective, pcontrol, recv, send, sendrecv
from synthetic_calls import (
    ACCUMULATE,
    FETCH,
    FLUSH,
    GET,
    PUT,
    access,
    neighbourhood,
    partitioned,
    start,
    win_new,
    with_neighbours,
)

from linkworth.profile import build_profile
from linkworth.profile.remarks import remarks
from linkworth.profile.replays import Part, replay
from linkworth.profile.scan import scan
from linkworth.trace.read import Allowance, open_trace


def test_shares_calls_sizes_and_matrix(tmp_path):
    programs = [
        [send(1, 1000).after(3.0).lasting(0.5), collective("MPI_Alltoall", 10).lasting(0.25)],
        [recv(0, 1000).after(1.0).lasting(2.5), collective("MPI_Alltoall", 10).lasting(0.25)],
    ]
    profile = build_profile(synthetic.write_trace(tmp_path / "t.lwt", programs))
    # Computation 3 + 1, communication 0.75 + 2.75, MPI_Init 0.5 + 0.5; the second before MPI_Init counts nowhere.
    assert profile.shares.compute == pytest.approx(4 / 8.5)
    assert profile.shares.communication == pytest.approx(3.5 / 8.5)
    assert profile.shares.init == pytest.approx(1 / 8.5)
    assert profile.elapsed_seconds == pytest.approx(5.25)
    assert [(call.name, call.count, call.bytes) for call in profile.calls[:2]] == [
        ("MPI_Recv", 1, 1000),
        ("MPI_Init", 2, 0),
    ]
    assert profile.messages == 3
    assert [(size.lowest_bytes, size.highest_bytes, size.messages) for size in profile.message_sizes] == [
        (8, 15, 2),
        (512, 1023, 1),
    ]
    assert profile.matrix.bytes == [[0, 1010], [10, 0]]
    assert profile.rank_communication_seconds == pytest.approx([0.75, 2.75])


def test_efficiencies_by_hand(tmp_path):
    # Rank 1 waits for rank 0's 3 s and computes 1 s after it; 5 s where it ran.
    programs = [
        [send(1, 1000).after(3.0).lasting(0.0), collective("MPI_Barrier").lasting(2.0)],
        [recv(0, 1000).lasting(3.5), collective("MPI_Barrier").after(1.0).lasting(0.5)],
    ]
    pop = build_profile(synthetic.write_trace(tmp_path / "t.lwt", programs)).pop
    assert pop.load_balance == pytest.approx(2 / 3)
    assert pop.communication_efficiency == pytest.approx(3 / 5)
    assert pop.serialisation_efficiency == pytest.approx(3 / 4)
    assert pop.transfer_efficiency == pytest.approx(4 / 5)
    assert pop.parallel_efficiency == pytest.approx(2 / 5)


def test_the_marked_part_gives_the_efficiencies(tmp_path):
    programs = [
        [
            pcontrol(1).after(100.0 if rank == 0 else 0.0),
            collective("MPI_Barrier").after(2.0).lasting(0.5),
            pcontrol(0),
        ]
        for rank in range(2)
    ]
    profile = build_profile(synthetic.write_trace(tmp_path / "t.lwt", programs))
    assert profile.marked_seconds == pytest.approx(2.5)
    assert profile.pop.load_balance == pytest.approx(1)
    assert profile.pop.communication_efficiency == pytest.approx(2 / 2.5)


def test_an_oversubscribed_run_is_profiled_as_if_each_rank_had_a_core(tmp_path):
    # Four ranks on one core: each computes 1 s but has the core for a quarter of the time.
    programs = [[collective("MPI_Barrier").after(4.0, cpu=1.0).lasting(3.0)] for _ in range(4)]
    ranks = [
        {"rank": rank, "host": "node", "state": "complete", "cores": 1, "elapsed_seconds": 9.0}
        for rank in range(4)
    ]
    profile = build_profile(synthetic.write_trace(tmp_path / "t.lwt", programs, ranks=ranks))
    assert profile.oversubscribed
    assert profile.descheduled_seconds == pytest.approx(12.0)
    assert profile.elapsed_seconds == pytest.approx(9.0)
    # MPI_Init: 0.5 s with a quarter of a core.
    assert profile.shares.init == pytest.approx(0.125 / 1.125, rel=1e-3)
    assert profile.shares.communication < 0.01
    assert profile.pop.communication_efficiency > 0.99


def test_shares_of_an_oversubscribed_run_are_of_all_of_it_and_not_of_its_marked_part(tmp_path):
    # Rank 1 waits 8 s for rank 0 before the part in which both compute.
    programs = [
        [
            collective("MPI_Barrier").after(8.0 * (1 - rank)),
            pcontrol(1),
            collective("MPI_Barrier").after(2.0),
            pcontrol(0),
        ]
        for rank in range(2)
    ]
    ranks = [
        {"rank": rank, "host": "node", "state": "complete", "cores": 1, "elapsed_seconds": 99.0}
        for rank in range(2)
    ]
    profile = build_profile(synthetic.write_trace(tmp_path / "t.lwt", programs, ranks=ranks))
    assert profile.oversubscribed
    assert profile.run_shares.compute == pytest.approx((8 + 2 + 2) / (2 * 10), rel=1e-3)
    assert profile.pop.parallel_efficiency == pytest.approx(1, rel=1e-3)


def test_sub_communicators_persistent_requests_and_what_has_no_model(tmp_path):
    from synthetic import Call

    split = Call("MPI_Comm_split", "comm_new", comm=0, new_comm=2, members=[2, 0])
    rank0 = [
        split,
        send(0, 64, comm=2),
        Call("MPI_Send_init", "send_init", comm=0, peer=1, tag=0, bytes=32),
        *[
            step
            for _ in range(3)
            for step in (
                Call("MPI_Start", "start", references=[1]),
                Call("MPI_Wait", "complete", mode=0, listed=1, completions=[(1, False, 0, 0)]),
            )
        ],
        Call("MPI_Put", "local"),
        Call("MPI_Comm_rank", "local"),
    ]
    rank1 = [recv(0, 32) for _ in range(3)]
    rank2 = [split, recv(1, 64, comm=2)]
    profile = build_profile(synthetic.write_trace(tmp_path / "t.lwt", [rank0, rank1, rank2]))
    # The two members of the new communicator agree on it by 8 bytes each.
    assert profile.matrix.bytes == [[0, 96, 64 + 8], [0, 0, 0], [8, 0, 0]]
    assert profile.unmodelled == {"MPI_Put": 1}
    assert {call.name: call.bytes for call in profile.calls}["MPI_Start"] == 96


def between_groups(name, size, **fields):
    """Return a call of the groups {0, 1} and {2, 3, 4}: its root is rank 0 of the first."""
    programs = []
    for rank in range(5):
        mine, other = ([0, 1], [2, 3, 4]) if rank < 2 else ([2, 3, 4], [0, 1])
        root = -3 if rank == 0 else PROC_NULL if rank == 1 else 0
        programs.append([bridge(mine, other), synthetic.collective(name, size, root=root, comm=2, **fields)])
    return programs


@pytest.mark.parametrize(
    ("name", "sent"),
    [
        ("MPI_Bcast", {(0, 2): 8, (2, 3): 8, (2, 4): 8}),
        ("MPI_Gather", {(3, 2): 8, (4, 2): 8, (2, 0): 24}),
        ("MPI_Scatter", {(0, 2): 24, (2, 3): 8, (2, 4): 8}),
        ("MPI_Alltoall", dict.fromkeys([(a, b) for a in (0, 1) for b in (2, 3, 4)], 8)
         | dict.fromkeys([(b, a) for a in (0, 1) for b in (2, 3, 4)], 8)),
        ("MPI_Allreduce", {(1, 0): 8, (0, 1): 8, (0, 2): 8, (2, 0): 8, (3, 2): 8, (4, 2): 8, (2, 3): 8, (2, 4): 8}),
    ],
)  # fmt: skip
def test_collectives_between_groups_have_their_traffic(tmp_path, name, sent):
    profile = build_profile(synthetic.write_trace(tmp_path / "t.lwt", between_groups(name, 8)))
    assert profile.unmodelled == {}
    found = {(a, b): size for a, row in enumerate(profile.matrix.bytes) for b, size in enumerate(row) if size}
    assert found == sent


@pytest.mark.parametrize("ranks", [5, 8])
@pytest.mark.parametrize("size", [8, 100_000])
def test_the_traffic_is_what_the_replay_sends(tmp_path, ranks, size):
    rooted = ("MPI_Bcast", "MPI_Reduce", "MPI_Gather", "MPI_Scatter")
    others = ("MPI_Barrier", "MPI_Allreduce", "MPI_Allgather", "MPI_Alltoall", "MPI_Scan")
    duplicate = Call("MPI_Comm_dup", "comm_new", comm=0, new_comm=2, members=list(range(ranks)))
    calls = [
        duplicate,
        *(collective(name, size, root=ranks - 2, comm=2) for name in rooted),
        *(collective(name, 0 if name == "MPI_Barrier" else size) for name in others),
    ]
    path = synthetic.write_trace(tmp_path / "t.lwt", [calls] * ranks)
    found = scan(open_trace(path), nodes=range(ranks))
    sent = replay(Part(open_trace(path), open_trace(path).engine), "ideal", nodes=ranks).prediction
    assert found.message_bytes == found.between_nodes_bytes == sent.internode_bytes
    assert found.messages == sent.messages
    assert not any(row[rank] for rank, row in enumerate(found.matrix.bytes))


def test_calls_that_are_not_modelled_are_named_and_leave_no_group_where_they_take_most(tmp_path):
    # The tracer records a message of a spawned process, and the wait for it, by name and time.
    calls = [Call(name, "local") for name in ("MPI_Isend", "MPI_Wait", "MPI_Iprobe", "MPI_Win_attach")]
    profile = build_profile(synthetic.write_trace(tmp_path / "t.lwt", [calls]))
    assert profile.unmodelled == {"MPI_Isend": 1, "MPI_Wait": 1}
    assert profile.group == "none"
    calls = [Call("MPI_Send", "local").lasting(1.0), collective("MPI_Barrier").after(1.0)]
    profile = build_profile(synthetic.write_trace(tmp_path / "t.lwt", [calls, calls]))
    assert (profile.group, profile.gain) == (None, None)
    assert profile.group_reason == "50 % of the ranks' time is in calls that are not modelled: MPI_Send"


def test_many_ranks_share_rows_of_the_matrix(tmp_path):
    programs = [[sendrecv((rank + 1) % 300, 1, (rank - 1) % 300)] for rank in range(300)]
    profile = build_profile(synthetic.write_trace(tmp_path / "t.lwt", programs))
    assert profile.matrix.ranks_per_row == 2
    assert len(profile.matrix.bytes) == 150
    assert sum(map(sum, profile.matrix.bytes)) == profile.message_bytes == 300
    assert profile.matrix.bytes[0][:2] == [1, 1]


def test_a_cut_trace_still_has_a_profile(tmp_path):
    programs = [[collective("MPI_Barrier").after(1e-3) for _ in range(10)] for _ in range(2)]
    path = synthetic.write_trace(tmp_path / "t.lwt", programs)
    path.write_bytes(path.read_bytes()[:-80])
    allowed = Allowance()
    profile = build_profile(open_trace(path, allowed), replay_incomplete=False)
    assert profile.damage[0] == allowed.lacks[0]
    assert (profile.group, profile.pop.transfer_efficiency) == (None, None)
    assert build_profile(open_trace(path, allowed)).group is not None
    assert profile.ranks == 2


def test_one_sided_and_partitioned_data_is_traffic_in_its_direction(tmp_path):
    programs = [
        [
            win_new(),
            access(PUT, 1, 100),
            access(GET, 1, back=30),
            access(ACCUMULATE, 1, 7),
            access(FETCH, 1, 1, 2, request=True),
            Call("MPI_Win_flush", "win_sync", sync=FLUSH, window=0, peer=1),
            partitioned("psend_init", 1, 1000, 3),
            start(1),
            with_neighbours([1], [1, PROC_NULL], 2),
            neighbourhood("MPI_Neighbor_allgather", 5),
        ],
        [
            win_new(),
            partitioned("precv_init", 0, 1000, 3),
            start(1),
            with_neighbours([0], [0], 2),
            neighbourhood("MPI_Neighbor_alltoallv", 40, send_counts=[40], recv_counts=[5]),
        ],
    ]
    profile = build_profile(synthetic.write_trace(tmp_path / "t.lwt", programs))
    # The window and the communicator take a message of 8 bytes each way.
    assert profile.matrix.bytes == [[0, 100 + 7 + 1 + 3000 + 5 + 16], [30 + 2 + 40 + 16, 0]]
    assert profile.messages == 2 + 1 + 2 + 3 + 2 + 4
    sentence = (
        "messages that synchronise one-sided communication (MPI_Win_flush) are in no figure of messages"
    )
    assert sentence in remarks(profile)
    assert profile.unmodelled == {}
    assert {call.name: call.bytes for call in profile.calls}["MPI_Start"] == 6000
