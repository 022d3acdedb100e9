"""The unevenly distributed sum: right at each level, and as uneven as the level requires."""

import json
import re

import pytest

from linkworth.measure.parsers import npb as block

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
    # Shares are whole numbers of points: off by at most half a point at each end.
    balance = document["figures"]["load_balance"]
    assert balance == pytest.approx(even_steps(level, ranks), rel=ranks / POINTS)


@pytest.mark.requires("openmpi")
def test_prints_the_block(npb):
    done = npb(2, "imbalance", "4", "--operations", "4e6")
    assert done.returncode == 0, done.stdout + done.stderr
    report = block.parse(done.stdout)
    assert report.verified is True
    assert report.seconds > 0
    rate = float(re.findall(r"Mop/s total *= *(\S+)", done.stdout)[0])
    assert rate == pytest.approx(4 / report.seconds, rel=0.01)
    assert " Level           =                        4" in done.stdout.splitlines()
    assert not any(line.startswith(" Class") for line in done.stdout.splitlines())
