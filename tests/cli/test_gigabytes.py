"""Rates of memory on the command line."""

import pytest
import rich_click as click

from linkworth.cli.gigabytes import GigabytesPerSecond


@pytest.mark.parametrize(("text", "number"), [("4", 4.0), ("4GB/s", 4.0), ("4.5 gb/s", 4.5), ("0", 0.0)])
def test_the_unit_may_be_written(text: str, number: float) -> None:
    assert GigabytesPerSecond().convert(text, None, None) == number


@pytest.mark.parametrize("text", ["4Gbit/s", "GB/s", "-1", "nan", "inf", ""])
def test_what_is_no_rate_is_refused_with_what_to_write(text: str) -> None:
    with pytest.raises(click.BadParameter, match="number of at least 0, such as 4 or 4GB/s"):
        GigabytesPerSecond().convert(text, None, None)


def test_nothing_is_refused_where_it_makes_no_sense() -> None:
    with pytest.raises(click.BadParameter, match="number above 0"):
        GigabytesPerSecond(min_open=True).convert("0 GB/s", None, None)
