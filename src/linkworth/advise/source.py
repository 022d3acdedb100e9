"""Source of the times: a trace replayed on each fabric, or earlier predictions."""

from collections.abc import Sequence
from pathlib import Path

import msgspec

from linkworth.advise.request import fabric_name, load_predictions
from linkworth.advise.uncertain import Drawn
from linkworth.catalog import fabrics
from linkworth.errors import DamagedInputError, UsageError
from linkworth.model.prediction import PredictionSet
from linkworth.model.settings import ReplaySettings
from linkworth.predict.predict import predict_with_draws
from linkworth.predict.request import measured_times, traced
from linkworth.predict.sharing import fitted
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
    measured: Sequence[str] = ()
    """FABRIC[:NODESxRANKS]=SECONDS; several in different layouts."""
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

    Also return the times under `draws` draws of all that is uncertain (None: 400) if there is anything to compare.
    """
    times = measured_times(request.measured)
    chosen = [fabrics.get(name) for name in names]
    counts: Sequence[int | None] = request.nodes or (None,)
    if len(set(counts)) < len(counts):
        raise UsageError(f"`nodes` {','.join(map(str, counts))}: give each number of nodes once")
    with traced(
        request.workload, request.ranks, request.rates, scaled=bool(times), progress=progress
    ) as path:
        trace = open_trace(path, request.allowed)
        sets: list[PredictionSet] = []
        seconds: dict[tuple[str, int], list[float]] = {}
        assumed: set[str] = set()
        known, settings = fitted(trace, times, msgspec.structs.replace(request.settings, samples=draws or 0))
        arrangements = [
            Arrangement(nodes=nodes, ppn=request.ppn, placement=request.placement) for nodes in counts
        ]
        for arrangement in arrangements:
            found, drawn = predict_with_draws(
                trace,
                chosen,
                arrangement,
                cpu_factor=1.0 if request.cpu_factor is None else request.cpu_factor,
                measured=known and known._replace(arrangement=known.arrangement or arrangements[0]),
                settings=settings,
            )
            sets.append(found)
            assumed |= set(drawn.assumed)
            seconds |= {
                (fabric.name, found.nodes): times for fabric, times in zip(chosen, drawn.seconds, strict=True)
            }
        if draws == 0 or len(seconds) < 2:
            return sets, None
        count = len(next(iter(seconds.values())))
        return sets, Drawn(seconds=seconds, draws=count, assumed=sorted(assumed))
