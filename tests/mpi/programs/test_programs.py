"""Each program gives the published results, with each MPI and in larger classes.

tests/skeleton/test_real_runs.py verifies class S with one MPI, on each kind of rank count up to 9, and test_sanitized.py on 16.
"""

import pytest
from npb_results import assert_verified

from linkworth.mpi import build

PROGRAMS = ["is", "ep", "cg", "mg", "ft", "lu"]
SQUARE = ["bt", "sp"]


@pytest.mark.requires("openmpi")
@pytest.mark.parametrize(
    "program",
    [
        pytest.param(name, marks=pytest.mark.exhaustive if name in SQUARE else ())
        for name in ["is", "mg", "ft", *SQUARE]
    ],
)
def test_verifies_class_w(npb, program):
    """EP and CG run in class W in tests/e2e/test_demo.py, LU below. BT and SP take ten seconds of computation."""
    assert_verified(npb(4, program, "W"), program, "W", 4)


@pytest.mark.parametrize(("program", "ranks"), [("is", 2), ("mg", 2), ("ft", 2), ("lu", 2), ("sp", 4)])
def test_verifies_with_each_mpi(each_mpi, launch, program, ranks):
    """EP and CG make calls that IS and MG make too, and BT those of SP."""
    done = launch(each_mpi, ranks, [build.npb(each_mpi), program, "S"])
    assert_verified(done, program, "S", ranks)


@pytest.mark.exhaustive  # up to half a minute of computation each
@pytest.mark.requires("openmpi")
@pytest.mark.parametrize(("letter", "ranks"), [("A", 1), ("A", 4), ("B", 1), ("B", 4)])
@pytest.mark.parametrize("program", PROGRAMS + SQUARE)
def test_verifies_larger_classes(npb, program, letter, ranks):
    assert_verified(npb(ranks, program, letter), program, letter, ranks)


@pytest.mark.requires("openmpi")
def test_lu_on_pencils_of_different_widths(npb):
    """33 lines: on 2 ranks 17 and 16."""
    assert_verified(npb(2, "lu", "W"), "lu", "W", 2)
