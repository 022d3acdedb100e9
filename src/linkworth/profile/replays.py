"""Replays of a profile: their results, or the reason why they stop."""

from typing import NamedTuple

import msgspec

from linkworth import _engine, units
from linkworth.catalog import fabrics
from linkworth.errors import UsageError
from linkworth.model.prediction import Prediction
from linkworth.model.profile import Group, NetworkGain
from linkworth.model.settings import ReplaySettings
from linkworth.profile.groups import NEGLIGIBLE, Balance, balance, decide
from linkworth.profile.scan import TraceScan, scan
from linkworth.replay.layout import block
from linkworth.replay.run import Replay, ReplayStoppedError, replay_in_detail
from linkworth.trace.read import TraceFile

IDEAL = "ideal"
SHARED_MEMORY = "shm"
REFERENCE = "gbe"
LEAST_REPLAYED = 0.9
"""Least share of a beginning's events that a replay reaches if only the last calls lack their other side."""
MOST_UNMATCHED = 0.05
"""Most messages and collectives without their other side, for each call, with which a replay is still meaningful."""

_NO_LIMIT = 1e15
"""Bytes per second."""
NOT_KNOWN = "network dependence, serialisation and transfer are not known"


class Part(NamedTuple):
    """A trace, and its replayed part: all, or its beginning."""

    of: TraceFile
    events: _engine.Trace

    @property
    def is_beginning(self) -> bool:
        """True if the trace goes on after this part."""
        return self.events.events < self.of.engine.events


class ReplayedProfile(msgspec.Struct, frozen=True, kw_only=True):
    """Results that only replays give."""

    ideal: Replay
    gain: NetworkGain | None
    group: Group | None
    group_reason: str


def replayed(part: Part, found: TraceScan, smaller: Part | None) -> ReplayedProfile | str:
    """Return the results of replays, or a sentence on why there are none: one stops, or too many messages are lost.

    In that case the other replays are not used either: those that completed lack the same messages.
    """
    # A recording has all messages, or it is damaged; another tool's archive may lack some from the start.
    may_lack = part.of.metadata.source == "converted"
    try:
        ideal = replay(part, IDEAL, nodes=1)
        reference = _on_reference(part)
        group, reason = _decided(reference, found, smaller)
    except ReplayStoppedError as stopped:
        if not may_lack:
            raise
        return (
            f"{NOT_KNOWN}, because a replay stops: {stopped.where}; "
            "the original of the converted trace lacks the rest of that call"
        )
    calls = sum(call.count for call in found.calls)
    if may_lack and found.waits.unmatched > MOST_UNMATCHED * calls:
        return (
            f"{NOT_KNOWN}, because in {calls:,} calls {found.waits.unmatched:,} messages or collectives have "
            "a side that the original of the converted trace lacks"
        )
    gain = None
    if group is not None:
        gain = NetworkGain(
            fabric=REFERENCE, seconds=reference.seconds, ideal_seconds=ideal.prediction.seconds
        )
    return ReplayedProfile(ideal=ideal, gain=gain, group=group, group_reason=reason)


def group_by_replay(part: Part, found: TraceScan, smaller: Part | None) -> tuple[Group | None, str]:
    """Return the group of network dependence, and the reason."""
    return _decided(_on_reference(part), found, smaller)


def _decided(reference: Prediction, found: TraceScan, smaller: Part | None) -> tuple[Group | None, str]:
    if (share := _unmodelled_share(found)) > NEGLIGIBLE:
        calls = ", ".join(sorted(found.unmodelled))
        return None, f"{units.percent(share)} of the ranks' time is in calls that are not modelled: {calls}"
    return decide(balance(reference, found), _smaller_balance(smaller) if smaller is not None else None)


def _unmodelled_share(found: TraceScan) -> float:
    """Return the share of the ranks' recorded time in calls that keep it in every replay."""
    lasting = sum(
        call.seconds * found.unmodelled[call.name] / call.count
        for call in found.calls
        if call.name in found.unmodelled
    )
    whole = sum(rank.compute_seconds + rank.communication_seconds for rank in found.ranks)
    return lasting / whole if whole > 0 else 0.0


def replay(part: Part, fabric: str, nodes: int) -> Replay:
    """Replay the part of a trace on equal blocks of its ranks."""
    layout = block(part.events.ranks, nodes)
    # A profile reports calls that are not modelled; they must not prevent it. All ranks compute as with a node for each,
    # also those of a skeleton, whose machine has so many cores and so much memory bandwidth a node.
    settings = ReplaySettings(
        pass_unmodelled=True, cores_per_node=layout.ppn, memory_bandwidth_bytes_per_second=_NO_LIMIT
    )
    cut = part.of.incomplete or part.is_beginning
    made = replay_in_detail(part.events, fabrics.get(fabric), layout, tolerate_cut=cut, settings=settings)
    if part.of.metadata.source == "converted" and not part.of.incomplete:
        _require_most(made, part)
    return made


def _require_most(made: Replay, part: Part) -> None:
    """Require most of a beginning to be replayed. It ends inside calls; lacking messages stop a replay far earlier."""
    if made.result.stopped and made.result.events < LEAST_REPLAYED * part.events.events:
        stopped = ReplayStoppedError(made.result.stopped[0])
        stopped.where = made.result.stopped[0]
        raise stopped


def _on_reference(part: Part) -> Prediction:
    """Replay with one rank on each node, so that the group does not depend on the placement of ranks."""
    return replay(part, REFERENCE, nodes=part.events.ranks).prediction


def _smaller_balance(smaller: Part) -> Balance:
    try:
        return balance(_on_reference(smaller), scan(smaller.of))
    except ReplayStoppedError as stopped:
        raise UsageError(f"`smaller` {smaller.of.path}: {stopped}") from stopped
