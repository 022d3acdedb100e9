"""Cost of a run in each environment."""

from collections import Counter
from collections.abc import Iterator, Sequence

from linkworth import units
from linkworth.model.study import Mode
from linkworth.report.study import show
from linkworth.report.study.cheapest import Cheapest, Priced
from linkworth.report.study.layouts import nodes_of
from linkworth.report.study.prices import prices_of
from linkworth.report.study.results import Results
from linkworth.report.study.table import Cell, Section, Table, column, nothing, whole, words

_MODES: list[Mode] = ["measure", "predict"]
_UNDECIDED = ""


def sections(results: Results) -> Iterator[Section]:
    """Yield the costs if environments have prices, with the sources of the prices."""
    prices, remarks = prices_of(results.study)
    priced = [
        Priced(group, prices[group.environment], nodes)
        for group in results.groups()
        if group.environment in prices
        and group.values("seconds")
        and (nodes := nodes_of(results, group)) is not None
    ]
    if not priced:
        return
    cells: dict[tuple[str, Mode], list[Priced]] = {}
    for each in priced:
        cells.setdefault((each.group.workload, each.group.mode), []).append(each)
    cheapest = {key: Cheapest(*key, alike) for key, alike in cells.items()}
    drawn = any(here.by_draw for here in cheapest.values())
    scale = units.cost_scale([each.cost for each in priced])
    yield Section(
        key="costs",
        title="Cost",
        text=" ".join([_text(list(cheapest.values())), *remarks]),
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
                    *([column("cheapest [share of draws]", "cheapest in draws")] if drawn else []),
                ],
                rows=[
                    [*_row(scale, here, each), *([_in_draws(here, each)] if drawn else [])]
                    for each in priced
                    for here in [cheapest[each.group.workload, each.group.mode]]
                ],
            ),
            *_side_by_side(list(cheapest.values()), scale),
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


def _side_by_side(compared: Sequence[Cheapest], scale: units.CostScale) -> list[Table]:
    """Return the table of workloads (lines) by environments (columns), if there are several environments."""
    names = list(dict.fromkeys(each.group.environment for here in compared for each in here.alike))
    rows = [
        [
            words(here.workload),
            words("predicted" if here.mode == "predict" else "measured"),
            *(
                next(
                    (
                        Cell(
                            text=scale.text(each.cost),
                            value=each.cost,
                            mark="good" if each is here.best else "",
                        )
                        for each in here.alike
                        if each.group.environment == name
                    ),
                    nothing(),
                )
                for name in names
            ),
            words(here.best.group.environment),
        ]
        for here in compared
        if len(here.alike) > 1
    ]
    if not rows:
        return []
    return [
        Table(
            key="costs-beside",
            title=f"Cost of a run, {scale.label}",
            columns=[
                column("workload", "workload", number=False),
                column("how", "time is", number=False),
                *(column(f"{name} [US$]", name) for name in names),
                column("cheapest", "cheapest", number=False),
            ],
            rows=rows,
        )
    ]


def _row(scale: units.CostScale, here: Cheapest, each: Priced) -> list[Cell]:
    return [
        words(each.group.workload),
        words(each.group.environment),
        words("predicted" if here.mode == "predict" else "measured"),
        show.number(each.seconds, "time"),
        whole(each.nodes),
        Cell(text=units.significant(each.price.usd, 4), value=each.price.usd),
        Cell(text=scale.text(each.cost), value=each.cost, mark="good" if here.best is each else ""),
        _against(here, each),
    ]


def _in_draws(here: Cheapest, each: Priced) -> Cell:
    """Return the number of draws of the parameters in which a prediction is the cheapest."""
    found = here.by_draw.get(each.group.environment)
    if found is None:
        return nothing()
    return Cell(text=f"{found.best} of {here.draws}", value=found.best / here.draws)


def _against(here: Cheapest, each: Priced) -> Cell:
    """Return a run's extra cost over the cheapest environment, with its interval and the evidence of runs or draws."""
    least = here.best.cost
    if least <= 0:
        return nothing()
    difference = each.cost / least - 1
    drawn = here.by_draw.get(each.group.environment)
    if each is here.best:
        return Cell(text="cheapest", value=difference)
    if drawn:
        note = f"dearer in {drawn.choice_is_better} of {here.draws} draws"
        return Cell(text=units.change(difference), value=difference, note=note)
    found = here.compared.get(each.group.environment)
    if found is None:
        return Cell(text=units.change(difference), value=difference)
    notes = [show.change_interval(found.interval), "" if found.verdict == "slower" else found.verdict]
    return Cell(text=units.change(difference), value=difference, note=", ".join(filter(None, notes)))


def _text(all_of_them: Sequence[Cheapest]) -> str:
    """Return the number of workloads for which each environment is the cheapest, by mode."""
    sentences = []
    for mode in _MODES:
        chosen = [each for each in all_of_them if each.mode == mode and len(each.alike) > 1]
        if not chosen:
            continue
        wins = Counter(each.best.group.environment if each.is_shown else _UNDECIDED for each in chosen)
        how = "As predicted" if mode == "predict" else "As measured"
        undecided = wins.pop(_UNDECIDED, None)
        listed = ", ".join(f"{name} for {count}" for name, count in wins.items())
        if undecided:
            listed = f"{listed or 'shown for none'}; undecided for {undecided}"
        sentences.append(f"{how}, of {len(chosen)} workloads the cheapest is {listed}.")
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
