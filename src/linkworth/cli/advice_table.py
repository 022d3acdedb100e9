"""Table of an advice for a person."""

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from linkworth.advise.choose import usd_text
from linkworth.cli import units
from linkworth.model.advice import Advice, AdviceOption, Range
from linkworth.replay.collectives import rules_in_words

MOST_ROWS = 40
"""Most options to show; --json has all."""


def advice_table(advice: Advice) -> RenderableType:
    """Return the options, best first, with the choice, the break-even ratio and the certainty."""
    options = sorted(advice.options, key=lambda option: option.rank)
    several_nodes = len({option.nodes for option in options}) > 1
    named = any(
        len({other.price_name for other in options if other.fabric == option.fabric}) > 1
        or option.market == "spot"
        for option in options
    )
    columns = [("fabric", "left")]
    columns += [("node type", "left")] if named else []
    columns += [("nodes", "right")] if several_nodes else []
    columns += [("time", "right"), ("US$ a run", "right"), ("US$ a node-hour", "right")]
    if advice.draws:
        word = "cheaper" if advice.goal == "cost" else "faster"
        columns += [
            ("time, 90 %", "right"),
            ("US$, 90 %", "right"),
            (f"choice {word}", "right"),
            ("break-even US$", "right"),
        ]
    columns += [("within limits", "left"), ("Pareto", "left"), ("", "left")]
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name, side in columns:
        table.add_column(name, justify="right" if side == "right" else "left", no_wrap=bool(name))
    chosen = None if advice.choice_option is None else advice.options[advice.choice_option]
    for option in options[:MOST_ROWS]:
        row = [option.fabric]
        row += [f"{option.price_name}{', spot' if option.market == 'spot' else ''}"] if named else []
        row += [str(option.nodes)] if several_nodes else []
        row += [
            units.seconds(option.seconds, digits=4),
            usd_text(option.cost_usd),
            f"{option.price_usd_per_node_hour:.6g}",
        ]
        row += _of_draws(option, advice.draws, option is chosen) if advice.draws else []
        row += [
            "yes" if option.feasible else f"no: {', '.join(option.why_not)}",
            "yes" if option.pareto else "no",
            "<- choice" if option is chosen else "",
        ]
        table.add_row(*row)
    count = {option.nodes for option in options} if several_nodes else {advice.nodes}
    nodes = f"{', '.join(map(str, sorted(count)))} node{'s' if count != {1} else ''}"
    parts: list[RenderableType] = [
        Text(f"{advice.workload}, {advice.ranks} ranks on {nodes}", style="bold"),
        table,
    ]
    if len(options) > MOST_ROWS:
        parts.append(
            Text(f"and {len(options) - MOST_ROWS} more (--json has them; --region and --instance limit them)")
        )
    parts.append(Text(f"Choice: {'' if advice.choice else 'none; '}{advice.reason}."))
    if advice.breakeven_price_ratio is not None:
        parts.append(
            Text(
                "Break-even price ratio, fastest against cheapest node: "
                f"{advice.breakeven_price_ratio:.4g} (up to it the fastest costs less a run)."
            )
        )
    if advice.uncertainty:
        parts.append(Text(f"Certainty: {advice.uncertainty}."))
    if advice.collectives is not None:
        parts.append(Text(f"Collectives {rules_in_words(advice.collectives)}."))
    return Group(*parts)


def _of_draws(option: AdviceOption, draws: int, is_choice: bool) -> list[str]:
    found = option.draws
    if found is None:
        return ["", "", "", ""]
    seconds = f"{units.seconds(found.seconds.low)} to {units.seconds(found.seconds.high)}"
    costs = f"{usd_text(found.cost_usd.low)} to {usd_text(found.cost_usd.high)}"
    wins = "" if is_choice else f"{found.choice_is_better} of {draws}"
    return [seconds, costs, wins, _dollars(found.breakeven_usd_per_node_hour)]


def _dollars(found: Range | None) -> str:
    return "" if found is None else f"{found.low:.3g} to {found.high:.3g}"
