"""One-sentence form of an advice."""

from collections.abc import Sequence

from linkworth import units
from linkworth.model.advice import AdviceOption, Goal, Limits


def node_type(option: AdviceOption) -> str:
    """Return the node type of an option, and that its nodes may be taken away if they are of the spot market."""
    return option.price_name + (", spot, interruptible" if option.market == "spot" else "")


def name_of(option: AdviceOption, options: Sequence[AdviceOption]) -> str:
    """Return a unique name of an option: its fabric, and node type, market and number of nodes if needed."""
    alike = [other for other in options if other.fabric == option.fabric]
    name = option.fabric
    if len({(other.price_name, other.market) for other in alike}) > 1:
        name += f" ({node_type(option)})"
    if len({other.nodes for other in options}) > 1:
        name += f" on {units.plural(option.nodes, 'node')}"
    return name


def by_node(option: AdviceOption) -> tuple[float, float, int, str, str]:
    """Return a key that sorts by the price of a node, and equal ones by the time."""
    return (option.price_usd_per_node_hour, option.seconds, option.nodes, option.fabric, option.price_name)


def by_run(option: AdviceOption) -> tuple[float, int, float, float, str, str]:
    """Return a key that sorts by the cost of a run, and free ones by their nodes."""
    return (
        option.cost_usd,
        option.nodes,
        option.seconds,
        option.price_usd_per_node_hour,
        option.fabric,
        option.price_name,
    )


def fastest_of(options: Sequence[AdviceOption]) -> AdviceOption:
    """Return the option of the least time, of equal ones the one whose run costs least."""
    return min(options, key=lambda option: (option.seconds, *by_run(option)))


def reason(options: Sequence[AdviceOption], chosen: AdviceOption | None, goal: Goal, limits: Limits) -> str:
    """Return why an option is the choice, or why there is none."""
    scale = units.cost_scale([option.cost_usd for option in options])
    stated = [f"the deadline of {units.plain(limits.deadline)} s"] if limits.deadline is not None else []
    stated += [f"the budget of {units.plain(limits.budget)} US$"] if limits.budget is not None else []
    within = " and ".join(stated)
    usable = [option for option in options if option.has_room]
    if chosen is None:
        if not usable:
            most = max(option.cores or 0 for option in options)
            return f"no node has enough cores for its ranks: the largest has {most}; take more nodes"
        fastest = fastest_of(usable)
        least = min(usable, key=by_run)
        return (
            f"no option meets {within}: the fastest is {name_of(fastest, options)} with {units.duration(fastest.seconds)}, "
            f"the least costly {name_of(least, options)} with {scale.in_words(least.cost_usd)}"
        )
    what = "costs least" if goal == "cost" else "is fastest"
    among = f" of those that meet {within}" if within else ""
    text = (
        f"{name_of(chosen, options)} {what}{among}: {units.duration(chosen.seconds)} and "
        f"{scale.in_words(chosen.cost_usd)}"
    )
    # On more nodes it may be the faster one, which says nothing about the networks.
    cheapest = min(
        usable,
        key=lambda option: (option.price_usd_per_node_hour, option.nodes != chosen.nodes, *by_node(option)),
    )
    if len(options) == 1 or cheapest is chosen or cheapest.fabric == chosen.fabric:
        return text
    faster = cheapest.seconds / chosen.seconds
    against = name_of(cheapest, options)
    if chosen.price_usd_per_node_hour == 0 or cheapest.price_usd_per_node_hour == 0:
        return f"{text}; {units.significant(faster)} times as fast as {against}, the cheapest node"
    dearer = chosen.price_usd_per_node_hour / cheapest.price_usd_per_node_hour
    return (
        f"{text}; against {against}, the cheapest node, it is {units.significant(faster)} times as fast "
        f"at {units.significant(dearer)} times the price"
    )
