"""A set of nodes."""

from typing import Annotated

import msgspec

from linkworth.model.fabric import SourceNote
from linkworth.model.number_range import CPU_FACTOR, THREAD_GAIN
from linkworth.model.parameter import Parameter


class Machine(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Nodes of one kind and the fabrics between them."""

    name: str
    title: str
    nodes: int
    sockets_per_node: int
    cores_per_node: int
    memory_bytes_per_node: int
    processor: str
    fabrics: list[str]
    cpu_factor: Annotated[
        float,
        Parameter(
            help="Speed of one core against the reference core of the catalog (larger is faster).",
            allowed=CPU_FACTOR,
        ),
    ] = 1.0
    core_speed: Annotated[
        float | None,
        Parameter(
            help="Speed of one core relative to the core of the shipped rates (catalog/data/rates.toml).",
            allowed=CPU_FACTOR,
            default="no published time gives it",
        ),
    ] = None
    thread_gain: Annotated[
        float,
        Parameter(
            help="Throughput of a core with ranks on both hardware threads, relative to one rank.",
            allowed=THREAD_GAIN,
        ),
    ] = 1.0
    sources: list[SourceNote] = msgspec.field(default_factory=list)
