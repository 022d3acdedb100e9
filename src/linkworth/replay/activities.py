"""Time of the ranks by kind, as recorded and in a replay."""

from linkworth import _engine
from linkworth.model.activities import Activities
from linkworth.model.fabric import Fabric
from linkworth.model.prediction import Layout
from linkworth.model.settings import Details, RecordLimits, ReplaySettings
from linkworth.replay.run import replay_in_detail
from linkworth.trace.read import TraceFile

MOST_STRETCHES = 80
"""Most stretches of time: as many as a chart on a phone can show."""
_PARTS: dict[str, tuple[list[int], list[int]]] = {
    "computation": ([0], []),
    "point-to-point": ([1], [5]),
    "collective": ([2], [6]),
    "one-sided": ([3], []),
    "other calls": ([4], []),
    "waiting": ([5, 6, 7], []),
}
"""Kinds of time as sums and differences of the engine's activities (native/replay/activity_map.hpp)."""


def recorded(trace: TraceFile) -> Activities:
    """Return what the ranks did when they were recorded, from the end of the first MPI_Init on.

    Waiting is waiting for another rank inside a call, and for a core.
    """
    return _activities(_engine.activities(trace.engine), trace.engine.ranks, 32)


def predicted(
    trace: TraceFile,
    fabric: Fabric,
    layout: Layout,
    *,
    cpu_factor: float = 1.0,
    settings: ReplaySettings = ReplaySettings(),
) -> Activities:
    """Replay `trace` and return what the ranks do; waiting for other ranks is a part of the calls."""
    recording = replay_in_detail(
        trace.engine,
        fabric,
        layout,
        cpu_factor=cpu_factor,
        tolerate_cut=trace.incomplete,
        settings=settings,
        details=Details(record=RecordLimits()),
    ).result.recording
    assert recording is not None
    return _activities(recording.activities, trace.engine.ranks, 16)


def _activities(found: _engine.ActivityMap, ranks: int, most_rows: int) -> Activities:
    rows = found.seconds
    merged = -(-len(rows) // most_rows)
    used = max(
        (n + 1 for row in rows for activity in row for n, busy in enumerate(activity) if busy > 0), default=0
    )
    step = max(1, -(-used // MOST_STRETCHES))

    def total(group: list[list[list[float]]], activities: list[int], first: int) -> float:
        return sum(sum(row[n][first : first + step]) for row in group for n in activities)

    seconds = {
        name: [
            [
                max(0.0, total(group, plus, first) - total(group, minus, first))
                for first in range(0, used, step)
            ]
            for group in (rows[at : at + merged] for at in range(0, len(rows), merged))
        ]
        for name, (plus, minus) in _PARTS.items()
    }
    return Activities(
        ranks=ranks,
        ranks_per_row=found.ranks_per_row * merged,
        width_seconds=found.width_seconds * step,
        end_seconds=found.width_seconds * used,
        seconds={name: of for name, of in seconds.items() if any(map(any, of))},
    )
