"""What a run costs in each environment."""

from collections.abc import Iterator

from linkworth.model.study import Mode
from linkworth.report import units
from linkworth.report.study import show
from linkworth.report.study.layouts import nodes_of
from linkworth.report.study.prices import NodePrice, prices_of
from linkworth.report.study.results import Group, Results
from linkworth.report.study.table import Cell, Section, Table, column, nothing, whole, words

_MODES: list[Mode] = ["measure", "predict"]


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
    priced: list[tuple[Group, NodePrice, int]],
    group: Group,
    price: NodePrice,
    nodes: int,
) -> list[Cell]:
    description = group.describe("seconds")
    assert description is not None
    cost = _cost(group, price, nodes)
    least = min(
        _cost(*each) for each in priced if each[0].workload == group.workload and each[0].mode == group.mode
    )
    cheapest = cost <= least
    return [
        words(group.workload),
        words(group.environment),
        words("predicted" if group.mode == "predict" else "measured"),
        show.number(description.mean, "time"),
        whole(nodes),
        Cell(text=units.significant(price.usd, 4), value=price.usd),
        Cell(text=scale.text(cost), value=cost, mark="good" if cheapest else ""),
        Cell(text="cheapest" if cheapest else show.change(cost / least - 1), value=cost / least - 1)
        if least > 0
        else nothing(),
    ]


def _text(results: Results, priced: list[tuple[Group, NodePrice, int]]) -> str:
    """Return in how many workloads each environment is the cheapest, by mode."""
    sentences = []
    for mode in _MODES:
        wins: dict[str, int] = {}
        for workload in results.workloads:
            here = [each for each in priced if each[0].workload == workload and each[0].mode == mode]
            if len(here) > 1:
                best = min(here, key=lambda each: _cost(*each))[0].environment
                wins[best] = wins.get(best, 0) + 1
        if wins:
            how = "As predicted" if mode == "predict" else "As measured"
            listed = ", ".join(f"{name} for {count}" for name, count in wins.items())
            sentences.append(f"{how}, of {sum(wins.values())} workloads the cheapest is {listed}.")
    return " ".join(sentences)
