"""Waits between ranks."""

from collections.abc import Iterable

from linkworth.model.profile import Waited, Waits
from linkworth.profile.scan import TraceScan


def waits(found: TraceScan) -> Waits:
    """Return the waiting of all ranks, by cause, call and rank."""
    ranks = found.waits.ranks
    total = sum(rank.compute_wall_seconds + rank.communication_seconds for rank in found.ranks)
    waiting = [rank.seconds for rank in ranks]
    return Waits(
        late_sender=_sum(rank.late_sender for rank in ranks),
        late_receiver=_sum(rank.late_receiver for rank in ranks),
        collective=_sum(rank.collective for rank in ranks),
        share=sum(waiting) / total if total > 0 else 0.0,
        calls=sorted(found.waits.calls, key=lambda call: (-call.seconds, call.name)),
        rank_waiting_seconds=waiting,
        rank_caused_seconds=[rank.caused_seconds for rank in ranks],
        unmatched=found.waits.unmatched,
    )


def _sum(parts: Iterable[Waited]) -> Waited:
    each = list(parts)
    return Waited(calls=sum(part.calls for part in each), seconds=sum(part.seconds for part in each))
