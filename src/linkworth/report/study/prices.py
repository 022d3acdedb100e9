"""Price of a node in each environment of a study."""

from pathlib import Path

import msgspec

from linkworth import units
from linkworth.advise.request import unknown_cpus
from linkworth.catalog.fabrics import is_path
from linkworth.catalog.prices import get_catalog
from linkworth.errors import UsageError
from linkworth.model.price import Price
from linkworth.model.study import Environment, Study

_NAMED = 6
"""Most environments without a price to name."""


class NodePrice(msgspec.Struct, frozen=True, kw_only=True):
    """Price of a node for an hour, and its source."""

    usd: float
    name: str
    source: str


def prices_of(study: Study) -> tuple[dict[str, NodePrice], list[str]]:
    """Return the known prices by environment, and sentences on prices that are missing or may mislead."""
    remarks: list[str] = []
    catalog: list[Price] = []
    if study.prices.catalog:
        try:
            catalog = get_catalog(study.prices.catalog)
        except UsageError as error:
            remarks.append(f"Prices are missing: {error}.")
    found: dict[str, NodePrice] = {}
    predicted: list[Price] = []
    """Prices from the catalog of environments whose cores are taken to be as fast as those of the computation's times."""
    for environment in study.environments:
        if environment.usd_per_node_hour is not None:
            found[environment.name] = NodePrice(
                usd=environment.usd_per_node_hour, name=environment.instance, source="the study file"
            )
            continue
        matching = _matching(environment, catalog, study.prices.region)
        if len(matching) == 1:
            price = matching[0]
            found[environment.name] = NodePrice(
                usd=price.usd_per_node_hour,
                name=" ".join(filter(None, [price.provider, price.name, price.region]))
                + (", spot, interruptible" if price.market == "spot" else ""),
                source=", ".join(filter(None, [price.source, price.date, price.note])),
            )
            if "predict" in environment.modes and environment.cpu_factor == 1.0:
                predicted.append(price)
        elif matching:
            names = ", ".join(f"{price.name} in {price.region}" for price in matching)
            remarks.append(
                f"{environment.name} has no price: {study.prices.catalog} has several that fit ({names}); "
                "give the environment an instance, or [prices] a region."
            )
        elif catalog:
            what = environment.instance or _fabric_of(environment) or "it"
            remarks.append(
                f"{environment.name} has no price: {study.prices.catalog} has none for {what}; give it usd_per_node_hour."
            )
    without = [each.name for each in study.environments if each.name not in found]
    if found and without and not remarks:
        names = units.shortened(without, _NAMED)
        remarks.append(f"Without a price and in no comparison of costs: {names}; give usd_per_node_hour.")
    remarks += (
        f"{doubt[0].upper()}{doubt[1:]}; give environments their cpu_factor."
        for doubt in unknown_cpus(predicted)
    )
    return found, remarks


def _matching(environment: Environment, catalog: list[Price], region: str | None) -> list[Price]:
    fitting = [
        price
        for price in catalog
        if (price.name == environment.instance if environment.instance else _of_fabric(price, environment))
        and (region is None or price.region == region)
    ]
    # Prefer nodes that nobody takes away before the run ends.
    return [price for price in fitting if price.market != "spot"] or fitting


def _of_fabric(price: Price, environment: Environment) -> bool:
    fabric = _fabric_of(environment)
    if not (is_path(price.fabric) and is_path(fabric)):
        return price.fabric == fabric
    return Path(price.fabric).resolve() == Path(fabric).resolve()


def _fabric_of(environment: Environment) -> str:
    """Return the fabric that a catalog's price must have: a node with several NICs is another one."""
    nics = environment.nics or 1
    return f"{environment.fabric}x{nics}" if environment.fabric and nics > 1 else environment.fabric
