"""Figures of the usual benchmarks from a fabric's parameters: latency and bandwidth between two idle nodes."""

import math
from itertools import pairwise

import msgspec

from linkworth.model.fabric import Fabric, Path, Tcp

Points = list[tuple[int, float]]


def is_over_tcp(fabric: Fabric) -> bool:
    """Return whether the CPU transfers messages by TCP, and no adapter by itself."""
    return fabric.progress == "calls" or fabric.tcp != Tcp()


COPY_TRAFFIC = 3
"""Bytes of memory traffic of a copied byte: it is read, its line is fetched for writing, and it is written."""


def within_memory(fabric: Fabric, memory_bytes_per_second: float | None) -> Fabric:
    """Return the fabric on nodes whose memory is known: messages inside one share it. `ideal` has no such limit."""
    total = fabric.intranode_total_bytes_per_second
    if memory_bytes_per_second is None or math.isinf(total):
        return fabric
    return msgspec.structs.replace(
        fabric, intranode_total_bytes_per_second=min(total, memory_bytes_per_second / COPY_TRAFFIC)
    )


def overhead_at(points: Points, size: int) -> float:
    """Return the seconds of points for a message of `size` bytes: linear between points, flat outside."""
    if not points:
        return 0.0
    if size <= points[0][0]:
        return points[0][1]
    for (size0, seconds0), (size1, seconds1) in pairwise(points):
        if size <= size1:
            return seconds0 + (seconds1 - seconds0) * (size - size0) / (size1 - size0)
    return points[-1][1]


def wire_bytes(path: Path, size: int) -> int:
    """Return the bytes on the wire of a message of `size` bytes: its data and the headers of its packets."""
    if path.mtu_bytes == 0:
        return size
    packets = max(1, math.ceil(size / (path.mtu_bytes - path.header_in_mtu_bytes)))
    return size + packets * path.header_bytes


def half_round_trip_seconds(path: Path, size: int) -> float:
    """Return the time of one message between two idle ranks, as osu_latency reports it (no rails, no rendezvous)."""
    cpu = overhead_at(path.send_overhead, size) + overhead_at(path.receive_overhead, size)
    latency = path.latency_seconds + overhead_at(path.added_latency, size)
    return cpu + latency + wire_bytes(path, size) / path.bandwidth_bytes_per_second


def stream_bandwidth(path: Path, size: int, *, width: float = 1.0) -> float:
    """Return bytes per second of many messages in one direction, as osu_bw reports it; the slowest stage decides.

    `width` is the message's bandwidth relative to one rail's (see `stripe_width`). Returns 0 for an empty message.
    """
    if size == 0:
        return 0.0
    slowest = max(
        wire_bytes(path, size) / (path.bandwidth_bytes_per_second * width),
        overhead_at(path.send_overhead, size),
        overhead_at(path.receive_overhead, size),
        path.gap_seconds,
    )
    return size / slowest if slowest > 0 else math.inf


def stripe_width(fabric: Fabric, size: int) -> float:
    """Return the bandwidth of a message of `size` bytes in rails: K rails give 1 + (K - 1) x efficiency."""
    if fabric.rails == 1 or size < fabric.stripe_min_bytes or size <= fabric.stripe_rest_bytes:
        return 1.0
    return 1.0 + (fabric.rails - 1) * fabric.rail_efficiency
