"""Azure Retail Prices API (Microsoft, "Azure Retail Prices overview"): JSON pages of at most 1000 items, no account needed.

Each node type takes one request: `$filter` by exact `armSkuName`, consumption prices, US dollars; `NextPageLink`
names the next page. An item is for Linux unless its product's name contains "Windows". It is a spot price if its
SKU's name ends in "Spot".
"""

import math
import urllib.parse
from collections.abc import Iterator, Sequence
from typing import Any

from linkworth.catalog.update.http import Client
from linkworth.catalog.update.wanted import Answer, Wanted
from linkworth.errors import EnvironmentLacksError
from linkworth.model.price import Market

ENDPOINT = "https://prices.azure.com"
PROVIDER = "Azure"
MARKETS: tuple[Market, ...] = ("on-demand", "spot")
_PATH = "/api/retail/prices"
_PAGES_MAX = 200


def fetch(client: Client, wanted: Sequence[Wanted]) -> dict[Wanted, Answer]:
    """Return the prices that the interface has, of those in `wanted`."""
    found: dict[Wanted, Answer] = {}
    for name in dict.fromkeys(each.name for each in wanted):
        regions = {each.region for each in wanted if each.name == name}
        for item in _items(client, name):
            offer = _offer(item, name)
            if offer is None or offer.region not in regions:
                continue
            found[offer] = Answer(
                usd_per_node_hour=item["retailPrice"],
                source=f"Azure Retail Prices API, meter {item.get('meterId', '')} ({item['skuName']}, {item['productName']})",
            )
    return {each: found[each] for each in wanted if each in found}


def _items(client: Client, name: str) -> Iterator[dict[str, Any]]:
    quoted = name.replace("'", "''")
    query = urllib.parse.urlencode(
        {
            "currencyCode": "'USD'",
            "$filter": f"serviceName eq 'Virtual Machines' and armSkuName eq '{quoted}' and priceType eq 'Consumption'",
        },
        quote_via=urllib.parse.quote,
        safe="$'",
    )
    url: str | None = f"{client.endpoint}{_PATH}?{query}"
    for _ in range(_PAGES_MAX):
        page = client.json(url or "")
        if not isinstance(page, dict) or not isinstance(page.get("Items"), list):
            raise EnvironmentLacksError(
                f"{client.endpoint} answered no list of prices (no 'Items'); the prices known so far are kept as they were"
            )
        yield from (item for item in page["Items"] if isinstance(item, dict))
        link = page.get("NextPageLink")
        if not link:
            return
        url = client.absolute(str(link))
    raise EnvironmentLacksError(
        f"{client.endpoint} names page after page without an end; the prices known so far are kept as they were"
    )


def _offer(item: dict[str, Any], name: str) -> Wanted | None:
    """Return the offer of an item, or None for Windows, reservations, other units and other node types."""
    product, sku = str(item.get("productName", "")), str(item.get("skuName", ""))
    price = item.get("retailPrice")
    is_hourly = item.get("unitOfMeasure") == "1 Hour" and item.get("type") == "Consumption"
    is_usd = item.get("currencyCode") == "USD"
    if item.get("armSkuName") != name or not is_hourly or not is_usd or item.get("tierMinimumUnits", 0) != 0:
        return None
    if "Windows" in product or sku.endswith("Low Priority"):
        return None
    if (
        isinstance(price, bool)
        or not isinstance(price, int | float)
        or not math.isfinite(price)
        or price <= 0
    ):
        return None
    market: Market = "spot" if sku.endswith("Spot") else "on-demand"
    return Wanted(name=name, region=str(item.get("armRegionName", "")), market=market)
