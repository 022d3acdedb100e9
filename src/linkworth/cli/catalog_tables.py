"""Tables of the catalog for a person."""

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from linkworth.catalog.documents import (
    AppsDocument,
    FabricDocument,
    FabricsDocument,
    MachinesDocument,
    PriceCatalog,
)
from linkworth.cli import units
from linkworth.model.fabric import Path, SourceNote
from linkworth.model.machine import Machine
from linkworth.model.price_update import PriceUpdate
from linkworth.model.workload import App


def fabrics_table(document: FabricsDocument) -> RenderableType:
    """Return the list of fabrics."""
    table = _table(("fabric", "l"), ("half round trip, 8 B", "r"), ("bandwidth, 4 MiB", "r"), ("", "l"))
    for fabric in document.fabrics:
        table.add_row(
            fabric.name,
            units.seconds(fabric.figures.half_round_trip_seconds),
            units.rate(fabric.figures.bandwidth_bytes_per_second),
            fabric.title,
        )
    return table


def fabric_details(document: FabricDocument) -> RenderableType:
    """Return one fabric's parameters, figures and sources."""
    fabric, figures = document.fabric, document.figures
    table = _table(("parameter", "l"), ("between nodes", "r"), ("inside a node", "r"))
    for (name, link), (_, inside) in zip(_path_rows(fabric.link), _path_rows(fabric.intranode), strict=True):
        table.add_row(name, link, inside)
    table.add_section()
    table.add_row(
        "half round trip, 8 B",
        units.seconds(figures.half_round_trip_seconds),
        units.seconds(figures.intranode_half_round_trip_seconds),
    )
    table.add_row(
        "bandwidth, 4 MiB",
        units.rate(figures.bandwidth_bytes_per_second),
        units.rate(figures.intranode_bandwidth_bytes_per_second),
    )
    rails = (
        f"{fabric.rails} rail{'s' if fabric.rails > 1 else ''}; messages of {units.size(fabric.stripe_min_bytes)} and more "
        f"use all rails with efficiency {fabric.rail_efficiency:g}"
    )
    total = f"all messages inside one node together: {units.rate(fabric.intranode_total_bytes_per_second)}"
    going_on = "only while their ranks wait inside MPI calls" if fabric.progress == "calls" else "at any time"
    progress = f"long messages go on {going_on}"
    heading = Text(f"{fabric.name}: {fabric.title}", style="bold")
    return Group(heading, table, Text(rails), Text(total), Text(progress), Text(), *_sources(fabric.sources))


def machines_table(document: MachinesDocument) -> RenderableType:
    """Return the list of machines."""
    table = _table(
        ("machine", "l"),
        ("nodes", "r"),
        ("cores a node", "r"),
        ("memory a node", "r"),
        ("fabrics", "l"),
        ("", "l"),
    )
    for machine in document.machines:
        table.add_row(
            machine.name,
            str(machine.nodes),
            str(machine.cores_per_node),
            units.size(machine.memory_bytes_per_node),
            " ".join(machine.fabrics),
            machine.title,
        )
    return table


def machine_details(machine: Machine) -> RenderableType:
    """Return one machine with its sources."""
    table = Table.grid(padding=(0, 2))
    for name, value in (
        ("nodes", str(machine.nodes)),
        ("processor", f"{machine.sockets_per_node} x {machine.processor}"),
        ("cores a node", str(machine.cores_per_node)),
        ("two ranks on a core", f"{machine.thread_gain:g} x one rank"),
        ("memory a node", units.size(machine.memory_bytes_per_node)),
        ("fabrics", " ".join(machine.fabrics)),
        ("speed of a core", f"{machine.cpu_factor:g} of the reference core"),
    ):
        table.add_row(name, value)
    return Group(
        Text(f"{machine.name}: {machine.title}", style="bold"), table, Text(), *_sources(machine.sources)
    )


def price_catalogs(catalogs: Sequence[PriceCatalog], *, with_sources: bool) -> RenderableType:
    """Return catalogs of prices, each with its table."""
    parts: list[RenderableType] = []
    for catalog in catalogs:
        table = _table(
            ("node", "l"),
            ("fabric", "l"),
            ("US$ a node-hour", "r"),
            ("market", "l"),
            ("cores", "r"),
            ("provider", "l"),
            ("region", "l"),
            ("date", "l"),
        )
        for price in catalog.prices:
            table.add_row(
                price.name,
                price.fabric,
                f"{price.usd_per_node_hour:.6g}",
                price.market,
                "" if price.cores is None else str(price.cores),
                price.provider,
                price.region,
                price.date,
            )
        parts += [Text(f"{catalog.name}: {catalog.title}", style="bold"), table, Text()]
        if with_sources:
            for price in catalog.prices:
                note = f"; {price.note}" if price.note else ""
                place = ", ".join(part for part in (price.region, price.market, price.date) if part)
                parts.append(Text(f"{price.name} ({place}): {price.source}{note}"))
    return Group(*parts)


def price_changes(update: PriceUpdate) -> RenderableType:
    """Return the effect of an update on each price."""
    table = _table(
        ("node", "l"), ("region", "l"), ("market", "l"), ("before", "r"), ("US$ a node-hour", "r"), ("", "l")
    )
    for change in update.changes:
        before, after = (
            "" if value is None else f"{value:.6g}" for value in (change.before_usd, change.after_usd)
        )
        table.add_row(change.name, change.region, change.market, before, after or before, change.state)
    counts = {
        state: sum(change.state == state for change in update.changes)
        for state in ("changed", "new", "same", "kept")
    }
    said = ", ".join(f"{count} {state}" for state, count in counts.items() if count)
    where = f"written to {update.path}" if update.path else "nothing written"
    heading = Text(f"{update.provider}, {update.date}, from {update.endpoint}", style="bold")
    return Group(heading, table, Text(f"{said}; {where}"))


def apps_table(document: AppsDocument) -> RenderableType:
    """Return the list of bundled programs."""
    table = _table(("program", "l"), ("classes or argument", "l"), ("ranks", "l"), ("", "l"))
    for app in document.apps:
        table.add_row(app.name, " ".join(app.classes) or app.argument, app.rank_rule, app.title)
    return table


def app_details(app: App) -> RenderableType:
    """Return one program."""
    lines = [f"classes: {' '.join(app.classes)}" if app.classes else f"argument: {app.argument}"]
    lines.append(f"ranks: {app.rank_rule}")
    lines += [f"option: {option}" for option in app.options]
    lines.append(f"record it: linkworth trace -n 8 {app.command}")
    return Group(Text(f"{app.name}: {app.title}", style="bold"), Text(app.description), *map(Text, lines))


def _path_rows(path: Path) -> list[tuple[str, str]]:
    packets = f"{path.mtu_bytes} B" if path.mtu_bytes else "no packets"
    return [
        ("latency", units.seconds(path.latency_seconds)),
        ("bandwidth of a rail, with headers", units.rate(path.bandwidth_bytes_per_second)),
        ("least gap between messages", units.seconds(path.gap_seconds)),
        ("send overhead", _points(path.send_overhead)),
        ("receive overhead", _points(path.receive_overhead)),
        ("eager up to", units.size(path.eager_limit_bytes)),
        ("packet (MTU)", packets),
        ("header bytes a packet", f"{path.header_bytes} ({path.header_in_mtu_bytes} in the MTU)"),
    ]


def _points(points: Sequence[tuple[int, float]]) -> str:
    return "\n".join(f"{units.size(size)}: {units.seconds(seconds)}" for size, seconds in points) or "none"


def _sources(sources: Sequence[SourceNote]) -> list[RenderableType]:
    parts: list[RenderableType] = [Text("Sources", style="bold")]
    for source in sources:
        note = f" [{source.note}]" if source.note else ""
        parts.append(Text(f"- {', '.join(source.fields)}: {source.source} ({source.date}){note}"))
    return parts


def _table(*columns: tuple[str, str]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name, side in columns:
        table.add_column(name, justify="right" if side == "r" else "left", no_wrap=bool(name))
    return table
