"""Prices of a study's environments, from the file and from a catalog."""

from linkworth.model.study import Environment, Study, StudyPrices, StudyWorkload
from linkworth.report.study.prices import prices_of

ROW = """[[prices]]
name = "{name}"
fabric = "{fabric}"
usd_per_node_hour = {usd}
provider = "P"
region = "{region}"
date = "2026-11"
source = "chosen for the tests"
market = "{market}"
"""


def catalog(path, *rows):
    text = 'title = "T"\n' + "".join(
        ROW.format(name=name, fabric=fabric, usd=usd, region=region, market=market)
        for name, fabric, usd, region, market in rows
    )
    path.write_text(text)
    return str(path)


def study(prices, *environments):
    return Study(
        name="s",
        workloads=[StudyWorkload(name="w", command=["w"])],
        environments=list(environments),
        prices=prices,
    )


def test_the_environments_own_price_stands_before_the_catalog(tmp_path):
    known = catalog(tmp_path / "p.toml", ("n", "gbe", 2.0, "r", "on-demand"))
    own = Environment(name="own", fabric="gbe", usd_per_node_hour=1.0)
    found, remarks = prices_of(
        study(StudyPrices(catalog=known), own, Environment(name="other", fabric="gbe"))
    )
    assert {name: price.usd for name, price in found.items()} == {"own": 1.0, "other": 2.0}
    assert "P n r" in found["other"].name and "chosen for the tests" in found["other"].source
    assert remarks == []


def test_the_instance_and_the_region_choose(tmp_path):
    known = catalog(
        tmp_path / "p.toml",
        ("a", "gbe", 1.0, "east", "on-demand"),
        ("a", "gbe", 2.0, "west", "on-demand"),
        ("a", "gbe", 0.1, "west", "spot"),
        ("b", "gbe", 3.0, "west", "on-demand"),
    )
    chosen = Environment(name="e", fabric="gbe", instance="a")
    found, _ = prices_of(study(StudyPrices(catalog=known, region="west"), chosen))
    assert found["e"].usd == 2.0, "not the price of nodes that may be taken away"


def test_a_node_with_several_nics_has_another_price_and_a_spot_price_is_marked(tmp_path):
    known = catalog(
        tmp_path / "p.toml", ("n", "gbe", 1.0, "r", "on-demand"), ("four", "gbex4", 3.0, "r", "spot")
    )
    bonds = [Environment(name=f"bond{nics}", fabric="gbe", nics=nics) for nics in (1, 2, 4)]
    found, (remark,) = prices_of(study(StudyPrices(catalog=known), *bonds))
    assert {name: price.usd for name, price in found.items()} == {"bond1": 1.0, "bond4": 3.0}
    assert found["bond4"].name == "P four r, spot, interruptible" and "spot" not in found["bond1"].name
    assert "bond2 has no price" in remark and "none for gbex2" in remark


def test_unknown_cpus_of_predicted_node_types_are_a_remark(tmp_path):
    known = catalog(
        tmp_path / "p.toml", ("a", "gbe", 1.0, "r", "on-demand"), ("b", "ib-hdr", 2.0, "r", "on-demand")
    )

    def remarks(**of_second):
        slow = Environment(name="slow", fabric="gbe", modes=["predict"])
        fast = Environment(name="fast", fabric="ib-hdr", **{"modes": ["predict"], **of_second})
        return prices_of(study(StudyPrices(catalog=known), slow, fast))[1]

    (doubt,) = remarks()
    assert doubt.startswith("Nothing is known about the speed of the CPUs of 2 node types:")
    assert remarks(cpu_factor=1.2) == remarks(modes=["measure"]) == []
    path = tmp_path / "p.toml"
    path.write_text(path.read_text().replace("[[prices]]", '[[prices]]\nprocessor = "Xeon 6430"'))
    assert remarks() == [], "both node types have the same CPUs"


def test_what_has_no_single_price_is_a_remark_and_no_guess(tmp_path):
    known = catalog(
        tmp_path / "p.toml", ("a", "gbe", 1.0, "r", "on-demand"), ("b", "gbe", 2.0, "r", "on-demand")
    )
    found, (remark,) = prices_of(study(StudyPrices(catalog=known), Environment(name="e", fabric="gbe")))
    assert found == {}
    assert "e has no price" in remark and "a in r, b in r" in remark
    prices = StudyPrices(catalog=str(tmp_path / "gone.toml"))
    found, (remark,) = prices_of(study(prices, Environment(name="e", fabric="gbe")))
    assert found == {} and "Prices are missing" in remark
    known = catalog(tmp_path / "p.toml", ("n", "gbe", 2.0, "r", "on-demand"))
    found, remarks = prices_of(study(StudyPrices(catalog=known), Environment(name="e", fabric="ib-hdr")))
    assert (found, len(remarks)) == ({}, 1)
    assert "e has no price" in remarks[0] and "none for ib-hdr" in remarks[0]


def test_environments_without_a_price_beside_priced_ones_are_named():
    priced = Environment(name="priced", fabric="gbe", usd_per_node_hour=1.0)
    others = [Environment(name=f"e{number}", fabric="gbe") for number in range(8)]
    _, (remark,) = prices_of(study(StudyPrices(), priced, *others[:2]))
    assert remark.startswith("Without a price and in no comparison of costs: e0, e1;")
    _, (remark,) = prices_of(study(StudyPrices(), priced, *others))
    assert "e5 and 2 more;" in remark
    assert prices_of(study(StudyPrices(), *others)) == ({}, [])
