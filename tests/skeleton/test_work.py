"""Operations that the flow solvers' skeletons count beside the arithmetic of points."""

import pytest

from linkworth.skeleton import parse
from linkworth.skeleton.program import operations


def work(name, ranks, rank=0):
    return operations(parse([f"npb:{name}"]), ranks, rank)


def test_lu_counts_the_lines_that_go_and_come_with_the_sweeps():
    """On two ranks one sends lines in the lower sweep and takes them in the upper one; the other the reverse."""
    alone, low, high = work("lu.A", 1), work("lu.A", 2, 0), work("lu.A", 2, 1)
    numbers = 250 * 62 * 62 * 5  # steps, planes, points of a line, components
    for rank in (low, high):
        for phase in ("lower solves", "upper solves"):
            assert (rank[phase] - alone[phase] / 2) / numbers == pytest.approx(6)


@pytest.mark.parametrize(
    ("name", "phase"), [("lu.A", "ghost planes"), ("bt.A", "face exchange"), ("sp.A", "faces")]
)
def test_packing_has_work_on_several_ranks_only(name, phase):
    assert work(name, 1)[phase] == 0
    assert work(name, 4)[phase] > 0


@pytest.mark.parametrize("name", ["bt.A", "sp.A"])
def test_ranks_share_the_work_on_points(name):
    """Nine ranks cut 64 points into 22, 21 and 21. Together they compute what one computes, and pack faces besides."""
    alone = work(name, 1)
    together = [work(name, 9, rank) for rank in range(9)]
    for phase, operations_alone in alone.items():
        if operations_alone > 0:
            assert sum(rank[phase] for rank in together) == pytest.approx(operations_alone)
