"""Rounds in which a rank receives from each other one, in the order of ranks."""

from collections.abc import Sequence
from copy import copy

import numpy as np

from linkworth.scale.recording import ANYBODY, Numbers, Recording

_FROM = {"recv", "probe"}
_CLASSES = _FROM | {"send", "isend"}


def in_rank_order(recordings: Sequence[Recording]) -> list[Recording]:
    """Return recordings in which rounds of receives from any source take the ranks in their order.

    Time decides which message comes first. Sizes stay with their sender, and computation stays at its place. Calls that name
    the source of such a receive, as after a probe, follow it. An order that all rounds share may be one of the program.
    """
    return [_ordered(each) for each in recordings]


def _ordered(recording: Recording) -> Recording:
    wild = np.array(
        [call.call_class in _FROM and call.fields["peer"] == ANYBODY for call in recording.calls], dtype=bool
    )
    if not wild.any():
        return recording
    sites: dict[tuple[str, int], int] = {}
    # Other calls have a negative site.
    site = np.full(len(recording.calls), -1, dtype=np.int64)
    peer = np.full(len(recording.calls), ANYBODY, dtype=np.int64)
    for number, (entry, call_class, fields) in enumerate(recording.calls):
        if call_class in _CLASSES:
            site[number] = sites.setdefault((entry, fields["comm"]), len(sites))
            peer[number] = fields["actual_peer" if wild[number] else "peer"]
    communicators = [communicator for _, communicator in sites]
    found = copy(recording)
    found.sequences = []
    ordered: set[int] = set()
    for rank, sequence in enumerate(recording.sequences):
        if not wild[sequence.calls].any():
            found.sequences.append(sequence)
            continue
        calls = sequence.calls.copy()
        own = site[calls]
        places = {int(each): np.flatnonzero(own == each) for each in np.unique(own[own >= 0])}
        for each, at in places.items():
            if not wild[sequence.calls[at]].all():
                continue
            members = recording.peers(rank, communicators[each])
            others = [number for number, member in enumerate(members) if member != rank]
            peers = peer[sequence.calls[at]]
            order = _order(peers, others)
            if order is None:
                continue
            for like, there in places.items():
                if communicators[like] == communicators[each] and np.array_equal(
                    peer[sequence.calls[there]], peers
                ):
                    calls[there] = sequence.calls[there[order]]
                    ordered.add(like)
        found.sequences.append(sequence._replace(calls=calls))
    if not ordered:
        return recording
    found.in_rank_order = {entry for (entry, _), number in sites.items() if number in ordered}
    return found


def _order(peers: Numbers, others: Sequence[int]) -> Numbers | None:
    """Return which call each one becomes if they are rounds of all other ranks in orders that time decides, or None."""
    if not others or len(peers) % len(others):
        return None
    rounds = peers.reshape(-1, len(others))
    if (np.sort(rounds) != others).any() or (rounds == others).all():
        return None
    if len(rounds) > 1 and (rounds == rounds[0]).all():
        return None
    starts = np.arange(0, len(peers), len(others))
    return (np.argsort(rounds) + starts[:, np.newaxis]).ravel()
