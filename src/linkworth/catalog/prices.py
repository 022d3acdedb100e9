"""Catalogs of prices: the shipped ones and a user's own file."""

import functools
import math
from collections.abc import Collection, Iterable, Sequence
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

import msgspec

from linkworth.catalog import fabrics
from linkworth.catalog.decode import data_folder, decode, read_toml, unknown_name
from linkworth.catalog.fabric_file import plain
from linkworth.errors import UsageError
from linkworth.model.price import Price


class PriceTable(Price, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One `[[prices]]` of a catalog file."""


class PricesFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A catalog of prices."""

    title: str
    prices: list[PriceTable]


def names() -> list[str]:
    """Return the names of the shipped catalogs."""
    return sorted(_files())


def title(name_or_path: str) -> str:
    """Return what a catalog says it is."""
    return _load(name_or_path).title


def get_catalog(name_or_path: str) -> list[Price]:
    """Return the prices of a shipped catalog, or of a `.toml` file given by its path, in the order of the file.

    A negative or missing price, an unknown fabric and an unknown catalog are UsageErrors.
    """
    return [plain(table, Price) for table in _load(name_or_path).prices]


def by_fabric(
    prices: Iterable[Price],
    *,
    needed: Collection[str] | None = None,
    region: str | None = None,
    instances: Sequence[str] = (),
) -> dict[str, Price]:
    """Return one price for each fabric of `needed` (default: each that has a price), by the fabric's exact name.

    `region` and `instances` (node types) keep only what they name. Two prices left for one fabric are a UsageError that
    names them, since which node is meant cannot be guessed.
    """
    known = list(prices)
    kept = [price for price in known if region is None or price.region == region]
    if region is not None and not kept:
        raise UsageError(
            f"no price is for region {region!r}; regions: {_listed(price.region for price in known)}"
        )
    for instance in instances:
        if instance not in {price.name for price in kept}:
            raise UsageError(
                f"no price is for instance {instance!r}; instances: {_listed(price.name for price in kept)}"
            )
    if instances:
        kept = [price for price in kept if price.name in instances]
    chosen: dict[str, Price] = {}
    for price in kept:
        if needed is not None and price.fabric not in needed:
            continue
        if price.fabric in chosen:
            both = [f"{one.name} in {one.region}" for one in kept if one.fabric == price.fabric]
            raise UsageError(
                f"fabric {price.fabric} has several prices ({', '.join(both)}); say which with --instance or --region"
            )
        chosen[price.fabric] = price
    return chosen


def check_usd_per_node_hour(value: float, origin: str) -> float:
    """Return `value` if it can be a price; else a UsageError that begins with `origin`."""
    if not math.isfinite(value) or value < 0:
        raise UsageError(f"{origin}: {value} is no price; give US dollars per node and hour, 0 or more")
    return value


def _listed(words: Iterable[str]) -> str:
    return ", ".join(sorted(set(words))) or "none"


@functools.cache
def _files() -> dict[str, Traversable]:
    entries = (data_folder() / "prices").iterdir()
    return {entry.name.removesuffix(".toml"): entry for entry in entries if entry.name.endswith(".toml")}


def _load(name_or_path: str) -> PricesFile:
    if name_or_path.endswith(".toml") or "/" in name_or_path:
        return _checked(Path(name_or_path))
    files = _files()
    if name_or_path not in files:
        raise unknown_name(
            "price catalog", name_or_path, files, "; a file of your own is given by its path (FILE.toml)"
        )
    return _checked(files[name_or_path])


def _checked(path: Path | Traversable) -> PricesFile:
    document: dict[str, Any] = read_toml(path)
    file = decode(document, PricesFile, str(path))
    for index, price in enumerate(file.prices):
        place = f"{path}: prices[{index}] ({price.name})"
        check_usd_per_node_hour(price.usd_per_node_hour, f"{place}: usd_per_node_hour")
        try:
            fabrics.get(price.fabric)
        except UsageError as error:
            raise UsageError(f"{place}: fabric: {error}") from None
    return file
