"""Input for advice: prices as FABRIC=USD or from a catalog, and earlier predictions."""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from operator import attrgetter
from pathlib import Path
from typing import Any

import msgspec

from linkworth.catalog import fabrics, on_premises
from linkworth.catalog import prices as price_catalog
from linkworth.catalog.assignment import parse_assignment
from linkworth.catalog.decode import json_document
from linkworth.errors import UsageError
from linkworth.model.number_range import COUNT, PRICE_USD
from linkworth.model.prediction import PredictionSet
from linkworth.model.price import Market, Price


class PriceOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Price options of the command line."""

    assignments: Sequence[str] = ()
    """FABRIC=USD_PER_NODE_HOUR."""
    core_hours: Sequence[str] = ()
    """FABRIC=USD_PER_CORE_HOUR[,cores=N]."""
    on_premises: Sequence[str] = ()
    """FABRIC=PRICE,years=Y,utilisation=U,..."""
    catalog: str | None = None
    region: str | None = None
    instances: Sequence[str] = ()
    market: Market | None = None

    @property
    def given(self) -> bool:
        """True if any of them is given."""
        return any(msgspec.structs.astuple(self))

    def names_of(self, priced: Iterable[str]) -> list[str]:
        """Return what each priced fabric is read by: its file if an option or the catalog prices that, else its name."""
        texts = [
            *self.assignments,
            *(text.partition(",cores=")[0] for text in self.core_hours),
            *(text.partition(",")[0] for text in self.on_premises),
        ]
        given = price_catalog.fabric_files(self.catalog) if self.catalog is not None else []
        given += [text.rpartition("=")[0].strip() for text in texts]
        files = {fabrics.get(path).name: path for path in given if fabrics.is_path(path)}
        return [files.get(fabric, fabric) for fabric in priced]


def gather_prices(options: PriceOptions, *, needed: Collection[str] | None = None) -> dict[str, Price]:
    """Return one price for each fabric, as `gather_environments` finds them. Several prices for one are a UsageError."""
    found = gather_environments(options, needed=needed)
    for fabric, prices in found.items():
        if len(prices) > 1:
            named = ", ".join(f"{price.name} in {price.region}" for price in prices)
            raise UsageError(
                f"fabric {fabric} has several prices in `prices` {options.catalog} ({named}); choose one with `region` or "
                f"`instance`, or give it, as `price` {fabric}={prices[0].usd_per_node_hour:g}"
            )
    return {fabric: prices[0] for fabric, prices in found.items()}


def gather_environments(
    options: PriceOptions,
    *,
    needed: Collection[str] | None = None,
    key: Callable[[Price], str] = attrgetter("fabric"),
) -> dict[str, list[Price]]:
    """Return all prices of each fabric: an option's one, or those of the catalog's region, market and node types.

    Each is an environment to choose from. `needed` names the fabrics to price (default: all that have a price). `key`
    returns the name of a catalog's price in the result, such as its node type in place of the fabric. Spot prices are
    left out unless the market is theirs. No price at all, and the same fabric twice in options, are UsageErrors.
    """
    own = own_prices(options.assignments, options.core_hours, options.on_premises)
    _refuse_useless(own, needed)
    found: dict[str, list[Price]] = {}
    if options.catalog is None:
        if options.region is not None or options.instances or options.market is not None:
            raise UsageError("`region`, `instance` and `market` choose from a catalog; name it with `prices`")
        if not own:
            raise UsageError(
                "no price was given; give the US dollars of a node hour with `price` gbe=0.78, or a catalog with `prices`"
            )
    else:
        known = price_catalog.get_catalog(options.catalog)
        listed = price_catalog.of_market(known, options.market)
        if not known:
            raise UsageError(f"`prices` {options.catalog}: it has no price; give it [[prices]]")
        if not listed:
            markets = ", ".join(sorted({price.market for price in known}))
            raise UsageError(
                f"`prices` {options.catalog}: it has {markets} prices only; choose them with `market`"
            )
        for price in price_catalog.chosen(listed, region=options.region, instances=options.instances):
            price = msgspec.structs.replace(price, fabric=fabric_name(price.fabric))
            name = key(price)
            if name not in own and (needed is None or name in needed):
                found.setdefault(name, []).append(price)
        if not found and own:
            raise UsageError(
                f"`prices` {options.catalog}: it has no further price of the fabrics in question; leave it out"
            )
    return {**found, **{fabric: [price] for fabric, price in own.items()}}


def unknown_cpus(prices: Iterable[Price]) -> list[str]:
    """Return a sentence if these are of node types of a catalog with different CPUs, whose speed is not known."""
    processors = {
        price.name: price.processor or price.name for price in prices if price.name and price.market != "own"
    }
    if len(set(processors.values())) < 2:
        return []
    return [
        f"nothing is known about the speed of the CPUs of {len(processors)} node types: the computation takes as long on "
        "each of them"
    ]


def own_prices(
    node_hours: Sequence[str], core_hours: Sequence[str] = (), on_premises_costs: Sequence[str] = ()
) -> dict[str, Price]:
    """Return the prices of `--price F=USD`, `--core-hour F=USD[,cores=N]` and `--on-premises F=PRICE,...` options."""
    found: dict[str, Price] = {}

    def add(option: str, given: str, dollars: float, **more: Any) -> None:  # noqa: ANN401 (fields of a Price)
        fabric = fabric_name(given)
        if fabric in found:
            raise UsageError(f"{option} gives fabric {fabric} twice; give each fabric one price")
        found[fabric] = Price(
            name="",
            fabric=fabric,
            usd_per_node_hour=dollars,
            provider="user",
            region="",
            date="",
            source=f"{option} option",
            market="own",
            **more,
        )

    for text in node_hours:
        given, value = parse_assignment(text, "`price`", "USD_PER_NODE_HOUR", PRICE_USD)
        add("`price`", given, value)
    for text in core_hours:
        amount, comma, cores = text.partition(",cores=")
        given, value = parse_assignment(amount, "`core_hour`", "USD_PER_CORE_HOUR", PRICE_USD)
        if "=" in given:
            raise UsageError(f"`core_hour` {text!r}: write `core_hour` FABRIC=USD_PER_CORE_HOUR,cores=N")
        number = _cores_of(cores.strip(), f"`core_hour` {text!r}") if comma else None
        add("`core_hour`", given, value * (number or 1), cores=number, usd_per_core_hour=value)
    for text in on_premises_costs:
        given, costs = on_premises.parse(text)
        add("`on_premises`", given, on_premises.usd_per_node_hour(costs))
    return found


def _cores_of(text: str, place: str) -> int:
    """Return a number of cores. Raises UsageError that begins with `place`."""
    if not re.fullmatch("[0-9]{1,12}", text) or int(text) not in COUNT:
        raise UsageError(f"{place}: {text!r} is no number of cores; write cores=40")
    return int(text)


def _refuse_useless(own: Mapping[str, Price], needed: Collection[str] | None) -> None:
    for fabric, price in own.items():
        if needed is not None and fabric not in needed:
            option = price.source.removesuffix(" option")
            raise UsageError(
                f"{option} {fabric}: there is no prediction on {fabric}; leave the price out, or name "
                f"the fabric with `on`"
            )


def fabric_name(given: str) -> str:
    """Return the name that predictions use for a fabric given by name or by its file's path.

    A name outside the catalog is kept, since predictions made elsewhere may have it.
    """
    if fabrics.is_path(given):
        return fabrics.get(given).name
    try:
        return fabrics.get(given).name
    except UsageError:
        return given


def load_predictions(content: bytes, path: Path) -> PredictionSet:
    """Decode a file of `linkworth predict --json`. Raises UsageError that names the file and the field."""
    return json_document(content, path, PredictionSet, "`linkworth predict`")
