"""Persistent requests as those that are made at each start."""

from collections.abc import Sequence
from copy import copy
from itertools import pairwise

import numpy as np

from linkworth.scale.recording import Call, Numbers, Recording, without
from linkworth.scale.recording import Sequence as Events
from linkworth.scale.requests import Requests, referring

_MADE_AT_ONCE = {"send_init": "isend", "recv_init": "irecv", "collective_init": "icollective"}
"""Classes of calls that make persistent requests, and of those that also start them."""


def without_persistent(recordings: Sequence[Recording]) -> list[Recording]:
    """Return recordings in which a start makes its requests, if some are further back at each start.

    They are if other requests are made between the starts. What refers to them then differs from iteration to iteration.
    """
    if any(_moves(each) for each in recordings):
        return [_Rewriting(each).result() for each in recordings]
    return list(recordings)


def _moves(recording: Recording) -> bool:
    """Return whether starts at one site refer to a persistent request at different distances."""
    classes = {call.call_class for call in recording.calls}
    if "start" not in classes or "psend_init" in classes:
        return False
    requests = Requests(recording.calls)
    entries = {call.entry: number for number, call in enumerate(recording.calls)}
    site = np.array([entries[call.entry] for call in recording.calls], dtype=np.int64)
    for sequence in recording.sequences:
        started = requests.started(sequence.calls)
        by = np.stack([site[sequence.calls[started.event]], started.made, started.back])
        if np.unique(by, axis=1).shape[1] > np.unique(by[:2], axis=1).shape[1]:
            return True
    return False


class _Rewriting:
    """Rewrites the ranks of a recording."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self._requests = Requests(recording.calls)
        classes = [call.call_class for call in recording.calls]
        self._persistent = np.array([each in _MADE_AT_ONCE for each in classes], dtype=bool)
        self._starts = np.array([each == "start" for each in classes], dtype=bool)
        self._frees = np.array([each == "request_free" for each in classes], dtype=bool)
        self._calls: list[Call] = []
        self._numbers: dict[tuple[int, tuple[int, ...]], int] = {}

    def result(self) -> Recording:
        """Return the recording in which starts make their requests."""
        found = copy(self._recording)
        found.sequences = [self._rewritten(each) for each in self._recording.sequences]
        found.calls = self._calls
        return found

    def _rewritten(self, sequence: Events) -> Events:
        own = sequence.calls
        refers = self._requests.of(own)
        by_start = self._starts[own[refers.event]]
        persistent = self._persistent[own[refers.made]]
        # A start becomes as many calls as it starts requests.
        times = np.maximum(np.bincount(refers.event[by_start], minlength=len(own)), 1)
        first = np.cumsum(times) - times
        calls = np.repeat(own, times)
        made_at = first[refers.event] + refers.place
        calls[made_at[by_start]] = own[refers.made[by_start]]
        dropped = self._starts[calls]
        dropped[first[self._persistent[own]]] = True
        dropped[first[refers.event[persistent & self._frees[own[refers.event]]]]] = True
        makes = self._requests.makes[calls] & ~dropped
        before = np.cumsum(makes) - makes
        # Others refer to what the latest start before them made.
        key = refers.made * len(own) + refers.event
        starts = np.flatnonzero(by_start)
        starts = starts[np.argsort(key[starts], kind="stable")]
        latest = np.append(starts, 0)[np.searchsorted(key[starts], key) - 1]
        backs = (
            before[first[refers.event]] - before[np.where(persistent, made_at[latest], first[refers.made])]
        )
        ahead = np.zeros(len(calls), dtype=bool)
        ahead[first] = True
        return without(
            Events(
                self._numbered(calls, first[refers.event[~by_start]], backs[~by_start]),
                np.where(ahead, np.repeat(sequence.compute, times), 0.0),
                np.repeat(sequence.has_cpu, times),
                np.repeat(sequence.durations, times),
            ),
            dropped,
        )

    def _numbered(self, calls: Numbers, events: Numbers, backs: Numbers) -> Numbers:
        """Return the numbers of calls. `events`, `backs`: those that refer to requests, and how far back these are."""
        refers = np.zeros(len(calls), dtype=bool)
        refers[events] = True
        found = calls.copy()
        used, which = np.unique(calls[~refers], return_inverse=True)
        found[~refers] = np.array([self._number(number, ()) for number in used.tolist()], dtype=np.int64)[
            which
        ]
        places, begins = np.unique(events, return_index=True)
        listed = backs.tolist()
        for place, (begin, end) in zip(
            places.tolist(), pairwise([*begins.tolist(), len(events)]), strict=True
        ):
            found[place] = self._number(int(calls[place]), tuple(listed[begin:end]))
        return found

    def _number(self, number: int, backs: tuple[int, ...]) -> int:
        found = self._numbers.setdefault((number, backs), len(self._calls))
        if found == len(self._calls):
            self._calls.append(_with_references(self._recording.calls[number], backs))
        return found


def _with_references(call: Call, backs: Sequence[int]) -> Call:
    """Return a call with other references, and one that makes a persistent request as one that also starts it."""
    if call.call_class in _MADE_AT_ONCE:
        name, at, site = call.entry.partition("@")
        name = f"MPI_I{name.removeprefix('MPI_').replace('_init', '').lower()}"
        return Call(name + at + site, _MADE_AT_ONCE[call.call_class], call.fields)
    return referring(call, backs) if backs else call
