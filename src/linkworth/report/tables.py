"""Tables, facts and warnings of the page."""

from collections.abc import Sequence

from linkworth import units
from linkworth.model.fabric import Fabric
from linkworth.model.price import Price
from linkworth.model.profile import Profile
from linkworth.replay.collectives import rules_in_words
from linkworth.report.item import ReportItem
from linkworth.report.table import Cell, Field, ReportTable, cell, table, value, whole, words

_CALLS_SHOWN = 12


def facts(item: ReportItem) -> list[tuple[str, str]]:
    """Return the facts on the run and its efficiency, as (name, value)."""
    profile, pop = item.profile, item.profile.pop
    rows = []
    if item.metadata is not None:
        if item.metadata.command:
            rows.append(("command", " ".join(item.metadata.command)))
        if item.metadata.created:
            rows.append(("recorded", item.metadata.created))
        if item.metadata.rates is not None:
            rows.append(("computation", item.metadata.rates.description))
        if item.metadata.rates is not None and item.metadata.rates.warning:
            rows.append(("beware", item.metadata.rates.warning))
    ran = units.duration(profile.elapsed_seconds)
    if profile.oversubscribed:
        ran += ", more ranks than cores: computation counted in CPU time"
    where = "where it ran" if profile.rates is None else "in one node's memory"
    rows.append((f"from start to end {where}", ran))
    if profile.descheduled_seconds:
        rows.append(("waiting for a core, all ranks", units.duration(profile.descheduled_seconds)))
    if item.predictions.region == "marked":
        rows.append(
            ("predicted part", "the part that the program marks with MPI_Pcontrol, as it times itself")
        )
    rows += [
        ("messages", f"{units.count(profile.messages)}, {units.data(profile.message_bytes)}"),
        ("parallel efficiency", units.percent(pop.parallel_efficiency)),
        ("load balance", units.percent(pop.load_balance)),
        ("communication efficiency", units.percent(pop.communication_efficiency)),
        ("serialisation efficiency", _known(pop.serialisation_efficiency)),
        ("transfer efficiency", _known(pop.transfer_efficiency)),
    ]
    crossing = max((p.internode_bytes for p in item.predictions.predictions), default=0)
    rows.append((f"bytes between the {item.predictions.nodes} nodes", units.data(crossing)))
    if item.predictions.region == "marked":
        timed = max((p.timed_internode_bytes for p in item.predictions.predictions), default=0)
        rows.append(("of them in the timed part", units.data(timed)))
    if item.predictions.collectives is not None:
        rows.append(("collectives", rules_in_words(item.predictions.collectives)))
    if item.predictions.calibration.cpu_factor != 1:
        rows.append(("computation divided by", units.significant(item.predictions.calibration.cpu_factor)))
    return rows


def calls(profile: Profile, key: str) -> ReportTable:
    """Return the longest MPI calls, the rest in one row."""
    rows = [(c.name, c.count, c.bytes, c.seconds) for c in profile.calls[:_CALLS_SHOWN]]
    if rest := profile.calls[_CALLS_SHOWN:]:
        sums = (sum(c.count for c in rest), sum(c.bytes for c in rest), sum(c.seconds for c in rest))
        rows.append((f"{len(rest)} others", *sums))

    def row(item: tuple[str, int, int, float]) -> list[Field]:
        name, count, size, seconds = item
        return [
            words("call", name),
            whole("count", "count", count),
            value("bytes [B]", "bytes", size, "size"),
            value("seconds [s]", "time", seconds, "time"),
        ]

    return table(f"{key}-calls", "MPI calls, longest first; time over all ranks", rows, row)


def warnings(item: ReportItem) -> list[str]:
    """Return the reasons to doubt the numbers, one sentence each."""
    sentences = []
    if not item.trusted:
        sentences.append(
            "The program's own check of its result failed: the recording shows what ran, "
            "but no time or cost is predicted from it."
        )
    sentences += item.profile.damage
    for remark in (item.profile.node_aware, item.profile.not_replayed):
        if remark is not None:
            sentences.append(f"{remark[:1].upper()}{remark[1:]}.")
    if item.profile.unmodelled:
        calls_ = ", ".join(f"{name} ({units.count(n)})" for name, n in item.profile.unmodelled.items())
        sentences.append(f"Recorded by time only, not replayed: {calls_}.")
    return list(dict.fromkeys(sentences + item.predictions.warnings + item.advice.warnings))


def fabrics(items: Sequence[ReportItem]) -> ReportTable:
    """Return every predicted fabric's main parameters with their sources."""
    known = {fabric.name: fabric for item in items for fabric in item.fabrics}

    def row(fabric: Fabric) -> list[Field]:
        rate = fabric.link.bandwidth_bytes_per_second
        rails = f" x {fabric.rails} rails" if fabric.rails > 1 else ""
        bandwidth = Cell(text=f"{units.rate(rate)}{rails}", value=rate)
        sources = "; ".join(f"{note.source} ({note.date})" for note in fabric.sources)
        return [
            words("name", fabric.name, note=fabric.title),
            value("latency [s]", "latency", fabric.link.latency_seconds, "time"),
            cell("bandwidth [B/s]", "bandwidth", bandwidth),
            words("sources", sources or fabric.origin),
        ]

    return table("networks", "Networks", known.values(), row)


def prices(items: Sequence[ReportItem]) -> ReportTable:
    """Return every price used, with its source."""
    known = {
        (price.fabric, price.name, price.usd_per_node_hour): price for item in items for price in item.prices
    }

    def row(price: Price) -> list[Field]:
        usd = price.usd_per_node_hour
        return [
            words("network", price.fabric),
            cell(
                "price [US$ per node-hour]",
                "US$ a node-hour",
                Cell(text=units.significant(usd, 4), value=usd),
            ),
            words("node", " ".join(filter(None, [price.provider, price.name, price.region]))),
            words("source", ", ".join(filter(None, [price.source, price.date, price.note]))),
        ]

    return table("prices", "Prices", known.values(), row)


def _known(share: float | None) -> str:
    return "not known" if share is None else units.percent(share)
