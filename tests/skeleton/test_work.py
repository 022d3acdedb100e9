"""What the skeletons of the flow solvers count beside the arithmetic of points."""

import pytest

from linkworth.skeleton import parse
from linkworth.skeleton.program import operations


def work(name: str, ranks: int, rank: int = 0) -> dict[str, float]:
    return operations(parse([f"npb:{name}"]), ranks, rank)


def test_lu_counts_the_lines_that_go_and_come_with_the_sweeps():
    """On two ranks one sends lines in the lower sweep and takes them in the upper one; the other the reverse."""
    alone, low, high = work("lu.A", 1), work("lu.A", 2, 0), work("lu.A", 2, 1)
    steps, planes, line = 250, 62, 62
    lines = steps * planes * line

    def extra(rank: dict[str, float], phase: str) -> float:
        return (rank[phase] - alone[phase] / 2) / lines

    assert extra(low, "lower solves") == pytest.approx(200)
    assert extra(high, "lower solves") == pytest.approx(630)
    assert extra(low, "upper solves") == pytest.approx(900)
    assert extra(high, "upper solves") == pytest.approx(200)


@pytest.mark.parametrize(
    ("name", "phase"), [("lu.A", "ghost planes"), ("bt.A", "face exchange"), ("sp.A", "faces")]
)
def test_packing_has_work_on_several_ranks_only(name, phase):
    assert work(name, 1)[phase] == 0
    assert work(name, 4)[phase] > 0


@pytest.mark.parametrize(("name", "phase"), [("bt.A", "z sweeps"), ("sp.A", "lines along z")])
def test_lines_are_counted_eight_at_a_time(name, phase):
    """Nine ranks cut 64 points into 22, 21 and 21, for each of which three vectors of eight lines go through."""
    four, nine = work(name, 4)[phase], work(name, 9)[phase]
    points_of_four, points_of_nine = 2 * 32**3, sum(side * side * 24 for side in (22, 21, 21))
    # A cell more in a line costs another first or last part, of which one of two and one of three are not repeated.
    assert 1.0 <= (nine / points_of_nine) / (four / points_of_four) < 1.25
