"""Receives from any source as receives from the ranks whose messages they got."""

from copy import copy

import numpy as np

from linkworth.scale.recording import ANYBODY, WAITALL, Recording
from linkworth.scale.recording import Sequence as Events
from linkworth.scale.requests import Requests


def named(recording: Recording) -> Recording:
    """Return the recording with the sources of non-blocking receives from any source. The same object without any.

    Time decides which of several receives that end together gets which message. They get them in the order of ranks.
    """
    if any(call.call_class == "irecv" and call.fields["peer"] == ANYBODY for call in recording.calls):
        return _Naming(recording).result()
    return recording


class _Naming:
    """Names the sources in a recording."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self._requests = Requests(recording.calls)
        self._ends = np.array(
            [
                call.call_class == "complete"
                and call.fields["mode"] <= WAITALL
                and any(each[1] for each in call.fields["completions"])
                for call in recording.calls
            ],
            dtype=bool,
        )
        self._calls = list(recording.calls)
        self._numbers: dict[tuple[int, tuple[int, int] | None], int] = {}

    def result(self) -> Recording:
        """Return the recording with them."""
        found = copy(self._recording)
        found.sequences = [self._of(each) for each in self._recording.sequences]
        found.calls = self._calls
        return found

    def _of(self, sequence: Events) -> Events:
        own = sequence.calls
        calls = own.copy()
        refers = self._requests.of(own)
        for event in np.flatnonzero(self._ends[own]).tolist():
            among = slice(*np.searchsorted(refers.event, [event, event + 1]).tolist())
            ended = self._recording.calls[own[event]].fields["completions"]
            wild = [at for at, each in zip(refers.made[among].tolist(), ended, strict=True) if each[1]]
            if {self._recording.calls[number].call_class for number in own[wild].tolist()} != {"irecv"}:
                continue
            # In the order in which they were posted, whatever that of the list.
            matches = sorted((each[2], each[3]) for each in ended if each[1])
            for at, match in zip(sorted(wild), matches, strict=True):
                calls[at] = self._number(int(own[at]), match)
            calls[event] = self._number(int(own[event]), None)
        return sequence._replace(calls=calls)

    def _number(self, number: int, match: tuple[int, int] | None) -> int:
        """Return the number of a call with a source and a tag, or of one that ends no receive from any source."""
        found = self._numbers.setdefault((number, match), len(self._calls))
        if found == len(self._calls):
            call = self._recording.calls[number]
            if match is not None:
                fields = {**call.fields, "peer": match[0], "tag": match[1]}
            else:
                ended = [(each[0], False, 0, 0) for each in call.fields["completions"]]
                fields = {**call.fields, "completions": ended}
            self._calls.append(call._replace(fields=fields))
        return found
