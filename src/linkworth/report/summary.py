"""Summary as display strings, one row for each program: the same for the page and for the terminal."""

from collections.abc import Sequence

import msgspec

from linkworth import units
from linkworth.model.advice import Advice
from linkworth.model.profile import RunShares
from linkworth.model.trace import MpiInfo
from linkworth.mpi import identify
from linkworth.report.item import ReportItem
from linkworth.report.speedup import speedup


class FabricCell(msgspec.Struct, frozen=True, kw_only=True):
    """One program on one fabric."""

    fabric: str
    time: str
    cost: str
    """Cost in the summary's scale; empty if the fabric has no price."""
    chosen: bool
    feasible: bool


class SummaryRow(msgspec.Struct, frozen=True, kw_only=True):
    """One program."""

    workload: str
    ranks: int
    layout: str
    """Placement of the ranks on nodes in the predictions."""
    verified: str
    trusted: bool
    time: str
    """Time of the run itself."""
    ran_on: str
    shares: RunShares
    init_time: str
    """Time of a rank in MPI_Init and MPI_Finalize; without a run, the predicted MPI_Init (`about 77 ms`)."""
    change: str
    """Effect of the compared networks on this run."""
    speedup: str
    """Short form of the change: `4.3 x`."""
    group: str
    group_reason: str
    cells: list[FabricCell]
    """Cells in the order of the summary's fabrics."""
    choice: str
    choice_reason: str
    certainty: str
    """Share of draws of all that is uncertain in which the choice is the best; "" if there is nothing to choose from."""
    breakeven: str


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """All programs of a report."""

    fabrics: list[str]
    rows: list[SummaryRow]
    scale: units.CostScale

    @property
    def priced(self) -> bool:
        """True if any time has a cost."""
        return any(cell.cost for row in self.rows for cell in row.cells)


def summarise(items: Sequence[ReportItem]) -> Summary:
    """Return the summary of the items, with the union of their fabrics in order of first use."""
    fabrics = list(dict.fromkeys(p.fabric for item in items for p in item.predictions.predictions))
    scale = units.cost_scale([option.cost_usd for item in items for option in item.advice.options])
    return Summary(fabrics=fabrics, rows=[_row(item, fabrics, scale) for item in items], scale=scale)


def verified_text(verified: bool | None) -> str:
    """Return the program's own verdict in a word."""
    return {True: "yes", False: "FAILED", None: "not checked"}[verified]


def layout(item: ReportItem) -> str:
    """Return the predictions' nodes and ranks a node: `2 nodes x 8 ranks`."""
    nodes, ppn = item.predictions.nodes, item.predictions.ppn
    text = units.plural(nodes, "node")
    most = "" if nodes * ppn == item.predictions.ranks else "up to "
    return f"{text} x {most}{units.plural(ppn, 'rank')}" if ppn else text


def seconds_where_it_ran(item: ReportItem) -> float:
    """Return the measured time of the predicted part of the run: the marked part, or all of it."""
    if item.predictions.region != "marked":
        return item.profile.elapsed_seconds
    reported = item.metadata.reported_seconds if item.metadata else None
    known = (reported, item.profile.marked_seconds, item.profile.elapsed_seconds)
    return next(seconds for seconds in known if seconds is not None)


def ran_on(item: ReportItem) -> str:
    """Return the hosts, cores and MPI library of the recorded run, as far as the trace has them."""
    if item.metadata is None:
        return ""
    if item.metadata.source == "skeleton":
        return "not run: skeleton of its communication"
    if item.metadata.scaling is not None:
        return f"not run: scaled from {', '.join(map(str, item.metadata.scaling.ranks))} ranks"
    if not item.metadata.timed:
        return "in one node's memory: the trace has no times"
    hosts = list(dict.fromkeys(rank.host for rank in item.metadata.ranks if rank.host))
    parts = [hosts[0] if len(hosts) == 1 else f"{len(hosts)} hosts"] if hosts else []
    # Ranks that a launcher binds have cores of their own.
    cores = {
        ("" if item.metadata.one_machine else rank.host, rank.first_core): rank.cores
        for rank in item.metadata.ranks
    }
    if total := sum(cores.values()):
        parts.append(units.plural(total, "core"))
    if mpi := mpi_name(item.metadata.mpi):
        parts.append(mpi)
    return ", ".join(parts)


def mpi_name(mpi: MpiInfo) -> str:
    """Return an MPI library's name and version without further details: `MPICH 4.0.2`."""
    said = identify.shortly(mpi.version)
    if said[:1].isalpha():
        return said
    return f"{mpi.library.rpartition('/')[2]} {said}".strip()


def _init_time(item: ReportItem) -> str:
    if item.profile.timed:
        return units.duration(item.profile.init_seconds)
    started = item.predictions.initialisation
    return "" if started is None else f"about {units.duration(started.seconds)}"


def _choice(advice: Advice) -> str:
    without = "none fits" if advice.options else "not priced"
    return advice.choice or " or ".join(advice.too_close) or without


def _row(item: ReportItem, fabrics: list[str], scale: units.CostScale) -> SummaryRow:
    profile, advice = item.profile, item.advice
    times = [(each.fabric, each.seconds) for each in item.predictions.predictions]
    change = speedup(times) if item.trusted else None
    return SummaryRow(
        workload=profile.workload,
        ranks=profile.ranks,
        layout=layout(item),
        verified=verified_text(profile.verified),
        trusted=item.trusted,
        time=units.duration(seconds_where_it_ran(item)),
        ran_on=ran_on(item),
        shares=profile.run_shares,
        init_time=_init_time(item),
        change="nothing to compare" if change is None else change.sentence,
        speedup="–" if change is None else change.factor,
        group=profile.group or "not known",
        group_reason=profile.group_reason,
        cells=[_cell(item, fabric, scale) for fabric in fabrics],
        choice=_choice(advice) if item.trusted else "none",
        choice_reason=advice.reason
        if item.trusted
        else "The program's own check failed, so its times choose nothing.",
        certainty=advice.uncertainty if item.trusted else "",
        breakeven=units.significant(advice.breakeven_price_ratio)
        if item.trusted and advice.breakeven_price_ratio is not None
        else "–",
    )


def _cell(item: ReportItem, fabric: str, scale: units.CostScale) -> FabricCell:
    prediction = next((p for p in item.predictions.predictions if p.fabric == fabric), None)
    option = next((o for o in item.advice.options if o.fabric == fabric), None)
    if not item.trusted or prediction is None:
        return FabricCell(fabric=fabric, time="–", cost="", chosen=False, feasible=True)
    return FabricCell(
        fabric=fabric,
        time=units.duration(prediction.seconds),
        cost=scale.text(option.cost_usd) if option else "",
        chosen=item.advice.choice == fabric,
        feasible=option.feasible if option else True,
    )
