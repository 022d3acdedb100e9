import pytest
from hypothesis import given
from hypothesis import strategies as st

from linkworth.report import units


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.0, "0 s"),
        (1.2e-9, "1.20 ns"),
        (4.56e-5, "45.6 µs"),
        (0.0123, "12.3 ms"),
        (0.9999, "1.00 s"),
        (1.234, "1.23 s"),
        (9.999, "10.0 s"),
        (123.4, "123 s"),
        (754.0, "12 min 34 s"),
        (7320.0, "2 h 2 min"),
        (90000.0, "25 h"),
    ],
)
def test_duration(seconds: float, text: str) -> None:
    assert units.duration(seconds) == text


@given(st.floats(min_value=1e-9, max_value=1e9))
def test_three_digits_are_within_half_a_percent(value: float) -> None:
    assert float(units.significant(value)) == pytest.approx(value, rel=0.0051)


@pytest.mark.parametrize(
    ("size", "text"), [(0, "0 B"), (1023, "1023 B"), (65536, "64 KiB"), (1.5 * 2**30, "1.50 GiB")]
)
def test_data_size(size: float, text: str) -> None:
    assert units.data_size(size) == text


def test_rate_is_in_bits() -> None:
    assert units.rate(1.25e9) == "10.0 Gbit/s"
    assert units.rate(1.25e7) == "100 Mbit/s"
    assert units.rate(float("inf")) == "unlimited"


@pytest.mark.parametrize(
    ("share", "text"),
    [(0, "0 %"), (0.0004, "< 0.1 %"), (0.004, "0.4 %"), (0.456, "46 %"), (0.997, "> 99 %"), (1, "100 %")],
)
def test_percent(share: float, text: str) -> None:
    assert units.percent(share) == text


@pytest.mark.parametrize(
    ("share", "text"), [(0.004, "0.4 %"), (0.06, "6 %"), (0.997, "100 %"), (7.5, "750 %")]
)
def test_growth(share: float, text: str) -> None:
    assert units.growth(share) == text


@given(st.lists(st.floats(min_value=1e-8, max_value=1e6), min_size=1))
def test_cost_scale_shows_every_cost_of_a_real_run_as_more_than_a_cent(costs: list[float]) -> None:
    scale = units.cost_scale(costs)
    assert min(costs) * scale.runs >= 0.01 * 0.9999
    assert scale.runs == 1 or min(costs) * scale.runs / 1000 < 0.01


def test_cost_scale_is_said_beside_the_numbers() -> None:
    assert units.cost_scale([0.5]).label == "US$ per run"
    assert units.cost_scale([4.3e-5]).label == "US$ per 1\u202f000 runs"
    assert units.cost_scale([4.3e-5]).text(4.3e-5) == "0.0430"
