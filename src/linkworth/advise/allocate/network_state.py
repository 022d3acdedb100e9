"""The state of the networks when a queue is allocated: the measured utilisation of links, by kind of nodes."""

import csv
from pathlib import Path
from typing import Annotated

import msgspec

from linkworth import units
from linkworth.advise.allocate.queue import Queue
from linkworth.catalog.decode import decode, read_toml, unknown_name
from linkworth.errors import UsageError
from linkworth.model.number_range import BACKGROUND_LOAD
from linkworth.reading import read_text

OPTION = "`network_state`"


class LinkState(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[[links]]`, or a row of the CSV: one link and its used share."""

    nodes: str
    """The kind of nodes in the queue file whose programs cross the link."""
    link: Annotated[str, msgspec.Meta(min_length=1)]
    """The user's own name, such as `node3 eth0` or `leaf1-spine2`."""
    utilisation: float
    """Share of the link that others use, from 0 to below 1."""


class _File(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    links: list[LinkState]


def load(path: Path, queue: Queue) -> dict[str, LinkState]:
    """Return the busiest link of each kind of nodes in a network-state file; kinds that it does not name are idle.

    A `.csv` has the columns nodes, link, utilisation; any other file is TOML with [[links]]. The replay takes one background
    load for all links of a kind. The busiest one counts, since a program is as slow as the busiest link on its way.
    Raises UsageError that names the file, the link and the field.
    """
    links = _csv(path) if path.suffix.lower() == ".csv" else decode(read_toml(path), _File, str(path)).links
    if not links:
        raise UsageError(f"{path}: no link is in it; give [[links]] with nodes, link and utilisation")
    kinds = {kind.name for kind in queue.nodes}
    busiest: dict[str, LinkState] = {}
    for state in links:
        if state.nodes not in kinds:
            raise unknown_name(f"kind of nodes ({path}: link {state.link!r})", state.nodes, kinds)
        if state.utilisation not in BACKGROUND_LOAD:
            raise UsageError(
                f"{path}: the utilisation of link {state.link!r} is {state.utilisation}; give {BACKGROUND_LOAD} (0.3: 30 %)"
            )
        known = busiest.get(state.nodes)
        if known is None or state.utilisation > known.utilisation:
            busiest[state.nodes] = state
    return busiest


def _csv(path: Path) -> list[LinkState]:
    try:
        lines = read_text(path).splitlines()
    except OSError as error:
        raise UsageError(f"{OPTION} {path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UsageError(f"{path}: it is no text file; give a CSV of UTF-8") from None
    reader = csv.reader(lines)
    try:
        rows = [(reader.line_num, row) for row in reader]
    except csv.Error as error:
        raise UsageError(f"{path}:{reader.line_num}: it is no CSV table: {error}") from None
    wanted = list(LinkState.__struct_fields__)
    header = [name.strip() for _, row in rows[:1] for name in row]
    if sorted(header) != sorted(wanted):
        raise UsageError(
            f"{path}:1: the columns are {', '.join(header) or 'missing'}; write the line {','.join(wanted)}"
        )
    found = []
    for number, row in rows[1:]:
        if not row:
            continue
        place = f"{path}:{number}"
        if len(row) != len(wanted):
            raise UsageError(f"{place}: {units.plural(len(row), 'cell')} instead of {len(wanted)}")
        cells = dict(zip(header, (cell.strip() for cell in row), strict=True))
        try:
            utilisation = float(cells["utilisation"])
        except ValueError:
            raise UsageError(f"{place}: the utilisation {cells['utilisation']!r} is no number") from None
        if not cells["link"]:
            raise UsageError(f"{place}: the link has no name")
        found.append(LinkState(nodes=cells["nodes"], link=cells["link"], utilisation=utilisation))
    return found


def sentences(busiest: dict[str, LinkState]) -> list[str]:
    """Return the changes by the state, one sentence for each kind of nodes."""
    return [
        f"{name} is predicted with {units.percent(state.utilisation)} of its links in use, as measured on {state.link}"
        for name, state in sorted(busiest.items())
        if state.utilisation > 0
    ]
