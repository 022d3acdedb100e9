"""The machine that recorded a trace: the length of the run there, and its ranks' share of cores."""

from collections import defaultdict
from collections.abc import Sequence

from linkworth import _engine
from linkworth.model.profile import CpuUse, Profile
from linkworth.model.trace import RankInfo
from linkworth.profile.scan import RankTimes
from linkworth.trace.read import TraceFile
from linkworth.units import duration

MUCH_DESCHEDULED = 0.1
"""Share of the replayed time from which time without a core, which no replay contains, is named."""
LEAST_DESCHEDULED_SECONDS = 0.1
"""Mean of a rank below which time without a core may be a few turns of other processes."""
_BUSY_MACHINE = 4
"""Factor by which ranks may wait longer for a core than they do for one another."""
_MUCH_WAITING = 0.05
"""Share of the ranks' time from which waiting for a core between calls is reported."""


def core_shares(ranks: Sequence[RankInfo], count: int, *, one_machine: bool = False) -> list[float]:
    """Return for each of `count` ranks its part of a core: 1, or less if it shared cores with more ranks.

    Ranks of a host that may use the same cores share them. Launchers bind ranks to the same cores or to different
    ones; the first core and the number of cores show which. A trace without first cores has a weaker rule: all ranks
    of a host share as many cores as one of them may use, or as they kept busy on average if that is more. All hosts
    of `one_machine` have the same cores.
    """
    together: dict[tuple[str, int | None, int], list[RankInfo]] = defaultdict(list)
    for rank in ranks:
        cores = 0 if rank.first_core is None else rank.cores
        together["" if one_machine else rank.host, rank.first_core, cores].append(rank)
    shares = [1.0] * count
    for neighbours in together.values():
        busy = sum(rank.cpu_seconds / rank.elapsed_seconds for rank in neighbours if rank.elapsed_seconds > 0)
        known = max(rank.cores for rank in neighbours)
        cores = max(known, round(busy)) if known > 0 else 0
        for rank in neighbours:
            if 0 < cores < len(neighbours) and rank.rank < count:
                shares[rank.rank] = cores / len(neighbours)
    return shares


def shared_cores(trace: TraceFile) -> bool:
    """Return whether ranks shared cores in the recording of a trace; False for a trace of no recording."""
    found = trace.metadata
    return min(core_shares(found.ranks, trace.engine.ranks, one_machine=found.one_machine)) < 1


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


def idle_beyond_sharing(trace: TraceFile, result: _engine.ReplayResult) -> bool:
    """Return whether the ranks of a replay had no core for long between calls, and not because they shared them.

    Threads that call MPI wait for one another there, which the replay models.
    """
    lost, ranks, metadata = result.descheduled_seconds, trace.engine.ranks, trace.metadata
    if result.threaded_ranks or lost < LEAST_DESCHEDULED_SECONDS * ranks:
        return False
    shares = core_shares(metadata.ranks, ranks, one_machine=metadata.one_machine)
    shared = sum(
        seconds * (1 / share - 1) for seconds, share in zip(result.rank_compute_seconds, shares, strict=True)
    )
    return lost >= MUCH_DESCHEDULED * ranks * result.seconds + _BUSY_MACHINE * shared


def nodes_of(ranks: Sequence[RankInfo], count: int) -> list[int]:
    """Return the number of each rank's node, in the order of first ranks; all 0 if the hosts are unknown."""
    numbers: dict[str, int] = {}
    nodes = [0] * count
    for rank in sorted(ranks, key=lambda rank: rank.rank):
        if rank.rank < count:
            nodes[rank.rank] = numbers.setdefault(rank.host, len(numbers))
    return nodes


def cpu_use(ranks: Sequence[RankInfo]) -> CpuUse | None:
    """Return how many cores the processes kept busy; None if no rank has both its times."""
    known = [rank for rank in ranks if rank.cpu_seconds > 0 and rank.elapsed_seconds > 0]
    if not known:
        return None
    cores = [rank.cpu_seconds / rank.elapsed_seconds for rank in known]
    return CpuUse(
        cpu_seconds=sum(rank.cpu_seconds for rank in known),
        cores_per_rank=sum(cores) / len(cores),
        least_cores=min(cores),
        most_cores=max(cores),
        ranks_with_figures=len(known),
    )


def waited_for_cores(profile: Profile) -> str:
    """Return a sentence if ranks waited long between calls, and not for a core that they shared, else ""."""
    if profile.idle_beyond_sharing:
        return (
            f"between calls the ranks together did not compute for {duration(profile.descheduled_seconds)}, and not only "
            "because they shared cores: they waited for files, their own threads, other programs, or data that they "
            "exchange without MPI (sockets), which is in no figure but the time where it ran"
        )
    busy = sum(profile.rank_compute_seconds) + sum(profile.rank_communication_seconds)
    if profile.oversubscribed or profile.descheduled_seconds <= _MUCH_WAITING * busy:
        return ""
    return (
        f"the ranks waited {duration(profile.descheduled_seconds)} for a core or a device between calls (used by other "
        "programs or their own threads, or waits for data that they exchange without MPI?): not in the shares, in the "
        "efficiencies as transfer; such waits inside calls count as communication"
    )
