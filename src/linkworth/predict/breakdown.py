"""Optional parts of a predicted run: efficiencies, regions, loads of links, use of cores."""

from collections.abc import Callable

from linkworth import _engine
from linkworth.model.prediction import Layout, LinkLoad, RegionTime
from linkworth.model.profile import Pop
from linkworth.model.run import CoreUse
from linkworth.profile.pop import efficiencies
from linkworth.replay.run import Replay

LINKS = {"nic_out": "NIC out", "nic_in": "NIC in", "switch_up": "uplink", "switch_down": "downlink"}


def efficiency(replayed: Replay, ideal_seconds: float) -> Pop:
    """Return the POP efficiencies of a replay; `ideal_seconds` is its time without a network."""
    return efficiencies(replayed.result.rank_compute_seconds, replayed.prediction.seconds, ideal_seconds)


def regions(replayed: Replay, at_level: Callable[[int], Replay]) -> list[RegionTime]:
    """Return the computation of a replay by level of MPI_Pcontrol, in their order; none for a program without marks.

    `at_level` replays the same with only that level's computation counted. It is called for all levels except the one
    with the most computation, which gets the rest.
    """
    totals = replayed.result.level_compute_seconds
    if not totals:
        return []
    largest = max(totals, key=lambda level: totals[level])
    critical = {
        level: at_level(level).prediction.compute_seconds for level in sorted(totals) if level != largest
    }
    critical[largest] = max(0.0, replayed.prediction.compute_seconds - sum(critical.values()))
    return [
        RegionTime(level=level, critical_seconds=critical[level], rank_seconds=totals[level])
        for level in sorted(totals)
    ]


def title_of(link: _engine.LinkLoad) -> str:
    """Return the name of a recorded link within its node or its switches."""
    name = f"{LINKS[link.kind]} {link.number}"
    return f"{name} of group {link.place}, level {link.level}" if is_of_switch(link) else name


def is_of_switch(link: _engine.LinkLoad) -> bool:
    """Return whether a recorded link is between switches, not a NIC's."""
    return link.kind.startswith("switch")


def loads(recording: _engine.Recording) -> list[LinkLoad]:
    """Return the links of a recording that carried traffic, each up to its last busy stretch."""
    found = []
    for link in recording.loads:
        width = link.width_seconds
        shares = [min(1.0, busy / width) for busy in link.busy]
        while shares and shares[-1] == 0:
            shares.pop()
        if shares:
            place = "" if is_of_switch(link) else f"node {link.place} "
            found.append(
                LinkLoad(
                    link=place + title_of(link),
                    busy_seconds=link.busy_seconds,
                    stretch_seconds=width,
                    busy_share=shares,
                )
            )
    return found


def core_use(recording: _engine.Recording, layout: Layout) -> list[CoreUse]:
    """Return each rank's share of computation in each stretch of time, up to the last stretch with any."""
    computation = recording.computation
    width, busy = computation.width_seconds, computation.busy
    stretches = max(
        (number + 1 for rank in busy for number, seconds in enumerate(rank) if seconds), default=0
    )
    if not stretches:
        return []
    # Ranks after the last that computes are not in the recording.
    idle = [0.0] * stretches
    shares = [[min(1.0, seconds / width) for seconds in rank[:stretches]] for rank in busy]
    shares += [idle] * (len(layout.node_of_rank) - len(shares))
    found = []
    for node in range(layout.nodes):
        ranks = [shares[rank] for rank, its_node in enumerate(layout.node_of_rank) if its_node == node]
        found.append(
            CoreUse(
                node=f"node {node}",
                mean=[sum(rank) / stretches for rank in ranks],
                times=[(number + 1) * width for number in range(stretches)],
                samples=[list(each) for each in zip(*ranks, strict=True)],
            )
        )
    return found
