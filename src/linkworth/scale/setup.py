"""The part of a program after its set-up, if the set-up follows no rule of the rank count.

A planner that tries ways to divide the ranks, or a reader of input, may call differently at each count, although the
loops after it are alike. Several threads of a partitioner may call at once. The set-up is then left out, except for its
computation.
"""

from collections.abc import Callable, Sequence
from copy import copy
from typing import Any

import numpy as np

from linkworth import _engine
from linkworth.errors import UsageError
from linkworth.scale.recording import Call, Cut, Numbers, Recording, frozen, references, without

LEAST_CALLS = 0.5
"""Share of a recording's calls that follow the set-up at least."""
_KEPT = {"init", "pcontrol"}
_NUMBERED = {"comm": "new_comm", "window": "new_window"}
"""Fields of calls that name a communicator or a window, and those of the calls that create them."""
_NO_RULE, _THREADS = "calls by no rule of the rank count", "calls from several threads at once"
_NEW = frozenset(_NUMBERED.values())


def after_setup(
    recordings: Sequence[Recording], align: Callable[[Sequence[Recording]], bool]
) -> list[Recording] | None:
    """Return the longest part of each recording after a collective call of all ranks that `align` accepts, or None."""
    meetings = [Meetings(recording) for recording in recordings]
    choices = _choices(meetings)
    found: list[Recording] | None = None
    # If recordings align after one call, they also do after later ones.
    first, last = 0, len(choices)
    while first < last:
        middle = (first + last) // 2 if found else last - 1
        shorter = [each.after(place, _NO_RULE) for each, place in zip(meetings, choices[middle], strict=True)]
        if align(shorter):
            found, last = shorter, middle
        elif found is None:
            return None
        else:
            first = middle + 1
    return found


def after_threads(recordings: Sequence[Recording]) -> list[Recording]:
    """Return each recording without a set-up in which several threads of a rank call MPI at once.

    Raises UsageError if they also do so later.
    """
    threaded = [(each, rank) for each in recordings for rank, calls in enumerate(each.threaded) if calls]
    if not threaded:
        return list(recordings)
    meetings = [Meetings(recording) for recording in recordings]
    choices = _choices(meetings)
    if choices:
        return [each.after(at, _THREADS) for each, at in zip(meetings, choices[0], strict=True)]
    recording, rank = threaded[0]
    raise UsageError(
        f"{recording.trace.path}: several threads of rank {rank} call MPI at once, or compute much beside each other's calls, "
        "which cannot be scaled unless a collective call of all ranks ends it within the first half of the calls"
    )


def _choices(meetings: Sequence["Meetings"]) -> list[tuple[int, ...]]:
    """Return calls of the same entry in all recordings, by their places, in order."""
    found = set()
    for entry in set(meetings[-1].entries):
        places = [np.flatnonzero(np.array(each.entries) == entry).tolist() for each in meetings]
        if len({len(each) for each in places}) == 1:
            found |= set(zip(*places, strict=True))
        elif all(places):
            found |= {tuple(each[0] for each in places), tuple(each[-1] for each in places)}
    return sorted(
        (each for each in found if all(of.allows(place) for of, place in zip(meetings, each, strict=True))),
        key=lambda each: each[::-1],
    )


class Meetings:
    """Collective calls of all ranks of a recording, after which its set-up may end."""

    def __init__(self, recording: Recording) -> None:
        self.recording = recording
        calls = recording.calls
        collective = np.array(
            [call.fields["comm"] if call.call_class == "collective" else -1 for call in calls], dtype=np.int64
        )
        self.places = [self._of_rank(rank, collective) for rank in range(recording.ranks)]
        alike = len({len(each) for each in self.places}) == 1
        own = recording.sequences[0].calls
        self.entries = [recording.calls[own[at]].entry for at in self.places[0].tolist()] if alike else []
        self._open = np.zeros(len(self.entries), dtype=bool)
        makes = np.array([_engine.makes_request(call.call_class) for call in calls], dtype=np.int64)
        furthest = np.array([max(references(call), default=0) for call in calls], dtype=np.int64)
        for sequence, places, threaded in zip(
            recording.sequences, self.places, recording.threaded, strict=True
        ):
            if alike:
                self._open |= _reaches_back(makes[sequence.calls], furthest[sequence.calls])[places]
                self._open |= places < threaded

    def _of_rank(self, rank: int, collective: Numbers) -> Numbers:
        """Return the places of these calls. `collective`: communicator of each collective call; -1: other calls."""
        everyone = [
            number
            for number, members in self.recording.communicators[rank].items()
            if len(members) == self.recording.ranks
        ]
        return np.flatnonzero(np.isin(collective[self.recording.sequences[rank].calls], everyone))

    def allows(self, place: int) -> bool:
        """Return whether enough follows the call, and no request or thread from before it goes on after it."""
        sequences = self.recording.sequences
        before = sum(int(places[place]) + 1 for places in self.places)
        enough = before <= (1 - LEAST_CALLS) * sum(len(each.calls) for each in sequences)
        return enough and not self._open[place]

    def after(self, place: int, why: str) -> Recording:
        """Return what follows the call. `why`: what the set-up does that cannot be scaled.

        Communicators and windows that are used there are created at its beginning.
        """
        recording = self.recording
        shorter = copy(recording)
        shorter.calls, shorter.sequences = [], []
        shorter.threaded = [0] * recording.ranks
        known: dict[Any, int] = {}
        dropped = recording.setup.events if recording.setup else 0
        for sequence, places in zip(recording.sequences, self.places, strict=True):
            end = int(places[place]) + 1
            keep = _kept(recording.calls, sequence.calls, end)
            dropped += int((~keep).sum())
            kept = without(sequence, ~keep)
            numbers = _renumbered(recording.calls, kept.calls)
            new = np.empty(len(recording.calls), dtype=np.int64)
            for number in np.unique(kept.calls).tolist():
                call = _with_numbers(recording.calls[number], numbers)
                key = (call.entry, call.call_class, frozen(call.fields))
                new[number] = known.setdefault(key, len(shorter.calls))
                if new[number] == len(shorter.calls):
                    shorter.calls.append(call)
            shorter.sequences.append(kept._replace(calls=new[kept.calls]))
        shorter.name_groups()
        shorter.setup = Cut(self.entries[place], dropped, why)
        return shorter


def _reaches_back(makes: Numbers, furthest: Numbers) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Return for each event whether a later one refers to a request that was made until then.

    `makes`: requests that each makes, 0 or 1; `furthest`: how many requests back it refers, or 0.
    """
    made = np.cumsum(makes)
    # An event refers to requests made before it; its own is not among them.
    oldest = np.where(furthest > 0, made - makes - furthest, len(makes))
    later = np.minimum.accumulate(np.append(oldest[1:], len(makes))[::-1])[::-1]
    reaches: np.ndarray[Any, np.dtype[np.bool_]] = later < made
    return reaches


def _kept(calls: Sequence[Call], own: Numbers, end: int) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Return which events stay: those from `end` on, and the creation of what they use."""
    keep = np.arange(len(own)) >= end
    used = {
        (name, calls[number].fields[name])
        for number in np.unique(own[end:]).tolist()
        for name in _NUMBERED
        if name in calls[number].fields
    }
    for at in range(end - 1, -1, -1):
        call = calls[own[at]]
        made = {(name, call.fields[new]) for name, new in _NUMBERED.items() if call.fields.get(new, -1) >= 0}
        if call.call_class in _KEPT or made & used:
            keep[at] = True
            # The communicator from which it was made.
            used |= {(name, call.fields[name]) for name in _NUMBERED if name in call.fields}
    return keep


def _renumbered(calls: Sequence[Call], own: Numbers) -> dict[tuple[str, int], int]:
    """Return the numbers of communicators and windows, in the order in which they are created."""
    numbers: dict[tuple[str, int], int] = {}
    unused = {"comm": 2, "window": 0}
    creates = np.array([not _NEW.isdisjoint(call.fields) for call in calls], dtype=bool)
    for number in own[creates[own]].tolist():
        fields = calls[number].fields
        for name, new in _NUMBERED.items():
            if fields.get(new, -1) >= 0:
                numbers[name, fields[new]] = unused[name]
                unused[name] += 1
    return numbers


def _with_numbers(call: Call, numbers: dict[tuple[str, int], int]) -> Call:
    fields = dict(call.fields)
    for name, new in _NUMBERED.items():
        for field in (name, new):
            if field in fields:
                fields[field] = numbers.get((name, fields[field]), fields[field])
    return call._replace(fields=fields)
