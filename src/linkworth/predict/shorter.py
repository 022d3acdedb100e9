"""Short runs of a bundled program whose iterations are all alike."""

import math
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

import msgspec

from linkworth import __version__, _engine
from linkworth.errors import UsageError
from linkworth.model.fabric import Fabric
from linkworth.model.prediction import Layout
from linkworth.model.settings import ReplaySettings
from linkworth.model.trace import TraceMetadata
from linkworth.replay.run import Replay, replay_in_detail
from linkworth.skeleton.program import parse
from linkworth.skeleton.record import write_skeleton
from linkworth.trace.read import TraceFile
from linkworth.writing.folders import temporary_folder

ITERATIONS = 2, 4, 8
"""Iterations of the short runs. The first two give an estimate, and the third shows whether it is exact."""
_LEAST_GAIN = 3
"""Iterations of the whole program over those of the replayed runs from which on short runs take less time."""
_STEADY = 5e-5
"""Largest difference, relative to the time, between two estimates of a program with a steady state."""


class ShorterRuns(NamedTuple):
    """Traces of the same program with fewer iterations."""

    traces: list[_engine.Trace]
    """By ITERATIONS. The third is missing if the whole program takes no longer than all three."""
    iterations: int
    """Iterations of the whole program."""

    def estimate(self, replayed: Callable[[_engine.Trace], Replay]) -> Replay:
        """Return a replay of the whole program, to which each iteration adds what it adds to the shortest runs."""
        few, more = map(replayed, self.traces[:2])
        return self._whole(few, more, 1)

    def steady(self, replayed: Callable[[_engine.Trace], Replay]) -> Replay | None:
        """Return a replay of the whole program if its iterations have a steady state, else None.

        They have one if a third run confirms the estimate: its times, their parts and each rank's computation.
        """
        if len(self.traces) < len(ITERATIONS):
            return None
        few, more, most = map(replayed, self.traces)
        first, second = self._whole(few, more, 1), self._whole(more, most, 2)
        return second if _agree(first, second) else None

    def _whole(self, few: Replay, more: Replay, longer: int) -> Replay:
        """`longer` is the place of the longer run in ITERATIONS."""
        beyond = self.iterations - ITERATIONS[longer]
        return more.longer(few, beyond / (ITERATIONS[longer] - ITERATIONS[longer - 1]))


def _agree(first: Replay, second: Replay) -> bool:
    seconds = second.prediction.seconds
    pairs = [
        (first.prediction.seconds, seconds),
        *(
            (value, second.prediction.critical_path[part])
            for part, value in first.prediction.critical_path.items()
        ),
        *zip(first.result.rank_compute_seconds, second.result.rank_compute_seconds, strict=True),
    ]
    return all(math.isclose(one, other, rel_tol=0, abs_tol=_STEADY * seconds) for one, other in pairs)


def replayed(
    trace: TraceFile, fabric: Fabric, layout: Layout, *, cpu_factor: float, settings: ReplaySettings
) -> Replay:
    """Replay a trace on its own: by short runs if they show a steady state, else as a whole."""

    def replay(run: _engine.Trace) -> Replay:
        return replay_in_detail(
            run, fabric, layout, cpu_factor=cpu_factor, tolerate_cut=trace.incomplete, settings=settings
        )

    runs = shorter_runs(trace, settings)
    steady = runs.steady(replay) if runs is not None else None
    return steady or replay(trace.engine)


def shorter_runs(trace: TraceFile, settings: ReplaySettings) -> ShorterRuns | None:
    """Return short runs of a trace's program; None for a recording, and for a program with few iterations.

    Also None if its iterations differ, in the program, by the settings' noise, or since the trace is incomplete.
    """
    metadata = trace.metadata
    if (
        settings.noise
        or trace.incomplete
        or metadata.source != "skeleton"
        or metadata.linkworth != __version__
    ):
        return None
    return _of_skeleton(trace.engine)


@lru_cache(maxsize=1)
def _of_skeleton(trace: _engine.Trace) -> ShorterRuns | None:
    metadata = msgspec.json.decode(trace.metadata_json, type=TraceMetadata)
    try:
        runs = [_recorded(trace, metadata, iterations) for iterations in ITERATIONS[:2]]
        events, of_few, of_more = (sum(each.rank_events) for each in (trace, *runs))
        further, remainder = divmod((events - of_more) * (ITERATIONS[1] - ITERATIONS[0]), of_more - of_few)
        iterations = ITERATIONS[1] + further
        if remainder or iterations < _LEAST_GAIN * ITERATIONS[1]:
            return None
        if iterations >= _LEAST_GAIN * sum(ITERATIONS):
            runs.append(_recorded(trace, metadata, ITERATIONS[2]))
    except (UsageError, OSError, _engine.SkeletonError, _engine.TraceError):
        return None
    return ShorterRuns(runs, iterations)


def _recorded(trace: _engine.Trace, metadata: TraceMetadata, iterations: int) -> _engine.Trace:
    assert metadata.rates is not None
    with temporary_folder() as folder:
        path = folder / "shorter.lwt"
        program = parse(metadata.command)
        write_skeleton(program, trace.ranks, metadata.rates, path, trace.metadata_json, iterations=iterations)
        return _engine.Trace(str(path))
