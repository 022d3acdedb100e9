"""Names of bundled programs become commands of lw-npb."""

import pytest

from linkworth.errors import UsageError
from linkworth.mpi import apps


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("npb:ft.W", ["ft", "W"]),
        ("imbalance:1", ["imbalance", "1"]),
        ("stencil:default", ["stencil", "default"]),
        ("stencil:100x126x37", ["stencil", "100x126x37"]),
    ],
)
def test_a_name_is_a_program_with_its_argument(name, words):
    assert apps.is_app(name)
    assert apps.words(name) == words


@pytest.mark.parametrize("name", ["./imbalance", "stencil", "a.out:3", "imbalance.c", "host:imbalance:3"])
def test_other_words_are_files(name):
    assert not apps.is_app(name)
    assert apps.words(name) is None


@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("npb:ft", "npb:PROGRAM.CLASS"),
        ("NPB:ft.W", "npb:PROGRAM.CLASS"),
        ("imbalance:0", "imbalance:LEVEL"),
        ("imbalance:9", "imbalance:LEVEL"),
        ("imbalance:33", "imbalance:LEVEL"),
        ("stencil:100x126", "stencil:POINTS"),
        ("stencil:", "stencil:POINTS"),
        ("stencil:default --iterations 3", "is one word; leave out the quotes"),
    ],
)
def test_a_name_that_is_nearly_right_is_refused_with_the_form(name, form):
    with pytest.raises(UsageError, match=form):
        apps.is_app(name)
