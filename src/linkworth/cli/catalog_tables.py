"""Tables of the catalog for a person."""

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from linkworth import units
from linkworth.catalog.documents import (
    AppsDocument,
    FabricDocument,
    FabricsDocument,
    MachinesDocument,
    PriceCatalog,
)
from linkworth.cli.table import Table
from linkworth.model.fabric import Path, SourceNote
from linkworth.model.machine import Machine
from linkworth.model.price_update import PriceUpdate
from linkworth.model.workload import App


def fabrics_table(document: FabricsDocument) -> RenderableType:
    """Return the list of fabrics."""
    return Table(
        ["fabric", "latency>", "bandwidth>", "name~"],
        [
            [
                fabric.name,
                units.duration(fabric.figures.half_round_trip_seconds),
                units.rate(fabric.figures.bandwidth_bytes_per_second),
                fabric.title,
            ]
            for fabric in document.fabrics
        ],
        note="Latency: half the round trip of 8 B. Bandwidth: of messages of 4,194,304 B.",
    )


def fabric_details(document: FabricDocument) -> RenderableType:
    """Return one fabric's parameters, figures and sources."""
    fabric, figures = document.fabric, document.figures
    rows = [
        [name, link, inside]
        for (name, link), (_, inside) in zip(
            _path_rows(fabric.link), _path_rows(fabric.intranode), strict=True
        )
    ]
    rows += [
        [
            "half round trip, 8 B",
            units.duration(figures.half_round_trip_seconds),
            units.duration(figures.intranode_half_round_trip_seconds),
        ],
        [
            "bandwidth, 4,194,304 B",
            units.rate(figures.bandwidth_bytes_per_second),
            units.rate(figures.intranode_bandwidth_bytes_per_second),
        ],
    ]
    table = Table(
        ["parameter", "between nodes>", "inside a node>"], rows, title=f"{fabric.name}: {fabric.title}"
    )
    rails = (
        f"{fabric.rails} rail{'s' if fabric.rails > 1 else ''}; messages of "
        f"{units.message_size(fabric.stripe_min_bytes)} and more use all rails with efficiency {fabric.rail_efficiency:g}"
    )
    total = (
        f"all messages inside one node together: {units.rate(fabric.intranode_total_bytes_per_second)}; what one rank sends and "
        f"receives there: {units.rate(fabric.intranode_duplex_bytes_per_second)}"
    )
    going_on = "only while their ranks wait inside MPI calls" if fabric.progress == "calls" else "at any time"
    progress = f"long messages go on {going_on}"
    return Group(table, Text(rails), Text(total), Text(progress), Text(), *_sources(fabric.sources))


def machines_table(document: MachinesDocument) -> RenderableType:
    """Return the list of machines."""
    return Table(
        ["machine", "nodes>", "cores per node>", "memory per node>", "fabrics", "description~"],
        [
            [
                machine.name,
                str(machine.nodes),
                str(machine.cores_per_node),
                units.data(machine.memory_bytes_per_node),
                "\n".join(machine.fabrics),
                machine.title,
            ]
            for machine in document.machines
        ],
    )


def machine_details(machine: Machine) -> RenderableType:
    """Return one machine with its sources."""
    rows = [
        ["nodes", str(machine.nodes)],
        ["processor", f"{machine.sockets_per_node} x {machine.processor}"],
        ["cores per node", str(machine.cores_per_node)],
        ["two ranks on a core", f"{machine.thread_gain:g} x the speed of one rank"],
        ["memory per node", units.data(machine.memory_bytes_per_node)],
        ["fabrics", " ".join(machine.fabrics)],
    ]
    if machine.core_speed is None:
        rows.append(["speed of a core", f"{machine.cpu_factor:g} of the reference core"])
    else:
        rows.append(["speed of a core", f"{machine.core_speed:.3g} of that behind the shipped rates"])
    for name, rate in (
        ("memory bandwidth of a node", machine.memory_bytes_per_second),
        ("copies of a core", machine.copy_bytes_per_second),
    ):
        if rate is not None:
            rows.append([name, units.rate(rate)])
    if machine.cache_bytes_per_node is not None:
        rows.append(["last-level caches of a node", units.data(machine.cache_bytes_per_node)])
    parts = [Table(["", "~"], rows, title=f"{machine.name}: {machine.title}")]
    if machine.kernels:
        times = [
            [each.workload, units.duration(each.seconds), units.duration(each.seconds_on_all_cores)]
            for each in machine.kernels
        ]
        parts.append(Table(["kernel", "on one core>", "on all cores>"], times, title="Times on one rank"))
    return Group(*parts, Text(), *_sources(machine.sources))


def price_catalogs(catalogs: Sequence[PriceCatalog], *, with_sources: bool) -> RenderableType:
    """Return catalogs of prices, each with its table."""
    parts: list[RenderableType] = []
    for catalog in catalogs:
        titles = [
            "node type",
            "fabric",
            "US$ per node-hour>",
            "market",
            "cores>",
            "region",
            "provider",
            "date",
        ]
        rows = [
            [
                price.name,
                price.fabric,
                f"{price.usd_per_node_hour:.6g}",
                price.market,
                "" if price.cores is None else str(price.cores),
                price.region,
                price.provider,
                price.date,
            ]
            for price in catalog.prices
        ]
        parts += [Table(titles, rows, title=f"{catalog.name}: {catalog.title}"), Text()]
        if with_sources:
            for price in catalog.prices:
                note = f"; {price.note}" if price.note else ""
                place = ", ".join(part for part in (price.region, price.market, price.date) if part)
                parts.append(Text(f"{price.name} ({place}): {price.source}{note}"))
    return Group(*parts)


def price_changes(update: PriceUpdate) -> RenderableType:
    """Return the effect of an update on each price."""
    rows = []
    for change in update.changes:
        before, after = (
            "" if value is None else f"{value:.6g}" for value in (change.before_usd, change.after_usd)
        )
        rows.append([change.name, change.region, change.market, before, after or before, change.state])
    table = Table(
        ["node type", "region", "market", "before>", "US$ per node-hour>", "state"],
        rows,
        title=f"{update.provider}, {update.date}, from {update.endpoint}",
    )
    counts = {
        state: sum(change.state == state for change in update.changes)
        for state in ("changed", "new", "same", "kept")
    }
    said = ", ".join(f"{count} {state}" for state, count in counts.items() if count)
    where = f"written to {update.path}" if update.path else "nothing written"
    return Group(table, Text(f"{said}; {where}"))


def apps_table(document: AppsDocument) -> RenderableType:
    """Return the list of bundled programs."""
    return Table(
        ["program", "classes or argument~", "ranks~", "description~"],
        [
            [app.name, " ".join(app.classes) or app.argument, app.rank_rule, app.title]
            for app in document.apps
        ],
    )


def app_details(app: App) -> RenderableType:
    """Return one program."""
    lines = [f"classes: {' '.join(app.classes)}" if app.classes else f"argument: {app.argument}"]
    lines.append(f"ranks: {app.rank_rule}")
    lines += [f"option: {option}" for option in app.options]
    lines.append(f"record it: linkworth trace -n 8 {app.command}")
    return Group(Text(f"{app.name}: {app.title}", style="bold"), Text(app.description), *map(Text, lines))


def _path_rows(path: Path) -> list[tuple[str, str]]:
    packets = units.message_size(path.mtu_bytes) if path.mtu_bytes else "no packets"
    return [
        ("latency", units.duration(path.latency_seconds)),
        ("bandwidth of a rail, with headers", units.rate(path.bandwidth_bytes_per_second)),
        ("least gap between messages", units.duration(path.gap_seconds)),
        ("send overhead", points_text(path.send_overhead)),
        ("receive overhead", points_text(path.receive_overhead)),
        ("latency that the size adds", points_text(path.added_latency)),
        ("eager messages up to", units.message_size(path.eager_limit_bytes)),
        ("packet (MTU)", packets),
        ("header bytes a packet", f"{path.header_bytes} ({path.header_in_mtu_bytes} in the MTU)"),
    ]


def points_text(points: Sequence[tuple[int, float]]) -> str:
    """Return the seconds of points by message size, one a line."""
    return (
        "\n".join(f"{units.message_size(size)}: {units.duration(seconds)}" for size, seconds in points)
        or "none"
    )


def _sources(sources: Sequence[SourceNote]) -> list[RenderableType]:
    parts: list[RenderableType] = [Text("Sources", style="bold")]
    for source in sources:
        note = f" [{source.note}]" if source.note else ""
        parts.append(Text(f"- {', '.join(source.fields)}: {source.source} ({source.date}){note}"))
    return parts
