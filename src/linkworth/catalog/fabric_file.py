"""TOML form of a fabric: its fields, checks and JSON Schema."""

from typing import Annotated, Any, Literal, TypeVar

import msgspec

from linkworth.catalog.decode import decode
from linkworth.errors import UsageError
from linkworth.model.fabric import (
    COMBINE_BYTES_PER_SECOND,
    Fabric,
    Path,
    SourceNote,
    Spread,
    SwitchLevel,
    Tcp,
    Topology,
)
from linkworth.model.number_range import BYTES_PER_SECOND, LATENCY_SECONDS, SPREAD, NumberRange

RAILS_MAX = 64
BYTES_MAX = 2**63 - 1
"""Limit of the engine, far beyond any real size."""
RATE = msgspec.structs.replace(BYTES_PER_SECOND, infinity=True)
TCP_SECONDS = NumberRange(least=1e-9, most=1e9, infinity=True)
TCP_BYTES = NumberRange(least=1, most=1e15, infinity=True)
SHARE = NumberRange(least=1e-9, most=1, zero=True)
NODES_MAX = 2**24
UPLINKS_MAX = 2**16

NUMERIC_PATH_FIELDS = (
    "latency_seconds",
    "bandwidth_bytes_per_second",
    "gap_seconds",
    "send_overhead",
    "receive_overhead",
    "eager_limit_bytes",
    "mtu_bytes",
    "header_bytes",
    "header_in_mtu_bytes",
)
NUMERIC_FABRIC_FIELDS = (
    "rails",
    "rail_efficiency",
    "stripe_min_bytes",
    "chunk_bytes",
    "unexpected_copy_bytes_per_second",
    "intranode_total_bytes_per_second",
)


class PathTable(Path, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[link]` or `[intranode]` of a fabric file."""


class SwitchLevelTable(SwitchLevel, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One `[[topology.levels]]` of a fabric file."""


class TopologyTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[topology]` of a fabric file; the fields are those of `linkworth.model.fabric.Topology`."""

    levels: list[SwitchLevelTable] = msgspec.field(default_factory=list)
    hop_latency_seconds: float = 0.0
    routing: Literal["static", "packet"] = "static"


class TcpTable(Tcp, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[tcp]` of a fabric file."""


class SpreadTable(Spread, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[spread]` of a fabric file."""


class SourceTable(SourceNote, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One `[[sources]]` of a fabric file."""


class FabricFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A fabric file. Seconds, bytes and bytes per second throughout."""

    name: Annotated[str, msgspec.Meta(pattern=r"^[a-z0-9][a-z0-9._-]*$")]
    title: str
    link: PathTable
    intranode: PathTable | str
    """The path inside a node, or the name of a catalog fabric (`shm`) whose `link` is used."""
    rails: int = 1
    rail_efficiency: float = 1.0
    stripe_min_bytes: int = 65536
    stripe_rest_bytes: int = 0
    stripe_step: int = 0
    aggregation: Literal["stripe", "packet", "connection", "message"] = "stripe"
    chunk_bytes: int = 65536
    progress: Literal["asynchronous", "calls"] = "asynchronous"
    unexpected_copy_bytes_per_second: float = float("inf")
    topology: TopologyTable = msgspec.field(default_factory=TopologyTable)
    tcp: TcpTable = msgspec.field(default_factory=TcpTable)
    spread: SpreadTable = msgspec.field(default_factory=SpreadTable)
    combine_bytes_per_second: float = COMBINE_BYTES_PER_SECOND
    worst_miss: float = 0.0
    """Largest relative error of a calibration; 0: none."""
    intranode_total_bytes_per_second: float | None = None
    """Ceiling of the path inside a node. Without it: none, or that of the fabric named by `intranode`."""
    sources: list[SourceTable] = msgspec.field(default_factory=list)


def schema() -> dict[str, Any]:
    """Return the JSON Schema of a fabric file."""
    return msgspec.json.schema(FabricFile)


def parse(document: dict[str, Any], origin: str) -> FabricFile:
    """Check a parsed fabric file. Raises UsageError that names the file, the field and the remedy."""
    file = decode(document, FabricFile, origin)
    _check_path(file.link, "link", origin)
    if isinstance(file.intranode, PathTable):
        _check_path(file.intranode, "intranode", origin)
    _check(
        1 <= file.rails <= RAILS_MAX,
        origin,
        "rails",
        file.rails,
        f"give the number of NICs, 1 to {RAILS_MAX}",
    )
    _check_number(file.rail_efficiency, SHARE, "rail_efficiency", origin)
    _check_bytes(file.stripe_min_bytes, "stripe_min_bytes", origin)
    _check_bytes(file.stripe_rest_bytes, "stripe_rest_bytes", origin)
    _check(
        0 <= file.stripe_step <= RAILS_MAX,
        origin,
        "stripe_step",
        file.stripe_step,
        f"give a number of NICs, 0 to {RAILS_MAX}",
    )
    _check_bytes(file.chunk_bytes, "chunk_bytes", origin, least=1)
    _check_number(file.unexpected_copy_bytes_per_second, RATE, "unexpected_copy_bytes_per_second", origin)
    _check(
        0 <= file.worst_miss < float("inf"),
        origin,
        "worst_miss",
        file.worst_miss,
        "give a share of at least 0, such as 0.86",
    )
    _check_number(file.combine_bytes_per_second, RATE, "combine_bytes_per_second", origin)
    _check_topology(file.topology, origin)
    _check_tcp(file.tcp, origin)
    for field in SpreadTable.__struct_fields__:
        _check_number(getattr(file.spread, field), SPREAD, f"spread.{field}", origin)
    if file.intranode_total_bytes_per_second is not None:
        total = file.intranode_total_bytes_per_second
        _check_number(total, RATE, "intranode_total_bytes_per_second", origin)
    return file


def topology(table: TopologyTable) -> Topology:
    """Return a checked `[topology]` as a model struct."""
    return Topology(
        levels=[plain(level, SwitchLevel) for level in table.levels],
        hop_latency_seconds=table.hop_latency_seconds,
        routing=table.routing,
    )


def fields_without_source(fabric: Fabric) -> list[str]:
    """Return the dotted names of the numeric fields that no source covers, in the order of the structs."""
    covered = {field for source in fabric.sources for field in source.fields}
    names = [f"{path}.{field}" for path in ("link", "intranode") for field in NUMERIC_PATH_FIELDS]
    return [name for name in [*names, *NUMERIC_FABRIC_FIELDS] if name not in covered]


def _check_topology(table: TopologyTable, origin: str) -> None:
    _check_number(table.hop_latency_seconds, LATENCY_SECONDS, "topology.hop_latency_seconds", origin)
    below = 1
    for index, level in enumerate(table.levels):
        name = f"topology.levels[{index}]"
        nodes = level.nodes_per_group
        good = 1 <= nodes <= NODES_MAX and nodes % below == 0
        _check(
            good,
            origin,
            f"{name}.nodes_per_group",
            nodes,
            f"give a multiple of {below} (the nodes of the level below), at most {NODES_MAX}",
        )
        good = 1 <= level.uplinks <= UPLINKS_MAX
        _check(good, origin, f"{name}.uplinks", level.uplinks, f"give 1 to {UPLINKS_MAX} links")
        _check_number(level.bandwidth_bytes_per_second, RATE, f"{name}.bandwidth_bytes_per_second", origin)
        below = nodes


def _check_tcp(table: TcpTable, origin: str) -> None:
    for field, allowed in (
        ("restart_after_seconds", TCP_SECONDS),
        ("port_buffer_bytes", TCP_BYTES),
        ("burst_seconds", TCP_SECONDS),
        ("retransmission_timeout_seconds", LATENCY_SECONDS),
        ("timeout_share", SHARE),
    ):
        _check_number(getattr(table, field), allowed, f"tcp.{field}", origin)
    _check_bytes(table.initial_window_bytes, "tcp.initial_window_bytes", origin, least=1)
    _check_bytes(table.send_buffer_bytes, "tcp.send_buffer_bytes", origin)


def _check_path(path: Path, table: str, origin: str) -> None:
    def check(good: bool, field: str, what_to_do: str) -> None:
        _check(good, origin, f"{table}.{field}", getattr(path, field), what_to_do)

    for field in ("latency_seconds", "gap_seconds"):
        _check_number(getattr(path, field), LATENCY_SECONDS, f"{table}.{field}", origin)
    _check_number(path.bandwidth_bytes_per_second, RATE, f"{table}.bandwidth_bytes_per_second", origin)
    for field in ("eager_limit_bytes", "mtu_bytes", "header_bytes", "header_in_mtu_bytes", "burst_bytes"):
        _check_bytes(getattr(path, field), f"{table}.{field}", origin)
    check(
        path.header_in_mtu_bytes <= path.header_bytes,
        "header_in_mtu_bytes",
        f"it is a part of header_bytes, so give at most {path.header_bytes}",
    )
    check(
        path.mtu_bytes == 0 or path.mtu_bytes > path.header_in_mtu_bytes,
        "mtu_bytes",
        "give more than header_in_mtu_bytes, or 0 for a path without packets",
    )
    check(
        path.mtu_bytes > 0 or path.header_bytes == 0,
        "header_bytes",
        "headers need packets: give mtu_bytes as well, or leave header_bytes out",
    )
    for field in ("send_overhead", "receive_overhead"):
        _check_points(getattr(path, field), f"{table}.{field}", origin)


def _check_points(points: list[tuple[int, float]], field: str, origin: str) -> None:
    for index, (size, seconds) in enumerate(points):
        place = f"{field}[{index}]"
        good = 0 <= size <= BYTES_MAX
        _check(good, origin, place, (size, seconds), "the message size is 0 or more bytes, less than 2^63")
        _check_number(seconds, LATENCY_SECONDS, f"the seconds of {place}", origin)
        _check(
            index == 0 or size > points[index - 1][0],
            origin,
            place,
            (size, seconds),
            "write the points in order of message size, each size once",
        )


def _check_number(value: float, allowed: NumberRange, field: str, origin: str) -> None:
    _check(value in allowed, origin, field, value, f"give {allowed}")


def _check_bytes(value: int, field: str, origin: str, *, least: int = 0) -> None:
    _check(value >= least, origin, field, value, f"give {least} or more bytes")
    _check(value <= BYTES_MAX, origin, field, value, "give less than 2^63 bytes")


def _check(good: bool, origin: str, field: str, value: object, what_to_do: str) -> None:
    if not good:
        raise UsageError(f"{origin}: {field} is {value}; {what_to_do}")


S = TypeVar("S", bound=msgspec.Struct)


def plain(struct: msgspec.Struct, kind: type[S]) -> S:
    """Return a file's table as the model struct that it extends."""
    return kind(**{field: getattr(struct, field) for field in kind.__struct_fields__})
