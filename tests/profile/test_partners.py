"""Structures of programs whose structure is known."""

import itertools

import pytest
import synthetic
from synthetic import collective, irecv, isend, waitall

from linkworth.cli.profile_detail import FULL
from linkworth.cli.profile_messages import partner_sentences
from linkworth.profile import build_profile


def exchange(ranks, partners, size=1000):
    """Return programs in which each rank sends to all of its partners."""
    talks = [(rank, peer) for rank in range(ranks) for peer in sorted(partners(rank)) if peer != rank]
    programs = []
    for rank in range(ranks):
        calls = [irecv(source, size) for source, target in talks if target == rank]
        calls += [isend(target, size) for source, target in talks if source == rank]
        programs.append([*calls, waitall(*range(1, len(calls) + 1))])
    return programs


def grid(*shape, closed=True, diagonals=False):
    """Return the neighbours of a rank in a row-major grid."""

    def partners(rank):
        place = []
        for length in reversed(shape):
            place.insert(0, rank % length)
            rank //= length
        for step in itertools.product((-1, 0, 1), repeat=len(shape)):
            if sum(map(abs, step)) == 0 or (sum(map(abs, step)) > 1 and not diagonals):
                continue
            there = [at + move for at, move in zip(place, step, strict=True)]
            if closed:
                there = [at % length for at, length in zip(there, shape, strict=True)]
            elif any(not 0 <= at < length for at, length in zip(there, shape, strict=True)):
                continue
            number = 0
            for at, length in zip(there, shape, strict=True):
                number = number * length + at
            yield number

    return lambda rank: set(partners(rank))


def partners_of(tmp_path, programs, **metadata):
    return build_profile(synthetic.write_trace(tmp_path / "t.lwt", programs, **metadata)).partners


@pytest.mark.parametrize(
    ("ranks", "partners", "structure"),
    [
        (12, lambda rank: {(rank + 1) % 12, (rank - 1) % 12}, "chain or ring of neighbouring ranks"),
        (12, lambda rank: {rank + 1} if rank < 11 else set(), "chain or ring of neighbouring ranks"),
        (24, grid(4, 6), "grid 4 x 6"),
        (24, grid(4, 6, closed=False), "grid 4 x 6"),
        (60, grid(3, 4, 5), "grid 3 x 4 x 5"),
        (64, grid(4, 4, 4, closed=False), "grid 4 x 4 x 4"),
        (30, grid(5, 6, diagonals=True), "grid 5 x 6 with diagonals"),
        (16, lambda rank: {rank ^ 1, rank ^ 2, rank ^ 4, rank ^ 8}, "butterfly (ranks that differ by powers of two)"),
        (10, lambda _: set(range(10)), "all with all"),
        (9, lambda rank: {4} if rank != 4 else set(range(9)), "star around rank 4"),
        (2, lambda rank: {1 - rank}, "one pair"),
        (3, lambda _: set(), "no messages"),
    ],
)  # fmt: skip
def test_known_structures(tmp_path, ranks, partners, structure):
    found = partners_of(tmp_path, exchange(ranks, partners))
    assert found.structure == structure
    assert found.structure_share > 0.9


@pytest.mark.parametrize("shape", [(2, 4), (4, 4)])
def test_light_messages_at_powers_of_two_make_no_butterfly_of_a_plane(tmp_path, shape):
    ranks = shape[0] * shape[1]
    heavy = exchange(ranks, grid(*shape, closed=False), size=10_000)
    apart = [step for step in (1, 2, 4, 8) if step < ranks]
    light = exchange(ranks, lambda rank: {rank ^ step for step in apart}, size=700)
    found = partners_of(tmp_path, [[*more, *less] for more, less in zip(heavy, light, strict=True)])
    assert found.structure == f"grid {shape[0]} x {shape[1]}"


def test_what_has_no_structure_says_so_and_gives_its_distances(tmp_path):
    found = partners_of(tmp_path, exchange(37, lambda rank: {(rank * 5 + 3) % 37, (rank * 7 + 11) % 37}))
    assert found.structure == "irregular"
    assert len(found.distances) == 16


def test_heaviest_pairs_and_what_crosses_nodes(tmp_path):
    programs = [
        [isend(1, 700), isend(2, 300), waitall(1, 2)],
        [irecv(0, 700), waitall(1)],
        [irecv(0, 300), waitall(1)],
        [],
    ]
    ranks = [{"rank": rank, "host": f"n{rank // 2}", "state": "complete"} for rank in range(4)]
    found = partners_of(tmp_path, programs, ranks=ranks)
    assert [(pair.source, pair.destination, pair.bytes) for pair in found.heaviest] == [
        (0, 1, 700),
        (0, 2, 300),
    ]
    assert (found.nodes, found.between_nodes_bytes, found.between_nodes_messages) == (2, 300, 1)


def test_a_group_of_ranks_ends_at_the_last_rank(tmp_path):
    programs = [[irecv(256, 700), waitall(1)], *([[]] * 255), [isend(0, 700), waitall(1)]]
    profile = build_profile(synthetic.write_trace(tmp_path / "t.lwt", programs))
    assert profile.matrix.ranks_per_row == 2
    assert profile.partners is not None
    assert "Heaviest: 256 to 0-1 700 B." in partner_sentences(profile.partners, profile, FULL)


def test_messages_without_bytes_have_a_structure_too(tmp_path):
    found = partners_of(tmp_path, [[collective("MPI_Barrier")] for _ in range(8)])
    # Dissemination: to the ranks 1, 2 and 4 further.
    assert found.structure == "butterfly (ranks that differ by powers of two)"
