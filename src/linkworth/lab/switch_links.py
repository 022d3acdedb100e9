"""Links with latency, jitter or loss on kernels without netem: the nodes' NICs are TAP devices of the
user-space switch."""

from pathlib import Path

from linkworth.lab import addresses, links
from linkworth.lab.plan import PlacePlan, PlanCommand
from linkworth.lab.spec import LabSpec
from linkworth.lab.switch import SwitchPort, describe, program


def switched_head(spec: LabSpec) -> PlacePlan:
    """Return the head's plan: one switch process for all data NICs, a segment each.

    The kernel has the launch network, and paces the nodes' output, as TAP devices do not block.
    """
    head = links.bridges(spec, [addresses.LAUNCH_NIC])
    lines = describe([port for name in spec.node_names for port in _ports(spec, name)])
    head.commands.append(
        PlanCommand(
            words=[str(program()), *lines], purpose="the switch for latency, jitter and loss", stays=True
        )
    )
    return head


def _ports(spec: LabSpec, node: str) -> list[SwitchPort]:
    rate = spec.link_rate
    return [
        SwitchPort(
            name=f"{node}-{nic}",
            namespace=Path(f"/proc/{{{node}}}/ns/net"),
            device=nic,
            segment=number,
            down_rate=None if rate is None else rate / 8,
            latency=spec.link_latency or 0.0,
            jitter=spec.jitter * spec.dilate,
            moderation=spec.moderation * spec.dilate,
            loss=spec.loss,
            queue_bytes=links.port_bytes(spec),
            offload=spec.joins_packets and not spec.loss and not spec.jitter,
        )
        for number, nic in enumerate(spec.nic_names)
    ]
