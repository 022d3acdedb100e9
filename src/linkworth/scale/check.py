"""Trust: the largest recording predicted from the smaller ones."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from linkworth.catalog import fabrics
from linkworth.model.scaling import LeftOut
from linkworth.replay.layout import Arrangement
from linkworth.replay.run import replay
from linkworth.scale.distributions.exchanges import filled
from linkworth.scale.generate import RankEvents, events_of
from linkworth.scale.neighbours import without_absent
from linkworth.scale.recording import COLLECTIVE, SENDS, Recording
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

    def add(self, events: int, weights: Sequence[tuple[int, int]], times: Any, compute: float) -> "Totals":  # noqa: ANN401
        """Return the totals with one more rank. `times`: how often each call was made."""
        table = np.array(weights, dtype=np.int64).reshape(-1, 2)
        messages, sent = (np.asarray(times, dtype=np.int64) @ table).tolist()
        return Totals(
            self.events + events, self.messages + messages, self.bytes + sent, self.compute + compute
        )


def weight(call_class: str, fields: Mapping[str, Any]) -> tuple[int, int]:
    """Return messages and sent bytes of a call."""
    sends = call_class in SENDS and fields["peer"] >= 0
    return int(sends), fields["bytes"] if call_class in _SENT and (sends or call_class not in SENDS) else 0


def recorded(recording: Recording) -> Totals:
    """Return a recording's totals; with the messages in the mean if they are distributions."""
    if recording.stretches is not None or recording.absent:
        events = without_absent(events_of(recording), recording.absent)
        if recording.stretches is not None:
            events = filled(events, [recording], recording.ranks, recording.size)
        counted = Counted(events)
        for _ in counted:
            pass
        return counted.totals
    weights = [weight(call.call_class, call.fields) for call in recording.calls]
    found = Totals()
    for sequence in recording.sequences:
        times = np.bincount(sequence.calls, minlength=len(weights))
        found = found.add(len(sequence.calls), weights, times, float(sequence.compute.sum()))
    return found


class Counted:
    """Passes ranks through, and adds them up."""

    def __init__(self, ranks: Iterable[RankEvents]) -> None:
        self._ranks = ranks
        self.totals = Totals()

    def __iter__(self) -> Iterator[RankEvents]:
        for each in self._ranks:
            weights = [weight(call_class, fields) for _, call_class, fields in each.calls]
            times = np.bincount(each.call, minlength=len(weights))
            self.totals = self.totals.add(len(each.call), weights, times, float(each.compute.sum()))
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
