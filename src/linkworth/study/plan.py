"""Plan of a study: each run with its command, without running anything."""

import shlex
from collections.abc import Sequence
from pathlib import Path

import msgspec

from linkworth.catalog import virtual
from linkworth.errors import EnvironmentLacksError, UsageError
from linkworth.lab.site import check_lab
from linkworth.launch import hostfile
from linkworth.launch.base import Job
from linkworth.launch.given import is_launcher
from linkworth.measure import plan as launch_plan
from linkworth.model.study import Study
from linkworth.mpi.transports import SOCKETS
from linkworth.skeleton.program import check, parse
from linkworth.study.attempt import as_workload
from linkworth.study.fabric import fabric_of
from linkworth.study.file import load
from linkworth.study.filter import filter_of
from linkworth.study.library import library_of
from linkworth.study.matrix import PlannedRun, expand, has_skeleton, is_bench
from linkworth.study.predictions import is_recorded
from linkworth.study.resume import is_begun
from linkworth.study.sites import lab_options, open_environment, where_of
from linkworth.study.store import Store, default_folder


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


def plan_of(file: Path, *, folder: Path | None, scale: str, where: str, filters: Sequence[str]) -> StudyPlan:
    """Return the plan of `study run` for a file; the order is that of the study's folder, if it has one already.

    Raises the UsageErrors of `study run`.
    """
    folder = folder or default_folder(file, scale)
    study = load(file, scale=scale, where=where)
    store = Store(folder) if is_begun(folder) else None
    seed = store.manifest.seed if store else study.seed or 0
    chosen = filter_of(study, filters)
    runs = [planned for planned in expand(study, seed) if chosen is None or chosen.fits(planned)]
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
    """Raise UsageError for the first impossible run: an invalid rank count, contradictory fabrics, a missing file of
    hosts. Raise EnvironmentLacksError if this machine lacks what labs need.
    """
    _check_labs(study, runs)
    seen: set[tuple[str, int | None]] = set()
    for name in {planned.environment.where.name for planned in runs if _over_ssh(planned)}:
        hostfile.read(Path(name))
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
        if not has_skeleton(planned.workload) or planned.ranks is None:
            continue
        key = (planned.workload.name, planned.ranks)
        if key not in seen:
            seen.add(key)
            try:
                check(parse(planned.workload.command), planned.ranks)
            except UsageError as error:
                raise UsageError(f"{study.path}: on {planned.ranks} ranks: {error}") from None


def _check_labs(study: Study, runs: Sequence[PlannedRun]) -> None:
    """Raise EnvironmentLacksError with all environments whose lab cannot be made here, and the reasons."""
    lacking: dict[str, list[str]] = {}
    in_labs = {planned.environment.name: planned for planned in runs if _in_lab(planned)}
    for name in (environment.name for environment in study.environments if environment.name in in_labs):
        try:
            check_lab(where_of(in_labs[name]))
        except EnvironmentLacksError as error:
            lacking.setdefault(str(error), []).append(name)
    if lacking:
        causes = "; ".join(f"{', '.join(names)}: {cause}" for cause, names in lacking.items())
        raise EnvironmentLacksError(f"{causes}; or choose other environments with --filter")


def command_of(planned: PlannedRun, study: Study) -> list[str]:
    """Return the command of a run: the launcher's own on this machine, else the equivalent linkworth command."""
    if planned.mode == "predict":
        return _predict_command(planned, study)
    if planned.environment.where.kind == "local" and not is_bench(planned.workload):
        with open_environment(planned.environment, where_of(planned)) as site:
            workload = as_workload(planned, site)
            decided = launch_plan.plan(workload, planned.environment.mpi, site, planned=True)
            return decided.launcher.arguments(Job(command=decided.command, ranks=workload.ranks))
    verb = "bench" if is_bench(planned.workload) else "trace" if planned.mode == "trace" else "run"
    command = planned.workload.command
    if is_bench(planned.workload):
        command = [command[0].partition(":")[2], *command[1:]]
    own = is_launcher(command[0])
    ranks = [] if planned.ranks is None or own else ["-n", str(planned.ranks)]
    return ["linkworth", verb, *ranks, *_where_options(planned), "--", *command]


def _over_ssh(planned: PlannedRun) -> bool:
    return planned.mode != "predict" and planned.environment.where.kind == "hostfile"


def _in_lab(planned: PlannedRun) -> bool:
    return planned.mode != "predict" and planned.environment.where.kind == "lab"


def as_text(command: Sequence[str]) -> str:
    """Return a command in shell syntax."""
    return shlex.join(command)


def _where_options(planned: PlannedRun) -> list[str]:
    where = where_of(planned)
    environment = planned.environment
    given = {
        "--mpi": environment.mpi,
        "--nodes": where.nodes,
        "--ppn": where.ranks_per_node,
        "--transport": where.transport,
        "--bind": where.binding,
    }
    options = {
        "local": [],
        "lab": ["--lab", where.name],
        "hostfile": ["--hostfile", where.name],
        "slurm": ["--partition", where.name] if where.name else ["--slurm"],
    }.get(where.kind, [f"--{where.kind}"])
    for name, value in given.items():
        options += [name, str(value)] if value else []
    if where.kind == "lab":
        return options
    return options + [f"--batch-option={option}" for option in where.options]


def _predict_command(planned: PlannedRun, study: Study) -> list[str]:
    environment = planned.environment
    workload = planned.workload
    target = shlex.quote(workload.recording) if workload.recording else as_text(workload.command)
    cpu_factor = environment.cpu_factor * workload.cpu_factor
    fabric = environment.fabric + (f"x{environment.nics}" if (environment.nics or 1) > 1 else "")
    fabric += f"+{environment.isolation}" if environment.isolation in virtual.KINDS else ""
    changed = environment.mtu or environment.aggregation or environment.rate or environment.latency
    changed = changed or environment.transport in SOCKETS
    if (
        is_bench(planned.workload) or changed or study.prediction.measured_on
    ):  # `predict` has no options for these
        scale = ["--scale", study.scale] if study.scale else []
        terms = {"workload": planned.workload.name, "environment": environment.name, "mode": "predict"}
        chosen = " ".join(f"{key}={shlex.quote(value)}" for key, value in terms.items())
        return ["linkworth", "study", "run", study.path, *scale, "--filter", chosen]
    listed = environment.placement not in ("block", "cyclic")
    given = {
        "-n": planned.ranks if has_skeleton(workload) and not workload.recording else None,
        "--nodes": None if listed else planned.nodes,
        "--ppn": None if listed else planned.ranks_per_node,
        "--on": fabric,
        "--startup": study.prediction.startup or None,
        "--mpi-library": library_of(environment, study, recorded=is_recorded(planned.workload, study)),
        "--machine": study.prediction.machine,
        "--calibrate-with": study.prediction.calibrate_with,
        "--measured": study.prediction.measured.get(planned.workload.name),
        "--cpu-factor": None if cpu_factor == 1.0 else f"{cpu_factor:g}",
        "--placement": None if environment.placement == "block" else environment.placement,
    }
    command = ["linkworth", "predict", target]
    for name, value in given.items():
        command += [name, str(value)] if value is not None else []
    return command
