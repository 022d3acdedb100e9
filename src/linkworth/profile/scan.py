"""One pass over a trace's events, as typed values."""

import math
from collections.abc import Sequence
from typing import Any, Literal

import msgspec

from linkworth import _engine
from linkworth.model.profile import CallTotals, CallWaits, Distance, Matrix, Phase, Phases, SizeBin, WaitKinds
from linkworth.model.settings import ReplaySettings
from linkworth.replay.collectives import rules_for
from linkworth.trace.read import TraceFile

_Kind = Literal["prologue", "loop", "between", "epilogue", "all"]


def phases(found: dict[str, Any]) -> Phases | None:
    """Return the phases that the engine found, as shown by one of the ranks; None without calls after MPI_Init."""
    seconds = found["seconds"]
    parts = found["phases"]
    if not parts or seconds <= 0:
        return None
    return Phases(
        rank=found["rank"],
        likeness=found["likeness"],
        seconds=seconds,
        looped_share=found["looped_seconds"] / seconds,
        phases=[_phase(part, _kind(part, number, parts)) for number, part in enumerate(parts)],
    )


def listed_loop_share(found: Phases) -> float:
    """Return the share of the time in the loops among the phases. Shorter loops have no phase of their own."""
    return sum(phase.seconds for phase in found.phases if phase.kind == "loop") / found.seconds


def _kind(part: dict[str, Any], number: int, parts: list[dict[str, Any]]) -> _Kind:
    if part["is_loop"]:
        return "loop"
    if len(parts) == 1:
        return "all"
    if number == 0:
        return "prologue"
    return "epilogue" if number == len(parts) - 1 else "between"


def _phase(part: dict[str, Any], kind: _Kind) -> Phase:
    iterations = part["iterations"]
    mean = part["sum_seconds"] / iterations if iterations else 0.0
    variance = part["sum_of_squares"] / iterations - mean * mean if iterations else 0.0
    return Phase(
        kind=kind,
        start_seconds=part["start_seconds"],
        seconds=part["seconds"],
        calls=part["calls"],
        iterations=iterations,
        mean_seconds=mean,
        least_seconds=part["least_seconds"],
        most_seconds=part["most_seconds"],
        deviation_seconds=math.sqrt(max(0.0, variance)),
        interruptions=part["interruptions"],
        call_names=part["names"],
        inner=[_phase(inner, "loop") for inner in part["inner"]],
    )


MATRIX_ROWS = 256


class RankTimes(msgspec.Struct, frozen=True, kw_only=True):
    """Times of one rank between MPI_Init and MPI_Finalize, in seconds (native/profile/scan.hpp)."""

    events: int
    before_init_seconds: float
    compute_seconds: float
    """Time between calls: CPU time if it was read, else wall time."""
    compute_wall_seconds: float
    descheduled_seconds: float
    communication_seconds: float
    init_seconds: float
    marked_seconds: float
    marked_compute_seconds: float
    files_seconds: float
    """Part of the communication that is inside calls to files. Replays and efficiencies take it for computation."""
    marked_files_seconds: float


class RankWaits(WaitKinds, frozen=True, kw_only=True):
    """Waiting of one rank."""

    caused_seconds: float
    """Waiting of other ranks for this one."""


class WaitScan(msgspec.Struct, frozen=True, kw_only=True):
    """Waits between ranks (native/profile/waits.hpp)."""

    ranks: list[RankWaits]
    calls: list[CallWaits]
    messages: int
    """Messages with both sides in the trace."""
    unmatched: int


class TraceScan(msgspec.Struct, frozen=True, kw_only=True):
    """Result of a pass over all events."""

    calls: list[CallTotals]
    """Calls, longest first."""
    ranks: list[RankTimes]
    message_sizes: list[SizeBin]
    matrix: Matrix
    messages: int
    message_bytes: int
    global_bytes: int
    """Bytes that move in all-to-all, all-gather and reduce-scatter exchanges."""
    distances: list[Distance]
    between_nodes_messages: int
    between_nodes_bytes: int
    waits: WaitScan
    unmodelled: dict[str, int]
    damage: list[str]
    phases: Phases | None
    """Phases, if asked for."""


def scan(trace: TraceFile, nodes: Sequence[int] = (), *, with_phases: bool = False) -> TraceScan:
    """Read every event of `trace` once. `nodes`: the node of each rank; empty if unknown.

    Collectives count as the messages by which the trace's MPI library carries them out.
    """
    library = rules_for(trace.metadata.mpi, ReplaySettings()).library
    found: dict[str, Any] = _engine.profile_trace(
        trace.engine, MATRIX_ROWS, list(nodes), with_phases, library
    )
    calls = msgspec.convert(found["calls"], list[CallTotals])
    return TraceScan(
        calls=sorted(calls, key=lambda call: (-call.seconds, call.name)),
        ranks=[RankTimes(**rank) for rank in found["ranks"]],
        message_sizes=[
            SizeBin(lowest_bytes=lowest, highest_bytes=highest, messages=messages, bytes=size)
            for lowest, highest, messages, size in found["message_sizes"]
        ],
        matrix=Matrix(ranks_per_row=found["ranks_per_row"], bytes=found["matrix"]),
        messages=found["messages"],
        message_bytes=found["message_bytes"],
        global_bytes=found["global_bytes"],
        distances=[
            Distance(ranks=ranks, messages=messages, bytes=size)
            for ranks, messages, size in found["distances"]
        ],
        between_nodes_messages=found["between_nodes_messages"],
        between_nodes_bytes=found["between_nodes_bytes"],
        waits=msgspec.convert(found["waits"], WaitScan),
        unmodelled=found["unmodelled"],
        damage=[what for _, _, what in found["damage"]],
        phases=phases(found["phases"]) if with_phases else None,
    )
