"""Prices of SkyPilot's catalog: the `vms.csv` of each cloud in a folder, joined by exact node types with our fabrics.

The columns are those of https://github.com/skypilot-org/skypilot-catalog (schemas v4 to v8, read 2026-11-25). SkyPilot itself
keeps such a folder in `~/.sky/catalogs/v8`.
"""

import csv
import datetime
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec

from linkworth.errors import UsageError
from linkworth.model.number_range import PRICE_USD
from linkworth.model.price import Market, Price

PREFIX = "skypilot:"
_COLUMNS = {"InstanceType", "Region", "Price", "SpotPrice"}


def title(folder: Path) -> str:
    """Return the title of the catalog in `folder`."""
    return f"SkyPilot's catalog in {folder}"


def read(folder: Path, known: Mapping[str, Price]) -> list[Price]:
    """Return the prices of the node types in `known`, which have their fabric, cores and memory there.

    Each type has one price for a region and market: the cheapest zone's. The date is the file's. Raises UsageError if the
    folder has no `vms.csv`, a file is no such table, or no node type is known.
    """
    files = sorted(folder.glob("*/vms.csv"))
    if not files:
        raise UsageError(
            f"{folder} has no CLOUD/vms.csv; give the folder of one version of SkyPilot's catalog, such as catalogs/v8"
        )
    found: dict[tuple[str, str, Market], Price] = {}
    for file in files:
        for price in _rows(file, known):
            key = (price.name, price.region, price.market)
            if key not in found or price.usd_per_node_hour < found[key].usd_per_node_hour:
                found[key] = price
    if not found:
        raise UsageError(
            f"{folder} has no node type whose fabric is known; known node types: {', '.join(sorted(known))}"
        )
    return list(found.values())


def _rows(file: Path, known: Mapping[str, Price]) -> Iterator[Price]:
    try:
        date = datetime.datetime.fromtimestamp(file.stat().st_mtime, datetime.UTC).date().isoformat()
        with file.open(encoding="utf-8-sig", newline="") as text:
            rows = csv.DictReader(text, strict=True)
            missing = _COLUMNS - set(rows.fieldnames or ())
            if missing:
                raise UsageError(
                    f"{file} is no table of SkyPilot's catalog: column {', '.join(sorted(missing))} is missing"
                )
            for row in rows:
                node = known.get(row["InstanceType"])
                if node is not None:
                    origin = f"{file}, line {rows.line_num} ({node.name})"
                    yield from _prices(row, node, date, origin)
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror}") from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise UsageError(f"{file} is no CSV table: {error}") from None


def _prices(row: Mapping[str, str | None], node: Price, date: str, origin: str) -> Iterator[Price]:
    """Return the on-demand and the spot price of a row. An empty cell or 0 means that this market does not sell the node."""
    markets: dict[str, Market] = {"Price": "on-demand", "SpotPrice": "spot"}
    for column, market in markets.items():
        cell = (row[column] or "").strip()
        if not cell:
            continue
        try:
            dollars = float(cell)
        except ValueError:
            raise UsageError(f"{origin}: {column}: {cell!r} is no number") from None
        if dollars not in PRICE_USD:
            raise UsageError(f"{origin}: {column}: {cell} is no price; a price is {PRICE_USD}")
        if dollars == 0:  # No cloud gives nodes away.
            continue
        yield msgspec.structs.replace(
            node,
            usd_per_node_hour=dollars,
            region=row["Region"] or "",
            market=market,
            date=date,
            source=f"SkyPilot's catalog, {origin}",
            note="the cheapest zone of the region" if market == "spot" else "",
            usd_per_core_hour=None,
        )
