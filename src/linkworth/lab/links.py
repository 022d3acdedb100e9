"""The links of a lab: a bridge per NIC in the head's namespace, and a shaped veth pair from it to each node."""

import math

from linkworth.lab import addresses
from linkworth.lab.plan import PlacePlan
from linkworth.lab.spec import LabSpec

FRAME_OVERHEAD = 24
"""Bytes on an Ethernet wire in addition to the kernel's frame: preamble and start 8, check sequence 4, gap 12
(IEEE 802.3, clauses 3.2 and 4.4.2)."""
ETHERNET_HEADER = 14
EXACT_UP_TO = 1.2e9
"""Highest bit rate at which packets are released one by one. Above it the kernel cannot wake often enough."""
JOINED_SECONDS = 100e-6
"""Time of the link that a joined packet takes at most. Each packet costs a timer, and a joined one costs no more."""
LATE_SECONDS = 60e-6
"""Delay of the kernel that costs no rate. Virtual machines wake 15 to 60 us late."""
FAST_BURST_SECONDS = 250e-6
"""Burst in seconds of links above `EXACT_UP_TO`."""
RESERVE_SECONDS = 1e-3
"""Time of the link that the kernel may lose by waking late and recover at the peak rate."""
PEAK = 1.02
"""Peak rate relative to the link's rate."""
JOINED_BYTES_MOST = 65_536
"""Most bytes of a TCP stream that the kernel joins into one packet until a NIC splits it (GSO)."""
QUEUE_SECONDS = 20e-3
"""Longest wait in a link's queue before packets are dropped."""
QUEUE_BYTES_LEAST = 256 * 1024
UNSHAPED_RATE = 100e9
"""Assumed upper limit of an unshaped link in bits per second."""


def rate_limit(spec: LabSpec, interface: str, *, at_switch: bool = False) -> list[str]:
    """Return the `tc` lines that limit an interface's output to the lab's rate. `at_switch`: its port."""
    if spec.link_rate is None:
        return []
    waiting = port_bytes(spec) if at_switch else queue_bytes(spec)
    # A node's interface joins packets of a stream in any case. Without its offloads it splits them behind the bucket.
    joined = 1 if at_switch and not spec.joins_packets else joined_packets(spec)
    buckets = _buckets(spec, burst_bytes(spec, joined), waiting)
    return [f"qdisc add dev {interface} root handle 1: tbf {buckets} overhead {FRAME_OVERHEAD}"]


def impairment(spec: LabSpec, interface: str) -> list[str]:
    """Return the `tc` lines that add latency and loss to an interface's output, after `rate_limit`."""
    if not spec.latency and not spec.loss:
        return []
    # It is inside the bucket, so that packets are delayed first and then sent at the rate.
    parent = "parent 1:1" if spec.link_rate is not None else "root"
    delay = f" delay {(spec.link_latency or 0.0) * 1e6:.1f}us"
    jitter = rate = ""
    if spec.jitter:
        # netem draws evenly from both sides of the delay. With a rate it keeps the order of packets, as real links do.
        jitter = f" {spec.jitter * spec.dilate * math.sqrt(3.0) * 1e6:.1f}us"
        rate = f" rate {UNSHAPED_RATE:.0f}bit"
    loss = f" loss {spec.loss * 100:.6f}%" if spec.loss else ""
    flying = (spec.link_rate or UNSHAPED_RATE) / 8 * (spec.link_latency or 0.0)
    packets = int((port_bytes(spec) + flying) / spec.packet_bytes) + 1
    return [f"qdisc add dev {interface} {parent} handle 2: netem limit {packets}{delay}{jitter}{loss}{rate}"]


def _buckets(spec: LabSpec, burst: int, waiting: int) -> str:
    """Return tbf's rate, its bucket, and if possible the second bucket that keeps bursts short."""
    rate = _bucket_rate(spec)
    limit = f"limit {waiting}b"
    if rate > EXACT_UP_TO:
        return f"rate {rate:.0f}bit burst {burst}b {limit}"
    reserve = max(burst, int(rate / 8 * RESERVE_SECONDS))
    return f"rate {rate:.0f}bit burst {reserve}b {limit} peakrate {rate * PEAK:.0f}bit mtu {burst}b"


def burst_bytes(spec: LabSpec, joined: int) -> int:
    """Return the burst in bytes, which passes faster than the link would carry it.

    It has room for `joined` packets and for what the bucket gains while the kernel wakes late. A full bucket gains nothing.
    """
    rate, frame = spec.link_rate or 0.0, _frame_bytes(spec)
    if rate > EXACT_UP_TO:
        return max(2 * frame, int(rate / 8 * FAST_BURST_SECONDS))
    return max(2 * frame, int(rate / 8 * LATE_SECONDS) + joined * frame)


def joined_packets(spec: LabSpec) -> int:
    """Return the most packets that the kernel may join into one."""
    in_time = (spec.link_rate or 0.0) / 8 * JOINED_SECONDS // _frame_bytes(spec)
    return max(1, min(JOINED_BYTES_MOST // spec.packet_bytes, int(in_time)))


def _frame_bytes(spec: LabSpec) -> int:
    """Bytes of the largest packet on the wire."""
    return spec.packet_bytes + ETHERNET_HEADER + FRAME_OVERHEAD


def _bucket_rate(spec: LabSpec) -> float:
    """Return the rate of the token bucket, which counts the overhead of a joined packet only once.

    The number of parts varies from packet to packet. The middle is used, which is less than 1 % off.
    """
    rate = spec.link_rate or 0.0
    if not spec.joins_packets or joined_packets(spec) == 1:
        return rate
    return rate * (1 - FRAME_OVERHEAD / _frame_bytes(spec) / 2)


def queue_bytes(spec: LabSpec) -> int:
    """Return the most bytes that wait in front of a link."""
    return max(QUEUE_BYTES_LEAST, int((spec.link_rate or 0.0) / 8 * QUEUE_SECONDS))


def port_bytes(spec: LabSpec) -> int:
    """Return the most bytes that wait in a switch for one node's link."""
    return queue_bytes(spec) if spec.buffer is None else spec.buffer


def bridges(spec: LabSpec, nics: list[str]) -> PlacePlan:
    """Return the head's plan: a bridge for each of these NICs, a pair to every node, and netem and rate on
    the pairs' ends."""
    head = PlacePlan(settings=dict(_NO_IPV6))
    head.ip.append("link set lo up")
    for nic in nics:
        mtu = f" mtu {spec.packet_bytes}" if nic != addresses.LAUNCH_NIC else ""
        head.ip.append(f"link add bridge-{nic} address {addresses.BRIDGE_MAC} type bridge mcast_snooping 0")
        for name in spec.node_names:
            end = f"{nic}-{name}"
            head.ip += [
                f"link add {end}{mtu} type veth peer name {nic}{mtu} netns {{{name}}}",
                f"link set {end} master bridge-{nic} up",
            ]
            if nic != addresses.LAUNCH_NIC:
                head.tc += [*rate_limit(spec, end, at_switch=True), *impairment(spec, end)]
                head.offloads_off += [] if spec.joins_packets else [end]
        head.ip.append(f"link set bridge-{nic} up")
    own = addresses.launch_address(0)
    head.ip += address_lines(f"bridge-{addresses.LAUNCH_NIC}", own, addresses.LAUNCH_NETWORK)
    return head


def node_network(spec: LabSpec, number: int) -> PlacePlan:
    """Return a node's plan for its end of every link: addresses, routes, and the rate of its output."""
    node = PlacePlan(settings=dict(_NO_IPV6))
    node.ip += ["link set lo up", f"link set {addresses.LAUNCH_NIC} up"]
    node.ip += address_lines(addresses.LAUNCH_NIC, addresses.launch_address(number), addresses.LAUNCH_NETWORK)
    for nic, name in enumerate(spec.nic_names):
        joined = f" gso_max_segs {joined_packets(spec)}" if spec.rate is not None else ""
        node.ip.append(f"link set {name} mtu {spec.packet_bytes}{joined} up")
        node.ip += address_lines(name, addresses.data_address(nic, number), addresses.data_network(nic))
        node.tc += rate_limit(spec, name)
        node.offloads_off += [] if spec.joins_packets else [name]
    return node


def address_lines(interface: str, address: str, network: str) -> list[str]:
    """Lines that set an interface's address, and a congestion control independent of the host's."""
    return [
        f"address add {address}/{network.partition('/')[2]} dev {interface} noprefixroute",
        f"route add {network} dev {interface} scope link src {address} congctl cubic",
    ]


_NO_IPV6 = {"ipv6/conf/all/disable_ipv6": "1", "ipv6/conf/default/disable_ipv6": "1"}
"""IPv6 neighbour discovery would count as the program's traffic."""
