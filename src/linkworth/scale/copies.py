"""Collective calls that ranks make at different call sites, as where a compiler has copied a call into two branches.

All ranks make the collective calls of a communicator in the same order. So sites at which they make the same one are
one site.
"""

from collections.abc import Sequence
from copy import copy

import numpy as np

from linkworth.scale.recording import Recording
from linkworth.scale.setup import Meetings


def with_joined_sites(recordings: Sequence[Recording]) -> list[Recording] | None:
    """Return recordings with one name for all sites of a collective call of all ranks. None if each has one site."""
    names: dict[str, str] = {}
    for one, other in sorted({pair for each in recordings for pair in _met(each)}):
        first, last = sorted((names.get(one, one), names.get(other, other)))
        joined = {entry for entry, name in names.items() if name == last} | {last, first}
        names |= dict.fromkeys(joined, first)
    return [_renamed(each, names) for each in recordings] if names else None


def _met(recording: Recording) -> set[tuple[str, str]]:
    """Return the pairs of different entries of one function at which rank 0 and another one make the same collective call."""
    meetings = Meetings(recording)
    if not meetings.entries:
        return set()
    entries = sorted({call.entry for call in recording.calls})
    numbers = {entry: number for number, entry in enumerate(entries)}
    number = np.array([numbers[call.entry] for call in recording.calls], dtype=np.int64)
    at = [
        number[sequence.calls[places]]
        for sequence, places in zip(recording.sequences, meetings.places, strict=True)
    ]
    pairs = {pair for own in at[1:] for pair in set(zip(at[0].tolist(), own.tolist(), strict=True))}
    found = {(entries[one], entries[other]) for one, other in pairs if one != other}
    return {each for each in found if len({entry.partition("@")[0] for entry in each}) == 1}


def _renamed(recording: Recording, names: dict[str, str]) -> Recording:
    found = copy(recording)
    found.calls = [call._replace(entry=names.get(call.entry, call.entry)) for call in recording.calls]
    return found
