"""Known fabrics: by name, by name and number of rails (`gbex4`), or from a user's file."""

import functools
import re
from collections.abc import Sequence
from importlib.resources.abc import Traversable
from itertools import chain
from pathlib import Path
from typing import Any

import msgspec

from linkworth import units
from linkworth.catalog import virtual
from linkworth.catalog.decode import data_folder, read_toml, unknown_name
from linkworth.catalog.fabric_file import parse
from linkworth.errors import UsageError
from linkworth.model import fabric as model

_FILE = re.compile(r"\.toml(x[0-9]+)?(\+[a-z]+)?$")
_WITH_RAILS = re.compile(r"(?P<name>.+)x(?P<rails>[0-9]+)")

_LIMITS = ("intranode_total_bytes_per_second", "intranode_duplex_bytes_per_second")
"""Limits inside a node that belong to the path there, and come with its name."""
WITHOUT_NETWORK = ("ideal", "shm", "shm-copies", "shm-ucx", "loopback")
"""Fabrics that are no network between nodes, in the order of the list."""


def names() -> list[str]:
    """Return the names of the catalog's fabrics: those inside a node first, then in order of bandwidth."""
    return sorted(_files(), key=lambda name: _order(_of_catalog(name)))


def get_each(names: Sequence[str]) -> list[model.Fabric]:
    """Return fabrics in the order of their names. Raises UsageError for two of one name, and the errors of `get`."""
    found: dict[str, model.Fabric] = {}
    for name in names:
        fabric = get(name)
        if fabric.name in found:
            other = ", or change the name in the file" if is_path(name) else ""
            what = "it" if name == fabric.name else fabric.name
            raise UsageError(f"`on` {name}: {what} is given twice; leave one of them out{other}")
        found[fabric.name] = fabric
    return list(found.values())


def get(name_or_path: str) -> model.Fabric:
    """Return a fabric by its catalog name, `NAMExK` (K rails), or the path of a `.toml` file (`FILE.tomlxK` works too).

    A suffix `+sriov` or `+passthrough` puts the nodes into virtual machines. Raises UsageError for a file with a fault,
    and for an unknown name, with the nearest ones.
    """
    native, plus, kind = name_or_path.rpartition("+")
    if plus and not is_path(kind) and not Path(name_or_path).is_file():
        if kind not in virtual.KINDS:
            raise UsageError(
                f"{name_or_path}: +{kind} is no kind of NIC; write {' or '.join(f'+{one}' for one in virtual.KINDS)}"
            )
        return virtual.virtualised(get(native), kind)
    base, rails = _split_rails(name_or_path)
    if is_path(base):
        found = _decoded(read_toml(Path(base)), base, origin=base)
    else:
        if base not in _files():
            hint = "; K rails are written NAMExK (gbex4), and a file of your own by its path (FILE.toml)"
            raise unknown_name("fabric", base, _files(), hint)
        found = _of_catalog(base)
    if rails is None:
        return found
    if not 1 <= rails <= model.RAILS_MAX:
        raise UsageError(f"{name_or_path}: give 1 to {model.RAILS_MAX} rails a node")
    rails *= found.rails
    return msgspec.structs.replace(
        found,
        name=f"{found.name}x{rails}" if rails > 1 else found.name,
        title=f"{found.title}, {rails} rails" if rails > 1 else found.title,
        rails=rails,
    )


def bad_fit(fabric: model.Fabric) -> list[str]:
    """Return a sentence if a fabric's calibration misses the results that it was made of."""
    if fabric.worst_miss <= model.WORST_MISS:
        return []
    return [
        f"{fabric.name} misses the results that it was calibrated to by up to {units.percent(fabric.worst_miss)} (more than "
        f"{units.percent(model.WORST_MISS)}): do not rely on it; calibrate it to results of quiet nodes"
    ]


def _split_rails(name_or_path: str) -> tuple[str, int | None]:
    """Split `NAMExK`. A catalog name or an existing file that itself ends like this is left whole."""
    match = _WITH_RAILS.fullmatch(name_or_path)
    if match is None or name_or_path in _files() or Path(name_or_path).is_file():
        return name_or_path, None
    return match["name"], int(match["rails"][:9])


def is_path(text: str) -> bool:
    """Return whether a fabric is given by its file's path, with or without rails and a kind of virtual machine."""
    return "/" in text or _FILE.search(text) is not None


def file_of(name_or_path: str) -> str | None:
    """Return the path of the file that `get` reads; None for a fabric of the catalog."""
    native, _, kind = name_or_path.rpartition("+")
    if native and not is_path(kind) and not Path(name_or_path).is_file():
        return file_of(native)
    base, _ = _split_rails(name_or_path)
    return base if is_path(base) else None


def _order(fabric: model.Fabric) -> tuple[int, float, float]:
    name = fabric.name
    first = WITHOUT_NETWORK.index(name) if name in WITHOUT_NETWORK else len(WITHOUT_NETWORK)
    return first, fabric.link.bandwidth_bytes_per_second, -fabric.link.latency_seconds


@functools.cache
def _files() -> dict[str, Traversable]:
    """Return the catalog's files by the name of their fabric."""
    files = (data_folder() / "fabrics").iterdir()
    return {file.name.removesuffix(".toml"): file for file in files if file.name.endswith(".toml")}


@functools.cache
def _of_catalog(name: str) -> model.Fabric:
    return _decoded(document_of(name), str(_files()[name]), origin="catalog")


@functools.cache
def document_of(name: str) -> dict[str, Any]:
    """Return the document of a catalog's fabric: its file, completed by that of the fabric that it is `like`."""
    own = read_toml(_files()[name])
    return _completed(own, document_of(own.pop("like"))) if "like" in own else own


def _completed(own: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """Return a fabric's document with what another's has beside it. Sources replace the other's of the same fields."""
    tables = {
        key: other[key] | table
        for key, table in own.items()
        if isinstance(table, dict) and isinstance(other.get(key), dict)
    }
    sources = (_by_fields(other["sources"]) | _by_fields(own["sources"])).values()
    return other | own | tables | {"sources": list(chain.from_iterable(sources))}


def _by_fields(sources: list[dict[str, Any]]) -> dict[tuple[str, ...], list[dict[str, Any]]]:
    found: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    for source in sources:
        found.setdefault(tuple(source["fields"]), []).append(source)
    return found


def _decoded(document: dict[str, Any], path: str, origin: str) -> model.Fabric:
    named = document.get("intranode")
    if not isinstance(named, str):
        return msgspec.structs.replace(parse(document, path), origin=origin)
    inside = _named_intranode(named, path)
    limits = {field: getattr(inside, field) for field in _LIMITS}
    found = parse(limits | document | {"intranode": msgspec.to_builtins(inside.link)}, path)
    sources = _renamed(inside.sources, limits.keys() - document.keys())
    return msgspec.structs.replace(found, sources=[*found.sources, *sources], origin=origin)


def _named_intranode(name: str, origin: str) -> model.Fabric:
    """Return the catalog fabric for the path inside a node; it must describe its own intranode path."""
    if name not in _files():
        raise UsageError(
            f"{origin}: intranode names no fabric of the catalog ({name!r}); write 'shm' or an [intranode] table"
        )
    if isinstance(document_of(name)["intranode"], str):
        raise UsageError(
            f"{origin}: intranode = {name!r} is a network between nodes; write 'shm' or an [intranode] table"
        )
    return _of_catalog(name)


def _renamed(sources: list[model.SourceNote], limits: set[str]) -> list[model.SourceNote]:
    """Return the sources of a fabric's link, and of limits in a node, as sources of another's intranode path."""
    renamed = []
    for source in sources:
        fields = [
            field.replace("link.", "intranode.", 1) for field in source.fields if field.startswith("link.")
        ]
        fields += [field for field in source.fields if field in limits]
        if fields:
            renamed.append(msgspec.structs.replace(source, fields=fields))
    return renamed
