"""All runs of a study: each workload in each of its environments, repeated, in random order within each block."""

import hashlib
import random
import re
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from linkworth.errors import UsageError
from linkworth.model.study import Environment, Mode, Study, StudyWorkload
from linkworth.mpi import apps
from linkworth.study import micro
from linkworth.study.inputs import inputs_of, measured_on
from linkworth.study.patterns import matches
from linkworth.units import plural

HERE = "here"
"""Name of the environment for recordings of programs that no environment measures."""
RUNS = "what was recorded or measured"
"""Key of a prediction's inputs that stands for the definitions of the runs behind it."""
_UNSAFE = re.compile(r"[^A-Za-z0-9_.,+=-]+")
_LONGEST_NAME = 80
MOST_RUNS = 100_000
"""Most runs of a study: a larger plan takes minutes and gigabytes, and nobody waits for the runs."""
_MOST_PAIRS = 5_000_000
_LIST = re.compile(r"\d+(,\d+)*")


class PlannedRun(msgspec.Struct, frozen=True, kw_only=True):
    """One requested run, prediction or recording."""

    run: str
    """Identity of the run, and name of its folder."""
    workload: StudyWorkload
    environment: Environment
    mode: Mode
    repetition: int
    """Number from 0; warm-ups are negative."""
    block: int
    order: int
    """Position in its block."""
    ranks: int | None
    nodes: int | None
    ranks_per_node: int | None
    definition: str
    """Hash of what the study file gives for the run."""
    inputs: dict[str, str]
    """Digests of the files that it depends on, by path, and of the runs behind it."""


def expand(study: Study, seed: int) -> list[PlannedRun]:
    """Return all runs in the order of their execution: recordings, then the measured blocks, then predictions.

    The order within a block depends only on `seed` and the block's number. Raises UsageError if nothing is left to
    run, for more than MOST_RUNS, and for ranks that do not fit on the nodes.
    """
    pairs = pairs_of(study)
    measured = [pair for pair in pairs if "measure" in pair[1].modes]
    predicted = [pair for pair in pairs if "predict" in pair[1].modes]
    blocks_of_runs = study.repetitions + study.warm_ups
    if (count := len(measured) * blocks_of_runs + len(predicted)) > MOST_RUNS:
        raise UsageError(
            f"{study.path}: it asks for {count} runs ({plural(len(measured), 'measured pair')} of workload and environment, each "
            f"{blocks_of_runs} times, and {len(predicted)} predicted ones); a study has at most {MOST_RUNS}: "
            "lower repetitions and warm_ups, or split it"
        )
    blocks: list[tuple[Mode, int, Sequence[tuple[StudyWorkload, Environment]]]] = [
        ("trace", 0, _recordings(study, measured, predicted))
    ]
    blocks += [("measure", block, measured) for block in range(-study.warm_ups, study.repetitions)]
    blocks.append(("predict", 0, predicted))
    runs: list[PlannedRun] = []
    for mode, block, members in blocks:
        order = list(members)
        if mode == "measure":
            random.Random(f"{seed}/{block}").shuffle(order)
        runs += [
            _planned(study, workload, environment, mode, block, place)
            for place, (workload, environment) in enumerate(order)
        ]
    if not runs:
        raise UsageError(f"{study.path}: no workload fits an environment, so there is nothing to run")
    _check_unique(runs)
    return _with_runs_behind(study, runs)


def _with_runs_behind(study: Study, runs: Sequence[PlannedRun]) -> list[PlannedRun]:
    """Return the runs. The inputs of predictions also have what defines the runs that they replay or are scaled by."""
    behind: dict[str, list[tuple[str, int]]] = {}
    for planned in runs:
        scales = planned.environment.name == study.prediction.measured_on and planned.repetition >= 0
        if planned.mode == "trace" or (planned.mode == "measure" and scales):
            behind.setdefault(planned.workload.name, []).append((planned.definition, planned.repetition))
    of_runs = {name: {RUNS: _hash(sorted(found))} for name, found in behind.items()}
    return [
        msgspec.structs.replace(planned, inputs=planned.inputs | of_runs[planned.workload.name])
        if planned.mode == "predict" and planned.workload.name in of_runs
        else planned
        for planned in runs
    ]


def pairs_of(study: Study) -> list[tuple[StudyWorkload, Environment]]:
    """Return each workload with each of its environments. Raises UsageError for a matrix that is too large."""
    count = len(study.workloads) * len(study.environments)
    if count > _MOST_PAIRS:
        raise UsageError(
            f"{study.path}: {len(study.workloads)} workloads in {len(study.environments)} environments are {count} pairs; "
            f"a study has at most {_MOST_PAIRS}: shorten its variables, or split it"
        )
    return [
        (workload, environment)
        for workload in study.workloads
        for environment in study.environments
        if matches(environment.name, workload.environments) and matches(workload.name, environment.workloads)
    ]


def is_bench(workload: StudyWorkload) -> bool:
    """Return whether a workload is one of the micro-benchmarks."""
    return micro.is_micro(workload.command)


def has_skeleton(workload: StudyWorkload) -> bool:
    """Return whether a workload can be recorded without running."""
    return not is_bench(workload) and apps.is_app(workload.command[0])


def _recordings(
    study: Study,
    measured: Sequence[tuple[StudyWorkload, Environment]],
    predicted: Sequence[tuple[StudyWorkload, Environment]],
) -> list[tuple[StudyWorkload, Environment]]:
    """Return each workload to record once, with the environment for it."""
    named = study.prediction.record_on
    wanted = []
    for workload in study.workloads:
        if is_bench(workload):
            continue
        places = [environment for one, environment in measured if one is workload]
        asked = "trace" in study.measure and bool(places)
        predicted_here = not workload.recording and any(one is workload for one, _ in predicted)
        recorded = named or workload.recorded_ranks or not has_skeleton(workload)
        if asked or (predicted_here and recorded):
            chosen = [environment for environment in places if environment.name == named] or places
            place = chosen[0] if chosen else _here(study)
            wanted += _on_counts(workload, place) if workload.recorded_ranks else [(workload, place)]
    return wanted


def _on_counts(workload: StudyWorkload, place: Environment) -> list[tuple[StudyWorkload, Environment]]:
    """Return the recordings of a workload on several numbers of ranks, each in an environment of its own name."""
    return [
        (
            msgspec.structs.replace(workload, ranks=count, nodes=None, ranks_per_node=None),
            msgspec.structs.replace(place, name=f"{place.name}-{count}"),
        )
        for count in sorted(workload.recorded_ranks)
    ]


def _here(study: Study) -> Environment:
    taken = {environment.name for environment in study.environments}
    name = HERE if HERE not in taken else f"{HERE}-"
    return Environment(name=name, title="this machine", nodes=1)


def _planned(
    study: Study, workload: StudyWorkload, environment: Environment, mode: Mode, repetition: int, place: int
) -> PlannedRun:
    ranks, nodes, per_node = layout(study, workload, environment)
    decides = [
        workload.command,
        sorted(workload.figures.items()),
        workload.iteration_pattern,
        _deciding(environment, mode),
        [mode, ranks, nodes, per_node],
        _deciding_prediction(study, workload, ranks) if mode == "predict" else None,
    ]
    return PlannedRun(
        run=identity(workload.name, environment.name, mode, repetition),
        workload=workload,
        environment=environment,
        mode=mode,
        repetition=repetition,
        block=repetition,
        order=place,
        ranks=ranks,
        nodes=nodes,
        ranks_per_node=per_node,
        definition=_hash(decides),
        inputs=inputs_of(study, workload, environment, mode),
    )


def _hash(values: list[Any]) -> str:
    return hashlib.sha256(msgspec.json.encode(values)).hexdigest()[:16]


def _deciding_prediction(study: Study, workload: StudyWorkload, ranks: int | None) -> list[Any]:
    """Return the inputs of a prediction, apart from those of any run."""
    scaling = None if ranks in workload.recorded_ranks else [workload.weak, workload.grid(ranks)]
    recorded = [workload.recording, sorted(workload.recorded_ranks), scaling]
    scaled_by = measured_on(study)
    scale: Any = None if scaled_by is None else _deciding(scaled_by, "predict")
    if workload.name in study.published_seconds:
        scale = [scale, study.published_seconds[workload.name]]
    # Without an MPI of its own, a prediction follows the library of the measurements.
    library = next((each.mpi for each in study.environments if "measure" in each.modes), None)
    return [study.prediction, workload.cpu_factor, *recorded, scale, library]


def _deciding(environment: Environment, mode: Mode) -> Environment:
    """Return an environment without what no run of that mode depends on."""
    needed = msgspec.structs.replace(environment, title="", modes=[], workloads=[], variables={}, instance="",
                                     usd_per_node_hour=None)  # fmt: skip
    if mode == "predict":
        return needed
    # A lab's fabric is in its place.
    return msgspec.structs.replace(needed, fabric="", placement="", cpu_factor=1.0, mpi_settings={})


def layout(
    study: Study, workload: StudyWorkload, environment: Environment
) -> tuple[int | None, int | None, int | None]:
    """Return ranks, nodes and ranks per node: the workload's override the environment's, and those the study's.

    Ranks per node are None if they are spread evenly. A workload with its own rank count takes at most as many nodes as
    ranks, and is spread evenly by default. Raises UsageError for ranks that do not fit.
    """
    levels = (workload, environment, study)
    ranks, nodes, per_node = (
        next((value for level in levels if (value := getattr(level, key)) is not None), None)
        for key in ("ranks", "nodes", "ranks_per_node")
    )
    if is_list(environment.placement):
        return _listed(workload, environment, ranks)
    own_count = workload.ranks is not None
    if is_bench(workload) and not own_count and micro.parse(workload.command).is_pair:
        ranks, own_count = 2, True  # others would only wait on the cores of the measured ones
    if own_count and workload.ranks_per_node is None:
        per_node = None
    if ranks is None and nodes is not None and per_node is not None:
        ranks = nodes * per_node
    if ranks is not None and per_node is not None and nodes is None:
        nodes = -(-ranks // per_node)
    if ranks is not None and nodes is not None:
        nodes = min(nodes, ranks)
        if per_node is not None and ranks > nodes * per_node:
            raise UsageError(
                f"{workload.name} in {environment.name}: {ranks} ranks do not fit on {plural(nodes, 'node')} with "
                f"{per_node} ranks each"
            )
    return ranks, nodes, per_node


def is_list(placement: str) -> bool:
    """Return whether a placement lists the node number of each rank, `0,0,1,1`."""
    return _LIST.fullmatch(placement) is not None


def _listed(workload: StudyWorkload, environment: Environment, ranks: int | None) -> tuple[int, int, None]:
    """Return the layout of a placement that lists the node of each rank. Raises UsageError if it contradicts the study."""
    numbers = environment.placement.split(",")
    here = f"{workload.name} in {environment.name}"
    if ranks not in (None, len(numbers)):
        raise UsageError(
            f"{here}: its placement lists the nodes of {plural(len(numbers), 'rank')}, but it has {ranks}; "
            "list one node for each rank"
        )
    distinct = len({int(number) for number in numbers})
    nodes = environment.nodes if workload.nodes is None else workload.nodes
    if nodes not in (None, distinct):
        raise UsageError(
            f"{here}: its placement lists {distinct} different nodes, but nodes is {nodes}; leave nodes out"
        )
    return len(numbers), distinct, None


def identity(workload: str, environment: str, mode: Mode, repetition: int) -> str:
    """Return a run's name: readable, a file name, and unique."""
    number = f"w{-repetition}" if repetition < 0 else f"r{repetition:03d}"
    return "@".join([file_name(workload), file_name(environment), mode, number])


def file_name(text: str) -> str:
    """Return a text as a part of a file's name; a hash replaces invalid characters and surplus length."""
    plain = _UNSAFE.sub("-", text).strip("-.") or "x"
    if plain == re.sub("[: ]", "-", text) and len(plain) <= _LONGEST_NAME:
        return plain
    return f"{plain[:_LONGEST_NAME].rstrip('-')}~{hashlib.sha256(text.encode()).hexdigest()[:8]}"


def _check_unique(runs: Iterable[PlannedRun]) -> None:
    seen: dict[str, PlannedRun] = {}
    for planned in runs:
        other = seen.setdefault(planned.run.lower(), planned)
        if other is not planned:
            raise UsageError(
                f"{planned.workload.name} in {planned.environment.name} and {other.workload.name} in {other.environment.name} "
                f"would have the same folder {planned.run}; give one of them another name"
            )
