"""Shares of computation, communication and initialisation."""

from collections.abc import Sequence

from linkworth.model.profile import Shares
from linkworth.profile.scan import RankTimes
from linkworth.replay.run import Replay


def measured_shares(ranks: Sequence[RankTimes]) -> Shares:
    """Return the recorded shares of the ranks' time."""
    return _normalised(
        sum(rank.compute_seconds for rank in ranks),
        sum(rank.communication_seconds for rank in ranks),
        sum(rank.init_seconds for rank in ranks),
    )


def shares_with_a_core_each(
    ranks: Sequence[RankTimes], core_shares: Sequence[float], shared_memory: Replay
) -> Shares:
    """Return the shares of an oversubscribed run if each of its ranks had a core.

    Its time in MPI calls is mostly waiting for a core that another rank has. Communication is therefore the time
    beside computation in the replay in shared memory (in the replayed part of the run; elsewhere in the same ratio).
    A second of MPI_Init counts as the rank's part of a core, since all ranks initialise at the same time.
    """
    compute = sum(rank.compute_seconds for rank in ranks)
    replayed = sum(shared_memory.result.rank_compute_seconds)
    beside = len(shared_memory.result.rank_compute_seconds) * shared_memory.prediction.seconds - replayed
    communication = compute * beside / replayed if replayed > 0 else beside
    init = sum(rank.init_seconds * share for rank, share in zip(ranks, core_shares, strict=True))
    return _normalised(compute, max(0.0, communication), init)


def _normalised(compute: float, communication: float, init: float) -> Shares:
    whole = compute + communication + init
    if whole <= 0:
        return Shares(compute=1.0, communication=0.0, init=0.0)
    return Shares(compute=compute / whole, communication=communication / whole, init=init / whole)
