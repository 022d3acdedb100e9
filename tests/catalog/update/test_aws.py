"""AWS's price list, played by a local server.

The shape of the files is that of the price list of AmazonEC2 of 2025-09 as public repositories keep it: an index of regions, and
for each a CSV file with five lines of its own before the names of the columns.
"""

import csv
import datetime
import io

import pytest
from price_server import as_json, serving

from linkworth.catalog import prices
from linkworth.catalog.update.run import update
from linkworth.errors import EnvironmentLacksError

VERSION = "/offers/v1.0/aws/AmazonEC2/20250912225308"
COLUMNS = next(
    csv.reader(
        [
            "SKU,OfferTermCode,RateCode,TermType,PriceDescription,EffectiveDate,StartingRange,EndingRange,Unit,PricePerUnit,"
            "Currency,RelatedTo,LeaseContractLength,PurchaseOption,OfferingClass,Product Family,serviceCode,Location,"
            "Location Type,Instance Type,Current Generation,Instance Family,vCPU,Physical Processor,Clock Speed,Memory,Storage,"
            "Network Performance,Processor Architecture,Tenancy,Operating System,License Model,usageType,operation,"
            "CapacityStatus,MarketOption,Pre Installed S/W"
        ]
    )
)
NORMAL = {
    "TermType": "OnDemand",
    "Unit": "Hrs",
    "Currency": "USD",
    "Tenancy": "Shared",
    "Operating System": "Linux",
    "CapacityStatus": "Used",
    "MarketOption": "OnDemand",
    "Pre Installed S/W": "NA",
    "PriceDescription": '$3 per "On Demand" Linux, any',
}


def offer_file(rows, columns=COLUMNS):
    text = io.StringIO()
    writer = csv.writer(text, quoting=csv.QUOTE_ALL)
    writer.writerows(
        [
            ["FormatVersion", "v1.0"],
            ["Disclaimer", "This pricing list is for informational purposes only."],
            ["Publication Date", "2025-09-12T22:53:08Z"],
            ["Version", "20250912225308"],
            ["OfferCode", "AmazonEC2"],
            columns,
        ]
    )
    for row in rows:
        whole = {**NORMAL, **row}
        writer.writerow([whole.get(column, "") for column in columns])
    return text.getvalue().encode()


def rows(name, price):
    """All that the list has of an instance, of which one row is the price on demand."""
    return [
        {"SKU": "DED", "Instance Type": name, "PricePerUnit": "9", "Tenancy": "Dedicated"},
        {"SKU": "WIN", "Instance Type": name, "PricePerUnit": "8", "Operating System": "Windows"},
        {"SKU": "SQL", "Instance Type": name, "PricePerUnit": "7", "Pre Installed S/W": "SQL Std"},
        {"SKU": "RES", "Instance Type": name, "PricePerUnit": "1", "TermType": "Reserved"},
        {
            "SKU": "CAP",
            "Instance Type": name,
            "PricePerUnit": "0",
            "CapacityStatus": "AllocatedCapacityReservation",
        },
        {"SKU": "BLK", "Instance Type": name, "PricePerUnit": "2", "MarketOption": "CapacityBlock"},
        {"SKU": "UPF", "Instance Type": name, "PricePerUnit": "900", "Unit": "Quantity"},
        {"SKU": "ODD", "Instance Type": name, "PricePerUnit": "three"},
        {"SKU": f"SKU-{name}", "Instance Type": name, "PricePerUnit": price},
    ]


FILES = {
    "us-east-2": offer_file(
        rows("m5.large", "0.096") + rows("hpc6a.48xlarge", "2.9") + rows("hpc7a.96xlarge", "7.3")
    ),
    "eu-west-1": offer_file(rows("hpc7a.96xlarge", "7.8")),
}


def answer(path, _query, _turn):
    if path.endswith("/region_index.json"):
        return as_json(
            {
                "formatVersion": "v1.0",
                "regions": {
                    region: {"regionCode": region, "currentVersionUrl": f"{VERSION}/{region}/index.json"}
                    for region in FILES
                },
            }
        )
    region = path.split("/")[-2]
    if path == f"{VERSION}/{region}/index.csv":
        return 200, {"Content-Type": "text/csv"}, FILES[region]
    return 404, {}, b""


def dollars(name, region, market="on-demand"):
    (found,) = [
        price.usd_per_node_hour
        for price in prices.get_catalog("aws")
        if (price.name, price.region, price.market) == (name, region, market)
    ]
    return found


def test_the_one_row_on_demand_is_found():
    with serving(answer) as server:
        done = update("aws", endpoint=server.url, today=datetime.date(2026, 11, 22))
    assert dollars("hpc6a.48xlarge", "us-east-2") == 2.9
    assert dollars("hpc7a.96xlarge", "us-east-2") == 7.3
    assert dollars("hpc7a.96xlarge", "eu-west-1") == 7.8
    (found,) = [
        price
        for price in prices.get_catalog("aws")
        if price.name == "hpc6a.48xlarge" and price.date == "2026-11-22"
    ]
    assert found.source == f"AWS Price List, {VERSION}/us-east-2, SKU SKU-hpc6a.48xlarge"
    assert (found.cores, found.fabric) == (96, "efa")
    # Each region's file is read once, and only those that the index has.
    assert sorted(path for path, _ in server.asked) == sorted(
        [
            "/offers/v1.0/aws/AmazonEC2/current/region_index.json",
            f"{VERSION}/us-east-2/index.csv",
            f"{VERSION}/eu-west-1/index.csv",
        ]
    )
    states = {(change.name, change.region, change.market): change.state for change in done.changes}
    assert states["c5n.18xlarge", "us-east-1", "spot"] == "kept"
    assert dollars("c5n.18xlarge", "us-east-1", "spot") == 1.0569


def test_a_file_that_ends_early_changes_nothing():
    def cut(path, query, turn):
        status, headers, body = answer(path, query, turn)
        if path.endswith(".csv"):
            return status, {**headers, "Content-Length": str(len(body))}, body[: len(body) // 2]
        return status, headers, body

    with (
        serving(cut) as server,
        pytest.raises(EnvironmentLacksError, match=r"the answer is cut|connection broke"),
    ):
        update("aws", endpoint=server.url, sleep=lambda _: None)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"", "no column TermType"),
        (offer_file([], [column for column in COLUMNS if column != "Tenancy"]), "no column Tenancy"),
        (b"<html>\n" * 50, "no column TermType"),
    ],
)
def test_a_file_of_another_shape_is_said(body, message):
    def other(path, query, turn):
        return (200, {}, body) if path.endswith(".csv") else answer(path, query, turn)

    with serving(other) as server, pytest.raises(EnvironmentLacksError, match=message):
        update("aws", endpoint=server.url, sleep=lambda _: None)


def test_an_index_of_another_shape_is_said():
    with (
        serving(lambda *_: as_json([])) as server,
        pytest.raises(EnvironmentLacksError, match="no 'regions'"),
    ):
        update("aws", endpoint=server.url)


def test_a_long_file_is_read_line_by_line(monkeypatch):
    """A file of many rows passes through: nothing asks for all of it at once."""
    import http.client

    many = offer_file(rows("m5.large", "0.096") * 3000 + rows("hpc6a.48xlarge", "2.9"))
    monkeypatch.setitem(FILES, "us-east-2", many)
    largest = 0
    plain = http.client.HTTPResponse.readline

    def watched(self, *arguments):
        nonlocal largest
        line = plain(self, *arguments)
        largest = max(largest, len(line))
        return line

    monkeypatch.setattr(http.client.HTTPResponse, "readline", watched)
    with serving(answer) as server:
        update("aws", endpoint=server.url)
    assert dollars("hpc6a.48xlarge", "us-east-2") == 2.9
    assert 0 < largest < 10_000 < len(many)
