"""Counts of vector collectives with a root at a new count: those of the pieces that the ranks send or receive."""

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from linkworth.scale.behaviour import Behaviour
from linkworth.scale.generate import RankEvents
from linkworth.scale.recording import Numbers


class _Names(NamedTuple):
    """Fields of a call."""

    own: str
    """Bytes of the rank's own piece."""
    counts: str
    """Bytes by rank, at the root."""
    total: str


_ROOTED = {
    "gatherv": _Names("bytes", "recv_counts", "recv_bytes"),
    "scatterv": _Names("recv_bytes", "send_counts", "bytes"),
}

_Group = tuple[int, int, str]
"""Size and members of a communicator, and a kind of call."""


def with_counts(program: Behaviour, make: Callable[[], Iterator[RankEvents]]) -> Iterator[RankEvents]:
    """Yield ranks whose roots count what each rank has. `make`: yields them with counts that may be of other sizes.

    A root that waits for a piece of a rank without one would wait for ever.
    """
    if not any(_names(column.entry) for role in program.roles.values() for column in role.columns):
        yield from make()
        return
    pieces: dict[tuple[_Group, int], Numbers] = {}
    for each in make():
        for at, group, turn in _rooted(each):
            _, names, fields = _call(each, at)
            view = each.views[fields["comm"]]
            of = pieces.setdefault((group, turn), np.zeros(len(view.members), dtype=np.int64))
            of[view.place] = fields[names.own]
    for each in make():
        yield _counted(each, pieces)


def _counted(events: RankEvents, pieces: dict[tuple[_Group, int], Numbers]) -> RankEvents:
    calls, call = list(events.calls), events.call.copy()
    known: dict[tuple[int, bytes], int] = {}
    for at, group, turn in _rooted(events):
        entry, names, fields = _call(events, at)
        place = events.views[fields["comm"]].place
        if fields["peer"] != place:
            continue
        counts = pieces[group, turn].tolist()
        if not counts[place] and len(fields[names.counts]) == len(counts):
            # Its own piece may be in place.
            counts[place] = fields[names.counts][place]
        key = int(call[at]), np.array(counts).tobytes()
        if key not in known:
            known[key] = len(calls)
            _, call_class, _ = events.calls[key[0]]
            calls.append((entry, call_class, {**fields, names.counts: counts, names.total: sum(counts)}))
        call[at] = known[key]
    return events._replace(calls=calls, call=call)


def _rooted(events: RankEvents) -> Iterator[tuple[int, _Group, int]]:
    """Yield the places of a rank's calls with a root, their groups, and how many of the group were before each."""
    groups = {
        number: (len(view.members), hash(tuple(view.members)))
        for number, view in events.views.items()
        if not view.remote
    }
    kinds: list[_Group | None] = [
        (*groups[fields["comm"]], entry.partition("@")[0])
        if _names(entry) and fields["comm"] in groups
        else None
        for entry, _, fields in events.calls
    ]
    wanted = np.array([kind is not None for kind in kinds], dtype=bool)
    before: Counter[_Group] = Counter()
    for at in np.flatnonzero(wanted[events.call]).tolist():
        group = kinds[events.call[at]]
        assert group is not None
        yield at, group, before[group]
        before[group] += 1


def _call(events: RankEvents, at: int) -> tuple[str, _Names, dict[str, Any]]:
    entry, _, fields = events.calls[events.call[at]]
    names = _names(entry)
    assert names is not None
    return entry, names, fields


def _names(entry: str) -> _Names | None:
    """Return the names of the fields of a vector collective with a root."""
    name = entry.partition("@")[0].lower().removeprefix("mpi_").removesuffix("_init")
    return _ROOTED.get(name.removeprefix("i"))
