"""Completions whose number or order depends on time, as those that depend on none."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from linkworth.scale.recording import TESTS, WAITALL, Call, Numbers, Recording, without

SOME_AT_A_TIME = {2, 3, TESTS, TESTS + 2, TESTS + 3}
"""Modes of MPI_Waitany and MPI_Waitsome, and of MPI_Test, MPI_Testany and MPI_Testsome."""


def timeless(recordings: Sequence[Recording]) -> list[Recording] | None:
    """Return recordings in which no completion depends on time, or None if none does.

    A wait completes what tests before it completed in some iterations. A test becomes the wait that completes the same
    requests elsewhere. A loop that completes some requests at a time becomes one wait for all of them. A loop that also
    receives what it finds does so first. A test that completes nothing is left out in any case.
    """
    modes = {
        call.fields["mode"]
        for recording in recordings
        for call in recording.calls
        if call.call_class == "complete"
    }
    if max(modes, default=WAITALL) <= WAITALL:
        return None
    found = list(recordings)
    if max(modes) >= TESTS:
        found = _tests_as_waits(_waits_after_tests([_receiving_first(each) for each in found]))
    found = _loops_as_waits(found)
    return found if any(one is not other for one, other in zip(found, recordings, strict=True)) else None


def _receiving_first(recording: Recording) -> Recording:
    """Put what a loop finds and receives before the requests that its tests complete, ordered by tag and sender.

    Receives of a loop without such tests stay in their order: another one may be the wrong one for blocking sends.
    """
    probes = _where(recording, lambda call: call.call_class == "probe")
    receives = _where(recording, lambda call: call.call_class == "recv")
    tests = _where(recording, lambda call: _completes(call) and call.fields["mode"] >= TESTS)
    if not (probes.any() and tests.any()):
        return recording
    tags = np.array([call.fields.get("tag", 0) for call in recording.calls])
    peers = np.array([call.fields.get("peer", 0) for call in recording.calls])
    found = copy(recording)
    found.sequences = []
    changed = False
    for rank, each in enumerate(recording.sequences):
        calls = each.calls
        tested = tests[calls]
        matched = probes[calls] & np.append(receives[calls][1:], False)
        in_loop = tested | matched | np.append(False, matched[:-1])
        loop = np.cumsum(~(in_loop & np.append(False, in_loop[:-1])))
        has_tests = np.isin(loop, loop[tested])
        # A probe stays before its receive.
        like = np.where(matched, np.roll(calls, -1), calls)
        keys = ((peers[like] - rank) % recording.ranks, tags[like], tested)
        order = np.lexsort((*(key * has_tests for key in keys), loop))
        changed |= bool((np.diff(order) != 1).any())
        found.sequences.append(each._replace(calls=calls[order]))
    return found if changed else recording


class _Group(NamedTuple):
    """Adjacent completions of a rank that become one."""

    first: int
    last: int
    kept: int
    """The one whose place and computation before it stay."""
    like: Call
    """Call whose site the one takes."""


Groups = Callable[[Numbers], Iterator[_Group]]
"""Finds the groups among the calls of a rank."""


def _waits_after_tests(recordings: Sequence[Recording]) -> list[Recording]:
    """Join tests with the wait after them if that completes fewer requests in some iterations, or none in any."""
    completed = defaultdict(set)
    for recording in recordings:
        for call in recording.calls:
            if call.call_class == "complete" and call.fields["mode"] <= WAITALL:
                completed[call.entry].add(len(call.fields["completions"]))
    left_over = {entry for entry, numbers in completed.items() if len(numbers) > 1 or 0 in numbers}

    def groups(recording: Recording) -> Groups:
        waits = _where(recording, lambda call: call.entry in left_over)
        tests = _where(recording, lambda call: call.call_class == "complete" and call.fields["mode"] >= TESTS)

        def of(calls: Numbers) -> Iterator[_Group]:
            for last in np.flatnonzero(waits[calls]).tolist():
                first = last
                while first > 0 and tests[calls[first - 1]]:
                    first -= 1
                yield _Group(first, last, last, recording.calls[calls[last]])

        return of

    return [_joined(each, groups(each)) for each in recordings]


def _tests_as_waits(recordings: Sequence[Recording]) -> list[Recording]:
    """Give tests the site of the wait that completes the same requests after the same call."""

    def key(recording: Recording, before: int, number: int) -> tuple[Any, ...]:
        fields = recording.calls[number].fields
        completed = tuple(each[0] for each in fields["completions"])
        return recording.calls[before].entry, fields["mode"] % TESTS, completed

    waits = {}
    for recording in recordings:
        ends = _where(recording, lambda call: _completes(call) and call.fields["mode"] < TESTS)
        for each in recording.sequences:
            pairs = np.stack([np.roll(each.calls, 1), each.calls])[:, ends[each.calls]]
            for before, number in np.unique(pairs, axis=1).T.tolist():
                waits[key(recording, before, number)] = recording.calls[number]

    def groups(recording: Recording) -> Groups:
        tests = _where(recording, lambda call: _completes(call) and call.fields["mode"] >= TESTS)

        def of(calls: Numbers) -> Iterator[_Group]:
            for at in np.flatnonzero(tests[calls]).tolist():
                wait = waits.get(key(recording, int(calls[at - 1]), int(calls[at])))
                if wait is not None:
                    yield _Group(at, at, at, wait)

        return of

    return [_joined(each, groups(each)) for each in recordings]


def _loops_as_waits(recordings: Sequence[Recording]) -> list[Recording]:
    """Join adjacent calls of one site that complete some requests."""

    def groups(recording: Recording) -> Groups:
        some = _where(recording, lambda call: _completes(call) and call.fields["mode"] in SOME_AT_A_TIME)
        sites = {call.entry: number for number, call in enumerate(recording.calls)}
        site = np.where(some, [sites[call.entry] for call in recording.calls], -1)

        def of(calls: Numbers) -> Iterator[_Group]:
            here = site[calls]
            firsts = np.flatnonzero((here >= 0) & (np.diff(here, prepend=-2) != 0))
            lasts = np.flatnonzero((here >= 0) & (np.diff(here, append=-2) != 0))
            for first, last in zip(firsts.tolist(), lasts.tolist(), strict=True):
                yield _Group(first, last, first, recording.calls[calls[first]])

        return of

    return [_joined(each, groups(each)) for each in recordings]


def _joined(recording: Recording, groups: Groups) -> Recording:
    """Return the recording with each group as one wait for all that its calls complete. The same object if there is none."""
    found = copy(recording)
    found.calls = list(recording.calls)
    found.sequences = []
    numbers: dict[tuple[str, tuple[int, ...]], int] = {}
    for each in recording.sequences:
        calls = each.calls.copy()
        dropped = np.zeros(len(calls), dtype=bool)
        for first, last, kept, like in groups(each.calls):
            joined = tuple(each.calls[first : last + 1].tolist())
            if (like.entry, joined) not in numbers:
                numbers[like.entry, joined] = len(found.calls)
                found.calls.append(_wait_for_all([recording.calls[number] for number in joined], like))
            calls[kept] = numbers[like.entry, joined]
            dropped[first : last + 1] = True
            dropped[kept] = False
        found.sequences.append(without(each._replace(calls=calls), dropped))
    return found if numbers else recording


def _wait_for_all(calls: Sequence[Call], like: Call) -> Call:
    """Return a wait at a site for all requests that some calls complete, the oldest first."""
    completed = {each[0]: each for call in calls for each in call.fields["completions"]}
    completions = [completed[back] for back in sorted(completed, reverse=True)]
    mode = min(like.fields["mode"], WAITALL)
    return like._replace(fields={"mode": mode, "listed": len(completions), "completions": completions})


def _completes(call: Call) -> bool:
    return call.call_class == "complete" and bool(call.fields["completions"])


def _where(recording: Recording, wanted: Callable[[Call], bool]) -> npt.NDArray[np.bool_]:
    return np.array([wanted(call) for call in recording.calls], dtype=bool)
