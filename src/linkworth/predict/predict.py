"""Prediction of a trace on several fabrics."""

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from threading import Thread

import msgspec

from linkworth import units
from linkworth.errors import UsageError
from linkworth.model.fabric import Fabric
from linkworth.model.prediction import NeighbourTime, PredictionSet, Tolerance
from linkworth.model.settings import Details, RecordLimits, ReplaySettings
from linkworth.predict.calibrate import MeasuredTime, calibrated, check_cpu_factor
from linkworth.predict.case import ReplayCase
from linkworth.predict.drawn import DEFAULT_DRAWS, DrawnTimes
from linkworth.predict.extras import Extras, initialisation
from linkworth.predict.response import Response
from linkworth.predict.sharing import contradictions
from linkworth.predict.timeline import write
from linkworth.predict.tolerance import tolerance_lacks, tolerances
from linkworth.predict.uncertainty import interval
from linkworth.predict.warnings import given_warnings, replay_warnings
from linkworth.replay.collectives import rules_for
from linkworth.replay.layout import Arrangement, lay_out
from linkworth.replay.mpi_settings import require_use
from linkworth.replay.node_aware import node_warnings
from linkworth.replay.run import Neighbour, on_known_machine
from linkworth.skeleton.progress import SILENT, StepProgress
from linkworth.trace.read import TraceFile, opened


def predict(
    trace: Path | TraceFile,
    fabrics: Sequence[Fabric],
    arrangement: Arrangement = Arrangement(),
    *,
    cpu_factor: float = 1.0,
    measured: MeasuredTime | None = None,
    settings: ReplaySettings = ReplaySettings(),
    extras: Extras = Extras(),
    progress: StepProgress = SILENT,
) -> PredictionSet:
    """Replay a trace, open or at a path, on each of `fabrics`, in that order.

    `measured` scales the computation so that the replay on its fabric takes that long; `cpu_factor` is then relative to the
    cores that took it. `progress` gets the name of each network as its replay begins, and a step for what follows or goes on
    beside; threads may call it.

    Raises UsageError for an unusable trace, layout, time or file, and DamagedInputError for an incomplete trace.
    """
    return predict_with_draws(
        trace,
        fabrics,
        arrangement,
        cpu_factor=cpu_factor,
        measured=measured,
        settings=settings,
        extras=extras,
        progress=progress,
    )[0]


def predict_with_draws(
    trace: Path | TraceFile,
    fabrics: Sequence[Fabric],
    arrangement: Arrangement = Arrangement(),
    *,
    cpu_factor: float = 1.0,
    measured: MeasuredTime | None = None,
    settings: ReplaySettings = ReplaySettings(),
    extras: Extras = Extras(),
    progress: StepProgress = SILENT,
) -> tuple[PredictionSet, DrawnTimes]:
    """Predict as `predict` does, and return the times under draws of all that is uncertain as well."""
    if not fabrics:
        raise UsageError("no fabric to predict for; give at least one with `on`")
    check_cpu_factor(cpu_factor)
    recorded = "loads" if extras.loads else "timeline" if extras.timeline is not None else ""
    if recorded and extras.beside:
        raise UsageError(f"`{recorded}` cannot be combined with `beside`; leave one of them out")
    trace = opened(trace)
    trace.require_every_rank()
    progress.plan(1 + len(fabrics) + extras.interval + extras.tolerances)
    layout = arrangement.layout(trace.engine.ranks)
    settings = on_known_machine(settings, trace.metadata.rates, layout)
    rules = rules_for(trace.metadata.mpi, settings)
    warnings = require_use(rules, fabrics, settings.mpi_settings)
    warnings += node_warnings(trace, layout)
    others = [opened(other) for other, _ in extras.beside]
    neighbours = [
        _neighbour(other, how, layout.nodes) for other, (_, how) in zip(others, extras.beside, strict=True)
    ]
    for other, neighbour in zip(others, neighbours, strict=True):
        beside = f"{other.metadata.workload} beside it: "
        warnings += [beside + warning for warning in node_warnings(other, neighbour.layout)]
    # A response scales all computation from 1, and factors of levels with it.
    levels = {level: factor / cpu_factor for level, factor in settings.cpu_factor_at.items()}
    from_one = msgspec.structs.replace(settings, cpu_factor_at=levels)
    responses = [Response(trace, fabric, layout, from_one, neighbours) for fabric in fabrics]
    calibration, known = calibrated(
        trace,
        layout,
        cpu_factor=cpu_factor,
        measured=measured,
        settings=settings,
        responses=responses,
        for_draws=extras.interval,
    )
    cpu_factor = calibration.cpu_factor
    case = ReplayCase(trace, layout, cpu_factor, settings, neighbours)
    limits = extras.timeline.limits if extras.timeline is not None else RecordLimits()
    details = Details(record=limits if recorded else None, marks=extras.loads)
    if extras.interval:
        Thread(target=import_module, args=("linkworth.predict.draws",)).start()  # numpy, meanwhile
    replays, predictions = case.replay_on(responses, details, progress.step, loads=extras.loads)
    drawn = DrawnTimes(seconds=[[] for _ in fabrics], assumed=[])
    if extras.interval:
        from linkworth.predict.draws import Draws

        progress.step("spread of the parameters")
        draws = Draws(trace, settings, settings.samples or DEFAULT_DRAWS)
        drawn = draws.together(responses, 1 / cpu_factor, known)
        predictions = [
            msgspec.structs.replace(prediction, interval=interval(times, prediction.seconds))
            for prediction, times in zip(predictions, drawn.seconds, strict=True)
        ]
    warnings += replay_warnings(trace, replays[0], scaled=known is not None)
    warnings += given_warnings(trace, fabrics, known, [layout], settings)
    if measured is not None and known is not None:
        warnings += contradictions(trace, measured, settings, known.scale)
    warnings += [damage for other in others for damage in other.damage]
    if extras.timeline is not None:
        recording = replays[0].result.recording
        assert recording is not None
        warnings += write(extras.timeline, recording, trace.engine.names, layout)
    without_tolerances: dict[str, str] = {}
    borne: list[Tolerance] = []
    if extras.tolerances:
        progress.step("tolerances")
        lacks = {fabric.name: tolerance_lacks(fabric) for fabric in fabrics}
        without_tolerances = {name: lack for name, lack in lacks.items() if lack}
        asked = [each for each in zip(fabrics, predictions, strict=True) if not lacks[each[0].name]]
        borne = tolerances(
            lambda fabric: Response(trace, fabric, layout, from_one, neighbours).about(1 / cpu_factor),
            [fabric for fabric, _ in asked],
            # All times of a search are from short runs, or none.
            starts=() if responses[0].shorter else [prediction for _, prediction in asked],
        )
    found = PredictionSet(
        workload=trace.metadata.workload,
        ranks=trace.engine.ranks,
        nodes=layout.nodes,
        ppn=layout.ppn,
        predictions=predictions,
        calibration=calibration,
        placement=arrangement.placement,
        settings=settings,
        collectives=replays[0].collectives,
        initialisation=initialisation(trace, layout, extras.startup),
        tolerances=borne,
        without_tolerances=without_tolerances,
        beside=[
            NeighbourTime(fabric=fabric.name, workload=other.metadata.workload, seconds=seconds)
            for fabric, each in zip(fabrics, replays, strict=True)
            for other, seconds in zip(others, each.neighbour_seconds, strict=True)
        ],
        region="marked" if replays[0].result.marked_region else "whole",
        warnings=warnings,
        incomplete=next((each.lacks for each in (trace, *others) if each.lacks), None),
    )
    return found, drawn


def _neighbour(trace: TraceFile, placement: str, nodes: int) -> Neighbour:
    """Place the program of another trace on the nodes."""
    trace.require_every_rank()
    path = trace.path
    ranks = trace.engine.ranks
    explicit = placement not in ("block", "cyclic")
    layout = lay_out(
        ranks,
        None if explicit else min(nodes, ranks),
        None,
        placement,
        numbered=True,
        option=f"`beside` {path}@",
    )
    if layout.nodes > nodes:
        raise UsageError(
            f"`beside` {path}@{placement}: it needs {units.plural(layout.nodes, 'node')}, but there are {nodes}"
        )
    return Neighbour(trace.engine, layout, trace.incomplete)
