"""Catalogs of prices: exact names, explicit regions, clear errors."""

import pytest
from advice_inputs import price

from linkworth.catalog import fabrics, prices
from linkworth.errors import UsageError

ENTRY = """
[[prices]]
name = "n1"
fabric = "gbe"
usd_per_node_hour = 1.5
provider = "p"
region = "r1"
date = "2026"
source = "s"
"""


def catalog(folder, text):
    path = folder / "p.toml"
    path.write_text('title = "t"\n' + text)
    return str(path)


@pytest.mark.parametrize("name", prices.names())
def test_every_price_has_a_date_a_region_a_source_and_a_known_fabric(name):
    found = prices.get_catalog(name)
    assert found and prices.title(name)
    for entry in found:
        assert entry.usd_per_node_hour > 0
        lacks = [field for field in ("region", "source", "provider") if not getattr(entry, field)]
        assert (entry.name, lacks, entry.date[:2]) == (entry.name, [], "20")
        assert fabrics.get(entry.fabric).name == entry.fabric


def test_a_users_catalog_is_read(tmp_path):
    assert prices.get_catalog(catalog(tmp_path, ENTRY))[0].usd_per_node_hour == 1.5


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("= 1.5", "= -1.5", r"prices\[0\] \(n1\): usd_per_node_hour: -1.5 is no price"),
        ("= 1.5", "= nan", "nan is no price"),
        ("= 1.5", "= inf", "inf is no price"),
        ("= 1.5", '= "dear"', r"prices\[0\].usd_per_node_hour: expected a number, got a string"),
        ("usd_per_node_hour = 1.5\n", "", r"prices\[0\] \(n1\): there is none; give exactly one of usd_per_node_hour"),
        ('region = "r1"\n', "", "'region' is missing"),
        ('"gbe"', '"gb"', r"prices\[0\] \(n1\): fabric: no fabric is called 'gb'; did you mean"),
        ("region", "zone", "'zone'"),
        ("= 1.5", "= 1.5\nusd_per_core_hour = 0.1", "there are usd_per_node_hour and usd_per_core_hour; give"),
        ("usd_per_node_hour = 1.5", "usd_per_core_hour = 0.1", "needs the cores of a node beside it"),
        ("= 1.5", "= 1.5\ncores = 0", "cores is 0; give a number above 0"),
        ('"2026"', "2026-11-05", r"prices\[0\].date: expected a string, got a date; put it in quotes"),
        ('"n1"', '" "', r"prices\[0\]: name is empty; give the name of the node type"),
        ('"2026"', '"2026-13"', r"\(n1\): date: '2026-13' is no date; give the day, the month or the year"),
        ('"2026"', '"2026-02-30"', "date: '2026-02-30' is no date"),
        ('"2026"', '"11/2026"', "date: '11/2026' is no date"),
        (ENTRY, ENTRY * 2, r"prices\[1\] \(n1\) is of the same node type, region and market as prices\[0\]"),
        ("= 1.5", '= 1.5\nmarket = "black"', "market: invalid enum value 'black'"),
        (
            "usd_per_node_hour = 1.5",
            "on_premises = { price_usd = 1000, years = 5, utilisation = 1.5 }",
            "on_premises: utilisation is 1.5; give a number from 0.0001 to 1",
        ),
    ],
)  # fmt: skip
def test_a_fault_is_named(tmp_path, old, new, message):
    path = catalog(tmp_path, ENTRY.replace(old, new, 1))
    with pytest.raises(UsageError, match=message) as caught:
        prices.get_catalog(path)
    assert path in str(caught.value)


def test_prices_are_chosen_by_region_and_node_type():
    places = (("a", "gbe", "r1"), ("b", "gbe", "r2"), ("c", "efa", "r1"))
    both = [price(name, fabric, 1.0, region=region) for name, fabric, region in places]
    assert [one.name for one in prices.chosen(both, region="r2")] == ["b"]
    assert [one.name for one in prices.chosen(both, instances=["a", "c"])] == ["a", "c"]
    with pytest.raises(UsageError, match="no price is for region 'r3'; regions: r1, r2"):
        prices.chosen(both, region="r3")
    with pytest.raises(UsageError, match="no price is for instance 'z'; instances: a, b, c"):
        prices.chosen(both, instances=["z"])
