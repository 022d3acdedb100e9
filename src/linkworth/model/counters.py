"""Counters of the nodes: bytes and packets of each NIC, TCP repairs, CPU time of each core."""

import msgspec

LOOPBACK = "lo"
"""The interface of messages inside a node, which no network carries."""


class NicCounters(msgspec.Struct, frozen=True, kw_only=True):
    """Counters of one NIC since it came up, or their differences over a run."""

    nic: str
    sent_bytes: int
    received_bytes: int
    sent_packets: int
    received_packets: int
    """Packets as the kernel counts them: joined packets (GRO) count once."""
    dropped_packets: int = 0


class NodeCounters(msgspec.Struct, frozen=True, kw_only=True):
    """Counters of one node."""

    node: str
    nics: list[NicCounters] = msgspec.field(default_factory=list)
    tcp_segments_sent: int = 0
    tcp_retransmits: int = 0
    tcp_out_of_order: int = 0
    """Segments that came out of order (TCPOFOQueue)."""
    core_seconds: list[float] = msgspec.field(default_factory=list)
    """CPU time spent on each core for this node. Empty if unknown."""
