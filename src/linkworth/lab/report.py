"""Reports about labs, for people and for programs."""

import msgspec
from rich.table import Table

from linkworth.lab import place, processes, system
from linkworth.lab.check import LabCheck
from linkworth.lab.plan import HEAD
from linkworth.lab.spec import LabSpec, describe_rate
from linkworth.lab.state import LabState


class AboutNode(msgspec.Struct, frozen=True, kw_only=True):
    """A node of a lab that is up."""

    name: str
    pid: int
    """PID of the process that keeps its namespaces: `nsenter --target PID --net` enters them by hand."""
    processes: int
    """Number of programs that run in it."""


class AboutLab(msgspec.Struct, frozen=True, kw_only=True):
    """A lab that is up."""

    schema: str
    name: str
    spec: LabSpec
    stays: bool
    """True if it stays until `lab down`, False if it ends with the linkworth that uses it."""
    nodes: list[AboutNode]
    facts: dict[str, str]


def about(known: LabState, schema: str = "linkworth.lab/1") -> AboutLab:
    """Return a report on a lab, including the number of processes that run in it."""
    inside = [system.namespace_of(pid) for pid in processes.all_pids()]
    nodes = [
        AboutNode(
            name=name,
            pid=place.pid,
            processes=inside.count(system.namespace_of(place.pid)) - 1,  # the holder itself
        )
        for name, place in known.places.items()
        if name != HEAD
    ]
    return AboutLab(
        schema=schema,
        name=known.name,
        spec=known.spec,
        stays=not known.scoped,
        nodes=nodes,
        facts=place.facts(known.spec),
    )


def sentence(spec: LabSpec) -> str:
    """Return a lab's description in one line."""
    parts = [
        f"{spec.nodes} nodes",
        f"{spec.nics} NIC{'s' if spec.nics > 1 else ''} of {describe_rate(spec.rate)} each",
    ]
    if spec.mtu is not None:
        parts.append(f"MTU {spec.mtu}")
    if spec.latency:
        parts.append(f"+{spec.latency * 1e6:g} us")
    if spec.buffer is not None:
        parts.append(f"{spec.buffer} B at a switch's port")
    if spec.loss:
        parts.append(f"{spec.loss:.3%} lost")
    if spec.nics > 1:
        parts.append(spec.aggregate)
    if spec.isolation != "namespace":
        parts.append(spec.isolation)
    return ", ".join(parts)


def table(known: list[AboutLab]) -> Table:
    """Return the labs as a table."""
    made = Table("lab", "is", "ends", "programs", box=None, header_style="bold")
    for lab in known:
        running = sum(node.processes for node in lab.nodes)
        made.add_row(lab.name, sentence(lab.spec), "lab down" if lab.stays else "with its run", str(running))
    return made


def check_table(found: LabCheck) -> Table:
    """Return a table of the specified and the delivered figures of each NIC."""
    made = Table(box=None, header_style="bold")
    for title in ("NIC", "asked", "delivered", "payload", "asked latency", "latency", "median", "verdict"):
        made.add_column(title, justify="left" if title in ("NIC", "verdict") else "right")
    for nic in found.nics:
        asked = nic.asked_bits_per_second
        miss = f" ({nic.delivered_bits_per_second / asked - 1:+.1%})" if asked else ""
        made.add_row(
            nic.nic,
            describe_rate(asked),
            f"{describe_rate(nic.delivered_bits_per_second)}{miss}",
            describe_rate(nic.payload_bits_per_second),
            f"{nic.asked_latency_seconds * 1e6:.1f} us",
            f"{nic.latency_seconds * 1e6:.1f} us",
            f"{nic.median_latency_seconds * 1e6:.1f} us",
            "as asked" if nic.passed else f"NOT as asked, {nic.tries} tries",
        )
    return made
