"""Cost of an hour of a node of one's own."""

import msgspec

from linkworth.catalog.assignment import read_number
from linkworth.errors import UsageError
from linkworth.model.number_range import PRICE_USD, NumberRange
from linkworth.model.price import OnPremises

HOURS_PER_YEAR = 8766.0
"""Hours of 365.25 days."""
_WATTS = NumberRange(least=1e-3, most=1e7, zero=True)
_RANGES = {
    "price_usd": PRICE_USD,
    "years": NumberRange(least=0.01, most=100),
    "utilisation": NumberRange(least=1e-4, most=1),
    "yearly_usd": PRICE_USD,
    "power_watts": _WATTS,
    "idle_watts": _WATTS,
    "usd_per_kwh": PRICE_USD,
    "pue": NumberRange(least=1, most=100),
}
"""Ranges of `OnPremises` fields. Utilisation is the busy share of the time; PUE is total over computers' power."""


def usd_per_node_hour(costs: OnPremises) -> float:
    """Return US dollars for an hour in which the node runs a job.

    The formula spreads all costs of the node's years over its busy hours h = years x 8766 x utilisation, and adds the
    power of both busy and idle hours:

        (price + years x yearly) / h + (busy watts + idle watts x (1 - utilisation) / utilisation) / 1000 x pue x US$/kWh
    """
    busy_hours = costs.years * HOURS_PER_YEAR * costs.utilisation
    capital = (costs.price_usd + costs.years * costs.yearly_usd) / busy_hours
    watts = costs.power_watts + costs.idle_watts * (1 - costs.utilisation) / costs.utilisation
    return capital + watts / 1000 * costs.pue * costs.usd_per_kwh


def check(costs: OnPremises, origin: str) -> OnPremises:
    """Return `costs` if they give an hourly price. Raises UsageError that begins with `origin` and names the field."""
    for field, allowed in _RANGES.items():
        value = getattr(costs, field)
        if value not in allowed:
            raise UsageError(f"{origin}: {field} is {value}; give {allowed}")
    if costs.usd_per_kwh == 0 and (costs.power_watts > 0 or costs.idle_watts > 0):
        raise UsageError(f"{origin}: power needs its price; give usd_per_kwh")
    return costs


def parse(text: str) -> tuple[str, OnPremises]:
    """Split `FABRIC=PRICE,years=5,utilisation=0.7,...` of --on-premises into the fabric and the costs of a node."""
    option = f"`on_premises` {text!r}"
    form = "write `on_premises` FABRIC=PRICE_OF_A_NODE,years=Y,utilisation=U"
    first, *rest = text.split(",")
    fabric, equals, price = (part.strip() for part in first.rpartition("="))
    if not equals or not fabric:
        raise UsageError(f"{option}: no fabric and price; {form}")
    values = {"price_usd": read_number(price, option, PRICE_USD)}
    for item in rest:
        name, equals, value = (part.strip() for part in item.partition("="))
        known = [field for field in OnPremises.__struct_fields__ if field != "price_usd"]
        if not equals or name not in known:
            raise UsageError(
                f"{option}: {item.strip()!r} is none of {', '.join(f'{field}=' for field in known)}"
            )
        if name in values:
            raise UsageError(f"{option}: {name} is given twice")
        values[name] = read_number(value, f"{option}: {name}", _RANGES[name])
    missing = [name for name in ("years", "utilisation") if name not in values]
    if missing:
        raise UsageError(f"{option}: {' and '.join(missing)} missing; {form}")
    return fabric, check(msgspec.convert(values, OnPremises), option)
