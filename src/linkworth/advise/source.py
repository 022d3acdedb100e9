"""Source of the times: a trace replayed on each fabric, or earlier predictions."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from linkworth.advise.mpi_setting import ReplayedCase
from linkworth.advise.request import fabric_name, load_predictions
from linkworth.advise.uncertain import Drawn
from linkworth.catalog import fabrics
from linkworth.errors import DamagedInputError, UsageError
from linkworth.model.fabric import Fabric
from linkworth.model.prediction import PredictionSet
from linkworth.model.settings import ReplaySettings
from linkworth.predict.calibrate import MeasuredTime
from linkworth.predict.drawn import DrawnTimes
from linkworth.predict.extras import Extras
from linkworth.predict.request import times_by_program, traced
from linkworth.predict.sweep import arrangements
from linkworth.predict.target import targets
from linkworth.skeleton.progress import SILENT, StepProgress
from linkworth.skeleton.rates import RateRequest
from linkworth.trace.comparable import Recorded, doubts
from linkworth.trace.read import ADVICE, Allowance, open_trace
from linkworth.units import plural


class Replays(NamedTuple):
    """Predictions on all numbers of nodes, their times under draws, and what replays them again."""

    sets: list[PredictionSet]
    drawn: Drawn | None
    """None without draws, or without anything to compare."""
    cases: dict[int, ReplayedCase]
    """By number of nodes."""


class TimesFile(NamedTuple):
    """Times known before: what `linkworth predict --json` printed, or HPCAdvisor's dataset."""

    path: Path
    inputs: Sequence[str] = ()
    """NAME=VALUE of a dataset's runs."""


class TraceRequest(msgspec.Struct, frozen=True, kw_only=True):
    """Options of the command line for replaying a trace; None if an option is not given."""

    workloads: Sequence[str]
    """A trace's path, or a bundled program's name; several are traces of one program on different numbers of ranks."""
    ranks: int | None = None
    nodes: tuple[int, ...] = ()
    """Numbers of nodes to compare; empty: the replay's default."""
    ppn: int | None = None
    cpu_factor: float = 1.0
    measured: Sequence[str] = ()
    """FABRIC[:NODESxRANKS]=SECONDS; several in different layouts. Of several traces, as `times_by_program` reads them."""
    placement: str = "block"
    settings: ReplaySettings = ReplaySettings()
    allowed: Allowance | None = None
    """Permission to use an incomplete trace."""
    rates: RateRequest = RateRequest()
    """Speed of the computation of a program that is not run."""


def read_predictions(
    content: bytes, path: Path, on: Sequence[str], allowed: Allowance | None = None
) -> PredictionSet:
    """Return the predictions in the content of a file, restricted to the fabrics `on` if there are any.

    A fabric that the file lacks is a UsageError. Predictions from an incomplete trace are a DamagedInputError unless
    they are `allowed`.
    """
    found = load_predictions(content, path)
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
    request: TraceRequest, names: Sequence[str], draws: int | None = 0, progress: StepProgress = SILENT
) -> Replays:
    """Replay traces, or the skeleton of a bundled program, on the fabrics `names`.

    One trace is laid on all numbers of nodes, and each of several on as many as its ranks need. The times are under `draws`
    draws of all that is uncertain (None: 400) if there is anything to compare.
    """
    several = len(request.workloads) > 1
    if several and (request.ppn is None or request.nodes):
        raise UsageError(
            "each of several traces is laid on as many nodes as its ranks need; give `ppn`, and no `nodes`"
        )
    chosen = fabrics.get_each(names)
    of_nodes: dict[int, tuple[str, PredictionSet]] = {}
    cases: dict[int, ReplayedCase] = {}
    seconds: dict[tuple[str, int], list[float]] = {}
    assumed: set[str] = set()
    recorded: list[Recorded] = []
    times = times_by_program(request.measured, request.workloads)
    for workload, measured in zip(request.workloads, times, strict=True):
        for found, drawn, case in _on_each_number(request, workload, measured, chosen, draws, progress):
            nodes = found.nodes
            if nodes in of_nodes:
                raise UsageError(
                    f"{of_nodes[nodes][0]} and {workload} both take {plural(nodes, 'node')}; give one trace for each number"
                )
            if several:
                warnings = [f"on {plural(found.ranks, 'rank')}, {warning}" for warning in found.warnings]
                found = msgspec.structs.replace(found, warnings=warnings)
            of_nodes[nodes] = workload, found
            first, other = next(iter(of_nodes.values()))
            if found.workload != other.workload:
                raise UsageError(
                    f"{first} is of {other.workload} and {workload} of {found.workload}; give traces of one program"
                )
            cases[nodes] = case
            recorded.append((found.ranks, case.trace.metadata))
            assumed |= set(drawn.assumed)
            seconds |= {
                (fabric.name, nodes): times for fabric, times in zip(chosen, drawn.seconds, strict=True)
            }
    together = None
    if draws != 0 and len(seconds) > 1:
        count = len(next(iter(seconds.values())))
        together = Drawn(seconds=seconds, draws=count, assumed=sorted(assumed)) if count else None
    sets = [found for _, found in of_nodes.values()]
    sets[0] = msgspec.structs.replace(sets[0], warnings=[*doubts(recorded), *sets[0].warnings])
    return Replays(sets, together, cases)


def _first_counts(measured: MeasuredTime) -> str:
    name = measured.fabric.name
    return (
        f"the time given for {name} counts as one on the first number of nodes; give its layout, such as "
        f"{name}:2x8={measured.seconds:g} for eight ranks on each of two nodes"
    )


def _on_each_number(
    request: TraceRequest,
    workload: str,
    measured: Sequence[MeasuredTime],
    chosen: Sequence[Fabric],
    draws: int | None,
    progress: StepProgress,
) -> Iterator[tuple[PredictionSet, DrawnTimes, ReplayedCase]]:
    """Yield the replays of one trace on each number of nodes."""
    places = arrangements(request.nodes, request.ppn, (request.placement,))
    with traced(workload, request.ranks, request.rates, scaled=bool(measured), progress=progress) as path:
        trace = open_trace(path, request.allowed)
        settings = msgspec.structs.replace(request.settings, samples=draws or 0)
        for target in targets(trace, places, measured, request.rates, settings, request.cpu_factor):
            known = target.measured
            if known is not None and known.arrangement is None:
                target = target._replace(measured=known._replace(arrangement=places[0]))
            extras = Extras(interval=draws != 0)
            found, drawn = target.predict(trace, chosen, extras=extras, progress=progress)
            if known is not None and known.arrangement is None and len(places) > 1:
                found = msgspec.structs.replace(found, warnings=[_first_counts(known), *found.warnings])
            replayed = target._replace(cpu_factor=found.calibration.cpu_factor)
            yield found, drawn, ReplayedCase(trace, {fabric.name: fabric for fabric in chosen}, replayed)
