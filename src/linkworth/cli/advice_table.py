"""Tables of an advice for a person."""

from collections.abc import Collection

from rich.console import Group, RenderableType
from rich.text import Text

from linkworth import units
from linkworth.advise.reason import node_type
from linkworth.advise.uncertain import tied
from linkworth.cli.table import Table
from linkworth.model.advice import Advice, AdviceOption, Range
from linkworth.replay.collectives import rules_in_words

MOST_ROWS = 40


def advice_table(advice: Advice) -> RenderableType:
    """Return the options, best first, with the choice, the break-even ratio and the certainty."""
    options = sorted(advice.options, key=lambda option: option.rank)
    chosen = None if advice.choice_option is None else advice.options[advice.choice_option]
    scale = units.cost_scale([option.cost_usd for option in options])
    names = _names(options)
    count = {option.nodes for option in options} if "nodes>" in names else {advice.nodes}
    nodes = _listed(count, "node")
    counts = {option.ranks for option in options} if "ranks>" in names else {advice.ranks}
    ranks = _listed(counts, "rank")
    rows = [
        [
            *_cells(option, names),
            units.duration(option.seconds),
            scale.text(option.cost_usd),
            f"{option.price_usd_per_node_hour:.6g}",
            _verdict(option, _best(advice) if option is chosen else ""),
        ]
        for option in options
    ]
    parts: list[RenderableType] = [
        Table(
            [*names, "time>", f"{scale.label}>", "US$ per node-hour>", "verdict~"],
            rows,
            title=f"{advice.workload}, {ranks} on {nodes}",
            note="Pareto: no other option is both faster and cheaper.",
            keys=len(names),
            most_rows=MOST_ROWS,
        ),
        Text(f"Choice: {'' if advice.choice or advice.too_close else 'none; '}{advice.reason}."),
    ]
    ratio = f"{advice.breakeven_price_ratio or 1.0:.4g}"
    if ratio != "1":  # 1: no node that costs more is faster
        parts.append(
            Text(
                f"Break-even price ratio of the fastest and the cheapest node: {ratio}. "
                "Up to it, a run costs less on the fastest."
            )
        )
    if (better := advice.mpi_setting) is not None and chosen is not None:
        parts.append(
            Text(
                f"MPI setting: {better.name}={better.value} makes a run on {chosen.fabric} {units.percent(better.gain)} "
                f"shorter, {units.duration(better.seconds)}: {better.command} ..."
            )
        )
    if advice.draws:
        parts += [Text(), _draws_table(advice, options, chosen, names, scale)]
    if advice.uncertainty:
        parts.append(Text(f"Certainty: {advice.uncertainty}."))
    if advice.region == "marked":
        parts.append(
            Text("Time and cost: the part that the program marks, without what comes before and after.")
        )
    if advice.collectives is not None:
        parts.append(Text(f"Collectives {rules_in_words(advice.collectives)}."))
    return Group(*parts)


def _listed(numbers: Collection[int], noun: str) -> str:
    """Return `2, 4 nodes`."""
    *fewer, most = sorted(numbers)
    return ", ".join([*map(str, fewer), units.plural(most, noun)])


def _names(options: list[AdviceOption]) -> list[str]:
    """Return the titles of the columns that tell the options apart."""
    priced = {(option.fabric, option.price_name) for option in options}
    several = len(priced) > len({option.fabric for option in options})
    titles = ["fabric"]
    titles += ["node type~"] if several or any(option.market == "spot" for option in options) else []
    titles += ["nodes>"] if len({option.nodes for option in options}) > 1 else []
    titles += ["ranks>"] if len({option.ranks for option in options}) > 1 else []
    return titles


def _cells(option: AdviceOption, titles: list[str]) -> list[str]:
    """Return an option's cells under these titles."""
    cells = {
        "fabric": option.fabric,
        "node type~": node_type(option),
        "nodes>": str(option.nodes),
        "ranks>": str(option.ranks),
    }
    return [cells[title] for title in titles]


def _best(advice: Advice) -> str:
    """Return what the first option is called: no network is chosen if it is too close to call."""
    return "best estimate" if advice.too_close else "choice"


def _verdict(option: AdviceOption, best: str) -> str:
    """Return what is to be known of an option. `best`: what it is called if it is the first one."""
    words = [best] if best else []
    words += [f"not within {' and '.join(option.why_not)}"] if not option.feasible else []
    words += ["Pareto"] if option.pareto else []
    return ", ".join(words)


def _draws_table(
    advice: Advice,
    options: list[AdviceOption],
    chosen: AdviceOption | None,
    names: list[str],
    scale: units.CostScale,
) -> Table:
    """Return the central 90 % of each figure over the draws."""
    word = "cheaper" if advice.goal == "cost" else "faster"
    rows = []
    for option in options:
        found = option.draws
        if found is not None:
            price = found.breakeven_usd_per_node_hour
            rows.append(
                [
                    *_cells(option, names),
                    units.interval(units.duration(found.seconds.low), units.duration(found.seconds.high)),
                    _range(Range(low=found.cost_usd.low * scale.runs, high=found.cost_usd.high * scale.runs)),
                    _better(option, chosen, advice),
                    "" if price is None else _range(price),
                ]
            )
    titles = ["time>", f"{scale.label}>", f"{_best(advice)} is {word} in>", "break-even US$ per node-hour>"]
    return Table(
        [*names, *titles],
        rows,
        title=f"Central 90 % of {advice.draws} draws of all that is uncertain",
        keys=len(names),
        most_rows=MOST_ROWS,
    )


def _better(option: AdviceOption, chosen: AdviceOption | None, advice: Advice) -> str:
    """Return in how many draws the choice is better than an option."""
    if option is chosen or option.draws is None:
        return ""
    if chosen is not None and tied(option.draws, chosen.draws, advice.goal):
        return "none: equal"
    return f"{option.draws.choice_is_better} of {advice.draws}"


def _range(found: Range) -> str:
    return units.interval(units.significant(found.low), units.significant(found.high))
