"""AWS Price List Bulk API (AWS Billing user guide, "Getting price list files manually"): no account needed.

`region_index.json` of AmazonEC2 names each region's newest file. Its CSV form has some hundred MB and is read line by
line: five lines on the file itself, a line of column names, then one line for each price. Used are prices on demand,
for Linux, with shared tenancy and no software. Spot prices are missing, and their interface requires an account.
"""

import csv
import math
from collections.abc import Iterator, Sequence

from linkworth.catalog.update.http import Client
from linkworth.catalog.update.wanted import Answer, Wanted
from linkworth.errors import EnvironmentLacksError
from linkworth.model.price import Market

ENDPOINT = "https://pricing.us-east-1.amazonaws.com"
PROVIDER = "AWS"
MARKETS: tuple[Market, ...] = ("on-demand",)
_INDEX = "/offers/v1.0/aws/AmazonEC2/current/region_index.json"
_HEADER_WITHIN_LINES = 20
_ROW = {
    "TermType": {"OnDemand"},
    "Unit": {"Hrs"},
    "Currency": {"USD"},
    "Tenancy": {"Shared"},
    "Operating System": {"Linux"},
    "Pre Installed S/W": {"NA", ""},
    "CapacityStatus": {"Used", ""},
    "MarketOption": {"OnDemand", ""},
}
"""Values that a row must have if its file has the column."""
_NEEDED = ("TermType", "PricePerUnit", "Currency", "Instance Type", "Tenancy", "Operating System")


def fetch(client: Client, wanted: Sequence[Wanted]) -> dict[Wanted, Answer]:
    """Return the on-demand prices in the regions' files, of those in `wanted`."""
    found: dict[Wanted, Answer] = {}
    asked = [each for each in wanted if each.market == "on-demand"]
    if not asked:
        return found
    index = client.json(client.endpoint + _INDEX)
    regions = index.get("regions") if isinstance(index, dict) else None
    if not isinstance(regions, dict):
        raise _unreadable(client, "no 'regions'")
    for region in dict.fromkeys(each.region for each in asked):
        entry = regions.get(region)
        if not isinstance(entry, dict) or not isinstance(entry.get("currentVersionUrl"), str):
            continue
        link = str(entry["currentVersionUrl"])
        names = {each.name for each in asked if each.region == region}
        for name, sku, dollars in _rows(client, client.absolute(link.removesuffix(".json") + ".csv"), names):
            found[Wanted(name=name, region=region, market="on-demand")] = Answer(
                usd_per_node_hour=dollars, source=f"AWS Price List, {link.rpartition('/')[0]}, SKU {sku}"
            )
    return found


def _rows(client: Client, url: str, names: set[str]) -> Iterator[tuple[str, str, float]]:
    """Yield instance type, SKU and US dollars an hour of the wanted rows."""
    reader = csv.reader(client.lines(url))
    header: list[str] = []
    for row, _ in zip(reader, range(_HEADER_WITHIN_LINES), strict=False):
        if "TermType" in row:
            header = row
            break
    missing = [column for column in _NEEDED if column not in header]
    if missing:
        raise _unreadable(client, f"no column {', '.join(missing)}")
    place = {name: number for number, name in enumerate(header)}
    checks = [(place[column], allowed) for column, allowed in _ROW.items() if column in place]
    instance, price, sku = place["Instance Type"], place["PricePerUnit"], place.get("SKU", 0)
    for row in reader:
        if len(row) != len(header) or row[instance] not in names:
            continue
        if any(row[column] not in allowed for column, allowed in checks):
            continue
        try:
            dollars = float(row[price])
        except ValueError:
            continue
        if math.isfinite(dollars) and dollars > 0:
            yield row[instance], row[sku], dollars


def _unreadable(client: Client, why: str) -> EnvironmentLacksError:
    return EnvironmentLacksError(
        f"{client.endpoint} answered no price list that can be read ({why}); the prices known so far are kept as they were"
    )
