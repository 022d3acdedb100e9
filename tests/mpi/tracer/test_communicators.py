"""Communicators as they stand in the parts of `programs/communicators.c`."""

import pytest


def _constructions(part):
    return {event.name: event.fields for event in part.events if event.kind in ("comm_new", "icomm_new")}


def test_every_constructor_says_its_members(bench, yielding):
    run = bench.record(bench.compile("communicators.c"), yielding=yielding)
    assert (run.returncode, run.stdout) == (0, "all right\n"), run.stderr
    world = [0, 1, 2, 3]
    for part in run.parts:
        rank = part.rank
        made = _constructions(part)
        splits = [event.fields for event in part.named("MPI_Comm_split")]
        assert splits[0]["members"] == ([2, 0] if rank % 2 == 0 else [3, 1])
        assert splits[1]["members"] == ([0] if rank == 0 else [])
        assert (splits[1]["new"] == -1) == (rank != 0)
        assert splits[2]["members"] == ([0, 1] if rank < 2 else [2, 3])
        for name in ("MPI_Comm_split_type", "MPI_Comm_dup", "MPI_Comm_dup_with_info", "MPI_Comm_idup"):
            assert made[name]["members"] == world
        assert made["MPI_Comm_dup_with_info"]["parent"] == made["MPI_Comm_dup"]["new"]
        assert made["MPI_Comm_idup"]["parent"] == made["MPI_Comm_dup_with_info"]["new"]
        assert made["MPI_Comm_create"]["members"] == ([3, 1] if rank % 2 else [])
        assert ("MPI_Comm_create_group" in made) == (rank % 2 == 1)
        assert made["MPI_Cart_sub"]["members"] == ([0, 1] if rank < 2 else [2, 3])
        for name in ("Cart_create", "Graph_create", "Dist_graph_create", "Dist_graph_create_adjacent"):
            assert made[f"MPI_{name}"]["members"] == world
        _check_inter(part, made)
        _check_numbers(part)


def _check_inter(part, made):
    mine, others = ([0, 1], [2, 3]) if part.rank < 2 else ([2, 3], [0, 1])
    bridge = made["MPI_Intercomm_create"]
    assert (bridge["inter"], bridge["members"], bridge["remote"]) == (1, mine, others)
    # MPI_Intercomm_merge puts the group that said high last.
    assert made["MPI_Intercomm_merge"]["members"] == [2, 3, 0, 1]
    assert made["MPI_Intercomm_merge"]["parent"] == bridge["new"]
    (cast,) = part.named("MPI_Bcast")
    assert cast.fields["comm"] == bridge["new"]
    assert cast.fields["root"] == (1 if part.rank > 1 else -3 if part.rank == 1 else -2)
    assert cast.fields["sent"] == (0 if part.rank == 0 else 4)


def _check_numbers(part):
    """Numbers count up from 2 and never come back; only live communicators are used; all are freed."""
    expected, live = 2, {0, 1}
    for event in part.events:
        if event.kind in ("comm_new", "icomm_new"):
            assert event.fields["parent"] in live
            if event.fields["new"] >= 0:
                assert event.fields["new"] == expected
                live.add(expected)
                expected += 1
        elif event.kind == "comm_free":
            live.remove(event.fields["comm"])
        elif "comm" in event.fields:
            assert event.fields["comm"] in live
    assert live == {0, 1}
    assert [event.kind for event in part.named("MPI_Neighbor_allgather")] == ["collective"]


def test_a_communicator_that_a_callback_frees_is_not_taken_for_a_later_one(bench):
    run = bench.record(bench.compile("freed_by_callback.c"), ranks=2)
    assert (run.returncode, run.stdout) == (0, "all right\n"), run.stderr
    for part in run.parts:
        alone, both = (
            event.fields["new"]
            for event in part.events
            if event.kind == "comm_new" and event.fields["new"] > 3
        )
        sums = part.named("MPI_Allreduce")
        assert [event.fields["comm"] for event in sums] == [alone, both, alone, both]
        _, window = (event.fields["new"] for event in part.named("MPI_Win_create"))
        (fence, *_) = part.named("MPI_Win_fence")
        assert fence.fields["window"] == window


def test_a_communicator_that_a_callback_makes_is_known(bench, yielding):
    run = bench.record(bench.compile("made_by_callback.c"), ranks=2, yielding=yielding)
    assert (run.returncode, run.stdout) == (0, "all right\n"), run.stderr
    for part in run.parts:
        made = [event for event in part.events if event.kind in ("comm_new", "icomm_new")]
        assert [(event.name, event.fields["parent"], event.fields["new"]) for event in made] == [
            ("MPI_Comm_dup", 0, 2),
            ("MPI_Comm_dup", 0, 3),
            ("MPI_Comm_dup", 2, 4),  # by the callback
            ("MPI_Comm_dup", 3, 5),
            ("MPI_Comm_dup", 2, 6),  # by the callback
            ("MPI_Comm_idup", 3, 7),
        ]
        sums = part.named("MPI_Allreduce")
        assert [(event.kind, event.fields["comm"]) for event in sums] == [
            ("collective", 4),
            ("collective", 6),
        ]


def test_collectives_with_spawned_ranks_match(bench):
    if bench.mpi.name.startswith("mpich-4.0"):
        pytest.skip("Debian's MPICH cannot spawn")
    run = bench.record(bench.compile("spawned.c"), ranks=2)
    assert (run.returncode, run.stdout) == (0, "all right\n"), run.stderr
