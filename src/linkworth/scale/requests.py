"""References from calls to those that made their requests."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from linkworth import _engine
from linkworth.scale.fit.rules import UnfitError
from linkworth.scale.recording import Call, Numbers, references

PERSISTENT = {"send_init", "psend_init", "collective_init"}
"""Classes of calls that send when their requests are started."""


class References(NamedTuple):
    """References of a rank's calls to requests, in order."""

    event: Numbers
    """The call that refers to the request."""
    place: Numbers
    """Place in the list of that call."""
    back: Numbers
    """Distance back to the request. The latest is at 1."""
    made: Numbers
    """The call that made it."""


class Requests:
    """References of different calls, from which those of a rank follow."""

    def __init__(self, calls: Sequence[Call]) -> None:
        """Read them from all calls."""
        self._entries = [call.entry for call in calls]
        backs = [references(call) for call in calls]
        self.makes = np.array([_engine.makes_request(call.call_class) for call in calls], dtype=bool)
        self._starts = np.array([call.call_class == "start" for call in calls], dtype=bool)
        self._sends = np.array([call.call_class in PERSISTENT for call in calls], dtype=bool)
        self._count = np.array([len(each) for each in backs], dtype=np.int64)
        self._start = np.cumsum(self._count) - self._count
        self._backs = np.array([back for each in backs for back in each], dtype=np.int64)

    def of(self, own: Numbers) -> References:
        """Return the references of a rank that makes these calls. Raises UnfitError if one has no request."""
        count = self._count[own]
        event = np.repeat(np.arange(len(own)), count)
        place = np.arange(len(event)) - np.repeat(np.cumsum(count) - count, count)
        makes = self.makes[own]
        before = np.cumsum(makes) - makes
        backs = self._backs[self._start[own[event]] + place]
        astray = np.flatnonzero((backs < 1) | (backs > before[event]))
        if len(astray):
            raise UnfitError(
                self._entries[own[event[astray[0]]]], "it would refer to a request that is not there"
            )
        return References(event, place, backs, np.flatnonzero(makes)[before[event] - backs])

    def started(self, own: Numbers) -> References:
        """Return the references of a rank's starts to requests that send."""
        if not self._starts[own].any():
            return References(*[np.zeros(0, dtype=np.int64)] * 4)
        found = self.of(own)
        kept = self._starts[own[found.event]] & self._sends[own[found.made]]
        return References(*(each[kept] for each in found))


def referring(call: Call, backs: Sequence[int]) -> Call:
    """Return a call that refers to requests at other distances. 0: to one that is not there."""
    fields = dict(call.fields)
    if call.call_class == "complete":
        ended = fields["completions"]
        fields["completions"] = [(back, *each[1:]) for back, each in zip(backs, ended, strict=True) if back]
        fields["listed"] -= len(ended) - len(fields["completions"])
    else:
        fields["references"] = [back for back in backs if back]
    return call._replace(fields=fields)
