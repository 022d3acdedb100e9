"""Counts of vector collectives at a new count: each rank receives what the others send."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import NamedTuple

import numpy as np

from linkworth.scale.behaviour import Behaviour
from linkworth.scale.fit.columns import PlacedCall
from linkworth.scale.fit.rules import rules_within
from linkworth.scale.fit.vectors import Stretched
from linkworth.scale.generate import RankEvents
from linkworth.scale.messages import Hashes, groups_of
from linkworth.scale.recording import Numbers


class _Names(NamedTuple):
    """Fields of a call."""

    given: str
    """Bytes of the rank's own piece, or of its pieces for the others, from which the counts of the others follow."""
    counts: str
    total: str


_VECTORS = {
    "gatherv": _Names("bytes", "recv_counts", "recv_bytes"),
    "scatterv": _Names("recv_bytes", "send_counts", "bytes"),
    "allgatherv": _Names("bytes", "recv_counts", "recv_bytes"),
    "alltoallv": _Names("send_counts", "recv_counts", "recv_bytes"),
    "alltoallw": _Names("send_counts", "recv_counts", "recv_bytes"),
}
_ROOTED = ("gatherv", "scatterv")

_Group = tuple[int, int, str]
"""Size and members of a communicator, and a kind of call."""
_Turn = tuple[_Group, int]
"""A group, and how many of its calls were before."""


def with_counts(program: Behaviour, make: Callable[[], Iterator[RankEvents]]) -> Iterator[RankEvents]:
    """Yield ranks of which each receives what the others send. `make`: yields them with counts that may differ.

    Counts that depend on data are known for each role apart. A rank that waits for a piece of another one without any would
    wait for ever.
    """
    columns = [column for role in program.roles.values() for column in role.columns]
    kinds = {kind for column in columns if (kind := _kind(column.entry)) and _may_differ(column, kind)}
    if not kinds:
        yield from make()
        return
    given: defaultdict[_Turn, list[Numbers]] = defaultdict(list)
    hashes: Hashes = {}
    for each in make():
        arrays: dict[int, Numbers] = {}
        for at, group, turn in _of_kinds(each, kinds, hashes):
            number = int(each.call[at])
            fields = each.calls[number][2]
            view = each.views[fields["comm"]]
            if number not in arrays:
                arrays[number] = np.array(fields[_VECTORS[group[2]].given], dtype=np.int64)
            members = given[group, turn]
            members += [arrays[number]] * (len(view.members) - len(members))
            members[view.place] = arrays[number]
    # A loop has the same calls again and again.
    tables: dict[tuple[int, ...], Numbers] = {}
    pieces = {
        turn: tables[same]
        if (same := tuple(map(id, of))) in tables
        else tables.setdefault(same, np.array(of))
        for turn, of in given.items()
    }
    for each in make():
        yield _agreed(each, kinds, pieces, hashes)


def _may_differ(column: PlacedCall, kind: str) -> bool:
    """Return whether counts depend on data, or may be those of another root."""
    return kind in _ROOTED or any(
        isinstance(each, Stretched) for rule in column.rules.values() for each in rules_within(rule)
    )


def _agreed(
    events: RankEvents, kinds: Collection[str], pieces: Mapping[_Turn, Numbers], hashes: Hashes
) -> RankEvents:
    calls, call = list(events.calls), events.call.copy()
    known: dict[tuple[int, bytes], int] = {}
    for at, group, turn in _of_kinds(events, kinds, hashes):
        entry, call_class, fields = events.calls[events.call[at]]
        names, place = _VECTORS[group[2]], events.views[fields["comm"]].place
        if group[2] in _ROOTED and fields["peer"] != place:
            continue
        of = pieces[group, turn]
        counts = of[:, place] if of.ndim > 1 else of
        key = int(events.call[at]), counts.tobytes()
        if key not in known:
            known[key] = len(calls)
            total = int(counts.sum())
            calls.append((entry, call_class, {**fields, names.counts: counts.tolist(), names.total: total}))
        call[at] = known[key]
    return events._replace(calls=calls, call=call)


def _of_kinds(
    events: RankEvents, kinds: Collection[str], hashes: Hashes
) -> Iterator[tuple[int, _Group, int]]:
    """Yield the places of a rank's vector collectives, their groups, and how many of the group were before each."""
    groups = groups_of(events.views, hashes)
    found: dict[int, _Group] = {
        number: (*groups[fields["comm"]], kind)
        for number, (entry, _, fields) in enumerate(events.calls)
        if (kind := _kind(entry)) in kinds and fields["comm"] in groups
    }
    before: Counter[_Group] = Counter()
    for at in np.flatnonzero(np.isin(events.call, list(found))).tolist():
        group = found[int(events.call[at])]
        yield at, group, before[group]
        before[group] += 1


def _kind(entry: str) -> str:
    """Return the kind of a vector collective, or nothing."""
    name = entry.partition("@")[0].lower().removeprefix("mpi_").removesuffix("_init")
    return next((each for each in (name, name.removeprefix("i")) if each in _VECTORS), "")
