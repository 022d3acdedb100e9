"""Collectives in the replay: times worked out by hand, libraries, forced algorithms, inter-communicators, errors."""

from collections.abc import Callable
from pathlib import Path

import pytest
from synthetic import Call, bridge, collective, fabric, recv, send, waitall, way, write_trace

from linkworth.cli.replay_options import parse_forced
from linkworth.errors import UsageError
from linkworth.model.collectives import CollectiveRules
from linkworth.model.settings import ReplaySettings
from linkworth.model.trace import MpiInfo
from linkworth.replay.collectives import rules_for, rules_in_words
from linkworth.replay.run import Replay

Run = Callable[..., Replay]
US = 1e-6
GB = 1e9
MPI_ROOT, PROC_NULL = -3, -2
NETWORK = fabric(way(latency=10 * US, bandwidth=GB), way(latency=1 * US))


@pytest.fixture
def run(run: Run) -> Run:
    """Replay with algorithms forced."""
    return lambda ranks, *forced, on=NETWORK, library=None, **options: run(
        ranks, on, mpi_library=library, forced_collectives=[parse_forced(each) for each in forced], **options
    )


def test_a_pipeline_moves_segment_by_segment(run: Run) -> None:
    # Four segments of 100 us each leave the root by 400 us; three hops of 10 us, two of which hold a segment again.
    ranks = [[collective("MPI_Bcast", 400_000, root=0)]] * 4
    whole = run(ranks, "bcast=pipeline").prediction
    cut = run(ranks, "bcast=pipeline:100000").prediction
    assert whole.seconds == pytest.approx(3 * 410 * US)
    assert cut.seconds == pytest.approx(630 * US)
    assert (whole.messages, cut.messages) == (3, 12)


def test_forced_algorithms_take_their_rounds(run: Run) -> None:
    ranks = [[collective("MPI_Allreduce", 400_000, element_bytes=8)]] * 4
    assert run(ranks, "allreduce=ring").prediction.seconds == pytest.approx(6 * 110 * US)
    ranks = [[collective("MPI_Bcast", 100_000, root=0)]] * 5
    assert run(ranks, "bcast=linear").prediction.seconds == pytest.approx(410 * US)
    # Rank 0 folds into 1. Rank 2's vector comes to 1 at once with it, 1 us later through the NIC: 12 us. Then 1 to 0.
    ranks = [[collective("MPI_Allreduce", 1000, element_bytes=8)]] * 3
    got = run(ranks, "allreduce=recursive_doubling").prediction
    assert got.seconds == pytest.approx(23 * US)
    assert got.messages == 4


def test_packing_and_combining_take_their_time(run: Run) -> None:
    inside = way(bandwidth=2 * GB)
    packs = fabric(way(latency=10 * US, bandwidth=GB), inside, block_seconds=US, datatype_seconds=3 * US)
    ranks = [[collective("MPI_Alltoall", 1000, 4000)]] * 4
    got = run(ranks, "alltoall=bruck", on=packs).prediction
    # Two rotations of 4 blocks, and two rounds that make a datatype, and pack and unpack 2 blocks each.
    assert got.overhead_seconds == pytest.approx(22 * US)
    assert got.seconds == pytest.approx(22 * US + 2 * 12 * US + 16_000 / (2 * GB))
    posts = fabric(way(latency=10 * US), post_seconds=3 * US)
    ranks = [[collective("MPI_Barrier")]] * 4
    assert run(ranks, "barrier=bruck", on=posts).prediction.seconds == pytest.approx(2 * 13 * US)
    slow = fabric(way(latency=10 * US, bandwidth=GB), combine_bytes_per_second=GB / 2)
    ranks = [[collective("MPI_Allreduce", 100_000, element_bytes=8)]] * 2
    got = run(ranks, "allreduce=recursive_doubling", on=slow).prediction
    assert got.seconds == pytest.approx(310 * US)
    assert got.overhead_seconds == pytest.approx(200 * US)


def test_leaders_carry_what_crosses_between_nodes(run: Run) -> None:
    ranks = [[collective("MPI_Bcast", 1000, root=0)]] * 4
    by_node = run(ranks, library="mpich", nodes=[0, 1, 0, 1]).prediction
    flat = run(ranks, library="mpich-flat", nodes=[0, 1, 0, 1]).prediction
    assert (by_node.internode_bytes, flat.internode_bytes) == (1000, 2000)
    # Between the leaders 11 us, then inside the node 1 us.
    assert by_node.seconds == pytest.approx(12 * US)
    ranks = [[collective("MPI_Bcast", 1000, root=3)]] * 4
    got = run(ranks, library="mpich", nodes=[0, 0, 1, 1]).prediction
    # 3 to 2 inside, 2 to 0 between, 0 to 1 inside.
    assert got.seconds == pytest.approx(13 * US)
    assert got.internode_bytes == 1000
    ranks = [[collective("MPI_Allreduce", 1000, element_bytes=8)]] * 8
    placed = [0, 0, 0, 0, 1, 1, 1, 1]
    han = run(ranks, library="openmpi-5.0", nodes=placed).prediction
    tuned = run(ranks, library="openmpi-4.1", nodes=placed).prediction
    assert (han.internode_bytes, tuned.internode_bytes) == (2000, 8000)


def test_segments_of_han_overlap(run: Run) -> None:
    # Both ways take 65.536 us a segment. One behind the other they would take twice that for each of 16 segments.
    both = fabric(way(bandwidth=GB), way(bandwidth=GB))
    ranks = [[collective("MPI_Bcast", 16 * 65536, root=0)]] * 4
    got = run(ranks, on=both, library="openmpi-5.0", nodes=[0, 0, 1, 1]).prediction
    assert got.seconds == pytest.approx(17 * 65.536 * US)


def test_lists_are_each_ranks_own_or_of_each_pair(run: Run) -> None:
    # The root's NIC takes 1 + 2 + 3 us, out or in; one latency.
    sizes = [0, 1000, 2000, 3000]
    scatter = [
        [collective("MPI_Scatterv", sum(sizes), size, root=0, send_counts=sizes if rank == 0 else [])]
        for rank, size in enumerate(sizes)
    ]
    gather = [
        [collective("MPI_Gatherv", size, sum(sizes), root=0, recv_counts=sizes if rank == 0 else [])]
        for rank, size in enumerate(sizes)
    ]
    for ranks in (scatter, gather):
        got = run(ranks).prediction
        assert got.seconds == pytest.approx(16 * US)
        assert (got.internode_bytes, got.messages) == (6000, 3)
    # Rank 0 sends 9 kB to rank 1 and 1 kB to rank 2, and the others 1 kB each to rank 0: its NIC has 10 us out, rank 1's 9 us in.
    sent = [[0, 9000, 1000], [1000, 0, 0], [1000, 0, 0]]
    ranks = []
    for rank, sizes in enumerate(sent):
        received = [row[rank] for row in sent]
        lists = {"send_counts": sizes, "recv_counts": received}
        ranks.append([collective("MPI_Alltoallv", sum(sizes), sum(received), **lists)])
    got = run(ranks).prediction
    assert got.internode_bytes == 12_000
    assert got.seconds == pytest.approx(20 * US)


def test_a_non_blocking_collective_follows_its_own_table(run: Run) -> None:
    start = Call("MPI_Ibcast", "icollective", comm=0, peer=0, bytes=1000, recv_bytes=1000)
    ranks = [[start, waitall(1)]] * 4
    # Open MPI's libnbc: linear up to four ranks, so three messages leave one NIC. MPICH's: a binomial tree of two levels.
    assert run(ranks, library="openmpi").prediction.seconds == pytest.approx(13 * US)
    assert run(ranks, library="mpich-flat").prediction.seconds == pytest.approx(22 * US)


def between(
    name: str, first: list[int], second: list[int], roots: dict[int, int], size: int
) -> list[list[Call]]:
    """One collective between two groups; `roots`: the root argument of each rank."""
    ranks = []
    for rank in range(len(first) + len(second)):
        mine, other = (first, second) if rank in first else (second, first)
        ranks.append([bridge(mine, other), collective(name, size, root=roots.get(rank, -1), comm=2)])
    return ranks


def test_collectives_between_groups_go_through_their_leaders(run: Run) -> None:
    roots = {0: PROC_NULL, 1: MPI_ROOT, 2: 1, 3: 1}
    got = run(between("MPI_Bcast", [0, 1], [2, 3], roots, 1000))
    # 1 to 2, then 2 to 3.
    assert got.prediction.seconds == pytest.approx(22 * US)
    assert got.prediction.messages == 2
    assert got.result.unmodelled == {}
    got = run(between("MPI_Allreduce", [3, 1], [2, 0], {}, 1000)).prediction
    # Reduce inside, exchange, broadcast inside.
    assert got.seconds == pytest.approx(33 * US)
    assert got.messages == 2 + 2 + 2


@pytest.mark.parametrize("name", ["Barrier", "Bcast", "Reduce", "Allreduce", "Gather", "Scatter", "Allgather", "Alltoall",
                                  "Reduce_scatter_block"])  # fmt: skip
def test_every_collective_between_groups_of_other_sizes_ends(run: Run, name: str) -> None:
    rooted = name in {"Bcast", "Reduce", "Gather", "Scatter"}
    roots = dict.fromkeys([0, 2, 4], 1) | {1: PROC_NULL, 3: MPI_ROOT} if rooted else {}
    for size in (0,) if name == "Barrier" else (100, 5000):
        ranks = between(f"MPI_{name}", [1, 3], [0, 2, 4], roots, size)
        # Later calls show that no rank waits and no message is left.
        for rank, calls in enumerate(ranks):
            calls.append(
                send(1, 8) if rank == 0 else recv(0, 8) if rank == 1 else collective("MPI_Barrier", comm=1)
            )
        for library in ("mpich", "openmpi"):
            got = run(ranks, library=library)
            assert got.result.unmodelled == {}
            assert got.prediction.messages > 1


def test_lists_between_groups_are_those_of_the_remote_group(run: Run) -> None:
    first, second = [0, 1], [2, 3, 4]
    ranks = []
    for rank in range(5):
        mine, other = (first, second) if rank in first else (second, first)
        pieces = [100 * (peer + 1) for peer in other]
        call = collective("MPI_Allgatherv", 100 * (rank + 1), sum(pieces), comm=2, recv_counts=pieces)
        ranks.append([bridge(mine, other), call])
    assert run(ranks).prediction.messages == 5 + 1 + 2


@pytest.mark.parametrize(
    "name", ["MPI_Neighbor_alltoall", "MPI_Ineighbor_allgather", "MPI_Neighbor_alltoallw_init"]
)
def test_a_collective_that_is_not_modelled_is_an_error_that_names_it(run: Run, name: str) -> None:
    ranks = [[Call(name, "local").lasting(3e-3)]]
    with pytest.raises(
        UsageError, match=rf"{name} is a collective that the replay does not model; with --pass-"
    ):
        run(ranks)
    passed = run(ranks, pass_unmodelled=True)
    assert passed.result.unmodelled == {name: 1}
    assert passed.prediction.wait_seconds == pytest.approx(3e-3)


def test_an_algorithm_for_another_number_of_ranks_is_refused(run: Run) -> None:
    with pytest.raises(UsageError, match="can run that algorithm"):
        run([[collective("MPI_Barrier")]] * 6, "barrier=two_proc")


@pytest.mark.parametrize(
    ("recorded", "asked", "library", "origin"),
    [
        (MpiInfo(library="openmpi", version="Open MPI v4.1.4, package: Debian"), None, "openmpi-4.1", "trace"),
        (MpiInfo(library="openmpi", version="Open MPI v2.1.1"), None, "openmpi-4.0", "trace"),
        (MpiInfo(library="Open MPI v5.0.11"), None, "openmpi-5.0", "trace"),
        (MpiInfo(library="/openmpi/libmpi.so.12", version="MPICH Version:\t4.0.2"), None, "mpich", "trace"),
        (MpiInfo(library="mpich", version="MPICH Version:\t4.0.2"), None, "mpich", "trace"),
        (MpiInfo(library="mpich", version="MPICH Version: 5.0.2"), None, "mpich", "trace"),
        (MpiInfo(library="intel", version="Intel(R) MPI Library 2021.11"), None, "mpich", "trace"),
        (MpiInfo(library="mvapich", version="MVAPICH2 Version: 2.3.7"), None, "mpich", "trace"),
        (MpiInfo(library="fujitsu", version="1.0"), None, "mpich", "default"),
        (MpiInfo(), None, "mpich", "default"),
        (MpiInfo(), "openmpi", "openmpi-5.0", "option"),
        (MpiInfo(library="openmpi", version="Open MPI v4.1.4"), "openmpi", "openmpi-4.1", "option"),
        (MpiInfo(library="openmpi", version="Open MPI v4.1.4"), "mpich", "mpich", "option"),
        (MpiInfo(library="mpich", version="MPICH Version: 4.0.2"), "openmpi-4.0", "openmpi-4.0", "option"),
    ],
)  # fmt: skip
def test_the_library_is_the_traces_unless_asked_for(
    recorded: MpiInfo, asked: str | None, library: str, origin: str
) -> None:
    rules = rules_for(recorded, ReplaySettings(mpi_library=asked))
    assert (rules.library, rules.origin) == (library, origin)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--mpi-library", "lam"], "'--mpi-library': 'lam' is not one of 'openmpi', 'mpich'"),
        (["--collective", "alreduce=ring"], "did you mean allreduce? the collectives are"),
        (["--collective", "scan=ring"], "the algorithms of scan are linear, recursive_doubling, smp"),
        (["--collective", "bcast"], "give COLLECTIVE=ALGORITHM"),
        (["--collective", "bcast=chain:many"], "after the colon give a segment's bytes"),
    ],
)
def test_bad_options_are_one_sentence(
    tmp_path: Path, refused: Callable[..., str], arguments: list[str], message: str
) -> None:
    path = write_trace(tmp_path / "one.lwt", [[collective("MPI_Barrier")]] * 2)
    assert message in refused("predict", path, "--on", "gbe", *arguments)


def test_spawned_processes_are_named_beside_a_collective_with_them(run: Run) -> None:
    ranks = [[Call("MPI_Comm_spawn", "local").lasting(1.0), Call("MPI_Ibarrier", "local").lasting(3e-3)]]
    with pytest.raises(
        UsageError, match=r"MPI_Ibarrier is .*\(the program spawns processes, which are not in"
    ):
        run(ranks)


def test_rules_are_named_the_same_everywhere(tmp_path, json_of, printed) -> None:
    trace = str(
        write_trace(
            tmp_path / "t.lwt",
            [[collective("MPI_Allreduce", 8)] for _ in range(4)],
            mpi={"library": "Open MPI", "version": "4.1.4"},
        )
    )
    verbs = {
        "predict": ["predict", trace, "--on", "gbe", "--on", "ib-hdr"],
        "advise": ["advise", trace, "--price", "gbe=1", "--price", "ib-hdr=2", "--draws", "0"],
        "sweep": ["sweep", trace, "--on", "gbe", "--nodes", "2"],
    }
    for asked, library, words in (
        ([], "openmpi-4.1", "Collectives as Open MPI 4.1 does them."),
        (["--mpi-library", "mpich"], "mpich", "Collectives as MPICH does them."),
        (
            ["--collective", "allreduce=ring"],
            "openmpi-4.1",
            "Collectives as Open MPI 4.1 does them, but allreduce=ring.",
        ),
    ):
        for arguments in verbs.values():
            assert words in " ".join(printed(*arguments, *asked).split())
            assert json_of(*arguments, *asked)["collectives"]["library"] == library
    predictions = tmp_path / "p.json"
    predictions.write_text(printed(*verbs["predict"], "--json"), encoding="utf-8")
    assert "Collectives as Open MPI 4.1 does them." in printed(
        "advise", "--predictions", str(predictions), "--price", "gbe=1", "--price", "ib-hdr=2"
    )


def test_rules_of_a_trace_without_a_library_say_so() -> None:
    assert rules_in_words(CollectiveRules()) == "as MPICH does them (no MPI library is recorded)"
    other = rules_for(MpiInfo(library="HPE MPT", version="2.25"), ReplaySettings())
    assert rules_in_words(other) == "as MPICH does them (HPE MPT 2.25 is not known)"
