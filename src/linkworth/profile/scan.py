"""One pass over a trace's events, as typed values."""

from typing import Any

import msgspec

from linkworth import _engine
from linkworth.model.profile import CallProfile, Matrix, SizeBin

MATRIX_ROWS = 256


class RankTimes(msgspec.Struct, frozen=True, kw_only=True):
    """Times of one rank between MPI_Init and MPI_Finalize, in seconds (native/engine/profile/scan.hpp)."""

    events: int
    before_init_seconds: float
    compute_seconds: float
    """Between calls: CPU time where it was read, else wall time."""
    compute_wall_seconds: float
    descheduled_seconds: float
    communication_seconds: float
    init_seconds: float
    marked_seconds: float
    marked_compute_seconds: float


class TraceScan(msgspec.Struct, frozen=True, kw_only=True):
    """What a pass over all events gives."""

    calls: list[CallProfile]
    """Longest first."""
    ranks: list[RankTimes]
    message_sizes: list[SizeBin]
    matrix: Matrix
    messages: int
    message_bytes: int
    global_bytes: int
    """Those that move in all-to-all, all-gather and reduce-scatter exchanges."""
    unmodelled: dict[str, int]
    damage: list[str]


def scan(trace: _engine.Trace) -> TraceScan:
    """Read every event of `trace` once."""
    found: dict[str, Any] = _engine.profile_trace(trace, MATRIX_ROWS)
    calls = [CallProfile(**call) for call in found["calls"]]
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
        unmodelled=found["unmodelled"],
        damage=[what for _, _, what in found["damage"]],
    )
