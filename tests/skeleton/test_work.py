"""Work that skeletons count: operations beside the arithmetic of points, and memory traffic."""

import pytest

from linkworth.skeleton import parse
from linkworth.skeleton.program import operations
from linkworth.skeleton.program import work as counted_work


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


def traffic(name, cache_bytes):
    return counted_work(parse([f"npb:{name}"]), 1, 0, cache_bytes)[1]


def test_only_data_beyond_the_cache_move():
    for name in ("is.S", "cg.S", "mg.S", "ft.S", "bt.S", "sp.S", "lu.S"):
        assert traffic(name, 1e9) == 0
        assert traffic(name, 1e4) > 0
    assert traffic("ep.S", 0) == 0


def test_traffic_is_what_a_cache_simulator_counts():
    """Bytes by cachegrind: lines read in the timed region, and lines written back by the arrays that are written."""
    assert traffic("mg.A", 2621440) == pytest.approx(12.3e9, rel=0.2)
    assert traffic("ft.W", 2621440) == pytest.approx(0.55e9, rel=0.1)


def test_a_stencil_reads_planes_again_that_the_cache_loses():
    plane = 258 * 258 * 8
    kept, once, twice = (traffic("mg.A", planes * plane) for planes in (6.1, 5.9, 2.9))
    assert kept < once < twice


def test_a_matrix_drives_the_vector_out_of_the_cache():
    """Without any cache, each element of the matrix reads a line of the vector."""
    elements = counted_work(parse(["npb:cg.A"]))[0]["matrix-vector products"] / 2
    assert traffic("cg.A", 1) == pytest.approx((12 + 64) * elements, rel=1e-3)
    assert traffic("cg.A", 1e7) == pytest.approx(12 * elements, rel=1e-3)
