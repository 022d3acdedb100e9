"""Cost of a run in each environment."""

from collections import Counter
from collections.abc import Iterator, Sequence

from linkworth import units
from linkworth.advise.uncertain import tied
from linkworth.model.study import Mode
from linkworth.report import show
from linkworth.report.study.cheapest import Cheapest, Priced
from linkworth.report.study.prices import NodePrice, prices_of
from linkworth.report.study.results import HOW, MODES, Results, RunGroup
from linkworth.report.table import (
    NOTHING,
    Cell,
    Field,
    ReportTable,
    Section,
    cell,
    node_hour,
    table,
    value,
    whole,
    words,
)

COSTS = "costs"
"""Key of the section, which has the remarks on prices where there is one."""
_UNDECIDED = ""


def sections(results: Results) -> Iterator[Section]:
    """Yield the costs if environments have prices, with the sources of the prices."""
    prices, remarks = prices_of(results.study)
    priced = [
        Priced(group, prices[group.environment], nodes)
        for group in results.groups()
        if group.environment in prices
        and group.values("seconds")
        and (nodes := results.nodes(group)) is not None
    ]
    if not priced:
        return
    cells: dict[tuple[str, Mode], list[Priced]] = {}
    for each in priced:
        cells.setdefault((results.problem(each.group), each.group.mode), []).append(each)
    problems = [Cheapest(*key, alike) for key, alike in cells.items()]
    cheapest = {each.group: here for here in problems for each in here.alike}
    compared = [here for here in problems if len(here.alike) > 1]
    scale = units.cost_scale([each.cost for each in priced])
    yield Section(
        key=COSTS,
        title="Cost",
        text=" ".join([_text(compared), *remarks]),
        tables=[
            _costs(priced, cheapest, scale),
            *([_side_by_side(compared, scale)] if compared else []),
            table("prices", "Prices", prices.items(), _price),
        ],
    )


def _costs(
    priced: Sequence[Priced], cheapest: dict[RunGroup, Cheapest], scale: units.CostScale
) -> ReportTable:
    has_draws = any(here.by_draw for here in cheapest.values())

    def row(each: Priced) -> list[Field]:
        here = cheapest[each.group]
        drawn = here.by_draw.get(each.group.environment)
        share = (
            Cell(text=f"{drawn.best} of {here.draws}", value=drawn.best / here.draws) if drawn else NOTHING
        )
        return [
            words("workload", each.group.workload),
            words("environment", each.group.environment),
            words("how", each.group.how, "time is"),
            value("seconds [s]", "time", each.seconds, "time"),
            whole("nodes", "nodes", each.nodes),
            node_hour(each.price.usd),
            cell("cost [US$]", scale.label, _cost(here, each, scale)),
            cell("against the cheapest [1]", "against the cheapest", _against(here, each)),
            *([cell("cheapest [share of draws]", "cheapest in draws", share)] if has_draws else []),
        ]

    return table("costs", "Cost of a run: mean time x nodes x price of a node-hour / 3600", priced, row)


def _side_by_side(compared: Sequence[Cheapest], scale: units.CostScale) -> ReportTable:
    """Return the table of workloads (lines) by environments (columns)."""
    names = dict.fromkeys(each.group.environment for here in compared for each in here.alike)

    def row(here: Cheapest) -> list[Field]:
        costs = {each.group.environment: _cost(here, each, scale) for each in here.alike}
        return [
            words("workload", here.workload),
            words("how", HOW[here.mode], "time is"),
            *(cell(f"{name} [US$]", name, costs.get(name, NOTHING)) for name in names),
            words("cheapest", here.best.group.environment),
        ]

    return table("costs-beside", f"Cost of a run, {scale.label}", compared, row)


def _price(item: tuple[str, NodePrice]) -> list[Field]:
    name, price = item
    return [
        words("environment", name),
        node_hour(price.usd),
        words("node", price.name),
        words("source", price.source),
    ]


def _cost(here: Cheapest, each: Priced, scale: units.CostScale) -> Cell:
    return Cell(text=scale.text(each.cost), value=each.cost, mark="good" if each is here.best else "")


def _against(here: Cheapest, each: Priced) -> Cell:
    """Return a run's extra cost over the cheapest environment, with its interval and the evidence of runs or draws."""
    least = here.best.cost
    if least <= 0:
        return NOTHING
    difference = each.cost / least - 1
    if each is here.best:
        return Cell(text="cheapest", value=difference)
    notes: list[str] = []
    if drawn := here.by_draw.get(each.group.environment):
        best = here.by_draw.get(here.best.group.environment)
        dearer = f"dearer in {drawn.choice_is_better} of {here.draws} draws"
        notes = ["the same in all draws" if tied(drawn, best, "cost") else dearer]
    elif found := here.compared.get(each.group.environment):
        notes = [show.change_interval(found.interval), "" if found.verdict == "slower" else found.verdict]
    return Cell(text=units.change(difference), value=difference, note=", ".join(filter(None, notes)))


def _text(compared: Sequence[Cheapest]) -> str:
    """Return the number of workloads for which each environment is the cheapest, by mode."""
    sentences = []
    for mode in MODES:
        chosen = [each for each in compared if each.mode == mode]
        if not chosen:
            continue
        wins = Counter(each.best.group.environment if each.is_shown else _UNDECIDED for each in chosen)
        undecided = wins.pop(_UNDECIDED, None)
        listed = ", ".join(f"{name} for {count}" for name, count in wins.items())
        if undecided:
            listed = f"{listed or 'shown for none'}; undecided for {undecided}"
        sentences.append(
            f"As {HOW[mode]}, of {units.plural(len(chosen), 'workload')} the cheapest is {listed}."
        )
        sentences += _least_sure([each for each in chosen if each.draws])
    return " ".join(sentences)


def _least_sure(drawn: Sequence[Cheapest]) -> list[str]:
    """Return a sentence on the choice with the smallest share of draws in its favour."""
    if not drawn:
        return []

    def best(each: Cheapest) -> int:
        return each.by_draw[each.best.group.environment].best

    least = min(drawn, key=lambda each: best(each) / each.draws)
    name = least.best.group.environment
    return [
        f"Least sure of these is {least.workload}: under draws of the fabrics' parameters by their spread, {name} is the "
        f"cheapest in {best(least)} of {least.draws}."
    ]
