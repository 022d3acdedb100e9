"""FABRIC=NUMBER, as options give prices and measured times."""

import math
import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linkworth.catalog.assignment import parse_assignment, split_words
from linkworth.errors import UsageError
from linkworth.model.number_range import NumberRange

ALLOWED = NumberRange(least=1e-9, most=1e12, zero=True)


@given(
    st.text(st.characters(codec="ascii", exclude_characters="="), min_size=1).filter(str.strip),
    st.just(0.0) | st.floats(1e-9, 1e12),
)
def test_what_is_written_is_read(fabric, value):
    assert parse_assignment(f"{fabric}={value!r}", "--price", "X", ALLOWED) == (fabric.strip(), value)


@given(st.text("ab '\"\\", max_size=12))
def test_any_text_is_words_or_a_usage_error(text):
    try:
        words = split_words(text, "--filter")
    except UsageError as error:
        assert str(error).startswith("--filter: ")
    else:
        assert shlex.split(shlex.join(words)) == words


@given(st.text(max_size=30))
def test_any_text_is_a_number_or_a_usage_error(text):
    try:
        fabric, value = parse_assignment(text, "--price", "X", ALLOWED)
    except UsageError as error:
        assert str(error).startswith("--price ")
    else:
        assert fabric and math.isfinite(value) and value >= 0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("gbe", "--price 'gbe' has no '='; write --price FABRIC=USD"),
        ("gbe=", "'' is not a number"),
        ("=1", "names no fabric before the '='"),
        ("gbe=x", "'x' is not a number"),
        ("gbe=-1", "--price 'gbe=-1': -1 is out of range; give 0, or a number from 1e-9 to 1e12"),
        ("gbe=nan", "nan is out of range"),
        ("gbe=inf", "inf is out of range"),
        ("gbe=1,5", "'1,5' is not a number"),
    ],
)
def test_a_fault_is_one_clear_sentence(text, message):
    with pytest.raises(UsageError) as caught:
        parse_assignment(text, "--price", "USD", ALLOWED)
    assert message in str(caught.value)
