"""Catalogs of prices: the shipped ones, those written by `linkworth prices update`, a user's own file, and SkyPilot's."""

import datetime
import functools
import re
from collections.abc import Iterable, Sequence
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

import msgspec

from linkworth.catalog import fabrics, on_premises, skypilot, user_prices
from linkworth.catalog.decode import data_folder, decode, read_toml, unknown_name, with_fields_of
from linkworth.errors import UsageError
from linkworth.model.number_range import PRICE_USD
from linkworth.model.price import Market, OnPremises, Price
from linkworth.writing.user_folder import expanded

_DATE = re.compile(r"\d{4}(-\d\d){0,2}", re.ASCII)


class PriceTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One `[[prices]]` of a catalog file: a Price whose amount is in exactly one of three fields."""

    name: str
    fabric: str
    provider: str
    region: str
    date: str
    source: str
    usd_per_node_hour: float | None = None
    usd_per_core_hour: float | None = None
    on_premises: OnPremises | None = None
    note: str = ""
    market: Market = "on-demand"
    cores: int | None = None
    memory_bytes: int | None = None
    processor: str = ""


class PricesFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A catalog of prices."""

    title: str
    prices: list[PriceTable]


def names() -> list[str]:
    """Return the names of the catalogs that need no path."""
    return sorted({*_files(), *user_prices.names()})


def title(name_or_path: str) -> str:
    """Return the title of a catalog."""
    if name_or_path.startswith(skypilot.PREFIX):
        return skypilot.title(_skypilot_folder(name_or_path))
    return _load(name_or_path)[1].title


def get_catalog(name_or_path: str, *, shipped: bool = False) -> list[Price]:
    """Return the prices of a catalog, of a `.toml` file given by its path, or of `skypilot:FOLDER`, in the file's order.

    A catalog written by `linkworth prices update` overrides the shipped one of the same name, unless `shipped`. Raises
    UsageError for a negative or missing price, an unknown fabric and an unknown catalog.
    """
    if name_or_path.startswith(skypilot.PREFIX):
        listed = [price for name in sorted(_files()) for price in get_catalog(name, shipped=True)]
        # A type of two catalogs is taken from the one that gives its cores, without which no number of ranks is too many.
        listed.sort(key=lambda price: price.cores is not None)
        known = {price.name: price for price in listed}
        return skypilot.read(_skypilot_folder(name_or_path), known)
    origin, file = _load(name_or_path, shipped=shipped)
    return [_price(table, f"{origin}: prices[{index}]") for index, table in enumerate(file.prices)]


def is_path(name_or_path: str) -> bool:
    """Return whether a catalog is given by its file's path."""
    return name_or_path.endswith(".toml") or "/" in name_or_path


def beside(name_or_path: str, folder: Path) -> str:
    """Return a catalog whose file or folder, if it has one, is relative to `folder`."""
    if name_or_path.startswith(skypilot.PREFIX):
        return f"{skypilot.PREFIX}{folder / _skypilot_folder(name_or_path)}"
    return str(folder / name_or_path) if is_path(name_or_path) else name_or_path


def fabric_files(name_or_path: str) -> list[str]:
    """Return the fabrics of a catalog that are given by their files."""
    if name_or_path.startswith(skypilot.PREFIX):
        return []
    return [price.fabric for price in _load(name_or_path)[1].prices if fabrics.is_path(price.fabric)]


def of_market(prices: Iterable[Price], market: Market | None) -> list[Price]:
    """Return the prices of a market; by default (None) all except spot prices, since a spot node may be taken away."""
    if market is None:
        return [price for price in prices if price.market != "spot"]
    return [price for price in prices if price.market == market]


def chosen(
    prices: Iterable[Price], *, region: str | None = None, instances: Sequence[str] = ()
) -> list[Price]:
    """Return the prices of a region and of node types, if given. Raises UsageError if none is left."""
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
    return [price for price in kept if price.name in instances] if instances else kept


def check_usd_per_node_hour(value: float, origin: str) -> float:
    """Return `value` if it can be a price. Raises UsageError that begins with `origin`."""
    if value not in PRICE_USD:
        raise UsageError(f"{origin}: {value} is no price; give US dollars per node and hour, {PRICE_USD}")
    return value


def _skypilot_folder(name: str) -> Path:
    return Path(expanded(name.removeprefix(skypilot.PREFIX)))


def _listed(words: Iterable[str]) -> str:
    return ", ".join(sorted(set(words))) or "none"


@functools.cache
def _files() -> dict[str, Traversable]:
    entries = (data_folder() / "prices").iterdir()
    return {entry.name.removesuffix(".toml"): entry for entry in entries if entry.name.endswith(".toml")}


def _load(name_or_path: str, *, shipped: bool = False) -> tuple[str, PricesFile]:
    """Return the origin and the content of a catalog."""
    if is_path(name_or_path):
        return _checked(Path(name_or_path))
    if not shipped and name_or_path in user_prices.names():
        return _checked(user_prices.path(name_or_path))
    files = _files()
    if name_or_path not in files:
        raise unknown_name(
            "price catalog",
            name_or_path,
            names(),
            "; a path (FILE.toml) gives a file of your own, skypilot:FOLDER SkyPilot's catalog",
        )
    return _checked(files[name_or_path])


def _checked(path: Path | Traversable) -> tuple[str, PricesFile]:
    document: dict[str, Any] = read_toml(path)
    file = decode(document, PricesFile, str(path))
    if isinstance(path, Path):
        file = msgspec.structs.replace(file, prices=[_beside(path, price) for price in file.prices])
    seen: dict[tuple[str, ...], int] = {}
    for index, price in enumerate(file.prices):
        _price(price, f"{path}: prices[{index}]")
        first = seen.setdefault((price.name, price.fabric, price.provider, price.region, price.market), index)
        if first != index:
            raise UsageError(
                f"{path}: prices[{index}] ({price.name}) is of the same node type, region and market as "
                f"prices[{first}]; leave one of them, or give each its own name"
            )
        try:
            fabrics.get(price.fabric)
        except UsageError as error:
            raise UsageError(f"{path}: prices[{index}] ({price.name}): fabric: {error}") from None
    return str(path), file


def _beside(catalog: Path, price: PriceTable) -> PriceTable:
    """Return a price whose fabric's file, if it has one, is relative to the working folder."""
    if not fabrics.is_path(price.fabric):
        return price
    return msgspec.structs.replace(price, fabric=str(catalog.parent / price.fabric))


def _check_date(text: str, place: str) -> None:
    try:
        if _DATE.fullmatch(text) is None:
            raise ValueError
        datetime.date.fromisoformat(text + "-01" * (2 - text.count("-")))
    except ValueError:
        raise UsageError(
            f"{place}: date: {text!r} is no date; give the day, the month or the year of the price, such as 2026-11"
        ) from None


def _price(table: PriceTable, origin: str) -> Price:
    """Return the price of a table in US dollars for an hour of a node."""
    if not table.name.strip():
        raise UsageError(f"{origin}: name is empty; give the name of the node type")
    place = f"{origin} ({table.name})"
    _check_date(table.date, place)
    given = [
        field
        for field in ("usd_per_node_hour", "usd_per_core_hour", "on_premises")
        if getattr(table, field) is not None
    ]
    if len(given) != 1:
        found = f"there are {' and '.join(given)}" if given else "there is none"
        raise UsageError(
            f"{place}: {found}; give exactly one of usd_per_node_hour, usd_per_core_hour (with cores) and on_premises"
        )
    for field in ("cores", "memory_bytes"):
        value = getattr(table, field)
        if value is not None and value < 1:
            raise UsageError(f"{place}: {field} is {value}; give a number above 0, or leave it out")
    if table.on_premises is not None:
        dollars = on_premises.usd_per_node_hour(on_premises.check(table.on_premises, f"{place}: on_premises"))
    elif table.usd_per_core_hour is not None:
        if table.cores is None:
            raise UsageError(f"{place}: usd_per_core_hour needs the cores of a node beside it; give cores")
        dollars = (
            check_usd_per_node_hour(table.usd_per_core_hour, f"{place}: usd_per_core_hour") * table.cores
        )
    else:
        assert table.usd_per_node_hour is not None
        dollars = check_usd_per_node_hour(table.usd_per_node_hour, f"{place}: usd_per_node_hour")
    own = table.on_premises is not None and table.market == "on-demand"
    return with_fields_of(table, Price, usd_per_node_hour=dollars, market="own" if own else table.market)
