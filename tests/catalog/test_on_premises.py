"""Cost of an hour of a node that one owns."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linkworth.catalog import on_premises, prices
from linkworth.errors import UsageError
from linkworth.model.price import OnPremises


def test_a_hand_worked_node():
    costs = OnPremises(
        price_usd=10_000,
        years=5,
        utilisation=0.8,
        yearly_usd=1000,
        power_watts=500,
        idle_watts=200,
        usd_per_kwh=0.2,
        pue=1.5,
    )
    # 15,000 US$ over 5 x 8766 x 0.8 = 35,064 busy hours; a quarter of an idle hour comes with each busy one.
    assert on_premises.usd_per_node_hour(costs) == pytest.approx(15_000 / 35_064 + 0.550 * 1.5 * 0.2)


positive = st.floats(0.01, 1e6)


@settings(deadline=None)  # a busy machine
@given(positive, st.floats(0.5, 20), st.floats(0.01, 1), st.floats(0, 5000), st.floats(0.001, 2))
def test_over_its_life_the_node_earns_exactly_what_it_costs(price, years, utilisation, watts, per_kwh):
    costs = OnPremises(
        price_usd=price, years=years, utilisation=utilisation, power_watts=watts, usd_per_kwh=per_kwh
    )
    busy_hours = years * 8766 * utilisation
    assert on_premises.usd_per_node_hour(costs) * busy_hours == pytest.approx(
        price + busy_hours * watts / 1000 * per_kwh, rel=1e-9
    )


def test_an_option_is_parsed():
    fabric, costs = on_premises.parse("ib-hdr=9000, years=5,utilisation=0.7,power_watts=600,usd_per_kwh=0.25")
    assert fabric == "ib-hdr"
    assert costs == OnPremises(price_usd=9000, years=5, utilisation=0.7, power_watts=600, usd_per_kwh=0.25)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("9000,years=5", "no fabric and price"),
        ("gbe=dear,years=5,utilisation=1", "'dear' is not a number"),
        ("gbe=9000,years=5", "utilisation missing"),
        ("gbe=9000", "years and utilisation missing"),
        ("gbe=9000,years=5,utilisation=0", "utilisation: 0 is out of range; give a number from 0.0001 to 1"),
        ("gbe=9000,years=0,utilisation=1", "years: 0 is out of range"),
        ("gbe=-1,years=5,utilisation=1", "-1 is out of range; give 0, or a number from"),
        ("gbe=9000,years=nan,utilisation=1", "years: nan is out of range"),
        ("gbe=9000,years=5,years=4,utilisation=1", "years is given twice"),
        ("gbe=9000,years=5,utilisation=1,watts=3", "'watts=3' is none of years="),
        ("gbe=9000,years=5,utilisation=1,pue=0.9", "pue: 0.9 is out of range; give a number from 1 to 100"),
        ("gbe=9000,years=5,utilisation=1,power_watts=300", "power needs its price; give usd_per_kwh"),
    ],
)
def test_a_fault_is_named(text, message):
    with pytest.raises(UsageError) as caught:
        on_premises.parse(text)
    assert str(caught.value).startswith(f"`on_premises` {text!r}")
    assert message in str(caught.value)


def test_a_catalog_has_machines_of_ones_own(tmp_path):
    path = tmp_path / "room.toml"
    path.write_text(
        """
title = "machine room"
[[prices]]
name = "thin"
fabric = "gbe"
provider = "us"
region = "cellar"
date = "2026"
source = "invoice 17"
cores = 40
on_premises = { price_usd = 8766, years = 1, utilisation = 0.5 }
[[prices]]
name = "fat"
fabric = "ib-hdr"
provider = "us"
region = "cellar"
date = "2026"
source = "accounting"
cores = 64
usd_per_core_hour = 0.02
"""
    )
    thin, fat = prices.get_catalog(str(path))
    assert (thin.usd_per_node_hour, thin.market) == (pytest.approx(2.0), "own")
    assert fat.usd_per_node_hour == pytest.approx(1.28)
