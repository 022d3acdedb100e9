"""Builds a profile from one pass over the events, and replays on three networks."""

import statistics
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from linkworth.errors import UsageError
from linkworth.model.profile import Group, Imbalance, Pop, Profile, Shares, Waited, Waits
from linkworth.profile.partners import partners
from linkworth.profile.pop import efficiencies, idle_in_part, recorded_efficiencies, sampled_efficiencies
from linkworth.profile.replays import (
    NOT_KNOWN,
    SHARED_MEMORY,
    Part,
    ReplayedProfile,
    group_by_replay,
    replay,
    replayed,
)
from linkworth.profile.scan import RankTimes, TraceScan, scan
from linkworth.profile.where_called import located
from linkworth.profile.where_it_ran import (
    core_shares,
    cpu_use,
    elapsed_seconds,
    idle_beyond_sharing,
    nodes_of,
)
from linkworth.replay.node_aware import one_rank_a_node
from linkworth.trace.read import TraceFile, opened
from linkworth.units import plural


class _RunTime(NamedTuple):
    """Computation of each rank, and the time of the run or of its marked part."""

    rank_compute_seconds: Sequence[float]
    seconds: float


def measured_shares(ranks: Sequence[RankTimes]) -> Shares:
    """Return the recorded shares of the ranks' time."""
    return _normalised(
        sum(rank.compute_seconds for rank in ranks),
        sum(rank.communication_seconds for rank in ranks),
        sum(rank.init_seconds for rank in ranks),
    )


def shares_with_a_core_each(
    ranks: Sequence[RankTimes], core_shares: Sequence[float], with_core: _RunTime
) -> Shares:
    """Return the shares of an oversubscribed run if each of its ranks had a core.

    Its time in MPI calls is mostly waiting for a core that another rank has. Communication is therefore the time
    beside computation in the replay in shared memory. A second of MPI_Init counts as the rank's part of a core, since
    all ranks initialise at the same time.
    """
    compute = sum(rank.compute_seconds for rank in ranks)
    replayed = sum(with_core.rank_compute_seconds)
    beside = len(with_core.rank_compute_seconds) * with_core.seconds - replayed
    communication = compute * beside / replayed if replayed > 0 else beside
    init = sum(rank.init_seconds * share for rank, share in zip(ranks, core_shares, strict=True))
    return _normalised(compute, max(0.0, communication), init)


def _normalised(compute: float, communication: float, init: float) -> Shares:
    whole = compute + communication + init
    if whole <= 0:
        return Shares(compute=1.0, communication=0.0, init=0.0)
    return Shares(compute=compute / whole, communication=communication / whole, init=init / whole)


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


def imbalance(compute_seconds: Sequence[float]) -> Imbalance:
    """Return the spread of the ranks' computation, in seconds."""
    least_rank = min(range(len(compute_seconds)), key=compute_seconds.__getitem__)
    most_rank = max(range(len(compute_seconds)), key=compute_seconds.__getitem__)
    return Imbalance(
        least_seconds=compute_seconds[least_rank],
        mean_seconds=statistics.fmean(compute_seconds),
        most_seconds=compute_seconds[most_rank],
        least_rank=least_rank,
        most_rank=most_rank,
        deviation_seconds=statistics.pstdev(compute_seconds),
    )


MOST_REPLAYED_EVENTS = 2_000_000
"""Most events to replay in full: a replay takes some hundred nanoseconds for each event, all else some twenty."""
_EVENTS_OF_A_LOOK_UP = 1 / 8
"""Events as which a call such as MPI_Comm_rank counts, which a replay passes at once."""
_LONGEST_LOOK_UP_SECONDS = 1e-9
"""In the mean: times are rounded to 32 ns."""
SAMPLE_EVENTS = 500_000
_LACKS_MESSAGES = "this trace lacks messages"


def build_profile(
    trace: Path | TraceFile,
    smaller: Path | TraceFile | None = None,
    *,
    whole: bool = False,
    replay_incomplete: bool = True,
) -> Profile:
    """Profile a trace, open or at a path.

    Only the beginning of a recorded trace of more than `MOST_REPLAYED_EVENTS` is replayed, unless `whole`.

    `smaller` is a trace of the same program on as many ranks with a smaller problem; the change of communication
    between the two then counts in the group. If a converted trace lacks so many messages that a replay stops or is
    meaningless, the profile omits the results of replays. So does that of an incomplete trace, unless
    `replay_incomplete` is set and every rank has readable events. Raises UsageError for an unusable trace, and
    DamagedInputError for the path of an incomplete one.
    """
    trace = opened(trace)
    smaller_part = _smaller_part(smaller, trace)
    nodes = nodes_of(trace.metadata.ranks, trace.engine.ranks)
    found = scan(trace, nodes, with_phases=True)
    cores = core_shares(trace.metadata.ranks, trace.engine.ranks, one_machine=trace.metadata.one_machine)
    oversubscribed = min(cores) < 1
    timed = trace.metadata.timed
    # Only the whole replay gives the time of a trace without times.
    part = Part(trace, trace.engine) if whole or not timed else _part(trace, _look_ups(found))
    lacks = next((each.of.lacks for each in (part, smaller_part) if each is not None and each.of.lacks), None)
    can_replay = lacks is None or (replay_incomplete and all(trace.engine.rank_events))
    answer = replayed(part, found, smaller_part) if can_replay else f"{NOT_KNOWN}, because {lacks}"
    told = answer if isinstance(answer, ReplayedProfile) else None
    shared_memory = replay(part, SHARED_MEMORY, nodes=1) if oversubscribed or not timed else None
    # The part may begin after the events that are replayed.
    marked = any(rank.marked_seconds > 0 for rank in found.ranks) or (
        told is not None and told.ideal.result.marked_region
    )
    recorded = _rank_compute(found, marked=marked)
    if shared_memory is None:
        of_part = _RunTime(recorded, _measured_runtime(found, marked=marked))
        shares = measured_shares(found.ranks)
    else:
        result = shared_memory.result
        beginning = part.is_beginning
        of_part = _replayed(result.rank_compute_seconds, result.seconds, recorded, beginning=beginning)
        # Without times, all that is known of the run is the replay of the part.
        of_run = (
            _replayed(
                result.run_rank_compute_seconds,
                result.run_seconds,
                _rank_compute(found, marked=False),
                beginning=beginning,
            )
            if timed
            else of_part
        )
        shares = shares_with_a_core_each(found.ranks, cores, of_run)
    calls = found.calls if timed else sorted(found.calls, key=lambda call: (-call.bytes, -call.count))
    return Profile(
        workload=trace.metadata.workload,
        ranks=trace.engine.ranks,
        elapsed_seconds=elapsed_seconds(trace.metadata.ranks, found.ranks) if timed else of_part.seconds,
        shares=shares,
        run_shares=shares.of_run,
        init_seconds=statistics.fmean(rank.init_seconds for rank in found.ranks),
        calls=located(calls, trace.metadata.call_sites),
        pop=_pop(told, of_part, sampled=part.is_beginning),
        gain=told.gain if told is not None else None,
        group=told.group if told is not None else None,
        group_reason=told.group_reason if told is not None else lacks or _LACKS_MESSAGES,
        message_sizes=found.message_sizes,
        matrix=found.matrix,
        messages=found.messages,
        message_bytes=found.message_bytes,
        verified=trace.metadata.verified,
        failure=trace.metadata.failure(),
        oversubscribed=oversubscribed,
        descheduled_seconds=sum(rank.descheduled_seconds for rank in found.ranks),
        rank_compute_seconds=[rank.compute_seconds for rank in found.ranks],
        rank_communication_seconds=[rank.communication_seconds for rank in found.ranks],
        unmodelled=found.unmodelled,
        damage=[*trace.damage, *found.damage, *(smaller_part.of.damage if smaller_part is not None else [])],
        timed=timed,
        rates=trace.metadata.rates,
        scaling=trace.metadata.scaling,
        waits=waits(found) if timed else None,
        imbalance=imbalance([rank.compute_seconds for rank in found.ranks]),
        partners=partners(found, nodes),
        phases=found.phases,
        cpu=cpu_use(trace.metadata.ranks),
        sampled_share=part.events.events / trace.engine.events if trace.engine.events else 1.0,
        node_aware=one_rank_a_node(trace),
        marked_seconds=(max(rank.marked_seconds for rank in found.ranks) or None) if timed else None,
        # Ranks whose events are lost may well have marked the part.
        idle_in_part=idle_in_part(recorded, marked=marked and all(trace.engine.rank_events)),
        idle_beyond_sharing=oversubscribed
        and shared_memory is not None
        and idle_beyond_sharing(trace, shared_memory.result),
        not_replayed=answer if isinstance(answer, str) else None,
    )


def group_of(trace: Path | TraceFile, smaller: Path | TraceFile | None = None) -> tuple[Group | None, str]:
    """Return only the group of network dependence and its reason, as `build_profile`, with one replay instead of three.

    It does not check how many messages a converted trace lacks. Raises the errors of `build_profile`, and UsageError if the
    replay stops.
    """
    trace = opened(trace)
    found = scan(trace)
    part = _part(trace, _look_ups(found)) if trace.metadata.timed else Part(trace, trace.engine)
    return group_by_replay(part, found, _smaller_part(smaller, trace))


def _look_ups(found: TraceScan) -> int:
    return sum(
        call.count
        for call in found.calls
        if call.bytes == 0 and call.seconds < call.count * _LONGEST_LOOK_UP_SECONDS
    )


def _part(trace: TraceFile, look_ups: int = 0) -> Part:
    """Return the beginning of a long trace, or all of another."""
    if trace.engine.events - (1 - _EVENTS_OF_A_LOOK_UP) * look_ups <= MOST_REPLAYED_EVENTS:
        return Part(trace, trace.engine)
    return Part(trace, trace.engine.beginning(SAMPLE_EVENTS))


def _smaller_part(smaller: Path | TraceFile | None, of: TraceFile) -> Part | None:
    if smaller is None:
        return None
    trace = opened(smaller)
    if trace.path.samefile(of.path):
        raise UsageError(f"`smaller` {trace.path}: it is the trace itself; give one of a smaller problem")
    if trace.engine.ranks != of.engine.ranks:
        raise UsageError(
            f"`smaller` {trace.path}: it has {plural(trace.engine.ranks, 'rank')} and {of.path} has {of.engine.ranks}; "
            "give a trace of the same program on as many ranks with a smaller problem"
        )
    if not _may_be_of_one_program(trace, of):
        raise UsageError(
            f"`smaller` {trace.path}: it records {trace.metadata.workload}, and {of.path} records {of.metadata.workload}; "
            "give a trace of the same program on as many ranks with a smaller problem"
        )
    return _part(trace)


def _may_be_of_one_program(one: TraceFile, other: TraceFile) -> bool:
    """Return whether two recordings have the same program's name without its class (npb:ft.W, lu.A.x).

    A converted trace has the name of its archive. There the names of the calls decide: a smaller problem may lack some.
    """
    if "converted" in (one.metadata.source, other.metadata.source):
        names, others = set(one.engine.names), set(other.engine.names)
        return names <= others or others <= names
    return _program(one) == _program(other)


def _program(trace: TraceFile) -> str:
    name = trace.metadata.workload.partition(" ")[0].partition(".")[0]
    return name if name.startswith("npb:") else name.partition(":")[0]


def _replayed(
    compute_seconds: Sequence[float], seconds: float, recorded: Sequence[float], *, beginning: bool
) -> _RunTime:
    """Return the times of a replay in shared memory.

    If it is of a beginning, the computation is that of all events, and the communication efficiency that of the beginning.
    """
    if not beginning:
        return _RunTime(compute_seconds, seconds)
    longest = max(compute_seconds)
    return _RunTime(recorded, max(recorded) * (seconds / longest if longest > 0 else 1.0))


def _pop(told: ReplayedProfile | None, times: _RunTime, *, sampled: bool) -> Pop:
    if told is None:
        return recorded_efficiencies(*times)
    if sampled:
        return sampled_efficiencies(*times, told.ideal)
    return efficiencies(told.ideal.result.rank_compute_seconds, times.seconds, told.ideal.prediction.seconds)


def _rank_compute(found: TraceScan, *, marked: bool) -> list[float]:
    """Return what efficiencies take for the ranks' computation, in seconds: as in a replay, with calls to files."""
    return [
        rank.marked_compute_seconds + rank.marked_files_seconds
        if marked
        else rank.compute_seconds + rank.files_seconds
        for rank in found.ranks
    ]


def _measured_runtime(found: TraceScan, *, marked: bool) -> float:
    """Return the wall time of the replayed part: the marked one, or from MPI_Init to MPI_Finalize."""
    if marked:
        return max(rank.marked_seconds for rank in found.ranks)
    return max(rank.compute_wall_seconds + rank.communication_seconds for rank in found.ranks)
