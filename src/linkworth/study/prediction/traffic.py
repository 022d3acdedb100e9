"""TCP's traffic that the nodes' kernels would count for predicted messages."""

from linkworth.model.fabric import Fabric

_ETHERNET_HEADER_BYTES = 14
"""Part of an Ethernet frame around the packet that the kernel counts: no preamble, checksum or gap."""

_ACKNOWLEDGEMENT_BYTES = 78
"""Frame of an acknowledgement with one selective block: Ethernet 14, IPv4 20 (RFC 791), TCP 20 (RFC 9293),
timestamps 12 (RFC 7323), one block 12 (RFC 2018, with padding)."""

_RESENT_SHARE = 0.009
"""Share of the segments behind one of another NIC that TCP sends again. Measured with
benchmarks/lab/bench_aggregation.py, 4 MiB both ways on 2 to 16 ranks over NICs of 1 Gbit/s with interrupts of
250 us (Linux 6.18, 2026-11-25): 0.3 to 1.1 % of all segments on two, 0.3 to 1.6 % on three and four. This gives 0.45,
0.60 and 0.68 %."""


def sent_bytes(payload: int, fabric: Fabric) -> float:
    """Return the bytes that NICs count for messages over IP: full packets with Ethernet's and all other headers.

    Acknowledgements of joined segments and partial packets are left out. Segments that overtake each other are
    not joined, and each is acknowledged at once (RFC 5681, 4.2).
    """
    frame = fabric.link.mtu_bytes + _ETHERNET_HEADER_BYTES
    more = _RESENT_SHARE * frame + _ACKNOWLEDGEMENT_BYTES
    return _segments(payload, fabric) * (frame + _behind_another(fabric) * more)


def retransmits(payload: int, fabric: Fabric) -> float:
    """Return the segments that TCP sends again because packets overtake each other."""
    return _segments(payload, fabric) * _behind_another(fabric) * _RESENT_SHARE


def _segments(payload: int, fabric: Fabric) -> float:
    return payload / (fabric.link.mtu_bytes - fabric.link.header_in_mtu_bytes)


def _behind_another(fabric: Fabric) -> float:
    """Return the share of the segments whose predecessor goes over another NIC and may come later."""
    return 1 - 1 / fabric.rails if fabric.aggregation == "roundrobin" else 0.0
