"""Times of several fabrics and node counts under the same draws of uncertain parameters, comparable draw by draw."""

import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec

from linkworth.model.fabric import Fabric, Spread
from linkworth.model.prediction import PredictionSet
from linkworth.predict.uncertainty import drawn, draws, with_spread
from linkworth.replay.layout import lay_out
from linkworth.replay.run import replay
from linkworth.trace.read import TraceFile, opened

ASSUMED_SPREAD = Spread(latency=0.1, bandwidth=0.1, overhead=0.1, computation=0.02)
"""Spread of a fabric that has none of its own: round figures, not measured on any fabric (2026-11).
10 % is the size of the smaller differences from published times in docs/explanation/accuracy.md (7 to 13 %).
2 % is for runs on quiet nodes."""
DEFAULT_DRAWS = 100
MOST_EVENTS = 40_000_000
"""Most events in all replays together by default: some ten seconds on two quiet cores."""
FEWEST_DRAWS = 10

Times = Mapping[tuple[str, int], Sequence[float]]
"""Seconds of each draw by fabric and number of nodes."""


class Drawn(msgspec.Struct, frozen=True, kw_only=True):
    """Result of the draws."""

    seconds: dict[tuple[str, int], list[float]]
    draws: int
    asked: int
    """Draws that were asked for; fewer were made if the trace is long."""
    assumed: list[str]
    """Fabrics without a spread of their own, which use the assumed one."""


def draw_times(
    trace: Path | TraceFile,
    fabrics: Sequence[Fabric],
    sets: Sequence[PredictionSet],
    *,
    count: int,
    ppn: int | None = None,
    limited: bool = True,
) -> Drawn:
    """Replay a trace, open or at a path, with `count` draws of the parameters, on each fabric and with each of `sets`.

    Draw d uses the same random numbers for all of them: the computation is the same, and networks are slower than
    stated in the same draws. Computation that varies (`noise`) has its own seed in each draw. If `limited`, `count`
    is reduced so that all replays together have at most MOST_EVENTS, but not below FEWEST_DRAWS.
    """
    trace = opened(trace)
    jobs = [(fabric, predicted) for fabric in fabrics for predicted in sets]
    affordable = MOST_EVENTS // max(1, trace.engine.events * len(jobs))
    made = min(count, max(FEWEST_DRAWS, affordable)) if limited else count
    assumed: list[str] = []
    work = []
    for fabric, predicted in jobs:
        spread = with_spread(fabric, predicted.settings)
        if not any(msgspec.structs.astuple(spread.spread)):
            spread = msgspec.structs.replace(spread, spread=ASSUMED_SPREAD)
            assumed.append(fabric.name)
        explicit = predicted.placement not in ("block", "cyclic")
        layout = lay_out(
            trace.engine.ranks,
            None if explicit else predicted.nodes,
            None if explicit else ppn,
            predicted.placement,
        )
        for number, draw in enumerate(draws(spread.spread, made, predicted.settings.seed)):
            settings = msgspec.structs.replace(predicted.settings, seed=predicted.settings.seed + number)
            work.append(
                (
                    drawn(spread, draw),
                    layout,
                    predicted.calibration.cpu_factor / draw.compute_factor,
                    settings,
                )
            )
    # The engine runs without the interpreter's lock, so threads use all cores.
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        times = list(
            pool.map(
                lambda job: (
                    replay(
                        trace.engine,
                        job[0],
                        job[1],
                        cpu_factor=job[2],
                        tolerate_cut=trace.incomplete,
                        settings=job[3],
                    ).seconds
                ),
                work,
            )
        )
    return Drawn(
        seconds={
            (fabric.name, predicted.nodes): times[start * made : (start + 1) * made]
            for start, (fabric, predicted) in enumerate(jobs)
        },
        draws=made,
        asked=count,
        assumed=sorted(set(assumed)),
    )
