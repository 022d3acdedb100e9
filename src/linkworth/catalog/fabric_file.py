"""A fabric file's checks and JSON Schema. Its fields are those of `linkworth.model.fabric.Fabric`."""

import math
from collections.abc import Iterator
from typing import Any

import msgspec

from linkworth.catalog.decode import decode
from linkworth.errors import UsageError
from linkworth.model.fabric import Fabric, Path, SourceNote, Spread, SwitchLevel, Tcp, Topology
from linkworth.model.number_range import NumberRange
from linkworth.model.parameter import declared

TABLES = (Fabric, Path, Topology, SwitchLevel, Tcp, Spread, SourceNote)
"""Structs of a fabric file."""


def schema() -> dict[str, Any]:
    """Return the JSON Schema of a fabric file."""
    made = msgspec.json.schema(Fabric)
    tables = made["$defs"]
    for kind in TABLES:
        properties = tables[kind.__name__]["properties"]
        for each in declared(kind):
            properties[each.name]["description"] = each.parameter.help
    fields = tables["Fabric"]["properties"]
    del fields["origin"]
    fields["intranode"] = {"anyOf": [{"$ref": "#/$defs/Path"}, {"type": "string"}]}
    return made


def parse(document: dict[str, Any], origin: str) -> Fabric:
    """Check a parsed fabric file. Raises UsageError that names the file, the field and the remedy."""
    if "origin" in document:
        raise UsageError(f"{origin}: there is no key 'origin'; leave it out")
    fabric = decode(document, Fabric, origin)
    for place, value, allowed in _numbers(fabric):
        _check(value in allowed, origin, place, value, f"give {allowed}")
    for table in ("link", "intranode"):
        _check_path(getattr(fabric, table), table, origin)
    _check_levels(fabric.topology, origin)
    _check_both_directions(fabric, origin)
    return fabric


def fields_without_source(fabric: Fabric) -> list[str]:
    """Return the dotted names of the numbers without a default, or with another value, that no source covers."""
    covered = {field for source in fabric.sources for field in source.fields}
    return [
        f"{table}.{each.name}" if table else each.name
        for table in ("", "link", "intranode", "tcp")
        for struct in [getattr(fabric, table) if table else fabric]
        for each in declared(type(struct))
        if each.parameter.allowed is not None
        and each.name not in {"worst_miss", "mpi"}
        and getattr(struct, each.name) != each.default
        and (f"{table}.{each.name}" if table else each.name) not in covered
    ]


def _numbers(struct: msgspec.Struct, table: str = "") -> Iterator[tuple[str, float, NumberRange]]:
    """Yield the dotted name, value and range of each number of a struct and of its tables."""
    for each in declared(type(struct)):
        place, value = f"{table}{each.name}", getattr(struct, each.name)
        for index, item in enumerate(value if isinstance(value, list) else [value]):
            numbered = f"{place}[{index}]" if isinstance(value, list) else place
            if isinstance(item, msgspec.Struct):
                yield from _numbers(item, f"{numbered}.")
            elif each.parameter.allowed is not None:
                if isinstance(item, tuple):
                    yield f"the seconds of {numbered}", item[1], each.parameter.allowed
                else:
                    yield numbered, item, each.parameter.allowed


def _check_both_directions(fabric: Fabric, origin: str) -> None:
    for field, limit, path in (
        ("duplex_bytes_per_second", fabric.duplex_bytes_per_second, "link"),
        ("tcp.pair_bytes_per_second", fabric.tcp.pair_bytes_per_second, "link"),
        ("intranode_duplex_bytes_per_second", fabric.intranode_duplex_bytes_per_second, "intranode"),
    ):
        _check(
            math.isinf(limit) or math.isfinite(getattr(fabric, path).bandwidth_bytes_per_second),
            origin,
            field,
            limit,
            f"it limits a path of finite bandwidth, so give {path}.bandwidth_bytes_per_second as a number, or leave it out",
        )


def _check_levels(topology: Topology, origin: str) -> None:
    below = 1
    for index, level in enumerate(topology.levels):
        nodes = level.nodes_per_group
        _check(
            nodes % below == 0,
            origin,
            f"topology.levels[{index}].nodes_per_group",
            nodes,
            f"give a multiple of {below} (the nodes of the level below)",
        )
        below = nodes


def _check_path(path: Path, table: str, origin: str) -> None:
    def check(good: bool, field: str, what_to_do: str) -> None:
        _check(good, origin, f"{table}.{field}", getattr(path, field), what_to_do)

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
    for field in ("send_overhead", "receive_overhead", "added_latency"):
        least = 0
        for index, (size, seconds) in enumerate(getattr(path, field)):
            _check(
                least <= size < 2**63,
                origin,
                f"{table}.{field}[{index}]",
                (size, seconds),
                "write the points in order of message size, each size once, from 0 to less than 2^63 bytes",
            )
            least = size + 1


def _check(good: bool, origin: str, field: str, value: object, what_to_do: str) -> None:
    if not good:
        raise UsageError(f"{origin}: {field} is {value}; {what_to_do}")
