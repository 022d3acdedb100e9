"""Reads the counters of a node from the files of its /proc: NICs, TCP, cores."""

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from linkworth.model.counters import LOOPBACK, NicCounters, NodeCounters
from linkworth.mpi.files import text_of

_CORE = re.compile(r"^cpu\d+\s+(.*)$", re.MULTILINE)
# Fields of a core in /proc/stat (proc(5)): user nice system idle iowait irq softirq steal. User includes guest time.
_BUSY = (0, 1, 2, 5, 6, 7)
LEAST_CPU_TIME = "CPU time"
"""Fact of a place whose CPU times are lower bounds."""


def node_counters(name: str, net: Path, stat: Path | None = None, nics: Path | None = None) -> NodeCounters:
    """Read a node's counters from a `net` folder such as /proc/net and, for its cores, a file such as /proc/stat.

    `nics` is a folder such as /sys/class/net, by whose links each byte is counted once. Unreadable counters are 0.
    """
    return from_texts(
        name,
        dev=text_of(net / "dev"),
        snmp=text_of(net / "snmp"),
        netstat=text_of(net / "netstat"),
        stat=text_of(stat) if stat else "",
        lower=" ".join(map(str, nics.glob("*/lower_*"))) if nics else "",
    )


def from_texts(
    name: str, *, dev: str, snmp: str = "", netstat: str = "", stat: str = "", lower: str = ""
) -> NodeCounters:
    """Make a node's counters from the content of those files and the paths of the links `NIC/lower_NIC`.

    The kernel makes such a link for each NIC below a bond, team, bridge or VLAN. What they send is counted by the NICs
    below them already, so that they are left out.
    """
    tcp = _pairs(snmp, "Tcp:")
    upper = {Path(link).parent.name for link in lower.split()}
    return NodeCounters(
        node=name,
        nics=[nic for nic in _nics(dev) if nic.nic not in upper],
        tcp_segments_sent=tcp.get("OutSegs", 0),
        tcp_retransmits=tcp.get("RetransSegs", 0),
        tcp_out_of_order=_pairs(netstat, "TcpExt:").get("TCPOFOQueue", 0),
        core_seconds=_cores(stat),
    )


def difference(before: Sequence[NodeCounters], after: Sequence[NodeCounters]) -> list[NodeCounters]:
    """Return the difference of each node's counters between two readings. A NIC that came up meanwhile counts
    from 0."""
    earlier = {node.node: node for node in before}
    return [_node_difference(earlier[node.node], node) for node in after if node.node in earlier]


def uncounted(counters: Sequence[NodeCounters], nodes: int) -> str:
    """Return a sentence if some nodes of a job have no counters, unlike others, else ""."""
    if not counters or len(counters) >= nodes:
        return ""
    return (
        f"counters could be read on {len(counters)} of {nodes} nodes only, so that their sums are too small"
    )


def sums(counters: Sequence[NodeCounters]) -> dict[str, int]:
    """Return the sums over all nodes and NICs. The loopback of messages inside a node is no NIC."""
    nics = [nic for node in counters for nic in node.nics if nic.nic != LOOPBACK]
    return {
        "sent_bytes": sum(nic.sent_bytes for nic in nics),
        "received_bytes": sum(nic.received_bytes for nic in nics),
        "dropped_packets": sum(nic.dropped_packets for nic in nics),
        "retransmits": sum(node.tcp_retransmits for node in counters),
        "out_of_order": sum(node.tcp_out_of_order for node in counters),
    }


def _node_difference(before: NodeCounters, after: NodeCounters) -> NodeCounters:
    nics = {nic.nic: nic for nic in before.nics}
    cores = len(before.core_seconds) == len(after.core_seconds)
    return NodeCounters(
        node=after.node,
        nics=[_nic_difference(nics.get(nic.nic), nic) for nic in after.nics],
        tcp_segments_sent=after.tcp_segments_sent - before.tcp_segments_sent,
        tcp_retransmits=after.tcp_retransmits - before.tcp_retransmits,
        tcp_out_of_order=after.tcp_out_of_order - before.tcp_out_of_order,
        core_seconds=[
            max(late - early, 0.0)
            for early, late in zip(before.core_seconds, after.core_seconds, strict=True)
        ]
        if cores
        else [],
    )


def _nic_difference(before: NicCounters | None, after: NicCounters) -> NicCounters:
    if before is None:
        return after
    return NicCounters(
        nic=after.nic,
        sent_bytes=after.sent_bytes - before.sent_bytes,
        received_bytes=after.received_bytes - before.received_bytes,
        sent_packets=after.sent_packets - before.sent_packets,
        received_packets=after.received_packets - before.received_packets,
        dropped_packets=after.dropped_packets - before.dropped_packets,
    )


def _nics(dev: str) -> list[NicCounters]:
    """Read /proc/net/dev: after the name 8 numbers of receiving (bytes packets errs drop ...), then 8 of sending."""
    found = []
    for line in dev.splitlines():
        name, colon, rest = line.partition(":")
        words = rest.split()
        if not colon or len(words) < 16 or not all(word.isdecimal() for word in words):
            continue
        numbers = [int(word) for word in words]
        found.append(
            NicCounters(
                nic=name.strip(),
                received_bytes=numbers[0],
                received_packets=numbers[1],
                sent_bytes=numbers[8],
                sent_packets=numbers[9],
                dropped_packets=numbers[3] + numbers[11],
            )
        )
    return found


def _pairs(text: str, head: str) -> Mapping[str, int]:
    """Read the two lines of one protocol in /proc/net/snmp or netstat: names, then values."""
    lines = [line.split()[1:] for line in text.splitlines() if line.startswith(head)]
    if len(lines) < 2:
        return {}
    return {
        name: int(value)
        for name, value in zip(*lines[:2], strict=False)
        if value.removeprefix("-").isdecimal()
    }


def _cores(stat: str) -> list[float]:
    ticks = os.sysconf("SC_CLK_TCK")
    cores = []
    for fields in _CORE.findall(stat):
        numbers = [int(word) for word in fields.split() if word.isdecimal()]
        cores.append(sum(numbers[field] for field in _BUSY if field < len(numbers)) / ticks)
    return cores
