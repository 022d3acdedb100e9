import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from report import samples

from linkworth.report.sensitivity import position, seconds_at, usable

GRID = samples.grid("10gbe", 0.05, 400, 2e7)


def test_times_are_bilinear_in_the_logarithms_between_exact_knots():
    for i, latency in enumerate(GRID.latency_seconds):
        for j, bandwidth in enumerate(GRID.bandwidth_bytes_per_second):
            assert seconds_at(GRID, latency, bandwidth) == GRID.seconds[i][j]
    # Each knot is twice the one before: these are a quarter and half of the way to the next.
    latency, bandwidth = GRID.latency_seconds[2] * 2**0.25, GRID.bandwidth_bytes_per_second[4] * 2**0.5
    corners = [
        GRID.seconds[i][j] ** (u * v) for i, u in ((2, 0.75), (3, 0.25)) for j, v in ((4, 0.5), (5, 0.5))
    ]
    assert seconds_at(GRID, latency, bandwidth) == pytest.approx(math.prod(corners))
    assert position(GRID.latency_seconds, latency) == pytest.approx(2.25)


@given(st.floats(min_value=1e-9, max_value=1.0), st.floats(min_value=1.0, max_value=1e15))
def test_never_outside_the_replayed_times(latency, bandwidth):
    times = [value for row in GRID.seconds for value in row]
    assert min(times) * (1 - 1e-12) <= seconds_at(GRID, latency, bandwidth) <= max(times) * (1 + 1e-12)


def test_a_program_that_takes_no_time_has_no_logarithms():
    assert usable(GRID)
    assert not usable(replace(GRID, seconds=[[0.0, *row[1:]] for row in GRID.seconds]))
