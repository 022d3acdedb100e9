"""Puts a profile together: one pass over the events, and replays on three networks."""

from pathlib import Path

from linkworth import _engine
from linkworth.catalog import fabrics
from linkworth.errors import UsageError
from linkworth.model.profile import Group, Profile
from linkworth.model.settings import ReplaySettings
from linkworth.profile.groups import Balance, balance, decide
from linkworth.profile.imbalance import imbalance
from linkworth.profile.partners import partners
from linkworth.profile.pop import efficiencies, sampled_efficiencies
from linkworth.profile.scan import TraceScan, scan
from linkworth.profile.shares import measured_shares, shares_with_a_core_each
from linkworth.profile.waits import waits
from linkworth.profile.where_called import located
from linkworth.profile.where_it_ran import core_shares, cpu_use, elapsed_seconds, nodes_of
from linkworth.replay.layout import block
from linkworth.replay.run import Replay, replay_in_detail
from linkworth.trace.read import TraceFile, open_trace

IDEAL = "ideal"
SHARED_MEMORY = "shm"
REFERENCE = "gbe"
MOST_REPLAYED_EVENTS = 2_000_000
"""A longer trace is replayed in part: a replay takes some hundred nanoseconds an event, all else some twenty."""
SAMPLE_EVENTS = 500_000


def of_trace(trace: Path | TraceFile, smaller: Path | None = None, *, whole: bool = False) -> Profile:
    """Profile a trace, open or at a path.

    Of a recorded trace of more than `MOST_REPLAYED_EVENTS` only the beginning is replayed, unless `whole`.

    `smaller`: a trace of the same program on as many ranks with a smaller problem; how communication moved between the two
    then counts in the group. Raises UsageError for a trace that cannot be used.
    """
    trace = _opened(trace)
    nodes = nodes_of(trace.metadata.ranks, trace.engine.ranks)
    found = scan(trace.engine, nodes, with_phases=True)
    cores = core_shares(trace.metadata.ranks, trace.engine.ranks)
    oversubscribed = min(cores) < 1
    not_run = trace.metadata.source == "skeleton"
    # What a program that was not run would take only the whole replay tells.
    sample = _sample(trace) if not (whole or not_run) else trace.engine
    ideal = _replay(trace, sample, IDEAL, nodes=1)
    shared_memory = _replay(trace, sample, SHARED_MEMORY, nodes=1) if oversubscribed or not_run else None
    runtime = (
        shared_memory.prediction.seconds
        if shared_memory is not None
        else _measured_runtime(found, marked=ideal.marked_region)
    )
    group, reason = _group(trace, sample, found, smaller)
    return Profile(
        workload=trace.metadata.workload,
        ranks=trace.engine.ranks,
        elapsed_seconds=runtime if not_run else elapsed_seconds(trace.metadata.ranks, found.ranks),
        shares=(
            shares_with_a_core_each(found.ranks, cores, shared_memory)
            if shared_memory is not None
            else measured_shares(found.ranks)
        ),
        calls=located(found.calls, trace.metadata.call_sites),
        pop=(
            sampled_efficiencies(_rank_compute(found, marked=ideal.marked_region), runtime, ideal)
            if sample.events < trace.engine.events and shared_memory is None
            else efficiencies(ideal.rank_compute_seconds, runtime, ideal.prediction.seconds)
        ),
        group=group,
        group_reason=reason,
        message_sizes=found.message_sizes,
        matrix=found.matrix,
        messages=found.messages,
        message_bytes=found.message_bytes,
        verified=trace.metadata.verified,
        oversubscribed=oversubscribed,
        descheduled_seconds=sum(rank.descheduled_seconds for rank in found.ranks),
        rank_compute_seconds=[rank.compute_seconds for rank in found.ranks],
        rank_communication_seconds=[rank.communication_seconds for rank in found.ranks],
        unmodelled=found.unmodelled,
        damage=[*trace.damage, *found.damage],
        rates=trace.metadata.rates,
        waits=None if not_run else waits(found),
        imbalance=imbalance([rank.compute_seconds for rank in found.ranks]),
        partners=partners(found, nodes),
        phases=found.phases,
        cpu=cpu_use(trace.metadata.ranks),
        sampled_share=sample.events / trace.engine.events if trace.engine.events else 1.0,
    )


def group_of(trace: Path | TraceFile, smaller: Path | None = None) -> tuple[Group, str]:
    """Return the group of network dependence alone, and why: that of `of_trace`, with one replay instead of three.

    Raises what `of_trace` raises.
    """
    trace = _opened(trace)
    part = trace.engine if trace.metadata.source == "skeleton" else _sample(trace)
    return _group(trace, part, scan(trace.engine), smaller)


def _opened(trace: Path | TraceFile) -> TraceFile:
    return open_trace(trace) if isinstance(trace, Path) else trace


def _group(
    trace: TraceFile, sample: _engine.Trace, found: TraceScan, smaller: Path | None
) -> tuple[Group, str]:
    return decide(
        _reference_balance(trace, sample, found),
        _smaller_balance(smaller, trace) if smaller is not None else None,
    )


def _sample(trace: TraceFile) -> _engine.Trace:
    if trace.engine.events <= MOST_REPLAYED_EVENTS:
        return trace.engine
    return trace.engine.beginning(SAMPLE_EVENTS)


def _replay(trace: TraceFile, part: _engine.Trace, fabric: str, nodes: int) -> Replay:
    layout = block(part.ranks, nodes)
    # A profile says which calls are not modelled; they must not keep it from being made.
    settings = ReplaySettings(pass_unmodelled=True)
    cut = trace.incomplete or part.events < trace.engine.events
    return replay_in_detail(part, fabrics.get(fabric), layout, tolerate_cut=cut, settings=settings)


def _rank_compute(found: TraceScan, *, marked: bool) -> list[float]:
    return [rank.marked_compute_seconds if marked else rank.compute_seconds for rank in found.ranks]


def _measured_runtime(found: TraceScan, *, marked: bool) -> float:
    """Return the wall time of the part that is replayed: the marked one, or from MPI_Init to MPI_Finalize."""
    if marked:
        return max(rank.marked_seconds for rank in found.ranks)
    return max(rank.compute_wall_seconds + rank.communication_seconds for rank in found.ranks)


def _reference_balance(trace: TraceFile, part: _engine.Trace, found: TraceScan) -> Balance:
    """One rank a node, so that the group is the program's own and no matter of how its ranks are placed."""
    return balance(_replay(trace, part, REFERENCE, nodes=part.ranks).prediction, found)


def _smaller_balance(path: Path, of: TraceFile) -> Balance:
    trace = open_trace(path)
    if trace.engine.ranks != of.engine.ranks:
        raise UsageError(
            f"--smaller {path}: it has {trace.engine.ranks} ranks and {of.path} has {of.engine.ranks}; "
            "give a trace of the same program on as many ranks with a smaller problem"
        )
    return _reference_balance(trace, _sample(trace), scan(trace.engine))
