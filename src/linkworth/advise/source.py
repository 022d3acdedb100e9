"""Source of the times: a trace replayed on each fabric, or earlier predictions."""

from collections.abc import Sequence
from pathlib import Path

import msgspec

from linkworth.advise.request import fabric_name, load_predictions
from linkworth.catalog import fabrics
from linkworth.errors import DamagedInputError, UsageError
from linkworth.model.prediction import PredictionSet
from linkworth.model.settings import ReplaySettings
from linkworth.predict import predict
from linkworth.predict.draws import DEFAULT_DRAWS, Drawn, draw_times
from linkworth.predict.request import measured_time, traced
from linkworth.replay.layout import Arrangement
from linkworth.skeleton.progress import RecordingProgress
from linkworth.skeleton.rates import RateRequest
from linkworth.trace.read import ADVICE, Allowance, open_trace


class TraceRequest(msgspec.Struct, frozen=True, kw_only=True):
    """Options of the command line for replaying a trace; None if an option is not given."""

    workload: str
    """A trace's path, or a bundled program's name."""
    ranks: int | None = None
    nodes: tuple[int, ...] = ()
    """Numbers of nodes to compare; empty: the replay's default."""
    ppn: int | None = None
    cpu_factor: float | None = None
    measured: str | None = None
    """FABRIC=SECONDS."""
    placement: str = "block"
    settings: ReplaySettings = ReplaySettings()
    allowed: Allowance | None = None
    """Permission to use an incomplete trace."""
    rates: RateRequest = RateRequest()
    """Speed of the computation of a program that is not run."""


def read_predictions(path: Path, on: Sequence[str], allowed: Allowance | None = None) -> PredictionSet:
    """Return the predictions of a file, restricted to the fabrics `on` if there are any.

    A fabric that the file lacks is a UsageError. Predictions from an incomplete trace are a DamagedInputError unless
    they are `allowed`.
    """
    found = load_predictions(path)
    if found.incomplete is not None:
        if allowed is None:
            raise DamagedInputError(f"{path} has times of a part of the run: {found.incomplete}; {ADVICE}")
        allowed.lacks.append(found.incomplete)
    if not on:
        return found
    by_name = {prediction.fabric: prediction for prediction in found.predictions}
    wanted = [fabric_name(fabric) for fabric in on]
    missing = [fabric for fabric in wanted if fabric not in by_name]
    if missing:
        raise UsageError(
            f"{path} has no prediction for {', '.join(missing)}; it has {', '.join(by_name) or 'none'}"
        )
    return msgspec.structs.replace(found, predictions=[by_name[fabric] for fabric in wanted])


def replay_predictions(
    request: TraceRequest,
    names: Sequence[str],
    draws: int | None = 0,
    progress: RecordingProgress | None = None,
) -> tuple[list[PredictionSet], Drawn | None]:
    """Replay a trace, or the skeleton of a bundled program, on the fabrics `names` and all numbers of nodes.

    Also return the times under `draws` draws of the parameters (None: 100, or fewer for a long trace)
    if there is anything to compare.
    """
    measured = None if request.measured is None else measured_time(request.measured)
    chosen = [fabrics.get(name) for name in names]
    counts: Sequence[int | None] = request.nodes or (None,)
    if len(set(counts)) < len(counts):
        raise UsageError(f"`nodes` {','.join(map(str, counts))}: give each number of nodes once")
    with traced(
        request.workload, request.ranks, request.rates, scaled=measured is not None, progress=progress
    ) as path:
        trace = open_trace(path, request.allowed)
        sets: list[PredictionSet] = []
        cpu_factor = 1.0 if request.cpu_factor is None else request.cpu_factor
        for nodes in counts:
            found = predict(
                trace,
                chosen,
                Arrangement(nodes=nodes, ppn=request.ppn, placement=request.placement),
                cpu_factor=cpu_factor,
                measured=measured if not sets else None,
                settings=request.settings,
            )
            if measured is not None and not sets:
                cpu_factor = found.calibration.cpu_factor
            sets.append(found)
        drawn = None
        if draws != 0 and len(chosen) * len(sets) > 1:
            drawn = draw_times(
                trace, chosen, sets, count=draws or DEFAULT_DRAWS, ppn=request.ppn, limited=draws is None
            )
        return sets, drawn
