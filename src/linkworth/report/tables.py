"""Tables, facts and warnings of the page."""

import shlex
from collections.abc import Iterator, Sequence

import msgspec

from linkworth import units
from linkworth.model.call_profile import INIT
from linkworth.model.fabric import Fabric
from linkworth.model.price import Price
from linkworth.model.profile import CallTotals, CallWaits, Phase, Phases, Pop, Profile, SiteProfile, Waits
from linkworth.profile.pop import DEFINITIONS, named
from linkworth.profile.remarks import remarks
from linkworth.profile.scan import listed_loop_share
from linkworth.profile.where_called import place_of
from linkworth.replay.collectives import rules_in_words
from linkworth.report.item import ReportItem
from linkworth.report.table import Cell, Field, ReportTable, cell, node_hour, table, value, whole, words

GOOD_EFFICIENCY = 0.8
"""POP recommends a closer look at each efficiency below (https://pop-coe.eu/node/69, read 2026-11-25)."""
_CALLS_SHOWN = 12
_SITES_SHOWN = 20
_NAMES_SHOWN = 4


def facts(item: ReportItem) -> list[tuple[str, str]]:
    """Return the facts on the run, as (name, value)."""
    profile = item.profile
    rows = []
    if item.metadata is not None:
        if item.metadata.command:
            rows.append(("command", shlex.join(item.metadata.command)))
        if item.metadata.created:
            rows.append(("recorded", item.metadata.created))
        if item.metadata.rates is not None:
            rows.append(("computation", item.metadata.rates.description))
    ran = units.duration(profile.elapsed_seconds)
    if profile.oversubscribed:
        ran += ", more ranks than cores: shares and efficiencies are as with a core for each rank"
    where = "where it ran" if profile.timed else "in one node's memory"
    rows.append((f"from start to end {where}", ran))
    if profile.descheduled_seconds:
        rows.append(("waiting for a core, all ranks", units.duration(profile.descheduled_seconds)))
    if item.predictions.region == "marked":
        part = "the part that the program marks with MPI_Pcontrol, as it times itself"
        if profile.marked_seconds is not None:
            part += f"; {units.duration(profile.marked_seconds)} where it ran"
        rows.append(("predicted part", part))
    rows += [("messages", f"{units.count(profile.messages)}, {units.data(profile.message_bytes)}")]
    if item.predictions.nodes > 1:
        crossing = max((p.internode_bytes for p in item.predictions.predictions), default=0)
        rows.append((f"bytes between the {item.predictions.nodes} nodes", units.data(crossing)))
        if item.predictions.region == "marked":
            timed = max((p.timed_internode_bytes for p in item.predictions.predictions), default=0)
            rows.append(("of them in the timed part", units.data(timed)))
    if item.predictions.placement != "block":
        rows.append(("placement of the ranks", item.predictions.placement))
    if item.predictions.collectives is not None:
        rows.append(("collectives", rules_in_words(item.predictions.collectives)))
    scale = item.predictions.calibration
    if scale.measured_fabric is not None and scale.measured_seconds is not None:
        measured = f"{units.plain(scale.measured_seconds)} s on {scale.measured_fabric}"
        rows.append(("computation scaled to the time given", measured))
    if scale.between_machines:
        rows.append(("machines", scale.between_machines))
    if scale.cpu_factor != 1:
        rows.append(("computation divided by", units.significant(scale.cpu_factor)))
    return rows


def calls(profile: Profile, key: str) -> ReportTable:
    """Return the longest MPI calls, the rest in one row."""
    rows = profile.calls[:_CALLS_SHOWN]
    if rest := profile.calls[_CALLS_SHOWN:]:
        others = CallTotals(
            name=units.plural(len(rest), "other"),
            count=sum(call.count for call in rest),
            bytes=sum(call.bytes for call in rest),
            seconds=sum(call.seconds for call in rest),
        )
        rows = [*rows, others]

    def row(call: CallTotals) -> list[Field]:
        return [words("call", call.name), *_totals(call, timed=profile.timed)]

    title = "MPI calls, longest first; time over all ranks" if profile.timed else "MPI calls, most data first"
    return table(f"{key}-calls", title, rows, row)


def _totals(of: CallTotals | SiteProfile, *, timed: bool = True) -> list[Field]:
    return [
        whole("count", "count", of.count),
        value("bytes [B]", "bytes", of.bytes, "size"),
        *([value("seconds [s]", "time", of.seconds, "time")] if timed else []),
    ]


def efficiencies(pop: Pop, key: str) -> ReportTable:
    """Return the POP efficiencies, each marked as good or bad, with its definition."""

    def row(item: tuple[str, float | None]) -> list[Field]:
        name, share = item
        return [words("efficiency", name, note=DEFINITIONS[name]), cell("value [1]", "value", _rated(share))]

    note = (
        f"Look closer at those below {units.percent(GOOD_EFFICIENCY)}. Ideal time: of a replay on a network that "
        "takes no time."
    )
    return table(f"{key}-efficiencies", "POP efficiencies", named(pop).items(), row, note=note)


def waits(found: Waits | None, key: str) -> ReportTable:
    """Return the waiting inside each MPI call by its cause, longest first."""
    rows = [call for call in found.calls if call.seconds > 0] if found is not None else []

    def row(call: CallWaits) -> list[Field]:
        return [
            words("call", call.name),
            value("late sender [s]", "late sender", call.late_sender.seconds, "time"),
            value("late receiver [s]", "late receiver", call.late_receiver.seconds, "time"),
            value("collective [s]", "collective", call.collective.seconds, "time"),
        ]

    share = found.share if found is not None else 0.0
    title = f"Ranks wait for each other {units.percent(share)} of their recorded time"
    note = (
        "Time over all ranks. Late sender: a receive starts before its message is sent. Late receiver: a send waits for "
        "its receive. Collective: it waits for its last rank."
    )
    return table(f"{key}-waits", title, rows, row, note=note)


def sites(profile: Profile, key: str) -> ReportTable:
    """Return the places of the program that spend most time in an MPI call."""
    known = [(call.name, site) for call in profile.calls if call.name not in INIT for site in call.sites]
    known.sort(key=lambda pair: -pair[1].seconds)

    def row(pair: tuple[str, SiteProfile]) -> list[Field]:
        name, site = pair
        return [words("place", place_of(site), note=name), *_totals(site)]

    title = "Places of the program that call MPI longest"
    return table(f"{key}-sites", title, known[:_SITES_SHOWN], row, note="Time over all ranks.")


def phases(found: Phases | None, key: str) -> ReportTable:
    """Return the phases of the run in their order; a loop inside a loop follows its outer one."""
    share = listed_loop_share(found) if found is not None else 0.0
    if found is None or share <= 0:
        return table(f"{key}-phases", "", [], _phase)
    rows = [(phase, depth) for top in found.phases for phase, depth in _nested(top, 0)]
    title = f"{units.percent(share)} of the run is in loops"
    return table(f"{key}-phases", title, rows, _phase, note=f"Calls of rank {found.rank}.")


def _nested(phase: Phase, depth: int) -> Iterator[tuple[Phase, int]]:
    yield phase, depth
    for inner in phase.inner:
        yield from _nested(inner, depth + 1)


def _phase(pair: tuple[Phase, int]) -> list[Field]:
    phase, depth = pair
    names = [name.removeprefix("MPI_") for name in phase.call_names]
    called = ", ".join(names[:_NAMES_SHOWN]) + (", ..." if len(names) > _NAMES_SHOWN else "")
    loop = phase.kind == "loop"
    return [
        words("phase", "– " * depth + ("loop" if loop else phase.kind), note=called),
        value("seconds [s]", "time", phase.seconds, "time"),
        whole("iterations", "iterations", phase.iterations if loop else None),
        value("mean [s]", "each", phase.mean_seconds if loop else None, "time"),
        value("longest [s]", "longest", phase.most_seconds if loop else None, "time"),
    ]


def warnings(item: ReportItem) -> list[str]:
    """Return the reasons to doubt the numbers, one sentence each."""
    # Predictions name these waits as well.
    shown = msgspec.structs.replace(item.profile, idle_beyond_sharing=False)
    sentences = []
    if not item.trusted:
        sentences.append(
            "The program's own check of its result failed: the recording shows what ran, "
            "but no time or cost is predicted from it."
        )
    sentences += [*filter(None, [item.profile.failure]), *item.profile.damage, *remarks(shown)]
    return list(dict.fromkeys([*sentences, *item.predictions.warnings, *item.advice.warnings]))


def fabrics(items: Sequence[ReportItem]) -> ReportTable:
    """Return every predicted fabric's main parameters with their sources."""
    known = {fabric.name: fabric for item in items for fabric in item.fabrics}

    def row(fabric: Fabric) -> list[Field]:
        rate = fabric.link.bandwidth_bytes_per_second
        rails = f" x {fabric.rails} rails" if fabric.rails > 1 else ""
        bandwidth = Cell(text=f"{units.rate(rate)}{rails}", value=rate)
        return [
            words("name", fabric.name, note=fabric.title),
            value("latency [s]", "latency", fabric.link.latency_seconds, "time"),
            cell("bandwidth [B/s]", "bandwidth", bandwidth),
        ]

    return table("networks", "Networks", known.values(), row)


def prices(items: Sequence[ReportItem]) -> ReportTable:
    """Return every price used, with its source."""
    # A price of a core is one of as many cores as a node has ranks.
    known = {
        (price.fabric, price.name, option.price_usd_per_node_hour): price
        for item in items
        for price in item.prices
        for option in item.advice.options
        if option.fabric == price.fabric
    }

    def row(of: tuple[tuple[str, str, float], Price]) -> list[Field]:
        (_, _, usd), price = of
        return [
            words("network", price.fabric),
            node_hour(usd),
            words("node", " ".join(filter(None, [price.provider, price.name, price.region]))),
        ]

    return table("prices", "Prices", known.items(), row)


def sources(items: Sequence[ReportItem]) -> list[tuple[str, str]]:
    """Return what each source is for, and the source with its date: networks, then prices."""
    found = [
        (fabric.name, text)
        for item in items
        for fabric in item.fabrics
        for text in [f"{note.source} ({note.date})" for note in fabric.sources] or [fabric.origin]
    ]
    found += [
        (f"price of {price.fabric}", ", ".join(filter(None, [price.source, price.date, price.note])))
        for item in items
        for price in item.prices
    ]
    return [each for each in dict.fromkeys(found) if each[1]]


def _rated(share: float | None) -> Cell:
    if share is None:
        return Cell(text="not known", value=None, mark="quiet")
    return Cell(text=units.percent(share), value=share, mark="good" if share >= GOOD_EFFICIENCY else "bad")
