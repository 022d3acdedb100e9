"""What an hour of a node of one's own costs."""

import math

import msgspec

from linkworth.errors import UsageError
from linkworth.model.price import OnPremises

HOURS_PER_YEAR = 8766.0
"""365.25 days."""


def usd_per_node_hour(costs: OnPremises) -> float:
    """Return US dollars for an hour in which the node runs a job.

    All that the node costs over its years, spread over its busy hours h = years x 8766 x utilisation, and the power of both
    busy and idle hours:

        (price + years x yearly) / h + (busy watts + idle watts x (1 - utilisation) / utilisation) / 1000 x pue x US$/kWh
    """
    busy_hours = costs.years * HOURS_PER_YEAR * costs.utilisation
    capital = (costs.price_usd + costs.years * costs.yearly_usd) / busy_hours
    watts = costs.power_watts + costs.idle_watts * (1 - costs.utilisation) / costs.utilisation
    return capital + watts / 1000 * costs.pue * costs.usd_per_kwh


def check(costs: OnPremises, origin: str) -> OnPremises:
    """Return `costs` if an hourly price follows from them; else a UsageError that begins with `origin` and names the field."""
    for field in costs.__struct_fields__:
        value = getattr(costs, field)
        if not math.isfinite(value) or value < 0:
            raise UsageError(f"{origin}: {field} is {value}; give a number of at least 0")
    if costs.years == 0:
        raise UsageError(f"{origin}: years is 0; give how long a node is used before it is replaced")
    if not 0 < costs.utilisation <= 1:
        raise UsageError(
            f"{origin}: utilisation is {costs.utilisation:g}; give the busy share of the time, above 0 and at most 1"
        )
    if costs.pue < 1:
        raise UsageError(
            f"{origin}: pue is {costs.pue:g}; it is 1 or more, total power over that of the computers"
        )
    if costs.usd_per_kwh == 0 and (costs.power_watts > 0 or costs.idle_watts > 0):
        raise UsageError(f"{origin}: power needs its price; give usd_per_kwh")
    return costs


def parse(text: str) -> tuple[str, OnPremises]:
    """Split `FABRIC=PRICE,years=5,utilisation=0.7,...` of --on-premises into the fabric and the costs of a node."""
    option = f"--on-premises {text!r}"
    form = "write --on-premises FABRIC=PRICE_OF_A_NODE,years=Y,utilisation=U"
    first, *rest = text.split(",")
    fabric, equals, price = (part.strip() for part in first.rpartition("="))
    if not equals or not fabric:
        raise UsageError(f"{option}: no fabric and price; {form}")
    values = {"price_usd": _number(price, option, form)}
    for item in rest:
        name, equals, value = (part.strip() for part in item.partition("="))
        known = [field for field in OnPremises.__struct_fields__ if field != "price_usd"]
        if not equals or name not in known:
            raise UsageError(
                f"{option}: {item.strip()!r} is none of {', '.join(f'{field}=' for field in known)}"
            )
        if name in values:
            raise UsageError(f"{option}: {name} is given twice")
        values[name] = _number(value, option, form)
    missing = [name for name in ("years", "utilisation") if name not in values]
    if missing:
        raise UsageError(f"{option}: {' and '.join(missing)} missing; {form}")
    return fabric, check(msgspec.convert(values, OnPremises), option)


def _number(text: str, option: str, form: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise UsageError(f"{option}: {text!r} is not a number; {form}") from None
