"""Update of a user's catalog: the wanted prices, the provider's answers, the new catalog."""

import datetime
import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from linkworth.catalog import fabrics, prices, user_prices
from linkworth.catalog.update import aws, azure
from linkworth.catalog.update.http import Client, Sleep
from linkworth.catalog.update.wanted import Answer, Wanted
from linkworth.errors import EnvironmentLacksError, UsageError
from linkworth.model.price import Market, Price
from linkworth.model.price_update import ChangeState, PriceChange, PriceUpdate

ENDPOINT_VARIABLE = "LINKWORTH_PRICES_ENDPOINT"


class _Provider(NamedTuple):
    name: str
    endpoint: str
    markets: Sequence[Market]
    fetch: Callable[[Client, Sequence[Wanted]], Mapping[Wanted, Answer]]


_KNOWN = {
    "azure": _Provider(azure.PROVIDER, azure.ENDPOINT, azure.MARKETS, azure.fetch),
    "aws": _Provider(aws.PROVIDER, aws.ENDPOINT, aws.MARKETS, aws.fetch),
}
PROVIDERS = tuple(_KNOWN)


def update(
    provider: str,
    *,
    endpoint: str | None = None,
    regions: Sequence[str] = (),
    instances: Sequence[str] = (),
    dry_run: bool = False,
    sleep: Sleep = time.sleep,
    today: datetime.date | None = None,
) -> PriceUpdate:
    """Ask a provider for the prices of all node types of its catalog, and write the user's catalog.

    `regions` extend those of the catalog, and `instances` (`NAME=FABRIC`) its node types, which keep the catalog's
    fabrics. A price that the interface lacks stays unchanged, with its date. Raises UsageError for unusable options,
    and EnvironmentLacksError if the interface cannot be reached or read; the catalog is then unchanged.
    """
    if provider not in _KNOWN:
        raise UsageError(f"no prices can be updated from {provider!r}; choose {' or '.join(PROVIDERS)}")
    known = _KNOWN[provider]
    client = Client(endpoint or os.environ.get(ENDPOINT_VARIABLE) or known.endpoint, sleep=sleep)
    # The shipped catalog is included: a newer release may know node types that the user's file lacks.
    known_prices = [*prices.get_catalog(provider, shipped=True), *prices.get_catalog(provider)]
    before = {
        Wanted(name=price.name, region=price.region, market=price.market): price for price in known_prices
    }
    templates = _templates(before.values(), instances)
    wanted = _all_wanted(before, templates, regions, known.markets)
    answers = known.fetch(client, [each for each in wanted if each.market in known.markets])
    if not answers:
        raise EnvironmentLacksError(
            f"{client.endpoint} has none of the {len(wanted)} prices asked for; the prices known so far are kept as they were"
        )
    date = (today or datetime.datetime.now(datetime.UTC).date()).isoformat()
    after: list[Price] = []
    changes: list[PriceChange] = []
    for each in wanted:
        old, answer = before.get(each), answers.get(each)
        if answer is not None:
            template = old or templates[each.name]
            after.append(
                msgspec.structs.replace(
                    template,
                    region=each.region,
                    market=each.market,
                    usd_per_node_hour=answer.usd_per_node_hour,
                    usd_per_core_hour=None,
                    provider=known.name,
                    date=date,
                    source=answer.source,
                )
            )
        elif old is not None:
            after.append(old)
        if old is not None or answer is not None:
            changes.append(_change(each, old, answer))
    asked_in_vain = sorted(
        ({each.name for each in wanted} - {each.name for each in answers})
        | (set(regions) - {each.region for each in answers})
    )
    path = "" if dry_run else str(user_prices.write(provider, _title(provider, date), after))
    return PriceUpdate(
        provider=known.name,
        endpoint=client.endpoint,
        path=path,
        date=date,
        changes=changes,
        warnings=[f"{name}: {client.endpoint} has no price of it" for name in asked_in_vain],
    )


def _templates(catalog: Iterable[Price], instances: Sequence[str]) -> dict[str, Price]:
    """Return, by node type, a price whose fabric and size hold for all regions."""
    found: dict[str, Price] = {}
    for price in catalog:
        found.setdefault(price.name, price)
    for text in instances:
        name, equals, fabric = (part.strip() for part in text.partition("="))
        if not name or not equals or not fabric:
            raise UsageError(
                f"`instance` {text!r}: write `instance` NAME=FABRIC, the node type and its network"
            )
        found[name] = Price(
            name=name, fabric=_kept(fabric), usd_per_node_hour=0.0, provider="", region="", date="", source=""
        )
    return found


def _kept(fabric: str) -> str:
    """Return what the catalog, which is in another folder, calls a fabric."""
    name = fabrics.get(fabric).name
    return str(Path(fabric).absolute()) if fabrics.is_path(fabric) else name


def _all_wanted(
    before: Mapping[Wanted, Price],
    templates: Mapping[str, Price],
    regions: Sequence[str],
    markets: Sequence[Market],
) -> list[Wanted]:
    all_regions = list(dict.fromkeys([*(each.region for each in before), *regions]))
    grid: list[Wanted] = []
    for name in templates:
        known = {each.region for each in before if each.name == name}
        for region in all_regions:
            # A node type of the catalog is requested in the catalog's regions, and in those that the user names.
            if region in regions or region in known or not known:
                grid += [Wanted(name=name, region=region, market=market) for market in markets]
    return list(dict.fromkeys([*before, *grid]))


def _change(each: Wanted, old: Price | None, answer: Answer | None) -> PriceChange:
    before = None if old is None else old.usd_per_node_hour
    after = None if answer is None else answer.usd_per_node_hour
    state: ChangeState = "kept"
    if before is None:
        state = "new"
    elif after is not None:
        state = "same" if after == before else "changed"
    return PriceChange(
        name=each.name,
        region=each.region,
        market=each.market,
        before_usd=before,
        after_usd=after,
        state=state,
    )


def _title(provider: str, date: str) -> str:
    return f"{prices.title(provider).partition(', as of ')[0]}, as of {date}"
