"""NICs that carried a test's bytes, found by comparing their counters with the payload."""

from collections.abc import Sequence

from linkworth import units
from linkworth.model.bench import Carrier
from linkworth.model.counters import LOOPBACK, NodeCounters
from linkworth.places.counters import uncounted

ENOUGH_BYTES = 1_000_000
"""Payload below which the traffic of the launcher and of other programs could be taken for it."""
CARRIED = 0.5
"""A NIC that counted at least this share of the payload carried it."""
NOISE = 0.05
"""Share below which a NIC is reported to have carried nothing."""


def find_carrier(
    *,
    payload: float,
    between_nodes: float,
    is_least: bool,
    counters: Sequence[NodeCounters],
    nodes: int,
    transport: str,
    memory_only: bool = False,
) -> Carrier:
    """Compare the payload (total, and part between nodes, in bytes) with the bytes that NICs counted.

    `is_least`: the payload is a lower bound, as for collectives. `memory_only`: every transport that the MPI named
    is a path through memory.
    """
    if between_nodes > 0:
        missing = uncounted(counters, nodes)
        verdict = (
            f"between nodes; {missing}" if missing else _between(payload, between_nodes, is_least, counters)
        )
    else:
        verdict = _inside(payload, is_least, counters, transport, memory_only)
    if " over " in verdict:
        verdict += _repairs(counters)
    return Carrier(transport=transport, counters=list(counters), verdict=verdict)


def _between(payload: float, between: float, is_least: bool, counters: Sequence[NodeCounters]) -> str:
    measure = "the least that must cross" if is_least else "the payload"
    if not counters:
        return "between nodes; no counters can be read here, so which NIC carried it is not known"
    if between < ENOUGH_BYTES:
        return f"between nodes; {between:.0f} B of payload are too few to find by the counters which NIC carried them"
    shares = _shares(counters, between, without_loopback=True)
    total = sum(shares.values())
    if total < NOISE:
        return (
            "between nodes, but no NIC counted the payload: a path that the kernel does not count (RDMA), or the nodes "
            "share their memory"
        )
    names = sorted(name for name, share in shares.items() if share >= NOISE)
    if len(names) > 1:
        each = ", ".join(f"{name} {shares[name]:.2f}" for name in names)
        text = f"between nodes over {' and '.join(names)}: {total:.2f} of {measure} ({each})"
    else:
        text = f"between nodes over {names[0]}: {total:.2f} of {measure}"
    if total < CARRIED:
        text += "; the rest went another way"
    inside = payload - between
    if not is_least and inside > NOISE * payload:
        text += f"; {units.percent(inside / payload)} of all payload stayed inside the nodes"
    return text


def _inside(
    payload: float, is_least: bool, counters: Sequence[NodeCounters], transport: str, memory_only: bool
) -> str:
    if payload < ENOUGH_BYTES:
        return "inside a node; too little payload to find by the counters what carried it"
    if not counters:
        return "inside a node; no counters can be read here, so what carried it is not known"
    shares = _shares(counters, payload, without_loopback=False)
    name, share = max(shares.items(), key=lambda item: item[1], default=("", 0.0))
    if share >= CARRIED and not memory_only:
        measure = "the least that must move" if is_least else "the payload"
        kind = "TCP on the loopback" if name == LOOPBACK else "a NIC"
        return f"inside a node over {name} ({kind}): {share:.2f} of {measure}"
    if share >= NOISE:
        kind = "other programs' traffic" if memory_only else "part of it, or other programs' traffic"
        return f"inside a node, mostly by shared memory: {name} counted {share:.2f} of the payload ({kind})"
    if memory_only or not transport:
        return "shared memory: no NIC counted the payload"
    return f"inside a node by {transport}: no NIC counted the payload"


def _shares(counters: Sequence[NodeCounters], payload: float, *, without_loopback: bool) -> dict[str, float]:
    """Sum the bytes sent by NICs of one name on all nodes, relative to the payload."""
    sums: dict[str, float] = {}
    for node in counters:
        for nic in node.nics:
            if not (without_loopback and nic.nic == LOOPBACK):
                sums[nic.nic] = sums.get(nic.nic, 0.0) + nic.sent_bytes / payload
    return sums


def _repairs(counters: Sequence[NodeCounters]) -> str:
    again = sum(node.tcp_retransmits for node in counters)
    sent = sum(node.tcp_segments_sent for node in counters)
    return f"; TCP sent {again} of {sent} segments again" if again and again * 1000 >= sent else ""
