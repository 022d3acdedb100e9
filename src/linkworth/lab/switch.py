"""The switch in user space, for links with latency, jitter or loss on kernels without netem, and for moderated interrupts.

One process moves every frame between the nodes' TAP devices. One core moves some 200,000 frames a second, so
that 1 Gbit/s at an MTU of 1500 fills it. With `offload` the kernel passes joined segments and some 10 Gbit/s
are possible. Loss and jitter are drawn per frame, so `offload` is for links without both. If all cores are
busy, a frame waits for one, unless the kernel allows real-time scheduling.
"""

from collections.abc import Sequence
from pathlib import Path

import msgspec

from linkworth.lab import addresses, links
from linkworth.lab.native import compiled
from linkworth.lab.plan import PlacePlan, PlanCommand
from linkworth.lab.spec import LabSpec

OWN_SECONDS = 8e-6
"""Extra time of a frame through two TAP devices and the process, compared with the kernel's pair of virtual
NICs. The process subtracts it from the requested latency. Measured by benchmarks/lab/bench_switch.py on
2026-11-22 (Linux 6.18, 2 virtual cores)."""

QUEUE_SECONDS = 0.02
"""Longest wait in a full queue. It equals tbf's `latency 20ms`, so that both drop alike."""

_SMALLEST_QUEUE = 128 * 1024


class SwitchPort(msgspec.Struct, frozen=True, kw_only=True):
    """A node's NIC at the switch, with its link."""

    name: str
    """Unique name for the counters."""
    namespace: Path | None = None
    """File of the node's network namespace, such as /proc/PID/ns/net."""
    device: str = ""
    """TAP device to create there."""
    descriptor: int | None = None
    """Descriptor that the process inherits, instead of the namespace and device."""
    segment: int = 0
    """Network of the port. Ports of other segments are never reached."""
    down_rate: float | None = None
    """Bytes per second to the node, on the wire: with preamble, check sequence and gap of Ethernet."""
    latency: float = 0.0
    """Extra seconds of a frame to the node, compared with a link without latency."""
    jitter: float = 0.0
    """Standard deviation of the latency in seconds. Frames are never reordered."""
    moderation: float = 0.0
    """Seconds between the times at which frames reach the node, as by a NIC's interrupts. 0: at any time."""
    loss: float = 0.0
    """Share of the frames to the node that are lost, 0 to 1."""
    queue_bytes: int | None = None
    """Queue size towards the node. A frame that does not fit is dropped. None: the bytes of QUEUE_SECONDS at
    the rate."""
    offload: bool = False
    """True if the kernel passes joined segments (TSO) and leaves checksums open. It must be the same in all
    of a segment."""


def program() -> Path:
    """Return the switch program, compiled if needed. Raises EnvironmentLacksError without a C compiler."""
    return compiled("switch", "lw-switch")


def describe(ports: Sequence[SwitchPort], *, counters: Path | None = None, seed: int = 1) -> list[str]:
    """Return the arguments of the switch, which describe its network."""
    words = [str(seed), str(counters or "")]
    for port in ports:
        rate = port.down_rate or 0.0
        fields = [
            port.name,
            *(
                ("-", "-", port.descriptor)
                if port.descriptor is not None
                else (port.namespace, port.device, -1)
            ),
            port.segment,
            port.loss,
            int(port.offload),
            round(rate),
            _nanoseconds(max(port.latency - OWN_SECONDS, 0.0)),
            _nanoseconds(port.jitter),
            _nanoseconds(port.moderation),
            port.queue_bytes or max(round(rate * QUEUE_SECONDS), _SMALLEST_QUEUE),
        ]
        words.append(" ".join(map(str, fields)))
    return words


def _nanoseconds(seconds: float) -> int:
    return round(seconds * 1e9)


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
            offload=spec.joins_packets,
        )
        for number, nic in enumerate(spec.nic_names)
    ]
