"""Requests that a test completes in some iterations, and a wait in the others."""

from collections.abc import Iterator, Sequence
from copy import copy
from typing import Any

import numpy as np

from linkworth.scale.recording import TESTS, Call, Numbers, Recording

Key = tuple[Any, ...]
"""The call before a completion, and which requests it completes."""


def tests_as_waits(recordings: Sequence[Recording]) -> list[Recording] | None:
    """Return recordings in which a test that completes requests is the wait that does so elsewhere, or None without such tests.

    Time decides which of the two it is. A test that completes nothing is left out in any case.
    """
    tests = [list(_completions(each, tests=True)) for each in recordings]
    if not any(tests):
        return None
    waits = {key: call for each in recordings for key, call, _ in _completions(each, tests=False)}
    found = []
    for recording, own in zip(recordings, tests, strict=True):
        like = {pair: waits[key]._replace(fields=_waiting(call)) for key, call, pair in own if key in waits}
        found.append(_with(recording, like))
    return found if any(one is not other for one, other in zip(found, recordings, strict=True)) else None


def _waiting(call: Call) -> dict[str, Any]:
    return {**call.fields, "mode": call.fields["mode"] - TESTS}


def _completions(recording: Recording, *, tests: bool) -> Iterator[tuple[Key, Call, int]]:
    """Yield each completion after each different call, with its key and the code of both."""
    ends = [
        call.call_class == "complete"
        and bool(call.fields["completions"])
        and (call.fields["mode"] >= TESTS) == tests
        for call in recording.calls
    ]
    if not any(ends):
        return
    count = len(recording.calls)
    is_end = np.array(ends, dtype=bool)
    pairs = [_pairs(each.calls, count)[is_end[each.calls]] for each in recording.sequences]
    for pair in np.unique(np.concatenate(pairs)).tolist():
        before, number = divmod(pair, count)
        call = recording.calls[number]
        completed = tuple(each[0] for each in call.fields["completions"])
        yield (recording.calls[before].entry, call.fields["mode"] % TESTS, completed), call, pair


def _pairs(calls: Numbers, count: int) -> Numbers:
    before = np.concatenate([calls[:1], calls[:-1]])
    return before * count + calls


def _with(recording: Recording, like: dict[int, Call]) -> Recording:
    """Return the recording with other calls. `like`: by the code of a call and the one before."""
    if not like:
        return recording
    count = len(recording.calls)
    found = copy(recording)
    found.calls = [*recording.calls, *like.values()]
    codes = np.array(sorted(like), dtype=np.int64)
    number_of = np.array([count + list(like).index(code) for code in codes.tolist()], dtype=np.int64)
    found.sequences = []
    for each in recording.sequences:
        pairs = _pairs(each.calls, count)
        at = np.minimum(np.searchsorted(codes, pairs), len(codes) - 1)
        found.sequences.append(each._replace(calls=np.where(codes[at] == pairs, number_of[at], each.calls)))
    return found
