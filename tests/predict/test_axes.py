"""The parameters of a sweep as a user types them."""

import itertools
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from synthetic import fabric, way

from linkworth.errors import UsageError
from linkworth.model.settings import ReplaySettings
from linkworth.predict.axes import applied, parse


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("latency=1us..100us:3", [1e-6, 1e-5, 1e-4]),
        ("latency=0..10us:3", [0.0, 5e-6, 1e-5]),
        ("latency=1us..5us:3:lin", [1e-6, 3e-6, 5e-6]),
        ("latency=2us, 500ns,1e-3 ms,0.25s", [2e-6, 5e-7, 1e-6, 0.25]),
        ("bandwidth=1Gbit,10Gbit/s,1GB/s,118MB/s,8b/s", [1.25e8, 1.25e9, 1e9, 1.18e8, 1.0]),
        ("rails=1,2,4", [1, 2, 4]),
        ("rails=2..40:39", [*range(2, 41)]),
        ("cpu-factor=0.5..2:3", [0.5, 1.0, 2.0]),
        ("background-load=0,0.5", [0.0, 0.5]),
    ],
)
def test_values_are_in_si_units(text, values):
    axis = parse(text)
    assert axis.values == pytest.approx(values)
    assert not axis.factor


def test_a_value_with_a_unit_is_the_number_that_a_user_selects():
    assert parse("latency=10us,20us,0.7us,3ms").values == [1e-5, 2e-5, 7e-7, 3e-3]


def test_factors_and_values_vary_what_the_fabric_has():
    axes = [parse("latency=x0.5,x2"), parse("bandwidth=x10"), parse("overhead=x3")]
    assert all(axis.factor for axis in axes)
    link = fabric(way(latency=1e-6, bandwidth=1e9, overhead=2e-6))
    at, _, cpu_factor, parameters = applied(link, ReplaySettings(), axes, (2.0, 10.0, 3.0))
    assert at.link.latency_seconds == pytest.approx(2e-6)
    assert at.link.bandwidth_bytes_per_second == pytest.approx(1e10)
    assert at.link.send_overhead[0][1] == at.link.receive_overhead[0][1] == pytest.approx(6e-6)
    assert cpu_factor is None
    assert parameters == {"latency": pytest.approx(2e-6), "bandwidth": pytest.approx(1e10), "overhead": 3.0}
    axes = [parse("rails=4"), parse("cpu-factor=2"), parse("background-load=0.25")]
    at, changed, cpu_factor, _ = applied(fabric(way()), ReplaySettings(seed=3), axes, (4.0, 2.0, 0.25))
    assert (at.rails, cpu_factor, changed.background_load, changed.seed) == (4, 2.0, 0.25, 3)


@settings(deadline=None)  # a busy machine
@given(st.floats(1e-9, 1.0), st.floats(1.001, 1e4), st.integers(2, 200))
def test_a_range_has_its_ends_and_equal_ratios(low, ratio, count):
    values = parse(f"latency={low!r}..{low * ratio!r}:{count}").values
    assert (len(values), values[0], values[-1]) == (count, low, low * ratio)
    steps = [math.log(after / before) for before, after in itertools.pairwise(values)]
    assert steps == pytest.approx([math.log(ratio) / (count - 1)] * (count - 1), rel=1e-6, abs=1e-12)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("width=1", "there is no 'width' to vary; choose latency, bandwidth"),
        ("latency", "it has no values"),
        ("latency=", "it has no values"),
        ("latency=1us..2us", "write FROM..TO:COUNT"),
        ("latency=1us..2us:1", "a count of at least 2"),
        ("latency=1us..2us:3:cubic", "write FROM..TO:COUNT"),
        ("latency=1us...2us:3", "write FROM..TO:COUNT"),
        ("latency=0..2us:3:log", "0 has no ratio"),
        ("latency=1us..2us:999999", "at most 10000"),
        ("latency=1Gbit", "'1Gbit' is no value; give a number with one of the units s, ms"),
        ("latency=-1us", "'-1us' is no value"),
        ("latency=1.2.3us", "is no number"),
        ("latency=1e999", "inf is out of range"),
        ("latency=x2,3us", "cannot be mixed"),
        ("bandwidth=0", "0 is out of range; give a number from 1 "),
        ("bandwidth=x0", "0 is out of range; give a number from 1e-6"),
        ("overhead=2", "give factors of it, such as overhead=x0.5..x2:5"),
        ("rails=x2", "rails is given by value, without x"),
        ("rails=1.5", "1.5 rails; give whole numbers"),
        ("background-load=1", "1 is out of range; give 0, or a number from 1e-6 to 0.999"),
        ("cpu-factor=0", "0 is out of range; give a number from 1e-6"),
    ],
)
def test_a_fault_is_named(text, message):
    with pytest.raises(UsageError) as caught:
        parse(text)
    assert str(caught.value).startswith(f"`vary` {text!r}")
    assert message in str(caught.value)
