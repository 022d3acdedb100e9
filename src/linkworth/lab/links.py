"""The links of a lab: a bridge per NIC in the head's namespace, and a shaped veth pair from it to each node."""

from typing import Protocol

from linkworth.errors import EnvironmentLacksError
from linkworth.lab import addresses, kernel
from linkworth.lab.plan import LabPlan, PlacePlan
from linkworth.lab.spec import LabSpec

FRAME_OVERHEAD = 24
"""Bytes on an Ethernet wire beside the frame that the kernel counts: preamble and start 8, check sequence 4, gap 12
(IEEE 802.3, clauses 3.2 and 4.4.2)."""
ETHERNET_HEADER = 14
BUCKET_SECONDS = 120e-6
"""How long the kernel may be late to send without the link losing time: the size of the token bucket in seconds."""
QUEUE_SECONDS = 20e-3
"""Longest wait in a link's queue before packets are dropped."""
QUEUE_BYTES_LEAST = 256 * 1024
UNSHAPED_RATE = 100e9
"""Bits per second that an unshaped link may carry at most, to know how many packets a delay holds."""


class Fabric(Protocol):
    """Makes the network between the nodes."""

    def plan(self, spec: LabSpec) -> LabPlan:
        """Return what is to be done for the links. Raises EnvironmentLacksError where the kernel cannot."""


class BridgeFabric:
    """Bridges and veth pairs; token buckets for the rate and netem for latency and loss, at both ends of a pair."""

    def plan(self, spec: LabSpec) -> LabPlan:
        """Return the plan; every node's NIC is up and has its address when it is done."""
        plan = LabPlan(head=_bridges(spec))
        for number, name in enumerate(spec.node_names, 1):
            plan.nodes[name] = _node(spec, number)
        return plan


def fabric_for(spec: LabSpec) -> Fabric:
    """Return what makes the links that a lab asks for. Raises EnvironmentLacksError where nothing here can."""
    if (spec.latency or spec.loss) and not kernel.has_netem():
        raise EnvironmentLacksError(
            "this kernel has no netem (sch_netem), which gives links latency, jitter and loss; "
            "load the module (modprobe sch_netem) or leave --latency and --loss out"
        )
    return BridgeFabric()


def shaping(spec: LabSpec, interface: str) -> list[str]:
    """Return the `tc` lines that make what leaves an interface as slow, late and lossy as the lab asks."""
    lines = []
    rate = spec.link_rate
    if rate is not None:
        lines.append(
            f"qdisc add dev {interface} root handle 1: tbf rate {rate:.0f}bit burst {bucket_bytes(spec)}b "
            f"limit {queue_bytes(spec)}b overhead {FRAME_OVERHEAD}"
        )
    if spec.latency or spec.loss:
        # Inside the bucket: packets wait for their delay first and are sent at the rate then.
        parent = "parent 1:1" if rate is not None else "root"
        delay = f" delay {(spec.link_latency or 0.0) * 1e6:.1f}us"
        jitter = f" {spec.jitter * spec.dilate * 1e6:.1f}us" if spec.jitter else ""
        loss = f" loss {spec.loss * 100:.6f}%" if spec.loss else ""
        flying = (rate or UNSHAPED_RATE) / 8 * (spec.link_latency or 0.0)
        packets = int((queue_bytes(spec) + flying) / spec.packet_bytes) + 1
        lines.append(
            f"qdisc add dev {interface} {parent} handle 2: netem limit {packets}{delay}{jitter}{loss}"
        )
    return lines


def bucket_bytes(spec: LabSpec) -> int:
    """Return the size of the token bucket: small, as what fits in it passes faster than the link."""
    rate = spec.link_rate or 0.0
    return max(2 * (spec.packet_bytes + ETHERNET_HEADER + FRAME_OVERHEAD), int(rate / 8 * BUCKET_SECONDS))


def queue_bytes(spec: LabSpec) -> int:
    """Return how many bytes wait at most in front of a link."""
    return max(QUEUE_BYTES_LEAST, int((spec.link_rate or 0.0) / 8 * QUEUE_SECONDS))


def _bridges(spec: LabSpec) -> PlacePlan:
    head = PlacePlan(settings=_NO_IPV6)
    head.ip.append("link set lo up")
    for nic in (addresses.LAUNCH_NIC, *spec.nic_names):
        mtu = f" mtu {spec.packet_bytes}" if nic != addresses.LAUNCH_NIC else ""
        head.ip.append(f"link add bridge-{nic} type bridge mcast_snooping 0")
        for name in spec.node_names:
            end = f"{nic}-{name}"
            head.ip += [
                f"link add {end}{mtu} type veth peer name {nic}{mtu} netns {{{name}}}",
                f"link set {end} master bridge-{nic} up",
            ]
            if nic != addresses.LAUNCH_NIC:
                head.tc += shaping(spec, end)
                head.offloads_off += [end] if spec.mtu is not None else []
        head.ip.append(f"link set bridge-{nic} up")
    own = addresses.launch_address(0)
    head.ip += _address(f"bridge-{addresses.LAUNCH_NIC}", own, addresses.LAUNCH_NETWORK)
    return head


def _node(spec: LabSpec, number: int) -> PlacePlan:
    node = PlacePlan(settings=_NO_IPV6)
    node.ip += ["link set lo up", f"link set {addresses.LAUNCH_NIC} up"]
    node.ip += _address(addresses.LAUNCH_NIC, addresses.launch_address(number), addresses.LAUNCH_NETWORK)
    for nic, name in enumerate(spec.nic_names):
        node.ip.append(f"link set {name} up")
        node.ip += _address(name, addresses.data_address(nic, number), addresses.data_network(nic))
        node.tc += shaping(spec, name)
        node.offloads_off += [name] if spec.mtu is not None else []
    return node


def _address(interface: str, address: str, network: str) -> list[str]:
    """Lines that give an interface its address, and its route a congestion control that does not depend on the host's."""
    return [
        f"address add {address}/{network.partition('/')[2]} dev {interface} noprefixroute",
        f"route add {network} dev {interface} scope link src {address} congctl cubic",
    ]


_NO_IPV6 = {"ipv6/conf/all/disable_ipv6": "1", "ipv6/conf/default/disable_ipv6": "1"}
"""Its neighbour discovery would be counted as the program's traffic."""
