"""Longest chains of messages and of computation, from replays in which nothing else takes time."""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
import numpy as np

from linkworth.catalog import fabrics
from linkworth.model.collectives import ForcedCollective
from linkworth.model.fabric import Fabric
from linkworth.model.settings import Details, ReplaySettings
from linkworth.replay.layout import block
from linkworth.replay.run import replay_in_detail
from linkworth.scale.generate import RankEvents, events_of, for_replay
from linkworth.scale.recording import WORLD, Numbers, Recording, Times
from linkworth.writing.folders import temporary_folder

_LATENCY_SECONDS = 1.0
PARTS = 4
"""Parts of the ranks between which messages are counted apart, as of nodes."""
_MARK = ("MPI_Pcontrol", "pcontrol", {"code": 1})
_BARRIER: tuple[str, str, dict[str, Any]] = (
    "MPI_Barrier",
    "collective",
    {"comm": WORLD, "peer": -1, "bytes": 0, "recv_bytes": 0, "element_bytes": 1}
    | {"send_counts": [], "recv_counts": []},
)
_LINEAR = ReplaySettings(forced_collectives=[ForcedCollective(collective="barrier", algorithm="linear")])
"""Rank 0 collects messages of all and then releases them, so that all but itself leave at once."""


def chains(recording: Recording, kept: Sequence[Numbers], parts: int | None = None) -> Times:
    """Return how many messages wait for one another before each of some calls, one after another at most.

    `kept`: by rank, the places of these calls, which all ranks make together. The first begins MPI, the last ends it.
    `parts`: only messages between so many equal parts of the ranks count.
    """
    marked = (_without_time(each, places) for each, places in zip(events_of(recording), kept, strict=True))
    # A setting without an effect is an error.
    settings = _LINEAR if len(kept[0]) > 2 and recording.ranks > 1 else ReplaySettings()
    fabric = _ideal_but(latency_seconds=_LATENCY_SECONDS)
    if parts:
        fabric = msgspec.structs.replace(fabric, intranode=fabrics.get("ideal").intranode)
    seconds = _between(recording, marked, fabric, settings, parts)
    return np.rint(seconds / _LATENCY_SECONDS)


def data(recording: Recording, kept: Sequence[Numbers]) -> Times:
    """Return how many bytes wait for one another before each of some calls, one after another at most.

    `kept`: as in `chains`.
    """
    marked = (_marked(each, places)[0] for each, places in zip(events_of(recording), kept, strict=True))
    return _between(recording, marked, _ideal_but(bandwidth_bytes_per_second=1.0), ReplaySettings())


def _ideal_but(**differing: float) -> Fabric:
    """Return a network on which nothing takes time but what some fields of its paths give."""
    ideal = fabrics.get("ideal")
    link, inside = (msgspec.structs.replace(each, **differing) for each in (ideal.link, ideal.intranode))
    return msgspec.structs.replace(ideal, link=link, intranode=inside)


def spans(recording: Recording, kept: Sequence[Numbers]) -> Times:
    """Return the seconds before each of some calls if messages take no time: ranks still wait for one another's computation.

    `kept`: as in `chains`.
    """
    marked = (
        _with_computation(each, places) for each, places in zip(events_of(recording), kept, strict=True)
    )
    return _between(recording, marked, fabrics.get("ideal"), ReplaySettings())


def _between(
    recording: Recording,
    events: Iterator[RankEvents],
    fabric: Fabric,
    settings: ReplaySettings,
    parts: int | None = None,
) -> Times:
    """Replay events with a mark after each call of all ranks, and one before the next. Return the times between these."""
    with temporary_folder() as folder:
        trace = for_replay(folder / "marked.lwt", recording, events).engine
        layout = block(recording.ranks, parts or recording.ranks)
        result = replay_in_detail(
            trace, fabric, layout, settings=settings, details=Details(marks=True)
        ).result
    marks = np.array(result.mark_seconds).reshape(recording.ranks, -1, 2)
    lengths = marks[:, :, 1].max(axis=0) - marks[:, :, 0].max(axis=0)
    return np.concatenate([[0.0], np.maximum(lengths, 0.0)])


def _marked(events: RankEvents, places: Numbers) -> tuple[RankEvents, Numbers]:
    """Return events without times, with barriers at the places and marks between them. Also return where marks are inserted."""
    mark, barrier = len(events.calls), len(events.calls) + 1
    call = events.call.copy()
    call[places[1:-1]] = barrier
    at = np.stack([places[:-1] + 1, places[1:]], axis=1).ravel()
    call = np.insert(call, at, mark)
    marked = events._replace(
        calls=[*events.calls, _MARK, _BARRIER],
        call=call,
        compute=np.zeros(len(call)),
        cpu=np.full(len(call), -1.0),
        durations=np.zeros(len(call)),
    )
    return marked, at


def _without_time(events: RankEvents, places: Numbers) -> RankEvents:
    marked, _ = _marked(events, places)
    if events.rank == 0:
        # It goes on when the others do.
        barrier = len(events.calls) + 1
        marked.compute[np.flatnonzero(marked.call == barrier) + 1] = _LATENCY_SECONDS
    return marked


def _with_computation(events: RankEvents, places: Numbers) -> RankEvents:
    marked, at = _marked(events, places)
    compute = events.compute.copy()
    # The mark before a call comes after the computation before it.
    before = np.zeros(len(at))
    before[1::2] = compute[places[1:]]
    compute[places[1:]] = 0
    return marked._replace(compute=np.insert(compute, at, before))
