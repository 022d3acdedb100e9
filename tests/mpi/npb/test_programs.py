"""Each program gives the published results, with each MPI and on the rank counts that it allows."""

from itertools import product

import pytest
from npb_results import assert_verified

from linkworth.mpi import build

PROGRAMS = ["is", "ep", "cg", "mg", "ft", "lu"]
RANKS = [1, 2, 4, 8]
SQUARE = ["bt", "sp"]
SQUARES = [1, 4, 9]
CASES = [*product(PROGRAMS, RANKS), *product(SQUARE, SQUARES)]


@pytest.mark.requires("openmpi")
@pytest.mark.parametrize("letter", ["S", "W"])
@pytest.mark.parametrize(("program", "ranks"), CASES)
def test_verifies(npb, program, letter, ranks):
    assert_verified(npb(ranks, program, letter), program, letter, ranks)


@pytest.mark.parametrize(("program", "ranks"), [*product(PROGRAMS, [1, 2]), *product(SQUARE, [1, 4])])
def test_verifies_with_each_mpi(each_mpi, launch, program, ranks):
    done = launch(each_mpi, ranks, [build.npb(each_mpi), program, "S"])
    assert_verified(done, program, "S", ranks)


@pytest.mark.slow  # seconds of computation each, as many as the machine makes of class A
@pytest.mark.requires("openmpi")
@pytest.mark.parametrize("program", PROGRAMS + SQUARE)
def test_verifies_class_a(npb, program):
    """On one rank; on four with its calls counted, in test_calls.py."""
    assert_verified(npb(1, program, "A"), program, "A", 1)


@pytest.mark.requires("openmpi")
@pytest.mark.parametrize("ranks", [3, 5, 7])
def test_ep_takes_any_rank_count(npb, ranks):
    assert_verified(npb(ranks, "ep", "S"), "ep", "S", ranks)


@pytest.mark.slow  # starts 64 processes
@pytest.mark.requires("openmpi")
@pytest.mark.parametrize("ranks", [32, 64])
def test_ft_goes_from_slabs_to_pencils(npb, ranks):
    """Class W has 32 planes: one a rank, then half a plane a rank."""
    assert_verified(npb(ranks, "ft", "W"), "ft", "W", ranks)


@pytest.mark.slow  # 16 and 32 ranks on few cores
@pytest.mark.requires("openmpi")
@pytest.mark.parametrize("ranks", [16, 32])
def test_cg_on_square_and_oblong_grids_of_ranks(npb, ranks):
    """1400 rows do not divide by these grids: pieces of different lengths."""
    assert_verified(npb(ranks, "cg", "S"), "cg", "S", ranks)


@pytest.mark.exhaustive  # up to half a minute of computation each
@pytest.mark.requires("openmpi")
@pytest.mark.parametrize("ranks", [1, 4])
@pytest.mark.parametrize("program", PROGRAMS + SQUARE)
def test_verifies_class_b(npb, program, ranks):
    assert_verified(npb(ranks, program, "B"), program, "B", ranks)


@pytest.mark.slow  # starts 16 processes
@pytest.mark.requires("openmpi")
@pytest.mark.parametrize("program", SQUARE)
def test_cells_of_three_points(npb, program):
    """The smallest: 16 ranks in class S, whose fourth differences reach through a whole neighbouring cell."""
    assert_verified(npb(16, program, "S"), program, "S", 16)


@pytest.mark.slow  # 16 and 64 ranks on few cores
@pytest.mark.requires("openmpi")
@pytest.mark.parametrize("ranks", [16, 64])
def test_mg_where_ranks_rest_on_the_coarsest_grids(npb, ranks):
    """The coarsest grid has two points along z, for four ranks: two of them rest there, and with 64 those along y and x too."""
    assert_verified(npb(ranks, "mg", "S"), "mg", "S", ranks)


@pytest.mark.requires("openmpi")
@pytest.mark.parametrize(("letter", "ranks"), [("S", 3), ("W", 6), ("S", 9)])
def test_lu_on_pencils_of_different_widths(npb, letter, ranks):
    """33 lines: on 2 ranks 17 and 16. 9 ranks are the fewest with one in the middle, which has all four neighbours."""
    assert_verified(npb(ranks, "lu", letter), "lu", letter, ranks)


@pytest.mark.slow  # 16 ranks on few cores
@pytest.mark.requires("openmpi")
def test_lu_on_the_narrowest_pencils(npb):
    """12 lines on 4 ranks: 3 each, of which a rank at the boundary has 2 inner ones."""
    assert_verified(npb(16, "lu", "S"), "lu", "S", 16)
