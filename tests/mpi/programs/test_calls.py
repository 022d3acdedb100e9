"""The programs make the MPI calls of the official ones. tests/skeleton/test_real_runs.py compares real runs with skeletons."""

import json
from collections import Counter
from itertools import product
from pathlib import Path

import numpy
import pytest

from linkworth import _engine

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
OFFICIAL = json.loads((ROOT / "tests/fixtures/npb-mpi-calls-A4.json").read_text())
PROGRAMS = ["is", "ep", "cg", "mg", "ft", "bt", "sp", "lu"]
QUIET = {"MPI_Init", "MPI_Finalize", "MPI_Comm_rank", "MPI_Comm_size", "MPI_Wtime"}


def bytes_of(event):
    """Return the number counted for a call of the official programs: bytes, requests of a Waitall, level of a mark."""
    fields = event["fields"]
    if event["name"] == "MPI_Waitall":
        return fields["listed"]
    return fields["code"] if event["name"] == "MPI_Pcontrol" else fields.get("bytes", 0)


@pytest.fixture(scope="module")
def skeleton(tmp_path_factory):
    """The trace of a skeleton; the latest one only."""
    path = tmp_path_factory.mktemp("record") / "skeleton.lwt"

    def made(program, letter, ranks):
        phases = _engine.skeleton_programs()[program]
        _engine.record_skeleton(program, [letter], ranks, [0.0] * len(phases), str(path), "{}")
        return _engine.Trace(str(path))

    return made


@pytest.fixture(scope="module")
def record(skeleton):
    """Calls of some ranks of a skeleton: rank -> [(function, peer, bytes)]; the peer of an all-to-all is its member count."""

    def calls(program, letter, ranks, of=None):
        trace = skeleton(program, letter, ranks)
        return {rank: list(rank_calls(trace, rank)) for rank in of or range(ranks)}

    def rank_calls(trace, rank):
        members = {0: trace.ranks}
        for event in trace.iterate(rank):
            fields = event["fields"]
            if event["call_class"] == "comm_new":
                members[fields["new_comm"]] = len(fields["members"])
            if event["name"] in QUIET:
                continue
            alltoall = event["name"] in ("MPI_Alltoall", "MPI_Alltoallv")
            peer = members[fields["comm"]] if alltoall else fields.get("peer", -1)
            yield event["name"], peer, bytes_of(event)

    return calls


def counted(calls):
    """In the form of the fixture."""
    return [[function, size, n] for (function, size), n in Counter((f, b) for f, _, b in calls).items()]


def without_marks(calls):
    return [call for call in calls if call[0] != "MPI_Pcontrol"]


@pytest.mark.parametrize("program", PROGRAMS)
def test_recorded_calls_are_the_official_ones(record, program):
    calls = record(program, "A", 4)
    assert [without_marks(counted(calls[rank])) for rank in range(4)] == OFFICIAL[program]


def bytes_by_peer(trace, rank, *functions):
    """Return peer -> bytes of the rank's calls of these functions with that peer, in their order."""
    columns = _engine.EventColumns(trace, rank).next(trace.events)
    if columns["peer"] is None:
        return {}  # a rank alone has no messages
    chosen = numpy.isin(
        columns["call"], [trace.names.index(name) for name in functions if name in trace.names]
    )
    peers, sizes = (columns[name][0][chosen] for name in ("peer", "bytes"))
    return {peer: sizes[peers == peer] for peer in set(peers.tolist())}


MESSAGES = [
    *product(["cg", "mg"], "S", [1, 2, 8, 32]),
    *product(["cg", "mg"], "AD", [8]),
    # On 9 ranks cells of four points, on 16 of three, one of them at the boundary.
    *product(["bt", "sp"], "S", [1, 4, 9, 16]),
    # Uneven pencils too.
    *product(["lu"], "S", [1, 6, 16]),
    ("lu", "W", 7),
]


@pytest.mark.parametrize(("program", "letter", "ranks"), MESSAGES)
def test_each_message_is_sent_and_received(skeleton, program, letter, ranks):
    """In order: the k-th message from one rank to another has the size of the k-th receive from it, or fits in it."""
    trace = skeleton(program, letter, ranks)
    sent, received = {}, {}
    for rank in range(ranks):
        to = bytes_by_peer(trace, rank, "MPI_Send", "MPI_Isend")
        of = bytes_by_peer(trace, rank, "MPI_Recv", "MPI_Irecv")
        sent |= {(rank, peer): sizes for peer, sizes in to.items()}
        received |= {(peer, rank): sizes for peer, sizes in of.items()}
    assert sent.keys() == received.keys()
    for pair, sizes in sent.items():
        room = received[pair]
        assert len(sizes) == len(room)
        if program == "mg":
            assert sizes.max() <= room.min()
        elif program in ("bt", "sp"):  # whose requests are posted in another order than the messages are sent
            assert sorted(sizes) == sorted(room)
        else:
            assert (sizes == room).all()
    assert (ranks > 1) == bool(sent)


@pytest.mark.parametrize("ranks", [2, 32, 64, 128, 4096])
def test_ft_exchanges_the_whole_field(record, ranks):
    """Each all-to-all carries a rank's whole part: slabs need one a transform, pencils two."""
    (calls,) = record("ft", "W", ranks, of=[ranks - 1]).values()
    exchanges = [(members, size) for function, members, size in calls if function == "MPI_Alltoall"]
    assert all(members * size == 128 * 128 * 32 * 16 // ranks for members, size in exchanges)
    assert len(exchanges) == (1 if ranks <= 32 else 2) * 8


@pytest.mark.parametrize("ranks", [2, 8, 32, 128])
def test_lu_has_the_grid_of_the_official_program(record, ranks):
    """NPB 3.4: rank 0 sends the longer lines to rank 1, and the shorter ones as many ranks on as the longer side has."""
    longer, shorter = {2: (2, 1), 8: (4, 2), 32: (8, 4), 128: (16, 8)}[ranks]
    (calls,) = record("lu", "A", ranks, of=[0]).values()
    messages = Counter(call for call in calls if call[0] in ("MPI_Send", "MPI_Recv"))
    lines = {(peer, size) for _, peer, size in (each for each, count in messages.items() if count > 1000)}
    # Points inside the grid on rank 0, 5 components of 8 bytes each.
    assert lines == {(1, (64 // shorter - 1 - (shorter == 1)) * 40)} | (
        {(longer, (64 // longer - 1) * 40)} if shorter > 1 else set()
    )
    first = [peer for function, peer, size in calls if function == "MPI_Send" and (peer, size) in lines]
    assert first[:2] == ([1, longer] if shorter > 1 else [1, 1])
