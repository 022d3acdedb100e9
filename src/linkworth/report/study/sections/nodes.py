"""Time and cost over the number of nodes, of programs that are recorded on several numbers of ranks."""

from collections.abc import Iterator

from linkworth import units
from linkworth.predict.uncertainty import interval
from linkworth.report.charts import node_counts
from linkworth.report.study.cheapest import Priced
from linkworth.report.study.prices import prices_of
from linkworth.report.study.results import Results, RunGroup
from linkworth.report.table import Section
from linkworth.study.outcome import DRAWN_SECONDS, SCALED_FROM


def sections(results: Results) -> Iterator[Section]:
    """Yield a section if such programs are predicted on several numbers of nodes."""
    prices, _ = prices_of(results.study)
    programs: dict[tuple[str, str], list[node_counts.NodeCount]] = {}
    """By workload and timed part of the run."""
    for group in results.groups(modes=["predict"]):
        workload = results.workload(group.workload)
        nodes = results.nodes(group)
        if workload is None or not workload.recorded_ranks or nodes is None or not group.values("seconds"):
            continue
        price = prices.get(group.environment)
        cost = None if price is None else Priced(group, price, nodes).cost
        program = group.workload, group.done[0].facts.get("region", "")
        programs.setdefault(program, []).append(_place(results, group, nodes, cost))
    scale = units.cost_scale(
        [place.cost_usd for places in programs.values() for place in places if place.cost_usd]
    )
    growing = {workload.name for workload in results.study.workloads if workload.weak}
    figures = [
        figure
        for number, ((name, _), places) in enumerate(programs.items(), 1)
        if len({place.nodes for place in places}) > 1
        # Environments may differ in more than the network and the number of nodes; the tables then have them.
        and len({(place.fabric, place.nodes) for place in places}) == len(places)
        for figure in node_counts.time_and_cost(
            f"nodes-{number}",
            name,
            sorted(places, key=lambda place: place.nodes),
            scale,
            grows=name in growing,
        )
    ]
    if figures:
        yield Section(key="nodes", title="Number of nodes", figures=figures)


def _place(results: Results, group: RunGroup, nodes: int, cost: float | None) -> node_counts.NodeCount:
    record = group.done[0]
    seconds = record.metrics["seconds"]
    drawn = interval(record.series.get(DRAWN_SECONDS) or [seconds], seconds)
    environment = results.environment(group.environment)
    return node_counts.NodeCount(
        fabric=environment.fabric if environment is not None else group.environment,
        nodes=nodes,
        ranks=int(record.facts["ranks"]),
        seconds=seconds,
        cost_usd=cost,
        scaled=SCALED_FROM in record.facts,
        low=drawn.low_seconds,
        high=drawn.high_seconds,
    )
