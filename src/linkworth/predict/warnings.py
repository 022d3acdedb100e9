"""Warnings on a replayed time: damage, threads, calls that are not modelled, files, verification."""

from collections.abc import Sequence
from itertools import chain

from linkworth import _engine
from linkworth.catalog.fabrics import WITHOUT_NETWORK, bad_fit
from linkworth.model.fabric import Fabric
from linkworth.model.prediction import Layout, Prediction
from linkworth.model.settings import ReplaySettings
from linkworth.model.trace import MpiInfo
from linkworth.predict.calibrate import KnownTime
from linkworth.profile.pop import idle_in_part
from linkworth.profile.where_it_ran import (
    LEAST_DESCHEDULED_SECONDS,
    MUCH_DESCHEDULED,
    idle_beyond_sharing,
    shared_cores,
)
from linkworth.replay.collectives import replayed_in_words
from linkworth.replay.run import Replay
from linkworth.trace.read import TraceFile
from linkworth.units import duration, percent, plural, significant

_SHOWN_SENTENCES = 3
_MOST_COMMUNICATION = 0.5
"""Share of a measured time above which its computation is what the model leaves over, not what was measured."""
_FARTHEST_CORES = 20.0
"""Ratio of two cores' speeds that no two generations of HPC nodes differ by, but seconds and minutes do."""
_LARGEST_MISS = 0.01
"""Relative difference from a measured time that repeated runs would show as well."""
_COLD_SECONDS = 1e-6
"""Computation that a wait for a core adds, since others filled its caches: 0.3 to 1.2 us on an EPYC (2026-11)."""


def replay_warnings(trace: TraceFile, replay: Replay, *, scaled: bool) -> list[str]:
    """Return one sentence for each reason to doubt the replayed time of a trace.

    `scaled`: its computation is scaled to a measured time, which corrects what a busy machine did to it.
    """
    result = replay.result
    warnings = list(trace.damage)
    if result.stopped:
        warnings.append(
            f"the trace is cut, so this is the time up to its end: {'; '.join(result.stopped[:_SHOWN_SENTENCES])}"
            + (
                f"; and {len(result.stopped) - _SHOWN_SENTENCES} more"
                if len(result.stopped) > _SHOWN_SENTENCES
                else ""
            )
        )
    if result.threaded_ranks:
        warnings.append(
            f"several threads call MPI at once on {result.threaded_ranks} of {trace.engine.ranks} ranks, and the trace does not "
            "contain their waits for each other outside MPI: they begin after, and end before, the calls of the first thread "
            "that the recording has there; other waits between them (barriers, locks) are left out"
            + (
                "; ranks shared cores when this was recorded, and their threads' waits for a core count as such waits, so that "
                "the time may be several times too long; record where each thread has a core, or give a measured time"
                if shared_cores(trace)
                else ""
            )
        )
    if idle := idle_in_part(result.rank_compute_seconds, marked=result.marked_region):
        warnings.append(idle)
    if not scaled:
        cold = _cold_caches(trace, sum(result.rank_compute_seconds))
        warnings += filter(None, [_descheduled(trace, result), _helpers(trace, result), cold])
    for name, count in sorted(result.unmodelled.items()):
        warnings.append(
            f"{name} ({plural(count, 'call')}) is not modelled yet, or failed: it takes as long as when it was recorded, on "
            "every fabric"
        )
    if result.input_output_seconds:
        longest = sorted(result.input_output_seconds.items(), key=lambda call: (-call[1], call[0]))
        calls = ", ".join(f"{name} {duration(seconds)}" for name, seconds in longest)
        crowded = (
            "; ranks shared cores when this was recorded, so that this time contains waits for a core and for each other"
            if shared_cores(trace)
            else ""
        )
        warnings.append(
            "calls to files take their recorded time, whatever the fabric and the CPU, and count as computation "
            f"(all ranks together: {calls}){crowded}"
        )
    if failure := trace.metadata.failure():
        warnings.append(failure)
    rates, scaling = trace.metadata.rates, trace.metadata.scaling
    if rates is not None and rates.warning:
        warnings.append(rates.warning)
    return warnings + (scaling.warnings() if scaling is not None else [])


def _descheduled(trace: TraceFile, result: _engine.ReplayResult) -> str:
    """Return a sentence if the ranks had no core for long between calls, and not because they shared them, else ""."""
    if not idle_beyond_sharing(trace, result):
        return ""
    return (
        f"between MPI calls the ranks together did not compute for {duration(result.descheduled_seconds)}, which no predicted "
        "time contains: they waited for files, their own threads, other programs, or data that they exchange without MPI "
        "(sockets); if the program does so anywhere, give a measured time, and if it sends data without MPI, do not choose a "
        "network by this"
    )


def _helpers(trace: TraceFile, result: _engine.ReplayResult) -> str:
    """Return a sentence if threads that call no MPI were busy for long while others of their ranks were in calls, else ""."""
    busy, ranks = sum(rank.helpers_seconds for rank in trace.metadata.ranks), trace.engine.ranks
    if busy < ranks * max(LEAST_DESCHEDULED_SECONDS, MUCH_DESCHEDULED * result.seconds):
        return ""
    return (
        f"threads that call no MPI were busy for {duration(busy)}, all ranks together, while others of their rank called MPI, "
        "and no predicted time contains that: if MPI waits for what they compute, as in a task runtime, times are too short and "
        "a faster network seems to gain more than it does; give a measured time, unless they only spin (record with "
        "OMP_WAIT_POLICY=passive to know)"
    )


def _cold_caches(trace: TraceFile, compute_seconds: float) -> str:
    """Return a sentence if ranks shared cores and computed so shortly between calls that cold caches count, else ""."""
    between_calls = compute_seconds / max(1, trace.engine.events)
    if not 0 < between_calls < 2 * _COLD_SECONDS:
        return ""
    if not shared_cores(trace):
        return ""
    return (
        f"ranks shared cores when this was recorded, and computed {duration(between_calls)} between two calls on average; each "
        f"wait for a core adds up to {duration(_COLD_SECONDS)} of cold caches to that, so the time on fast networks may be "
        "predicted too long; record where each rank has a core, or give a measured time"
    )


def measured_warnings(seconds: float, measured: Prediction) -> list[str]:
    """Return a sentence if the replay misses a measured time, and one if most of that time is communication by the model.

    `measured` is the replay with the computation behind the time. Its share of communication decides all other times.
    """
    warnings = []
    if abs(measured.seconds - seconds) > _LARGEST_MISS * seconds:
        warnings.append(
            f"no computation leads to the time given for {measured.fabric}, {duration(seconds)}: the replayed time jumps over "
            f"it, and the nearest is {duration(measured.seconds)}, from which all other times follow"
        )
    share = 1 - measured.compute_seconds / measured.seconds
    if share <= _MOST_COMMUNICATION:
        return warnings
    return [
        *warnings,
        f"{percent(share)} of the time given for {measured.fabric} is communication by the model, so an error of the model "
        "there weighs on every other network, and the intervals are wide; give a time on a faster network if you have one",
    ]


def given_warnings(
    trace: TraceFile,
    fabrics: Sequence[Fabric],
    known: KnownTime | None,
    layouts: Sequence[Layout],
    settings: ReplaySettings,
) -> list[str]:
    """Return sentences on the fabrics' fit to the layouts, their MPI libraries, and the time that scales the computation."""
    used = [*fabrics, *([known.response.fabric] if known is not None else [])]
    of_others = (other_library(fabric, trace.metadata.mpi, settings) for fabric in used)
    fits = chain.from_iterable(map(bad_fit, used))
    inside = [
        f"{fabric.name} joins no nodes, only ranks of one node: its times on several nodes are those of an imaginary network"
        for fabric in fabrics
        if fabric.name in WITHOUT_NETWORK[1:] and any(layout.nodes > 1 for layout in layouts)
    ]
    warnings = list(dict.fromkeys(filter(None, [*fits, *of_others, *inside])))
    if known is None:
        return warnings
    if not 1 / _FARTHEST_CORES <= known.scale <= _FARTHEST_CORES:
        warnings.append(
            f"the time given for {known.response.fabric.name} makes the computation take {significant(known.scale)} times as "
            "long as in the trace; check that it is in seconds, and of the same problem and part of the program"
        )
    warnings += measured_warnings(known.seconds, known.response.at(known.scale))
    for ppn in sorted({layout.ppn for layout in layouts}):
        warnings += layout_warnings(known.response.layout.ppn, ppn, settings)
    return warnings


def other_library(fabric: Fabric, recorded: MpiInfo, settings: ReplaySettings) -> str:
    """Return a sentence if a fabric was measured with another MPI library than the replay's, else ""."""
    replayed = replayed_in_words(recorded, settings, fabric.mpi)
    if not (fabric.mpi and replayed) or fabric.mpi == replayed:
        return ""
    return (
        f"{fabric.name} was measured with {fabric.mpi}, and the replay is of {replayed}, which may take a third or three times "
        "its overheads; calibrate with the library that will run"
    )


def layout_warnings(measured_ppn: int, ppn: int, settings: ReplaySettings) -> list[str]:
    """Return a sentence if a measured time leaves open what more or fewer ranks on a node share."""
    if measured_ppn == ppn or settings.memory_bandwidth_bytes_per_second is not None:
        return []
    most = max(ppn, measured_ppn) / min(ppn, measured_ppn)
    effect = "slower" if ppn > measured_ppn else "faster"
    return [
        f"the time was measured with {measured_ppn} rank{'s' if measured_ppn > 1 else ''} on a node, and with {ppn} the "
        f"computation may be up to {most:.3g} times {effect}, which only the interval contains; give times measured in two "
        "layouts, or the memory's bandwidth"
    ]
