"""Time and cost of each program of a queue on each kind of node."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from linkworth.advise.allocate.queue import NodeKind, Queue, QueuedProgram, fabric_of
from linkworth.advise.choose import cost_usd
from linkworth.catalog import fabrics
from linkworth.errors import DamagedInputError, UsageError
from linkworth.model.rates import RateSource
from linkworth.model.settings import ReplaySettings
from linkworth.predict import predict
from linkworth.predict.extras import Extras
from linkworth.predict.request import is_program, traced
from linkworth.replay.layout import Arrangement
from linkworth.skeleton.progress import SILENT, StepProgress
from linkworth.skeleton.rates import RateRequest
from linkworth.trace.read import Allowance, TraceFile, open_trace
from linkworth.units import plural

_PART = (
    "the time is of the part that the program marks; if much comes before or after it, give the queue the time of the "
    "whole run"
)


class AllocationOption(msgspec.Struct, frozen=True, kw_only=True):
    """One way to run a program once."""

    program: int
    """Place of the program in the queue."""
    kind: int
    """Place of the kind of nodes in the queue."""
    nodes: int
    ranks: int
    seconds: float
    cost_usd: float
    warnings: tuple[str, ...] = ()
    """Warnings of the prediction."""
    rates: RateSource | None = None
    """Speed of the computation of a program without a recording."""


def options_of(
    queue: Queue,
    folder: Path,
    *,
    loads: Mapping[str, float] | None = None,
    rates: RateRequest | None = None,
    allowed: Allowance | None = None,
    progress: StepProgress = SILENT,
) -> list[AllocationOption]:
    """Return all ways to run the programs, with times from the queue file or else from predictions.

    `folder` is that of the queue file. `loads` maps a kind of nodes to the share of its links that others use.
    Raises UsageError for unusable traces, programs and numbers of ranks, and DamagedInputError for an incomplete
    trace unless it is `allowed`.
    """
    bundled = [program for program in queue.programs if program.workload and is_program(program.workload)]
    if rates is not None and rates.option is not None and not bundled:
        raise UsageError(
            f"{rates.option}: it is for bundled programs without a trace, and the queue has none; leave it out"
        )
    found = []
    for index, program in enumerate(queue.programs):
        progress.step(f"predicting {program.name}")
        found += _of_program(queue, index, program, folder, loads or {}, rates, allowed)
    return found


def _of_program(
    queue: Queue,
    index: int,
    program: QueuedProgram,
    folder: Path,
    loads: Mapping[str, float],
    rates: RateRequest | None,
    allowed: Allowance | None,
) -> list[AllocationOption]:
    if program.workload is None:
        assert program.ranks is not None
        return _known(queue, index, program, program.ranks)
    target = program.workload if is_program(program.workload) else str(folder / program.workload)
    bundled = is_program(program.workload)
    try:
        with traced(target, program.ranks if bundled else None, rates if bundled else None) as path:
            trace = open_trace(path, allowed)
            ranks = trace.engine.ranks
            if program.ranks is not None and program.ranks != ranks:
                raise UsageError(
                    f"the trace has {plural(ranks, 'rank')}, but ranks = {program.ranks}; leave ranks out"
                )
            return _known(queue, index, program, ranks) + _predicted(
                queue, index, program, folder, loads, trace, ranks
            )
    except (UsageError, DamagedInputError) as error:
        raise type(error)(f"program {program.name}: {error}") from None


def _known(queue: Queue, index: int, program: QueuedProgram, ranks: int) -> list[AllocationOption]:
    return [
        _option(queue, index, place, nodes, ranks, seconds)
        for place, kind in _kinds(queue, program)
        for nodes in _node_counts(program, kind, ranks)
        if (seconds := _given(program, kind, nodes)) is not None
    ]


def _predicted(
    queue: Queue,
    index: int,
    program: QueuedProgram,
    folder: Path,
    loads: Mapping[str, float],
    trace: TraceFile,
    ranks: int,
) -> list[AllocationOption]:
    found = []
    for place, kind in _kinds(queue, program):
        for nodes in _node_counts(program, kind, ranks):
            if _given(program, kind, nodes) is None:
                predicted = predict(
                    trace,
                    [fabrics.get(fabric_of(kind, folder))],
                    Arrangement(nodes=nodes),
                    cpu_factor=kind.cpu_factor,
                    settings=ReplaySettings(background_load=loads.get(kind.name, 0.0)),
                    extras=Extras(interval=False),
                )
                (prediction,) = predicted.predictions
                option = _option(queue, index, place, nodes, ranks, prediction.seconds)
                warnings = predicted.warnings
                # A bundled program is short outside its timed part, and no user runs it for that.
                if predicted.region == "marked" and trace.metadata.source != "skeleton":
                    warnings = [*warnings, _PART]
                rates = trace.metadata.rates
                found.append(msgspec.structs.replace(option, warnings=tuple(warnings), rates=rates))
    return found


def _kinds(queue: Queue, program: QueuedProgram) -> Sequence[tuple[int, NodeKind]]:
    return [
        (place, kind)
        for place, kind in enumerate(queue.nodes)
        if program.on is None or kind.name in program.on
    ]


def _node_counts(program: QueuedProgram, kind: NodeKind, ranks: int) -> list[int]:
    """Return the available numbers of nodes of a kind that hold the ranks."""
    fewest = 1 if kind.cores is None else -(-ranks // kind.cores)
    named = [
        int(key.partition(":")[2])
        for key in program.seconds
        if ":" in key and key.partition(":")[0] == kind.name
    ]
    wanted = program.nodes if program.nodes is not None else [fewest, *named]
    return sorted({nodes for nodes in wanted if fewest <= nodes <= min(kind.count, ranks)})


def _given(program: QueuedProgram, kind: NodeKind, nodes: int) -> float | None:
    return program.seconds.get(f"{kind.name}:{nodes}", program.seconds.get(kind.name))


def _option(queue: Queue, index: int, place: int, nodes: int, ranks: int, seconds: float) -> AllocationOption:
    return AllocationOption(
        program=index,
        kind=place,
        nodes=nodes,
        ranks=ranks,
        seconds=seconds,
        cost_usd=cost_usd(seconds, nodes, queue.nodes[place].price),
    )
