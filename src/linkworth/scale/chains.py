"""Longest chains of messages, from a replay in which nothing but their latency takes time."""

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from linkworth.catalog import fabrics
from linkworth.model.collectives import ForcedCollective
from linkworth.model.settings import Details, ReplaySettings
from linkworth.replay.layout import block
from linkworth.replay.run import replay_in_detail
from linkworth.scale.generate import RankEvents, events_of, for_replay
from linkworth.scale.recording import WORLD, Numbers, Recording, Times

_LATENCY_SECONDS = 1.0
_MARK = ("MPI_Pcontrol", "pcontrol", {"code": 1})
_BARRIER: tuple[str, str, dict[str, Any]] = (
    "MPI_Barrier",
    "collective",
    {"comm": WORLD, "peer": -1, "bytes": 0, "recv_bytes": 0, "element_bytes": 1}
    | {"send_counts": [], "recv_counts": []},
)
_LINEAR = ReplaySettings(forced_collectives=[ForcedCollective(collective="barrier", algorithm="linear")])
"""Rank 0 collects messages of all and then releases them, so that all but itself leave at once."""


def chains(recording: Recording, kept: Sequence[Numbers]) -> Times:
    """Return how many messages wait for one another before each of some calls, one after another at most.

    `kept`: by rank, the places of these calls, which all ranks make together. The first begins MPI, the last ends it.
    """
    ideal = fabrics.get("ideal")
    links = [
        msgspec.structs.replace(each, latency_seconds=_LATENCY_SECONDS)
        for each in (ideal.link, ideal.intranode)
    ]
    fabric = msgspec.structs.replace(ideal, link=links[0], intranode=links[1])
    with tempfile.TemporaryDirectory(prefix="linkworth-") as folder:
        marked = (_marked(each, places) for each, places in zip(events_of(recording), kept, strict=True))
        trace = for_replay(Path(folder) / "marked.lwt", recording, marked).engine
        layout = block(recording.ranks, recording.ranks)
        # A setting without an effect is an error.
        settings = _LINEAR if len(kept[0]) > 2 and recording.ranks > 1 else ReplaySettings()
        result = replay_in_detail(
            trace, fabric, layout, settings=settings, details=Details(marks=True)
        ).result
    marks = np.array(result.mark_seconds).reshape(recording.ranks, -1, 2)
    # A mark after each call, and one before the next.
    lengths = (marks[:, :, 1].max(axis=0) - marks[:, :, 0].max(axis=0)) / _LATENCY_SECONDS
    return np.concatenate([[0.0], np.maximum(np.rint(lengths), 0.0)])


def _marked(events: RankEvents, places: Numbers) -> RankEvents:
    """Return events that take no time, with barriers at the places, and marks between them."""
    mark, barrier = len(events.calls), len(events.calls) + 1
    call = events.call.copy()
    call[places[1:-1]] = barrier
    at = np.stack([places[:-1] + 1, places[1:]], axis=1).ravel()
    call = np.insert(call, at, mark)
    compute = np.zeros(len(call))
    if events.rank == 0:
        # It goes on when the others do.
        compute[np.flatnonzero(call == barrier) + 1] = _LATENCY_SECONDS
    return events._replace(
        calls=[*events.calls, _MARK, _BARRIER],
        call=call,
        compute=compute,
        cpu=np.full(len(call), -1.0),
        durations=np.zeros(len(call)),
    )
