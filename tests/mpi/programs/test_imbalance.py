"""The unevenly distributed sum: right at each level, and as uneven as the level requires."""

import json

import pytest

POINTS = 1_000_000


def even_steps(level, ranks):
    """Load balance of each level: equal steps from 1 to 1 / ranks."""
    return 1 - (level - 1) / 7 * (1 - 1 / ranks)


@pytest.mark.requires("openmpi")
@pytest.mark.parametrize(("level", "ranks"), [(8, 1), (1, 4), (8, 4), (2, 9), (5, 6)])
def test_verifies_and_spreads_as_its_level_says(npb, level, ranks):
    done = npb(ranks, "imbalance", str(level), "--operations", str(POINTS), "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    document = json.loads(done.stdout)
    assert (document["program"], document["class"], document["ranks"]) == ("imbalance", None, ranks)
    assert document["parameters"] == {"level": level}
    assert document["verified"] is True
    assert document["mops_total"] * document["seconds"] == pytest.approx(POINTS / 1e6)
    # Shares are whole numbers of points: off by at most half a point at each end.
    balance = document["figures"]["load_balance"]
    assert balance == pytest.approx(even_steps(level, ranks), rel=ranks / POINTS)
