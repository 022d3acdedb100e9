"""Trust: the largest recording predicted from the smaller ones."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from linkworth.catalog import fabrics
from linkworth.model.scaling import LeftOut
from linkworth.replay.layout import Arrangement
from linkworth.replay.run import replay
from linkworth.scale.distributions.exchanges import filled, patterns
from linkworth.scale.generate import RankEvents, events_of
from linkworth.scale.neighbours import without_absent
from linkworth.scale.recording import COLLECTIVE, SENDS, Call, Numbers, Recording
from linkworth.scale.requests import PERSISTENT, Requests
from linkworth.trace.read import TraceFile

FABRICS = ("gbe", "ib-hdr")
NODES = 2

_SENT = SENDS | COLLECTIVE | {"rma", "irma"}


class Totals(NamedTuple):
    """Sums over all ranks of a trace."""

    events: int = 0
    messages: int = 0
    bytes: int = 0
    compute: float = 0.0

    def add(self, own: Numbers, counting: "_Counting", compute: float) -> "Totals":
        """Return the totals with one more rank, which makes the calls `own`."""
        messages, sent = counting.of(own)
        return Totals(
            self.events + len(own), self.messages + messages, self.bytes + sent, self.compute + compute
        )


class _Counting:
    """Counts messages and sent bytes. Persistent requests send when they are started."""

    def __init__(self, calls: Sequence[Call]) -> None:
        self._weights = np.array([_weight(call) for call in calls], dtype=np.int64).reshape(-1, 2)
        self._persistent = np.array([call.call_class in PERSISTENT for call in calls], dtype=bool)
        self.requests = Requests(calls)

    def of(self, own: Numbers) -> tuple[int, int]:
        """Return those of a rank."""
        sending = np.append(own[~self._persistent[own]], own[self.requests.started(own).made])
        messages, sent = (np.bincount(sending, minlength=len(self._weights)) @ self._weights).tolist()
        return messages, sent


def _weight(call: Call) -> tuple[int, int]:
    """Return messages and sent bytes of a call."""
    fields = call.fields
    sends = call.call_class in SENDS and fields["peer"] >= 0
    if call.call_class not in _SENT or (call.call_class in SENDS and not sends):
        return 0, 0
    return int(sends), fields["bytes"] * fields.get("partitions", 1)


def recorded(recording: Recording) -> Totals:
    """Return a recording's totals; with the messages in the mean if they are distributions."""
    if recording.stretches is not None or recording.absent:
        events = without_absent(events_of(recording), recording.absent)
        if recording.stretches is not None:
            events = filled(events, patterns([recording], recording.ranks, recording.size))
        counted = Counted(events)
        for _ in counted:
            pass
        return counted.totals
    counting = _Counting(recording.calls)
    found = Totals()
    for sequence in recording.sequences:
        found = found.add(sequence.calls, counting, float(sequence.compute.sum()))
    return found


class Counted:
    """Passes ranks through, and adds them up. Raises UnfitError for a reference to no request."""

    def __init__(self, ranks: Iterable[RankEvents]) -> None:
        self._ranks = ranks
        self.totals = Totals()

    def __iter__(self) -> Iterator[RankEvents]:
        for each in self._ranks:
            counting = _Counting([Call(*call) for call in each.calls])
            counting.requests.of(each.call)
            self.totals = self.totals.add(each.call, counting, float(each.compute.sum()))
            yield each


def compared(predicted: Totals, actual: Totals, ranks: int, paths: tuple[TraceFile, TraceFile]) -> LeftOut:
    """Return the differences at a rank count. `paths`: the predicted and the recorded trace, to be replayed."""

    def difference(name: str) -> float:
        was = getattr(actual, name)
        now = getattr(predicted, name)
        return (now - was) / was if was else float(now != was)

    return LeftOut(
        ranks=ranks,
        calls=difference("events"),
        messages=difference("messages"),
        bytes=difference("bytes"),
        compute=difference("compute"),
        seconds=times(*paths),
    )


def times(predicted: TraceFile, recorded_trace: TraceFile) -> dict[str, float]:
    """Return the relative difference of the replayed time, by fabric."""
    found = {}
    nodes = min(NODES, predicted.engine.ranks)
    layout = Arrangement(nodes=nodes).layout(predicted.engine.ranks)
    for name in FABRICS:
        fabric = fabrics.get(name)
        was = replay(recorded_trace.engine, fabric, layout).seconds
        now = replay(predicted.engine, fabric, layout).seconds
        found[name] = (now - was) / was if was else 0.0
    return found
