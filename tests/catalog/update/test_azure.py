"""Azure's price interface, played by a local server."""

import datetime
import re
from pathlib import Path

import msgspec
import pytest
from price_server import azure_item, azure_page, serving

from linkworth.calibrate.run import write
from linkworth.catalog import fabrics, prices, user_prices
from linkworth.catalog.update.http import FIRST_WAIT_SECONDS, TRIES
from linkworth.catalog.update.run import update
from linkworth.errors import EnvironmentLacksError, UsageError

TODAY = datetime.date(2026, 11, 22)
HB = "Virtual Machines HBrsv3 Series"


def items_of(name):
    """Return a node type's items: on demand, spot, low priority, Windows, a reservation, another region."""
    if name != "Standard_HB120rs_v3":
        return []
    return [
        azure_item(name, "eastus", 3.7, "HB120rs v3", HB),
        azure_item(name, "eastus", 0.41, "HB120rs v3 Spot", HB),
        azure_item(name, "eastus", 0.5, "HB120rs v3 Low Priority", HB),
        azure_item(name, "eastus", 9.9, "HB120rs v3", f"{HB} Windows"),
        azure_item(name, "eastus", 20_000, "HB120rs v3", HB, type="Reservation", reservationTerm="1 Year"),
        azure_item(name, "eastus", 3.1, "HB120rs v3", HB, currencyCode="EUR"),
        azure_item(name, "eastus", float("nan"), "HB120rs v3", HB),
        azure_item(name, "norwayeast", 4.4, "HB120rs v3", HB),
        azure_item("Standard_HB120-16rs_v3", "eastus", 1.0, "HB120-16rs v3", HB),
    ]


def name_asked(query):
    return re.search(r"armSkuName eq '([^']*)'", query["$filter"])[1]


def whole(_path, query, _turn):
    return azure_page(items_of(name_asked(query)))


def in_pages(size):
    """Serve `size` items a page, each page with the link to the next one, as a path of the same server."""

    def answer(_path, query, _turn):
        items = items_of(name_asked(query))
        start = int(query.get("$skip", 0))
        link = None
        if start + size < len(items):
            link = f"/api/retail/prices?$filter=armSkuName eq '{name_asked(query)}'&$skip={start + size}"
            link = link.replace(" ", "%20")
        return azure_page(items[start : start + size], link)

    return answer


def of(catalog, name, region, market="on-demand"):
    (found,) = [
        price for price in catalog if (price.name, price.region, price.market) == (name, region, market)
    ]
    return found


def test_prices_go_to_the_users_catalog_with_date_and_source():
    with serving(whole) as server:
        done = update("azure", endpoint=server.url, today=TODAY)
    catalog = prices.get_catalog("azure")
    found = of(catalog, "Standard_HB120rs_v3", "eastus")
    assert (found.usd_per_node_hour, found.date, found.cores, found.fabric) == (
        3.7,
        "2026-11-22",
        120,
        "ib-hdr",
    )
    assert "meter-HB120rs v3-eastus" in found.source
    assert of(catalog, "Standard_HB120rs_v3", "eastus", "spot").usd_per_node_hour == 0.41
    # Prices that the interface lacks stay as they were.
    shipped = prices.get_catalog("azure", shipped=True)
    assert of(catalog, "Standard_HC44rs", "eastus") == of(shipped, "Standard_HC44rs", "eastus")
    assert len(catalog) == len(shipped)
    assert done.path == str(user_prices.path("azure"))
    states = {(change.name, change.region, change.market): change.state for change in done.changes}
    assert states["Standard_HB120rs_v3", "eastus", "on-demand"] == "changed"
    assert states["Standard_HB120rs_v3", "southcentralus", "on-demand"] == "kept"
    assert any(warning.startswith("Standard_HC44rs: ") for warning in done.warnings)
    assert prices.title("azure").endswith(", as of 2026-11-22")
    # The filter is exact, and the currency fixed.
    _, query = server.asked[0]
    assert "priceType eq 'Consumption'" in query["$filter"]
    assert query["currencyCode"] == "'USD'"


def test_a_new_price_replaces_one_by_the_core_hour():
    shipped = of(prices.get_catalog("azure", shipped=True), "Standard_HB120rs_v3", "eastus")
    user_prices.write("azure", "mine", [msgspec.structs.replace(shipped, usd_per_core_hour=1.0)])
    assert of(prices.get_catalog("azure"), shipped.name, "eastus").usd_per_node_hour == 120.0
    with serving(whole) as server:
        update("azure", endpoint=server.url, today=TODAY)
    assert of(prices.get_catalog("azure"), shipped.name, "eastus").usd_per_node_hour == 3.7


@pytest.mark.parametrize("size", [1, 2, 4])
def test_pages_are_followed_to_the_end(size):
    with serving(in_pages(size)) as server:
        update("azure", endpoint=server.url, today=TODAY)
    catalog = prices.get_catalog("azure")
    assert of(catalog, "Standard_HB120rs_v3", "eastus").usd_per_node_hour == 3.7
    assert of(catalog, "Standard_HB120rs_v3", "eastus", "spot").usd_per_node_hour == 0.41


def test_another_region_and_node_type_are_asked_for():
    with serving(
        lambda _, query, __: azure_page(
            [azure_item(name_asked(query), "norwayeast", 4.4, "x", "Virtual Machines")]
        )
    ) as server:
        update("azure", endpoint=server.url, regions=["norwayeast"], instances=["Standard_HB368rs_v5=ib-ndr"])
    found = of(prices.get_catalog("azure"), "Standard_HB368rs_v5", "norwayeast")
    assert (found.usd_per_node_hour, found.fabric, found.cores) == (4.4, "ib-ndr", None)
    assert of(prices.get_catalog("azure"), "Standard_HC44rs", "norwayeast").usd_per_node_hour == 4.4


def test_a_new_node_type_may_have_the_network_of_a_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(msgspec.structs.replace(fabrics.get("ib-ndr"), name="mine"), Path("mine.toml"))
    with serving(
        lambda _, query, __: azure_page(
            [azure_item(name_asked(query), "eastus", 4.4, "x", "Virtual Machines")]
        )
    ) as server:
        update("azure", endpoint=server.url, instances=["Standard_Mine=mine.toml"])
    monkeypatch.chdir("/")
    assert of(prices.get_catalog("azure"), "Standard_Mine", "eastus").fabric == str(tmp_path / "mine.toml")


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_busy_server_is_asked_again(status):
    waits = []

    def busy_twice(path, query, turn):
        if turn < 2 and name_asked(query) == "Standard_HB120rs_v3":
            return status, {"Retry-After": "7"} if turn == 0 else {}, b"busy"
        return whole(path, query, turn)

    with serving(busy_twice) as server:
        update("azure", endpoint=server.url, sleep=waits.append)
    assert waits[0] == 7.0
    assert len(waits) == 2 and FIRST_WAIT_SECONDS <= waits[1] <= 3 * FIRST_WAIT_SECONDS
    assert of(prices.get_catalog("azure"), "Standard_HB120rs_v3", "eastus").usd_per_node_hour == 3.7


def test_a_server_that_stays_busy_is_said_and_nothing_is_lost():
    with serving(whole) as server:
        update("azure", endpoint=server.url, today=TODAY)
    before = user_prices.path("azure").read_bytes()
    waits = []
    with (
        serving(lambda *_: (500, {}, b"")) as server,
        pytest.raises(
            EnvironmentLacksError, match=rf"status 500 .*tried {TRIES} times; the prices known so far"
        ),
    ):
        update("azure", endpoint=server.url, sleep=waits.append)
    assert len(waits) == TRIES - 1 and waits == sorted(waits)
    assert user_prices.path("azure").read_bytes() == before


def test_a_refusal_is_not_asked_again():
    with (
        serving(lambda *_: (403, {}, b"")) as server,
        pytest.raises(EnvironmentLacksError, match="status 403 Forbidden; the prices"),
    ):
        update("azure", endpoint=server.url, sleep=lambda _: pytest.fail("waited"))
    assert len(server.asked) == 1


CUT = azure_page(items_of("Standard_HB120rs_v3"))[2][:-40]


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ((200, {}, CUT), "the answer is not whole JSON"),
        ((200, {"Content-Length": str(len(CUT) + 40)}, CUT), "IncompleteRead|not whole JSON|timed out|closed"),
        ((200, {}, b"<html>"), "the answer is not whole JSON"),
        ((200, {}, b"[]"), "answered no list of prices"),
        ((200, {}, b'{"Items": 3}'), "answered no list of prices"),
        (azure_page([]), r"has none of the \d+ prices asked for"),
        (azure_page([], "https://elsewhere.example/prices"), "it refers to another server, https://elsewhere"),
    ],
)  # fmt: skip
def test_an_answer_that_cannot_be_used_changes_nothing(answer, message):
    with serving(lambda *_: answer) as server, pytest.raises(EnvironmentLacksError, match=message) as caught:
        update("azure", endpoint=server.url, sleep=lambda _: None)
    assert "kept as they were" in str(caught.value)
    assert not user_prices.path("azure").exists()


def test_pages_without_an_end_are_left_and_a_dry_run_writes_nothing():
    with (
        serving(lambda *_: azure_page([], "/api/retail/prices?x=1")) as server,
        pytest.raises(EnvironmentLacksError, match="page after page without an end"),
    ):
        update("azure", endpoint=server.url)
    with serving(whole) as server:
        done = update("azure", endpoint=server.url, dry_run=True)
    assert done.path == "" and not user_prices.path("azure").exists()
    assert any(change.state == "changed" for change in done.changes)


def test_a_folder_that_cannot_be_written_is_said(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "file"))
    with serving(whole) as server, pytest.raises(EnvironmentLacksError, match="cannot be written"):
        update("azure", endpoint=server.url)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"endpoint": "ftp://x"}, "is no address"),
        ({"endpoint": "file:///etc/passwd"}, "is no address"),
        ({"instances": ["Standard_X"]}, "write `instance` NAME=FABRIC"),
        ({"instances": ["Standard_X=nofabric"]}, "no fabric is called 'nofabric'"),
    ],
)
def test_options_that_cannot_be_used(options, message):
    with pytest.raises(UsageError, match=message):
        update("azure", **options)
