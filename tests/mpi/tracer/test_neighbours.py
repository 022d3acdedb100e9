"""Process topologies and neighbourhood collectives as they stand in the parts of `programs/neighbours.c`."""

import through_engine
from part_reader import NOBODY

from linkworth.measure import call_profile_file

COLLECTIVES = ("allgather", "allgatherv", "alltoall", "alltoallv", "alltoallw")


def test_topologies_say_their_neighbours_and_collectives_their_bytes(bench, yielding):
    run = bench.record(bench.compile("neighbours.c"), yielding=yielding)
    assert (run.returncode, run.stdout) == (0, "all right\n"), run.stderr
    through_engine.check(run.parts, bench.folder / "trace.lwt")
    for part in run.parts:
        _check_grids(part)
        _check_graphs(part)
        _check_some_ranks(part)
        _check_collectives(part, persistent=bench.has("MPI_Neighbor_allgather_init"))


def test_a_profile_counts_bytes_on_a_copy_of_a_grid(bench):
    run = bench.record(bench.compile("neighbours.c"), LINKWORTH_PROFILE="1")
    assert (run.returncode, run.stdout) == (0, "all right\n"), run.stderr
    profiles = [call_profile_file.read(path) for path in (bench.folder / "parts").glob("*.profile")]
    # One call on what MPI_Comm_idup made, and one on the graph, with an integer for each neighbour.
    assert [profile.tallies["MPI_Neighbor_alltoall"].bytes_sent for profile in profiles] == [8] * 4


def _neighbours(part, name):
    made = part.named(name)[0]
    return made.fields["sources"], made.fields["destinations"]


def _check_grids(part):
    rank = part.rank
    up, down = (NOBODY, rank + 2) if rank < 2 else (rank - 2, NOBODY)
    around = [up, down, rank ^ 1, rank ^ 1]
    for name in ("MPI_Cart_create", "MPI_Comm_dup", "MPI_Comm_idup"):
        assert _neighbours(part, name) == (around, around)
    # The grid's first dimension does not wrap around.
    column = [NOBODY, 1] if rank < 2 else [0, NOBODY]
    assert _neighbours(part, "MPI_Cart_sub") == (column, column)


def _check_graphs(part):
    rank = part.rank
    line = [peer for peer in (rank - 1, rank + 1) if 0 <= peer < 4]
    assert _neighbours(part, "MPI_Graph_create") == (line, line)
    assert _neighbours(part, "MPI_Dist_graph_create_adjacent") == _fan_in(rank)
    assert _neighbours(part, "MPI_Dist_graph_create") == ([(rank + 3) % 4], [(rank + 1) % 4])


def _check_some_ranks(part):
    line, chain = (part.named(name)[-1].fields for name in ("MPI_Cart_create", "MPI_Graph_create"))
    groups = [event.fields for event in part.named("MPI_Comm_create_group")]
    if part.rank == 3:
        assert (line["new"], chain["new"], groups) == (-1, -1, [])
        return
    for made in (line, chain):
        assert made["members"] == [0, 1, 2]
    ends = [peer for peer in (part.rank - 1, part.rank + 1) if 0 <= peer < 3]
    assert [peer for peer in line["sources"] if peer != NOBODY] == chain["sources"] == ends
    ring = part.named("MPI_Dist_graph_create_adjacent")[-1].fields
    assert (ring["sources"], ring["destinations"]) == ([(part.rank + 2) % 3], [(part.rank + 1) % 3])
    assert [made["members"] for made in groups] == ([] if part.rank == 1 else [[2, 0]])
    assert all("sources" not in made for made in groups)


def _fan_in(rank):
    sources = [1, 2, 3] if rank == 0 else [rank - 1]
    return sources, [
        peer for peer in ((rank + 1) if rank < 3 else None, 0 if rank else None) if peer is not None
    ]


def _check_collectives(part, persistent):
    sources, destinations = _fan_in(part.rank)
    own = 4 * (part.rank + 1)
    pieces = [4 * (source + 1) for source in sources]
    one = (4, 4, [], [])
    to_all = (own * len(destinations), sum(pieces), [own] * len(destinations), pieces)
    expected = {
        "allgather": one,
        "allgatherv": (own, sum(pieces), [], pieces),
        "alltoall": one,
        "alltoallv": to_all,
        "alltoallw": to_all,
    }
    graph = part.named("MPI_Dist_graph_create_adjacent")[0].fields["new"]
    forms = {"MPI_Neighbor_{}": "collective", "MPI_Ineighbor_{}": "icollective"}
    if persistent:
        forms["MPI_Neighbor_{}_init"] = "collective_init"
    for form, kind in forms.items():
        for name in COLLECTIVES:
            events = [event for event in part.named(form.format(name)) if event.fields["comm"] == graph]
            assert [event.kind for event in events] == [kind], form.format(name)
            (fields,) = (event.fields for event in events)
            figures = tuple(fields[key] for key in ("sent", "received", "sent_list", "received_list"))
            assert figures == expected[name], form.format(name)
            assert (fields["root"], fields["element"]) == (-1, 1)
    assert len(part.of_kind("start")) == (2 * len(COLLECTIVES) if persistent else 0)
