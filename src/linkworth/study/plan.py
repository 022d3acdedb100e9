"""Plan of a study: each run with its command, without running anything."""

from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from linkworth.catalog import fabrics
from linkworth.errors import EnvironmentLacksError, UsageError
from linkworth.lab.place import check_lab
from linkworth.model.study import Study
from linkworth.places import hosts
from linkworth.skeleton.program import check, parse
from linkworth.study.definition.file import load
from linkworth.study.filter import selected
from linkworth.study.matrix import PlannedRun, expand, has_skeleton, is_bench, layout, pairs_of
from linkworth.study.prediction.fabric import fabric_of
from linkworth.study.prediction.library import library_of
from linkworth.study.runs.open_places import lab_options, place_of
from linkworth.study.store import Store, default_folder, is_begun
from linkworth.units import plural


class PlannedCommand(msgspec.Struct, frozen=True, kw_only=True):
    """One line of the plan."""

    run: str
    workload: str
    environment: str
    mode: str
    block: int
    order: int
    command: list[str]
    lab: list[str] = msgspec.field(default_factory=list)
    """Differences of the emulated cluster from the preset that the command names: `mtu=9000`."""
    done: bool = False


class StudyPlan(msgspec.Struct, frozen=True, kw_only=True):
    """Document of `linkworth study run --dry-run --json`."""

    schema: str = "linkworth.study-plan/1"
    study: str
    scale: str = ""
    folder: str
    seed: int | None
    """Seed of the order. None: it is drawn when the study begins, and the order is only an example."""
    runs: list[PlannedCommand]


def plan_of(
    file: Path,
    *,
    folder: Path | None,
    scale: str,
    where: str,
    filters: Sequence[str],
    command_of: Callable[[PlannedRun, Study], list[str]],
) -> StudyPlan:
    """Return the plan of `study run` for a file; the order is that of the study's folder, if it has one already.

    `command_of` returns the command line of a run.

    Raises the UsageErrors of `study run`.
    """
    folder = folder or default_folder(file, scale)
    study = load(file, scale=scale, where=where)
    store = Store(folder) if is_begun(folder) else None
    seed = store.manifest.seed if store else study.seed or 0
    runs = selected(study, expand(study, seed), filters)
    check_all(study, runs)
    commands: dict[tuple[str, str, str], list[str]] = {}
    listed = []
    for planned in runs:
        key = (planned.workload.name, planned.environment.name, planned.mode)
        if key not in commands:
            commands[key] = command_of(planned, study)
        listed.append(
            PlannedCommand(
                run=planned.run,
                workload=planned.workload.name,
                environment=planned.environment.name,
                mode=planned.mode,
                block=planned.block,
                order=planned.order,
                command=commands[key],
                lab=lab_options(planned.environment) if _in_lab(planned) else [],
                done=store is not None and store.record(planned) is not None,
            )
        )
    return StudyPlan(
        study=study.title or study.name,
        scale=scale,
        folder=str(folder),
        seed=store.manifest.seed if store else study.seed,
        runs=listed,
    )


def check_all(study: Study, runs: Sequence[PlannedRun]) -> None:
    """Raise UsageError for the first impossible run: an invalid rank count, unknown or contradictory fabrics, a missing file
    of hosts. Raise EnvironmentLacksError if this machine lacks what labs need.
    """
    _check_labs(study, runs)
    _check_measured(study)
    seen: set[tuple[str, int | None]] = set()
    for name in dict.fromkeys(planned.environment.where.name for planned in runs if _over_ssh(planned)):
        hosts.read(Path(name))
    for name in dict.fromkeys(planned.environment.fabric for planned in runs if _names_its_network(planned)):
        fabrics.get(name)
    fabrics_seen: set[str] = set()
    for planned in runs:
        if planned.mode == "predict":
            if planned.environment.name not in fabrics_seen:
                fabrics_seen.add(planned.environment.name)
                fabric_of(planned.environment)
                if planned.environment.mpi is not None:
                    library_of(planned.environment, study, recorded=False)
            if planned.ranks is None and (has_skeleton(planned.workload) or is_bench(planned.workload)):
                raise UsageError(
                    f"{study.path}: {planned.workload.name} is predicted in {planned.environment.name}; "
                    "give the number of ranks"
                )
            _check_scaled(study, planned)
        if not has_skeleton(planned.workload) or planned.ranks is None:
            continue
        key = (planned.workload.name, planned.ranks)
        if key not in seen:
            seen.add(key)
            try:
                check(parse(planned.workload.command), planned.ranks)
            except UsageError as error:
                raise UsageError(f"{study.path}: on {plural(planned.ranks, 'rank')}: {error}") from None


def _check_measured(study: Study) -> None:
    """Raise UsageError for a workload with a known time that is predicted on several numbers of ranks."""
    ranks: dict[str, set[int | None]] = {}
    for workload, environment in pairs_of(study) if study.prediction.measured else ():
        if "predict" in environment.modes and workload.name in study.prediction.measured:
            ranks.setdefault(workload.name, set()).add(layout(study, workload, environment)[0])
    for name, counts in ranks.items():
        if len(counts) > 1:
            listed = ", ".join(str(count) for count in sorted(counts, key=lambda count: count or 0))
            raise UsageError(
                f"{study.path}: the measured time of {name} is that of one number of ranks, but it is predicted on {listed}; "
                "leave the time out, or give the workload another name on each number of ranks"
            )


def _check_scaled(study: Study, planned: PlannedRun) -> None:
    """Raise UsageError for a prediction on a number of ranks to which the workload's recordings are not scaled."""
    counts = planned.workload.recorded_ranks
    if counts and planned.ranks not in counts and (planned.ranks or 0) < max(counts):
        asked = (
            "without a number of ranks" if planned.ranks is None else f"on {plural(planned.ranks, 'rank')}"
        )
        raise UsageError(
            f"{study.path}: {planned.workload.name} is predicted in {planned.environment.name} {asked}; give one of "
            f"recorded_ranks, or more than {max(counts)}"
        )


def _check_labs(study: Study, runs: Sequence[PlannedRun]) -> None:
    """Raise EnvironmentLacksError with all environments whose lab cannot be made here, and the reasons.

    Raise UsageError for the first that names no lab.
    """
    lacking: dict[str, list[str]] = {}
    in_labs = {planned.environment.name: planned for planned in runs if _in_lab(planned)}
    for name in (environment.name for environment in study.environments if environment.name in in_labs):
        try:
            check_lab(place_of(in_labs[name]))
        except UsageError as error:
            raise UsageError(f"{study.path}: environment {name}: {error}") from None
        except EnvironmentLacksError as error:
            lacking.setdefault(str(error), []).append(name)
    if lacking:
        causes = "; ".join(f"{', '.join(names)}: {cause}" for cause, names in lacking.items())
        raise EnvironmentLacksError(f"{causes}; or choose other environments with `filter`")


def _over_ssh(planned: PlannedRun) -> bool:
    return planned.mode != "predict" and planned.environment.where.kind == "hostfile"


def _names_its_network(planned: PlannedRun) -> bool:
    """Return whether a run is measured on a network that is named, and not a lab's."""
    return planned.mode != "predict" and not _in_lab(planned) and bool(planned.environment.fabric)


def _in_lab(planned: PlannedRun) -> bool:
    return planned.mode != "predict" and planned.environment.where.kind == "lab"
