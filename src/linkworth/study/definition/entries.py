"""Tables of a study file, one by one, with their variables filled in."""

import re
import shlex
import shutil
from collections.abc import Collection, Sequence
from functools import partial
from math import prod
from pathlib import Path
from typing import Any, TypeVar, cast

import msgspec

from linkworth.catalog import fabrics, virtual
from linkworth.catalog.decode import with_fields_of
from linkworth.errors import UsageError
from linkworth.lab.spec import LabSpec, with_options
from linkworth.measure.iterations import pattern
from linkworth.model.place import Binding
from linkworth.model.scaling import extents
from linkworth.model.study import Environment, Mode, StudyComparison, StudyWorkload, Value
from linkworth.mpi import apps
from linkworth.places.kinds import parse_place
from linkworth.replay import mpi_settings
from linkworth.study import micro
from linkworth.study.definition.document import Document, nearest
from linkworth.study.definition.lines import KeyPath, around, value_at
from linkworth.study.definition.schema import ENTRIES, EnvironmentTable, StudyFile, WorkloadTable
from linkworth.study.definition.variables import combinations, fill
from linkworth.study.matrix import is_list
from linkworth.study.metrics import NAMES, is_metric
from linkworth.study.patterns import matching
from linkworth.units import plural

T = TypeVar("T", bound=msgspec.Struct)
NPB = ("is", "ep", "cg", "mg", "ft", "bt", "sp", "lu")


def workloads_of(document: Document, place: KeyPath) -> list[StudyWorkload]:
    """Return the workloads of one table: one for each choice of its variables' values."""
    table = document.data["workloads"][place[1]]
    found = []
    for one, values in _filled(document, place, WorkloadTable, table):
        _check_patterns(document, place, one)
        _check_recorded_ranks(document, place, one)
        grids = _grids(document, place, one)
        command = _words(document, (*place, "run"), one.run)
        if one.otherwise and not _is_here(command[0]):
            command = _words(document, (*place, "otherwise"), one.otherwise)
        for each in _every_benchmark(command):
            try:
                bundled = apps.is_app(each[0])
                if micro.is_micro(each):
                    micro.parse(each)
                    if one.recorded_ranks:
                        raise UsageError(f"{each[0]} needs no recording: leave recorded_ranks out")
                    if one.figures or one.iteration_pattern:
                        raise UsageError(
                            f"{each[0]} has no output to search: leave figures and iteration_pattern out"
                        )
            except UsageError as error:
                raise document.error((*place, "run"), str(error)) from None
            named = " ".join(each) if bundled or micro.is_micro(each) else _command_name(each)
            found.append(
                with_fields_of(
                    one,
                    StudyWorkload,
                    name=one.name or named,
                    command=each,
                    environments=one.environments or ["*"],
                    recorded_ranks=one.recorded_ranks or [],
                    grids=grids,
                    cpu_factor=one.cpu_factor or 1.0,
                    variables=values,
                )
            )
    return found


def _check_recorded_ranks(document: Document, place: KeyPath, one: WorkloadTable) -> None:
    counts = one.recorded_ranks
    if counts is None:
        return
    if len(set(counts)) < max(2, len(counts)):
        raise document.error(
            (*place, "recorded_ranks"),
            "give at least two different numbers of ranks, each once, such as [4, 8, 16]",
        )
    if one.recording:
        raise document.error(
            (*place, "recorded_ranks"),
            "the study makes these recordings, so leave out either them or `recording`",
        )


def _grids(document: Document, place: KeyPath, one: WorkloadTable) -> list[tuple[int, ...]]:
    """Return the process grids of a workload. Raises UsageError for one that no scaling can use, and for `weak` alone."""
    for key in ("weak", "grids"):
        if getattr(one, key) and not one.recorded_ranks:
            raise document.error((*place, key), "it is about scaling recordings, so give recorded_ranks")
    found: dict[int, tuple[int, ...]] = {}
    for index, text in enumerate(one.grids):
        at = (*place, "grids", index)
        grid = document.check(at, partial(extents, text))
        most, ranks = max(one.recorded_ranks or [0]), prod(grid)
        if ranks <= most:
            raise document.error(
                at,
                f"{text} has {ranks} places; give a grid of more than {most} ranks, to which recordings are scaled",
            )
        if found.setdefault(ranks, grid) is not grid:
            raise document.error(
                at, f"{text} is a second grid of {plural(ranks, 'rank')}; give one for each number"
            )
    return list(found.values())


def _check_patterns(document: Document, place: KeyPath, one: WorkloadTable) -> None:
    if one.iteration_pattern:
        document.check((*place, "iteration_pattern"), partial(pattern, one.iteration_pattern))
    for name, text in one.figures.items():
        try:
            groups = re.compile(text).groups
        except re.error as error:
            raise document.error(
                (*place, "figures", name), f"{text!r} is no regular expression: {error}"
            ) from None
        if groups < 1:
            raise document.error((*place, "figures", name), f"{text!r} has no group; put the number into one")


def _words(document: Document, place: KeyPath, command: str | list[str]) -> list[str]:
    try:
        words = shlex.split(command) if isinstance(command, str) else list(command)
    except ValueError as error:
        raise document.error(place, f"{command!r} cannot be split into words: {error}") from None
    if not words or not words[0]:
        raise document.error(place, "give the program to run")
    return words


def _every_benchmark(command: list[str]) -> list[list[str]]:
    """Expand `npb:*.B` into all eight programs."""
    if not command[0].startswith("npb:*"):
        return [command]
    return [[command[0].replace("*", program, 1), *command[1:]] for program in NPB]


def _is_here(program: str) -> bool:
    return apps.is_app(program) or micro.is_micro([program]) or shutil.which(program) is not None


def _command_name(command: Sequence[str]) -> str:
    return " ".join([Path(command[0]).name, *command[1:]])


def environments_of(document: Document, place: KeyPath, file: StudyFile) -> list[Environment]:
    """Return the environments of one table: one for each choice of its variables' values."""
    table = document.data["environments"][place[1]]
    found = []
    for one, values in _filled(document, place, EnvironmentTable, table):
        name = one.name or one.fabric
        if not name:
            raise document.error(place, "give it a name or a fabric")
        mode = one.mode or file.mode
        modes: list[Mode] = (
            ["measure", "predict"] if mode == "both" else ["predict"] if mode == "predict" else ["measure"]
        )
        where_place: KeyPath = (*place, "where") if one.where else ("where",)
        where = document.check(
            where_place, partial(parse_place, one.where or file.where or "local", one.fabric)
        )
        if "measure" not in modes:
            where = parse_place("local")
        if "predict" in modes:
            if not one.fabric:
                raise document.error(place, f"{name} is predicted, so give the fabric that it has")
            document.check((*place, "fabric"), partial(fabrics.get, one.fabric))
        # The table's own check has excluded everything else.
        binding = cast(Binding, one.binding)
        if "measure" in modes and where.kind == "lab" and binding not in ("", "none"):
            raise document.error(
                (*place, "binding"),
                f"{name} is in a lab, whose nodes share the cores of this machine: ranks of different nodes would be bound to "
                'the same core; leave it out there (binding = "none" in a scale)',
            )
        if one.isolation in virtual.KINDS and "measure" in modes and where.kind == "lab":
            raise document.error(
                (*place, "isolation"),
                f"a lab has no virtual machines with {one.isolation}; predict {name}, or measure it on such machines with "
                'where = "hostfile:FILE" or "slurm"',
            )
        for setting, value in one.mpi_settings.items():
            document.check(
                (*place, "mpi_settings", setting), partial(mpi_settings.require_known, setting, value)
            )
        for key in ("rate", "latency", "isolation"):
            if (text := getattr(one, key)) and text not in virtual.KINDS:
                document.check((*place, key), partial(with_options, LabSpec(), {key: text}))
        if one.nics is not None and "predict" in modes and fabrics.get(one.fabric).rails > 1:
            raise document.error(
                (*place, "nics"), f"{one.fabric} already has a number of NICs; leave one of the two out"
            )
        found.append(
            with_fields_of(
                one,
                Environment,
                name=name,
                modes=modes,
                where=msgspec.structs.replace(
                    where, transport=one.transport, binding=binding, options=one.options
                ),
                mpi=one.mpi or None,
                placement=_placement(document, place, one.placement),
                cpu_factor=one.cpu_factor or 1.0,
                workloads=one.workloads or ["*"],
                variables=values,
            )
        )
    return found


def _placement(document: Document, place: KeyPath, given: str | list[int]) -> str:
    """Return a placement as text; a list of node numbers is joined by commas."""
    text = (
        ",".join(str(node) for node in given)
        if isinstance(given, list)
        else re.sub(r"\s*,\s*", ",", given.strip())
    )
    if text and text not in ("block", "cyclic") and not is_list(text) and not Path(text).is_file():
        raise document.error(
            (*place, "placement"),
            f"{text!r} is no placement; write block, cyclic, the node of each rank ([0, 0, 1, 1]), or a hostfile or rankfile",
        )
    return text or "block"


def comparisons_of(
    document: Document,
    place: KeyPath,
    environments: Sequence[Environment],
    figures: Collection[str],
    *,
    scaled: bool,
) -> list[StudyComparison]:
    """Return the comparisons of one table, for each choice of values; `scaled`: drop names that a scale left out.

    `figures` are the names of all figures that workloads extract from their output: they are metrics too.
    """
    table = document.data["comparisons"][place[1]]
    names = [environment.name for environment in environments]
    found = []
    for one, _ in _filled(document, place, StudyComparison, table):
        if one.baseline not in names:
            if scaled:
                continue  # left out by the scale
            raise document.error(
                (*place, "baseline"),
                f"no environment is called {one.baseline!r}; {nearest(one.baseline, names)}",
            )
        for metric in one.metrics:
            if not (is_metric(metric) or metric in figures):
                raise document.error(
                    (*place, "metrics"),
                    f"no metric is called {metric!r}; {nearest(metric, {*NAMES, *figures})}",
                )
        against = [
            name for wanted in one.environments for name in matching(wanted, names) if name != one.baseline
        ]
        if not against:
            if scaled:
                continue
            raise document.error(place, f"no environment is left to hold against {one.baseline}")
        found.append(msgspec.structs.replace(one, environments=list(dict.fromkeys(against))))
    return found


def _filled(
    document: Document, place: KeyPath, kind: type[T], table: dict[str, Any]
) -> list[tuple[T, dict[str, Value]]]:
    """Return the table at a place once for each choice of its variables' values, with these values."""
    found = []
    for values in combinations(document, place, table):
        # Decode in place of the original, so that an error has its line.
        one = Document(document.origin, around(place, _with_words(document, table, values)), document.lines)
        own = {name: value for name, value in values.items() if name not in document.built_in}
        found.append((one.decode(kind, place, ENTRIES), own))
    return found


def filled(document: Document, place: KeyPath, kind: type[T]) -> list[T]:
    """Return the table at a place once for each choice of its variables' values."""
    return [one for one, _ in _filled(document, place, kind, value_at(document.data, place))]


def _with_words(document: Document, table: dict[str, Any], values: dict[str, Value]) -> dict[str, Any]:
    """Fill in a table; a folder's name stays one word of a textual command, whatever it contains."""
    quoted = values | {name: shlex.quote(text) for name, text in document.built_in.items()}
    filled: dict[str, Any] = fill(table, values)
    return filled | {
        key: fill(table[key], quoted) for key in ("run", "otherwise") if isinstance(table.get(key), str)
    }
