"""A set of nodes."""

from typing import Annotated

import msgspec

from linkworth.model.fabric import SourceNote
from linkworth.model.number_range import (
    BYTES,
    COUNT,
    CPU_FACTOR,
    MEMORY_BYTES,
    MEMORY_BYTES_PER_SECOND,
    THREAD_GAIN,
)
from linkworth.model.parameter import Parameter


class KernelTime(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Time of a bundled program on one rank of a machine: `[[machines.kernels]]`."""

    program: str
    """The program's own name: `cg`."""
    workload: str
    """The timed run: `npb:cg.A`."""
    seconds: float
    """Length of its timed region, alone on one core."""
    seconds_on_all_cores: float
    """The same while each core of the node runs one copy; their mean."""
    seconds_per_operation: dict[str, float]
    """Rates by phase, on one core."""


class Machine(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Nodes of one kind and the fabrics between them."""

    name: str
    title: str
    nodes: Annotated[int, Parameter(help="Nodes of the machine.", allowed=COUNT)]
    sockets_per_node: Annotated[int, Parameter(help="Sockets of a node.", allowed=COUNT)]
    cores_per_node: Annotated[int, Parameter(help="Cores of a node.", allowed=COUNT)]
    memory_bytes_per_node: Annotated[
        int, Parameter(help="Memory of a node; 0 if its kernel does not report it.", allowed=MEMORY_BYTES)
    ]
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
    memory_bytes_per_second: Annotated[
        float | None,
        Parameter(
            help="Memory bandwidth of a node, all cores together: two arrays added into a third.",
            allowed=MEMORY_BYTES_PER_SECOND,
            default="not measured",
        ),
    ] = None
    cache_bytes_per_node: Annotated[
        float | None,
        Parameter(
            help="Last-level caches of a node, all sockets together.", allowed=BYTES, default="not known"
        ),
    ] = None
    copy_bytes_per_second: Annotated[
        float | None,
        Parameter(
            help="Bytes that one core copies a second between arrays beyond its caches.",
            allowed=MEMORY_BYTES_PER_SECOND,
            default="not measured",
        ),
    ] = None
    disturbed: str = ""
    """Cause of a disturbed measurement, in words. Predictions by this machine warn of it."""
    kernels: list[KernelTime] = msgspec.field(default_factory=list)
    sources: list[SourceNote] = msgspec.field(default_factory=list)
