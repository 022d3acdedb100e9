"""Prediction of a trace on several fabrics."""

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path

import msgspec

from linkworth import units
from linkworth.catalog import fabrics as catalog
from linkworth.errors import UsageError
from linkworth.model.fabric import Fabric
from linkworth.model.prediction import NeighbourTime, Prediction, PredictionSet, Tolerance
from linkworth.model.settings import Details, RecordLimits, ReplaySettings
from linkworth.predict import breakdown
from linkworth.predict.calibrate import MeasuredTime, calibrated, check_cpu_factor
from linkworth.predict.drawn import DEFAULT_DRAWS, DrawnTimes
from linkworth.predict.extras import Extras, initialisation
from linkworth.predict.response import SMALLEST_SCALE, Response
from linkworth.predict.sharing import contradictions
from linkworth.predict.timeline import MOST_EVENTS, write
from linkworth.predict.tolerance import tolerance_lacks, tolerances
from linkworth.predict.uncertainty import interval
from linkworth.predict.warnings import given_warnings, replay_warnings
from linkworth.replay.collectives import rules_for
from linkworth.replay.layout import Arrangement, lay_out
from linkworth.replay.mpi_settings import require_use
from linkworth.replay.node_aware import node_warnings
from linkworth.replay.run import Neighbour, Replay, on_known_machine, replay_in_detail
from linkworth.skeleton.progress import SilentProgress, StepProgress
from linkworth.trace.read import TraceFile, opened

_AS_RECORDED = ReplaySettings()
_NO_DETAILS = Details()
_NO_EXTRAS = Extras()
_DEFAULT = Arrangement()
_SILENT = SilentProgress()


def predict(
    trace: Path | TraceFile,
    fabrics: Sequence[Fabric],
    arrangement: Arrangement = _DEFAULT,
    *,
    cpu_factor: float = 1.0,
    measured: MeasuredTime | None = None,
    settings: ReplaySettings = _AS_RECORDED,
    extras: Extras = _NO_EXTRAS,
    progress: StepProgress = _SILENT,
) -> PredictionSet:
    """Replay a trace, open or at a path, on each of `fabrics`, in that order.

    `measured` scales the computation so that the replay on its fabric takes that long; it replaces `cpu_factor`. `progress`
    gets the name of each network as its replay begins, and a step for what follows or goes on beside; threads may call it.

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
    arrangement: Arrangement = _DEFAULT,
    *,
    cpu_factor: float = 1.0,
    measured: MeasuredTime | None = None,
    settings: ReplaySettings = _AS_RECORDED,
    extras: Extras = _NO_EXTRAS,
    progress: StepProgress = _SILENT,
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
    settings = on_known_machine(settings, trace.metadata.rates)
    rules = rules_for(trace.metadata.mpi, settings)
    node_aware = require_use(rules, fabrics, settings.mpi_settings)
    layout = arrangement.layout(trace.engine.ranks)
    node_aware += node_warnings(trace, layout)
    calibration, known = calibrated(
        trace, layout, cpu_factor=cpu_factor, measured=measured, settings=settings
    )
    cpu_factor = calibration.cpu_factor
    others = [opened(other) for other, _ in extras.beside]
    names, neighbours = [], []
    for other, (_, how) in zip(others, extras.beside, strict=True):
        name, neighbour, warned = _neighbour(other, how, layout.nodes)
        names.append(name)
        neighbours.append(neighbour)
        node_aware += [f"{name} beside it: {warning}" for warning in warned]

    def replayed(
        fabric: Fabric,
        details: Details = _NO_DETAILS,
        settings: ReplaySettings = settings,
        beside: Sequence[Neighbour] = neighbours,
    ) -> Replay:
        return replay_in_detail(
            trace.engine,
            fabric,
            layout,
            cpu_factor=cpu_factor,
            tolerate_cut=trace.incomplete,
            settings=settings,
            beside=beside,
            details=details,
        )

    def made_on(fabric: Fabric) -> Response | None:
        """Return replays that were made already if they are those of the prediction on this fabric."""
        made = extras.replayed or known
        if made is None or neighbours or settings.cpu_factor_at:
            return None
        return made if (made.fabric, made.layout, made.settings) == (fabric, layout, settings) else None

    def without_network() -> Replay:
        progress.step("no network")
        # Neighbours only change the computation on the nodes that they share.
        shared = settings.memory_demand_bytes_per_second or settings.cores_per_node
        return replayed(
            catalog.get("ideal"),
            settings=msgspec.structs.replace(settings, contention=False, mpi_settings={}),
            beside=neighbours if shared else [],
        )

    def broken_down(fabric: Fabric, replay: Replay) -> Prediction:
        recording, marks = replay.result.recording, replay.result.mark_seconds
        return msgspec.structs.replace(
            replay.prediction,
            efficiency=breakdown.efficiency(replay, ideal),
            regions=breakdown.regions(
                replay, lambda level: replayed(fabric, details=Details(counted_level=level))
            ),
            loads=breakdown.loads(recording) if recording is not None and extras.loads else [],
            core_use=breakdown.core_use(recording, layout) if recording is not None and extras.loads else [],
            mark_seconds=marks[0] if marks else [],
        )

    # The engine runs without the interpreter's lock, so threads use all cores.
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        limits = extras.timeline.limits if extras.timeline is not None else RecordLimits()
        details = Details(record=limits if recorded else None, marks=extras.loads)

        def on_network(fabric: Fabric) -> Replay:
            progress.step(fabric.name)
            made = None if recorded else made_on(fabric)
            found = made and made.with_cpu_factor(cpu_factor)
            return found or replayed(fabric, details=details)

        if extras.interval:
            pool.submit(import_module, "linkworth.predict.draws")  # numpy, meanwhile
        ideal_replay = pool.submit(without_network)
        replays = list(pool.map(on_network, fabrics))
        ideal = ideal_replay.result()
        predictions = list(pool.map(broken_down, fabrics, replays))
    drawn = DrawnTimes(seconds=[[] for _ in fabrics], assumed=[])
    if extras.interval:
        from linkworth.predict.draws import Draws

        # A response scales all computation from 1, and factors of levels with it.
        levels = {level: factor / cpu_factor for level, factor in settings.cpu_factor_at.items()}
        from_one = msgspec.structs.replace(settings, cpu_factor_at=levels)
        responses = [Response(trace, fabric, layout, from_one, neighbours) for fabric in fabrics]
        for response, replay in zip(responses, replays, strict=True):
            response.add(1 / cpu_factor, replay)
            if there := made_on(response.fabric):
                response.add(SMALLEST_SCALE, there.without_computation())
        progress.step("spread of the parameters")
        draws = Draws(trace, settings, settings.samples or DEFAULT_DRAWS)
        drawn = draws.together(responses, 1 / cpu_factor, known, measured)
        predictions = [
            msgspec.structs.replace(prediction, interval=interval(times, prediction.seconds))
            for prediction, times in zip(predictions, drawn.seconds, strict=True)
        ]
    warnings = node_aware + replay_warnings(trace, replays[0])
    warnings += given_warnings(trace, fabrics, known, calibration, [layout.ppn], settings)
    if measured is not None:
        warnings += contradictions(trace, measured, settings, cpu_factor)
    for other in others:
        warnings += other.damage
    if extras.timeline is not None:
        recording = replays[0].result.recording
        assert recording is not None
        write(extras.timeline, recording, trace.engine.names, layout)
        if recording.cut:
            warnings.append(
                f"{extras.timeline.path} contains the first {MOST_EVENTS:,} calls and messages; "
                "choose a part with `timeline_window`"
            )
        elif extras.timeline.seconds[0] > 0 and not recording.calls:
            warnings.append(
                f"no call begins in the part that {extras.timeline.path} is of; choose another with `timeline_window`"
            )
    without_tolerances: dict[str, str] = {}
    borne: list[Tolerance] = []
    if extras.tolerances:
        progress.step("tolerances")
        lacks = {fabric.name: tolerance_lacks(fabric) for fabric in fabrics}
        without_tolerances = {name: lack for name, lack in lacks.items() if lack}
        asked = [each for each in zip(fabrics, predictions, strict=True) if not lacks[each[0].name]]
        borne = tolerances(
            trace.engine,
            [fabric for fabric, _ in asked],
            layout,
            cpu_factor=cpu_factor,
            tolerate_cut=trace.incomplete,
            settings=settings,
            starts=[] if neighbours else [prediction for _, prediction in asked],
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
            NeighbourTime(fabric=fabric.name, workload=name, seconds=seconds)
            for fabric, each in zip(fabrics, replays, strict=True)
            for name, seconds in zip(names, each.neighbour_seconds, strict=True)
        ],
        region="marked" if replays[0].result.marked_region else "whole",
        warnings=warnings,
        incomplete=next((each.lacks for each in (trace, *others) if each.lacks), None),
    )
    return found, drawn


def _neighbour(trace: TraceFile, placement: str, nodes: int) -> tuple[str, Neighbour, list[str]]:
    """Place the program of another trace on the nodes. Return its name and warnings as well."""
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
    neighbour = Neighbour(trace.engine, layout, trace.incomplete)
    return trace.metadata.workload, neighbour, node_warnings(trace, layout)
