"""Documents that the list verbs print with --json. No limit is null there, since JSON has no infinity."""

import msgspec

from linkworth.catalog import apps, derived, fabrics, machines, prices
from linkworth.model.fabric import Fabric
from linkworth.model.machine import Machine
from linkworth.model.price import Price
from linkworth.model.workload import App

SMALL_BYTES = 8
LARGE_BYTES = 4 << 20


class FabricFigures(msgspec.Struct, frozen=True, kw_only=True):
    """Figures of the usual benchmarks between two idle nodes, from a fabric's parameters."""

    half_round_trip_seconds: float
    """Half round trip of 8 bytes (osu_latency)."""
    bandwidth_bytes_per_second: float
    """Bandwidth of 4 MiB messages in one direction, all rails (osu_bw)."""
    intranode_half_round_trip_seconds: float
    intranode_bandwidth_bytes_per_second: float


class FabricDocument(msgspec.Struct, frozen=True, kw_only=True):
    """`linkworth fabrics show NAME --json`."""

    schema: str = "linkworth.fabric/1"
    fabric: Fabric
    figures: FabricFigures


class FabricSummary(msgspec.Struct, frozen=True, kw_only=True):
    """One line of the list of fabrics."""

    name: str
    title: str
    figures: FabricFigures


class FabricsDocument(msgspec.Struct, frozen=True, kw_only=True):
    """`linkworth fabrics --json`."""

    schema: str = "linkworth.fabrics/1"
    fabrics: list[FabricSummary]


class MachineDocument(msgspec.Struct, frozen=True, kw_only=True):
    """`linkworth machines show NAME --json`."""

    schema: str = "linkworth.machine/1"
    machine: Machine


class MachinesDocument(msgspec.Struct, frozen=True, kw_only=True):
    """`linkworth machines --json`."""

    schema: str = "linkworth.machines/1"
    machines: list[Machine]


class PriceCatalog(msgspec.Struct, frozen=True, kw_only=True):
    """A catalog of prices."""

    name: str
    title: str
    prices: list[Price]


class PriceCatalogDocument(msgspec.Struct, frozen=True, kw_only=True):
    """`linkworth prices show CATALOG --json`."""

    schema: str = "linkworth.price-catalog/1"
    catalog: PriceCatalog


class PricesDocument(msgspec.Struct, frozen=True, kw_only=True):
    """`linkworth prices --json`."""

    schema: str = "linkworth.prices/1"
    catalogs: list[PriceCatalog]


class AppDocument(msgspec.Struct, frozen=True, kw_only=True):
    """`linkworth apps show NAME --json`."""

    schema: str = "linkworth.app/1"
    app: App


class AppsDocument(msgspec.Struct, frozen=True, kw_only=True):
    """`linkworth apps --json`."""

    schema: str = "linkworth.apps/1"
    apps: list[App]


def figures(fabric: Fabric) -> FabricFigures:
    """Return the figures of a fabric."""
    width = derived.stripe_width(fabric, LARGE_BYTES)
    return FabricFigures(
        half_round_trip_seconds=derived.half_round_trip_seconds(fabric.link, SMALL_BYTES),
        bandwidth_bytes_per_second=derived.stream_bandwidth(fabric.link, LARGE_BYTES, width=width),
        intranode_half_round_trip_seconds=derived.half_round_trip_seconds(fabric.intranode, SMALL_BYTES),
        intranode_bandwidth_bytes_per_second=derived.stream_bandwidth(fabric.intranode, LARGE_BYTES),
    )


def fabric_document(name_or_path: str) -> FabricDocument:
    """Return one fabric and its figures."""
    fabric = fabrics.get(name_or_path)
    return FabricDocument(fabric=fabric, figures=figures(fabric))


def fabrics_document() -> FabricsDocument:
    """Return all fabrics of the catalog."""
    known = [fabrics.get(name) for name in fabrics.names()]
    return FabricsDocument(
        fabrics=[
            FabricSummary(name=fabric.name, title=fabric.title, figures=figures(fabric)) for fabric in known
        ]
    )


def machines_document() -> MachinesDocument:
    """Return all machines."""
    return MachinesDocument(machines=[machines.get(name) for name in machines.names()])


def price_catalog(name_or_path: str) -> PriceCatalog:
    """Return one catalog of prices."""
    return PriceCatalog(
        name=name_or_path, title=prices.title(name_or_path), prices=prices.get_catalog(name_or_path)
    )


def prices_document() -> PricesDocument:
    """Return all catalogs of prices."""
    return PricesDocument(catalogs=[price_catalog(name) for name in prices.names()])


def apps_document() -> AppsDocument:
    """Return all bundled programs."""
    return AppsDocument(apps=[apps.get(name) for name in apps.names()])
