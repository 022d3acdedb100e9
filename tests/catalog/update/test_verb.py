"""`linkworth prices update` as a user calls it, and what it changes for the other verbs."""

import json

import msgspec
import pytest
from advice_inputs import predicted
from price_server import azure_item, azure_page, serving

from linkworth.catalog import prices, user_prices

PRODUCT = "Virtual Machines HBrsv3 Series"


def answer(_path, query, _turn):
    if "'Standard_HB120rs_v3'" not in query["$filter"]:
        return azure_page([])
    return azure_page(
        [
            azure_item("Standard_HB120rs_v3", "eastus", 2.5, "HB120rs v3", PRODUCT),
            azure_item("Standard_HB120rs_v3", "eastus", 0.25, "HB120rs v3 Spot", PRODUCT),
        ]
    )


@pytest.fixture
def predictions(tmp_path):
    path = tmp_path / "p.json"
    path.write_bytes(msgspec.json.encode(predicted({"ib-hdr": 3600.0}, 2, 4)))
    return str(path)


def test_an_update_is_used_by_prices_and_advise(called, predictions, monkeypatch):
    def cost(*more):
        arguments = (
            "--predictions", predictions, "--prices", "azure", "--instance", "Standard_HB120rs_v3", "--json",
        )  # fmt: skip
        code, out, _ = called("advise", *arguments, "--region", "eastus", *more)
        assert code == 0
        return json.loads(out)["options"][0]["cost_usd"]

    assert cost() == pytest.approx(2 * 3.6)
    with serving(answer) as server:
        monkeypatch.setenv("LINKWORTH_PRICES_ENDPOINT", server.url)
        code, out, err = called("prices", "update", "azure")
    assert code == 0
    assert f"2 changed, 34 kept; written to {user_prices.path('azure')}" in out
    assert f"warning: Standard_HC44rs: {server.url} has no price of it" in err
    assert cost() == pytest.approx(2 * 2.5)
    assert cost("--market", "spot") == pytest.approx(2 * 0.25)
    shown = json.loads(called("prices", "show", "azure", "--json")[1])["catalog"]
    assert {
        price["usd_per_node_hour"] for price in shown["prices"] if price["name"] == "Standard_HB120rs_v3"
    } >= {2.5, 0.25}
    assert "as of 2" in called("prices")[1]


def test_json_says_what_changed(called):
    with serving(answer) as server:
        code, out, _ = called("prices", "update", "azure", "--endpoint", server.url, "--dry-run", "--json")
    document = json.loads(out)
    assert (code, document["schema"], document["path"]) == (0, "linkworth.price-update/1", "")
    changed = [change for change in document["changes"] if change["state"] == "changed"]
    assert {(change["market"], change["after_usd"]) for change in changed} == {
        ("on-demand", 2.5),
        ("spot", 0.25),
    }


def test_offline_is_one_sentence_and_exit_code_3(refused, monkeypatch):
    monkeypatch.setattr("linkworth.catalog.update.http.FIRST_WAIT_SECONDS", 0.0)
    with serving(answer) as server:
        gone = server.url
    sentence = refused("prices", "update", "aws", "--endpoint", gone, code=3)
    assert "the prices known so far are kept as they were" in sentence
    refused("prices", "update", "aws", "--endpoint", "prices.example")
    refused("prices", "update", "ovh")


def test_an_older_file_of_the_users_gains_what_a_release_adds():
    kept = [price for price in prices.get_catalog("azure") if price.name == "Standard_HB120rs_v3"][:1]
    user_prices.write("azure", "mine", kept)
    assert prices.get_catalog("azure") == kept
    from linkworth.catalog.update.run import update

    with serving(answer) as server:
        update("azure", endpoint=server.url)
    assert {price.name for price in prices.get_catalog("azure")} == {
        price.name for price in prices.get_catalog("azure", shipped=True)
    }


def test_a_users_file_that_is_broken_is_named(refused):
    user_prices.folder().mkdir(parents=True)
    user_prices.path("azure").write_text("title = ")
    assert str(user_prices.path("azure")) in refused("prices", "show", "azure")


def test_what_is_written_reads_back_the_same():
    before = prices.get_catalog("aws", shipped=True)
    user_prices.write("aws", 'quotes " and \\ and \u00e9', before)
    assert prices.get_catalog("aws") == before
    assert prices.title("aws") == 'quotes " and \\ and \u00e9'
