"""The machine that recorded a trace: how long the run took there, and whether its ranks had a core each."""

from collections import defaultdict
from collections.abc import Sequence

from linkworth.model.trace import RankInfo
from linkworth.profile.scan import RankTimes


def core_shares(ranks: Sequence[RankInfo], count: int) -> list[float]:
    """Return for each of `count` ranks the part of a core that it had: 1, or less where a host had more ranks than cores."""
    on_host: dict[str, list[RankInfo]] = defaultdict(list)
    for rank in ranks:
        on_host[rank.host].append(rank)
    shares = [1.0] * count
    for neighbours in on_host.values():
        cores = max(rank.cores for rank in neighbours)
        for rank in neighbours:
            if 0 < cores < len(neighbours) and rank.rank < count:
                shares[rank.rank] = cores / len(neighbours)
    return shares


def elapsed_seconds(ranks: Sequence[RankInfo], times: Sequence[RankTimes]) -> float:
    """Return the time from the first rank's start to the last one's end."""
    known = [rank for rank in ranks if rank.elapsed_seconds > 0]
    if known:
        end = max(rank.start_seconds + rank.elapsed_seconds for rank in known)
        return end - min(rank.start_seconds for rank in known)
    return max(
        (
            rank.before_init_seconds
            + rank.compute_wall_seconds
            + rank.communication_seconds
            + rank.init_seconds
            for rank in times
        ),
        default=0.0,
    )
