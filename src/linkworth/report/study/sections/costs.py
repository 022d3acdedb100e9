"""What a run costs in each environment."""

from collections.abc import Iterator, Sequence

from linkworth.model.statistics import Comparison
from linkworth.model.study import Mode
from linkworth.report import units
from linkworth.report.study import show
from linkworth.report.study.layouts import nodes_of
from linkworth.report.study.prices import NodePrice, prices_of
from linkworth.report.study.results import Group, Results
from linkworth.report.study.table import Cell, Section, Table, column, nothing, whole, words
from linkworth.statistics import compare

_MODES: list[Mode] = ["measure", "predict"]
_UNDECIDED = ""
Priced = tuple[Group, NodePrice, int]
"""Runs, the price of a node, and how many nodes they take."""


def sections(results: Results) -> Iterator[Section]:
    """Yield the costs where environments have prices, with the sources of the prices."""
    prices, remarks = prices_of(results.study)
    priced = [
        (group, prices[group.environment], nodes)
        for group in results.groups()
        if group.environment in prices
        and group.values("seconds")
        and (nodes := nodes_of(results, group)) is not None
    ]
    if not priced:
        return
    scale = units.cost_scale([_cost(*each) for each in priced])
    yield Section(
        key="costs",
        title="Cost",
        text=" ".join([_text(results, priced), *remarks]),
        tables=[
            Table(
                key="costs",
                title="Cost of a run: mean time x nodes x price of a node-hour / 3600",
                columns=[
                    column("workload", "workload", number=False),
                    column("environment", "environment", number=False),
                    column("how", "time is", number=False),
                    column("seconds [s]", "time"),
                    column("nodes", "nodes"),
                    column("price [US$ per node-hour]", "US$ a node-hour"),
                    column("cost [US$]", scale.label),
                    column("against the cheapest [1]", "against the cheapest"),
                ],
                rows=[_row(results, scale, priced, *each) for each in priced],
            ),
            Table(
                key="prices",
                title="Prices",
                columns=[
                    column("environment", "environment", number=False),
                    column("price [US$ per node-hour]", "US$ a node-hour"),
                    column("node", "node", number=False),
                    column("source", "source", number=False),
                ],
                rows=[
                    [
                        words(name),
                        Cell(text=units.significant(price.usd, 4), value=price.usd),
                        words(price.name),
                        words(price.source),
                    ]
                    for name, price in prices.items()
                ],
            ),
        ],
    )


def _cost(group: Group, price: NodePrice, nodes: int) -> float:
    description = group.describe("seconds")
    assert description is not None
    return description.mean * nodes * price.usd / 3600


def _row(
    results: Results,
    scale: units.CostScale,
    priced: list[Priced],
    group: Group,
    price: NodePrice,
    nodes: int,
) -> list[Cell]:
    description = group.describe("seconds")
    assert description is not None
    cost = _cost(group, price, nodes)
    cheapest = min(_alike(priced, group.workload, group.mode), key=lambda each: _cost(*each))
    return [
        words(group.workload),
        words(group.environment),
        words("predicted" if group.mode == "predict" else "measured"),
        show.number(description.mean, "time"),
        whole(nodes),
        Cell(text=units.significant(price.usd, 4), value=price.usd),
        Cell(text=scale.text(cost), value=cost, mark="good" if cheapest[0] is group else ""),
        _against(cheapest, (group, price, nodes)),
    ]


def _alike(priced: Sequence[Priced], workload: str, mode: Mode) -> list[Priced]:
    """Return a workload's runs in all environments, all measured or all predicted."""
    return [each for each in priced if each[0].workload == workload and each[0].mode == mode]


def _against(cheapest: Priced, other: Priced) -> Cell:
    """Return how much dearer a run is than where it is cheapest, with the interval and what the runs show of it."""
    least = _cost(*cheapest)
    if least <= 0:
        return nothing()
    difference = _cost(*other) / least - 1
    if other[0] is cheapest[0]:
        return Cell(text="cheapest", value=difference)
    if other[0].mode == "predict":
        return Cell(text=show.change(difference), value=difference)
    found = _compared(cheapest, other)
    notes = [show.change_interval(found.interval), "" if found.verdict == "slower" else found.verdict]
    return Cell(text=show.change(difference), value=difference, note=", ".join(filter(None, notes)))


def _compared(cheapest: Priced, other: Priced) -> Comparison:
    first, second = (
        [seconds * each[1].usd * each[2] for seconds in each[0].values("seconds")]
        for each in (cheapest, other)
    )
    return compare(first, second, "lower")


def _text(results: Results, priced: list[Priced]) -> str:
    """Return in how many workloads each environment is the cheapest, by mode."""
    sentences = []
    for mode in _MODES:
        wins: dict[str, int] = {}
        for workload in results.workloads:
            here = _alike(priced, workload, mode)
            if len(here) > 1:
                best = min(here, key=lambda each: _cost(*each))
                others = [each for each in here if each is not best]
                shown = mode == "predict" or all(_compared(best, each).verdict == "slower" for each in others)
                name = best[0].environment if shown else _UNDECIDED
                wins[name] = wins.get(name, 0) + 1
        if wins:
            total = sum(wins.values())
            how = "As predicted" if mode == "predict" else "As measured"
            undecided = wins.pop(_UNDECIDED, None)
            listed = ", ".join(f"{name} for {count}" for name, count in wins.items())
            if undecided:
                listed = f"{listed or 'shown for none'}; undecided for {undecided}"
            sentences.append(f"{how}, of {total} workloads the cheapest is {listed}.")
    return " ".join(sentences)
