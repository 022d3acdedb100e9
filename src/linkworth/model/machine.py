"""A set of nodes."""

import msgspec

from linkworth.model.fabric import SourceNote


class Machine(msgspec.Struct, frozen=True, kw_only=True):
    """Nodes of one kind and the fabrics between them."""

    name: str
    title: str
    nodes: int
    sockets_per_node: int
    cores_per_node: int
    memory_bytes_per_node: int
    processor: str
    fabrics: list[str]
    cpu_factor: float = 1.0
    """Speed of one core against the reference core of the catalog (larger is faster)."""
    core_speed: float | None = None
    """Speed of one core relative to the core of the shipped rates (catalog/data/rates.toml). None if no
    published time gives it."""
    thread_gain: float = 1.0
    """Throughput of a core with ranks on both hardware threads, relative to one rank: from 1 to 2."""
    sources: list[SourceNote] = msgspec.field(default_factory=list)
