"""Numbers as text: nothing is lost to rounding, prefixes change where they should, costs are never all zeros."""

import math
import re

import pytest
import vl_convert
from hypothesis import given
from hypothesis import strategies as st

from linkworth import units

SCALES = {"n": 1e-9, "µ": 1e-6, "m": 1e-3, "": 1.0, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15}


@given(st.floats(min_value=1e-9, max_value=1e9))
def test_three_digits_are_within_half_a_percent(value):
    assert float(units.significant(value)) == pytest.approx(value, rel=0.0051)


@pytest.mark.parametrize(
    ("form", "unit", "least", "most"),
    [
        (units.duration, "s", 1e-9, 1e6),
        (units.data, "B", 1e3, 1e18),
        (units.rate, "B/s", 1.0, 1e18),
        (units.bit_rate, "bit/s", 1.0, 1e18),
    ],
)
def test_a_number_with_its_unit_reads_back(form, unit, least, most):
    @given(st.floats(min_value=least, max_value=most))
    def check(value):
        number, prefix = re.fullmatch(rf"([\d.]+) (\w?){unit}", form(value)).groups()
        assert float(number) * SCALES[prefix] == pytest.approx(value, rel=0.0051)
        # No prefix is left behind by rounding: 999.6 ms is 1.00 s.
        assert 1 <= float(number) < 1000 or prefix in ("", "P", "n")

    check()


@given(st.floats(min_value=0, max_value=1), st.sampled_from([0, 1]))
def test_only_all_is_a_hundred_percent_and_only_nothing_is_zero(share, decimals):
    text = units.percent(share, decimals)
    assert (float(text.strip("<> %")) == 100) == (share * 100 >= 99.995)
    assert (float(text.strip("<> %")) == 0) == (share == 0)
    assert not text.startswith("-")


@given(st.lists(st.floats(min_value=1e-8, max_value=1e6), min_size=1))
def test_cost_scale_shows_every_cost_of_a_real_run_as_more_than_a_cent(costs):
    scale = units.cost_scale(costs)
    assert min(costs) * scale.runs >= 0.01 * 0.9999
    assert scale.runs == 1 or min(costs) * scale.runs / 1000 < 0.01


def test_a_cost_states_its_scale():
    assert units.cost_scale([4.3e-5]).in_words(4.3e-5) == "0.0430 US$ per 1,000 runs"


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (16_777_216, "16,777,216"),
        (65536, "65536"),
        (1e6, "1e6"),
        (1e-9, "1e-9"),
        (2.5e-12, "2.5e-12"),
        (0.05, "0.05"),
        (-1, "-1"),
        (math.inf, "inf"),
        (math.nan, "nan"),
    ],
)
def test_a_plain_number_keeps_the_digits_of_a_whole_one(number, text):
    assert units.plain(number) == text


@given(st.integers(0, 1 << 40), st.sampled_from(["", "K", "m", "G", " KiB", "MB"]))
def test_sizes_are_read_as_written(number, unit):
    factor = {"": 1, "K": 1 << 10, "m": 1 << 20, "G": 1 << 30, " KiB": 1 << 10, "MB": 1 << 20}[unit]
    assert units.parse_size(f"{number}{unit}", "--min") == number * factor


@pytest.mark.parametrize(
    ("expression", "values", "labels"),
    [
        (units.SIZE_LABEL, [0.5, 4, 65_536, 1.2e6], ["0 B", "4 B", "65.5 kB", "1.2 MB"]),
        (units.axis_label("s"), [0, 2.5e-4, 0.2, 12.5], ["0 s", "250 µs", "200 ms", "12.5 s"]),
        (units.axis_label("B", digits=2), [65_536], ["66 kB"]),
    ],
)
def test_labels_of_axes_have_a_space_before_the_unit(expression, values, labels):
    axis = {"labelExpr": expression, "values": values, "labelOverlap": False, "title": None}
    chart = {
        "data": {"values": [{"x": value} for value in values]},
        "mark": "point",
        "encoding": {"x": {"field": "x", "type": "quantitative", "scale": {"type": "symlog"}, "axis": axis}},
    }
    drawn = vl_convert.vegalite_to_svg(chart)
    assert re.findall(r"<text[^>]*>([^<]*)</text>", drawn) == labels
