"""Sweep of one trace over fabrics, numbers of nodes, placements and values of parameters."""

import math
from collections.abc import Sequence
from itertools import product
from pathlib import Path

from linkworth import units
from linkworth.errors import UsageError
from linkworth.model.fabric import Fabric
from linkworth.model.prediction import ReplayTimes
from linkworth.model.settings import ReplaySettings
from linkworth.model.sweep import Sweep, SweepAxis, SweepPoint
from linkworth.predict.axes import applied
from linkworth.predict.calibrate import MeasuredTime, calibrated, check_cpu_factor
from linkworth.predict.warnings import given_warnings
from linkworth.predict.workers import ReplayWorkers, Task, replay_all
from linkworth.replay.collectives import rules_for
from linkworth.replay.layout import Arrangement
from linkworth.replay.mpi_settings import require_use
from linkworth.replay.node_aware import node_warnings
from linkworth.trace.read import TraceFile, opened

MOST_POINTS = 200_000
"""Points whose results need 0.6 GB."""


def arrangements(
    nodes: Sequence[int] = (), ppn: int | None = None, placements: Sequence[str] = ("block",)
) -> list[Arrangement]:
    """Return all combinations of numbers of nodes and placements. Raises UsageError for a value given twice."""
    if len(set(nodes)) < len(nodes):
        raise UsageError(f"`nodes` {','.join(map(str, nodes))}: give each number of nodes once")
    if len(set(placements)) < len(placements):
        raise UsageError(f"`placement` {', '.join(placements)}: give each placement once")
    return [
        Arrangement(nodes=number, ppn=ppn, placement=placement)
        for number in nodes or (None,)
        for placement in placements
    ]


def sweep(
    trace: Path | TraceFile,
    fabrics: Sequence[Fabric],
    axes: Sequence[SweepAxis],
    places: Sequence[Arrangement] = (Arrangement(),),
    *,
    cpu_factor: float = 1.0,
    measured: MeasuredTime | None = None,
    settings: ReplaySettings = ReplaySettings(),
    workers: ReplayWorkers = ReplayWorkers(),
) -> Sweep:
    """Replay a trace, open or at a path, at every combination of fabrics, `places` and values of `axes`.

    `measured` scales the computation as in `predict`, on the first of the places. A placement that names nodes itself
    (numbers, a file) excludes numbers of nodes. Raises UsageError for invalid combinations.
    """
    if not fabrics:
        raise UsageError("no fabric to sweep; give at least one with `on`")
    check_cpu_factor(cpu_factor)
    if settings.samples:
        raise UsageError(f"`samples` {settings.samples}: a sweep gives one time a point; leave it out")
    names = [axis.name for axis in axes]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise UsageError(f"`vary` {twice[0]}: it is given twice; put all its values into one")
    if measured is not None and (cpu_factor != 1.0 or "cpu-factor" in names):
        option = "`vary` cpu-factor" if "cpu-factor" in names else "`cpu_factor`"
        raise UsageError(f"{option}: `measured` sets the CPU factor already; leave one of them out")
    trace = opened(trace)
    trace.require_every_rank()
    rules = rules_for(trace.metadata.mpi, settings)
    partly = require_use(rules, fabrics, settings.mpi_settings)
    ranks = trace.engine.ranks
    layouts = [(place.placement, place.layout(ranks)) for place in places]
    node_aware = [
        f"on {units.plural(layout.nodes, 'node')}, placed {placement}: {warning}"
        for placement, layout in layouts
        for warning in node_warnings(trace, layout)
    ]
    if measured is not None and measured.arrangement is None and len(layouts) > 1:
        placement, first = layouts[0]
        partly.append(
            f"the time given for {measured.fabric.name} counts as one on {units.plural(first.nodes, 'node')}, placed "
            f"{placement}: the first layout of the sweep"
        )
    count = len(fabrics) * len(layouts) * math.prod(len(axis.values) for axis in axes)
    if count > MOST_POINTS:
        raise UsageError(
            f"that is {count} replays, and at most {MOST_POINTS} are made at once; "
            "give fewer values, or sweep one fabric or part of a range after the other"
        )
    calibration, known = calibrated(
        trace, layouts[0][1], cpu_factor=cpu_factor, measured=measured, settings=settings
    )
    partly += given_warnings(trace, fabrics, known, [layout for _, layout in layouts], settings)
    tasks, settled = [], []
    for fabric, (placement, layout) in product(fabrics, layouts):
        for values in product(*(axis.values for axis in axes)):
            at, there, factor, parameters = applied(fabric, settings, list(axes), values)
            tasks.append(Task(at, layout, factor or calibration.cpu_factor, there, known is not None))
            settled.append((fabric.name, layout.nodes, placement, parameters))
    replays, who = replay_all(trace, tasks, workers)
    predictions = [each.prediction for each in replays]
    return Sweep(
        workload=trace.metadata.workload,
        ranks=ranks,
        axes=list(axes),
        points=[
            SweepPoint(
                fabric=name,
                nodes=number,
                placement=placement,
                parameters=parameters,
                **{field: getattr(found, field) for field in ReplayTimes.__struct_fields__},
            )
            for (name, number, placement, parameters), found in zip(settled, predictions, strict=True)
        ],
        calibration=calibration,
        workers=who,
        collectives=rules,
        mpi_settings=settings.mpi_settings,
        region="marked" if replays[0].marked else "whole",
        warnings=partly + node_aware + replays[0].warnings,
        incomplete=trace.lacks,
    )
