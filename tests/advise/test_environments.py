"""Node types and numbers of nodes as options, prices of cores and of one's own machines."""

import msgspec
import pytest
from advice_inputs import predicted, price
from synthetic import recv, send, write_trace

from linkworth.advise import advise
from linkworth.advise.request import PriceOptions, gather_environments
from linkworth.calibrate.run import write
from linkworth.catalog import fabrics
from linkworth.errors import UsageError
from linkworth.model.advice import Limits

TWO = predicted({"gbe": 20.0, "ib-hdr": 10.0}, 2)
FOUR = predicted({"gbe": 16.0, "ib-hdr": 5.5}, 4)
PRICES = {
    "gbe": [price("small", "gbe", 1.0)],
    "ib-hdr": [price("new", "ib-hdr", 1.5), price("old", "ib-hdr", 1.4)],
}


def test_node_types_and_numbers_of_nodes_are_ranked_together():
    found = advise([TWO, FOUR], PRICES)
    assert (found.choice, found.nodes) == ("ib-hdr", 2)
    chosen = found.options[found.choice_option]
    assert (chosen.price_name, chosen.nodes, chosen.rank) == ("old, r", 2, 1)
    assert sorted(option.rank for option in found.options) == [1, 2, 3, 4, 5, 6]
    by_rank = sorted(found.options, key=lambda option: option.rank)
    assert [option.cost_usd for option in by_rank] == sorted(option.cost_usd for option in by_rank)
    assert "ib-hdr (old, r) on 2 nodes costs least" in found.reason
    fastest = advise([TWO, FOUR], PRICES, Limits(goal="time"))
    assert (fastest.choice, fastest.nodes) == ("ib-hdr", 4)
    # A deadline only four nodes meet.
    limited = advise([TWO, FOUR], PRICES, Limits(deadline=6))
    assert (limited.nodes, limited.options[limited.choice_option].price_name) == (4, "old, r")
    assert {option.rank for option in limited.options if not option.feasible} == {3, 4, 5, 6}


def test_break_even_over_numbers_of_nodes_is_that_of_node_hours():
    found = advise([TWO, FOUR], {"gbe": price("a", "gbe", 1.0), "ib-hdr": price("b", "ib-hdr", 2.0)})
    # Cheapest node: gbe, of its options the cheaper one, 20 s on 2 nodes; fastest: ib-hdr on 4 nodes, 5.5 s.
    assert found.breakeven_price_ratio == pytest.approx(20.0 * 2 / (5.5 * 4))
    at_it = advise([TWO, FOUR], {"gbe": price("a", "gbe", 1.0), "ib-hdr": price("b", "ib-hdr", 20 / 11)})
    assert at_it.options[3].cost_usd == pytest.approx(
        min(each.cost_usd for each in at_it.options if each.fabric == "gbe")
    )
    assert found.options[0].breakeven_usd_per_node_hour == pytest.approx(10.0 * 2 * 2.0 / (20.0 * 2))


def test_a_node_type_billed_by_the_core_hour_is_one_type_at_every_number_of_nodes():
    by_core = msgspec.structs.replace(price("a", "gbe", 0.0), usd_per_core_hour=0.1)
    one = predicted({"gbe": 1.0}, 1)
    found = advise([one, FOUR], {"gbe": by_core, "ib-hdr": price("b", "ib-hdr", 9.0)})
    prices = {each.nodes: each.price_usd_per_node_hour for each in found.options if each.fabric == "gbe"}
    assert prices[1] > prices[4]
    assert found.breakeven_price_ratio == 1  # the fastest is gbe on one node, the cheapest node gbe's on four


def test_a_node_with_fewer_cores_than_ranks_is_no_option():
    found = advise(
        TWO, {"gbe": price("small", "gbe", 0.1, cores=16), "ib-hdr": price("big", "ib-hdr", 9.0, cores=32)}
    )
    assert found.choice == "ib-hdr"
    assert found.options[0].why_not == ["cores"]
    # Nobody can take it, whatever it costs: nothing is compared with it.
    assert [option.pareto for option in found.options] == [False, True]
    assert found.breakeven_price_ratio is None
    assert "cheapest node" not in found.reason
    none = advise(
        TWO, {"gbe": price("a", "gbe", 0.1, cores=16), "ib-hdr": price("b", "ib-hdr", 9.0, cores=20)}
    )
    assert none.choice is None
    assert none.reason == ("no node has enough cores for its ranks: the largest has 20; take more nodes")


def test_core_hours_bill_the_nodes_cores_or_its_ranks():
    environments = gather_environments(PriceOptions(core_hours=["gbe=0.02,cores=40", "ib-hdr=0.03"]))
    found = advise([TWO, FOUR], environments)
    dollars = {(option.fabric, option.nodes): option.price_usd_per_node_hour for option in found.options}
    assert dollars == {
        ("gbe", 2): pytest.approx(0.8),
        ("gbe", 4): pytest.approx(0.8),
        ("ib-hdr", 2): pytest.approx(0.03 * 32),
        ("ib-hdr", 4): pytest.approx(0.03 * 16),
    }
    assert {option.market for option in found.options} == {"own"}
    uneven = predicted({"ib-hdr": 10.0}, 3, ranks=34, ppn=16)
    (option,) = advise(uneven, {"ib-hdr": environments["ib-hdr"]}).options
    assert option.cost_usd == pytest.approx(0.03 * 34 * option.seconds / 3600)


def test_ones_own_machine_and_spot_are_taken_where_they_are_asked_for():
    environments = gather_environments(
        PriceOptions(on_premises=["ib-hdr=8766,years=1,utilisation=0.5"], catalog="demo"),
        needed=["ib-hdr", "gbe"],
    )
    assert environments["ib-hdr"][0].usd_per_node_hour == pytest.approx(2.0)
    assert environments["gbe"][0].usd_per_node_hour == 0.78
    plain = gather_environments(PriceOptions(catalog="azure", region="eastus"))
    spot = gather_environments(PriceOptions(catalog="azure", region="eastus", market="spot"))
    assert {one.market for prices in plain.values() for one in prices} == {"on-demand"}
    assert {one.market for prices in spot.values() for one in prices} == {"spot"}
    assert {one.name for one in plain["ib-hdr"]} == {"Standard_HB120rs_v2", "Standard_HB120rs_v3"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"core_hours": ["gbe=0.02,cores=x"]}, "'x' is no number of cores"),
        ({"core_hours": ["gbe=0.02,cores=0"]}, "'0' is no number of cores"),
        ({"core_hours": ["gbe=0.02,cores=" + "9" * 400]}, "is no number of cores"),
        ({"core_hours": ["gbe=0.02,core=40"]}, "'gbe=0.02,core=40': write `core_hour` FABRIC="),
        ({"core_hours": ["gbe"]}, "`core_hour` 'gbe' has no '='"),
        ({"assignments": ["gbe=1"], "core_hours": ["gbe=1"]}, "`core_hour` gives fabric gbe twice"),
        ({"assignments": ["gbe=1"], "market": "spot"}, "choose from a catalog"),
        ({"assignments": ["gbe=1", "gbex1=2"]}, "`price` gives fabric gbe twice"),
        ({"catalog": "none"}, "no price catalog is called 'none'"),
        ({}, "no price was given"),
    ],
)
def test_options_that_cannot_be_used(options, message):
    with pytest.raises(UsageError, match=message):
        gather_environments(PriceOptions(**options))


def test_a_catalog_without_a_price_is_refused_as_such(tmp_path):
    path = tmp_path / "empty.toml"
    path.write_text('title = "t"\nprices = []\n')
    with pytest.raises(UsageError, match=r"empty\.toml: it has no price; give it"):
        gather_environments(PriceOptions(catalog=str(path)))


@pytest.mark.parametrize(("options", "types"), [([], 2), (["--instance", "ib-node"], 0)])
def test_unknown_cpus_of_node_types_are_named(options, types, tmp_path, json_of):
    rows = "".join(
        f'[[prices]]\nname = "{name}"\nfabric = "{fabric}"\nusd_per_node_hour = 1\nprovider = "p"\nregion = "r"\n'
        f'date = "2026"\nsource = "s"\n'
        for name, fabric in (("gbe-node", "gbe"), ("ib-node", "ib-fdr"))
    )
    (tmp_path / "prices.toml").write_text(f'title = "t"\n{rows}')
    trace = write_trace(tmp_path / "t.lwt", [[send(1, 8)], [recv(0, 8)]])
    prices = ["--prices", str(tmp_path / "prices.toml"), "--draws", "0"]
    warnings = json_of("advise", str(trace), *prices, *options)["warnings"]
    assert [each for each in warnings if "CPUs of" in each] == (
        [f"nothing is known about the speed of the CPUs of {types} node types: the computation takes as long on each of them"]
        if types
        else []
    )  # fmt: skip


def test_a_catalog_may_price_the_fabric_of_a_file_beside_it(tmp_path, json_of):
    write(msgspec.structs.replace(fabrics.get("ib-hdr"), name="mine"), tmp_path / "mine.toml")
    (tmp_path / "prices.toml").write_text(
        'title = "t"\n[[prices]]\nname = "fat"\nfabric = "mine.toml"\nusd_per_node_hour = 2\nprovider = "p"\n'
        'region = "r"\ndate = "2026"\nsource = "s"\n'
    )
    trace = write_trace(tmp_path / "t.lwt", [[send(1, 8)], [recv(0, 8)]])
    for on in ([], ["--on", str(tmp_path / "mine.toml"), "--on", "gbe"]):
        given = ["--prices", str(tmp_path / "prices.toml"), "--price", "gbe=1", "--draws", "0", *on]
        options = json_of("advise", str(trace), *given)["options"]
        assert {each["fabric"]: each["price_usd_per_node_hour"] for each in options} == {"gbe": 1, "mine": 2}
