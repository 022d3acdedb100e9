"""Descriptions of labs."""

import msgspec

from linkworth import units
from linkworth.lab import place, system
from linkworth.lab.plan import HEAD
from linkworth.lab.spec import LabSpec
from linkworth.lab.state import LabState
from linkworth.places import proc


class AboutNode(msgspec.Struct, frozen=True, kw_only=True):
    """A node of a lab that is up."""

    name: str
    pid: int
    """PID of the process that keeps its namespaces: `nsenter --target PID --net` enters them by hand."""
    processes: int
    """Number of programs that run in it."""


class AboutLab(msgspec.Struct, frozen=True, kw_only=True):
    """A lab that is up."""

    schema: str = "linkworth.lab/1"
    name: str
    spec: LabSpec
    stays: bool
    """True if it stays until `lab down`, False if it ends with the linkworth that uses it."""
    nodes: list[AboutNode]
    facts: dict[str, str]


def about(known: LabState) -> AboutLab:
    """Return a report on a lab, including the number of processes that run in it."""
    inside = [system.namespace_of(pid) for pid in proc.all_pids()]
    nodes = [
        AboutNode(
            name=name,
            pid=place.pid,
            processes=max(inside.count(system.namespace_of(place.pid)) - place.own, 0),
        )
        for name, place in known.places.items()
        if name != HEAD
    ]
    return AboutLab(
        name=known.name, spec=known.spec, stays=not known.scoped, nodes=nodes, facts=place.facts(known.spec)
    )


def sentence(spec: LabSpec) -> str:
    """Return a lab's description in one line."""
    parts = [
        units.plural(spec.nodes, "node"),
        units.plural(spec.nics, "NIC" if spec.rate else "unshaped NIC")
        + (f" of {units.bit_rate(spec.rate)} each" if spec.rate else ""),
    ]
    if spec.mtu is not None:
        parts.append(f"MTU {spec.mtu}")
    if spec.latency:
        spread = f" ± {units.duration(spec.jitter)}" if spec.jitter else ""
        parts.append(f"+{units.duration(spec.latency)}{spread}")
    if spec.moderation:
        parts.append(f"interrupts every {units.duration(spec.moderation)}")
    if spec.buffer is not None:
        parts.append(f"{units.message_size(spec.buffer)} at a switch's port")
    if spec.loss:
        parts.append(f"{spec.loss * 100:g} % lost")
    if spec.nics > 1:
        parts.append(spec.aggregate)
    if spec.isolation != "namespace":
        parts.append(spec.isolation)
    return ", ".join(parts)
