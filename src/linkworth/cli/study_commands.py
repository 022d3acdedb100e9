"""Command line of each run of a study: what a user could type to make one run alone."""

import shlex

import msgspec

from linkworth.catalog import virtual
from linkworth.cli.place_options import options_of
from linkworth.measure import plan as launch_plan
from linkworth.measure.open_place import open_place
from linkworth.model.study import Study
from linkworth.places.given import is_launcher
from linkworth.places.job import Job
from linkworth.study.matrix import PlannedRun, has_skeleton, is_bench
from linkworth.study.prediction.fabric import takes_transport
from linkworth.study.prediction.jobs import is_recorded
from linkworth.study.prediction.library import library_of
from linkworth.study.runs.attempt import as_workload
from linkworth.study.runs.open_places import place_of


def command_of(planned: PlannedRun, study: Study) -> list[str]:
    """Return the command of a run: the launcher's own on this machine, else the equivalent linkworth command."""
    if planned.mode == "predict":
        return _predict_command(planned, study)
    if planned.environment.where.kind == "local" and not is_bench(planned.workload):
        with open_place(place_of(planned)) as opened:
            workload = as_workload(planned, opened)
            decided = launch_plan.plan(workload, planned.environment.mpi, opened, planned=True)
            return decided.launcher.arguments(Job(command=decided.command, ranks=workload.ranks))
    verb = "bench" if is_bench(planned.workload) else "trace" if planned.mode == "trace" else "run"
    command = planned.workload.command
    if is_bench(planned.workload):
        command = [command[0].partition(":")[2], *command[1:]]
    own = is_launcher(command[0])
    ranks = [] if planned.ranks is None or own else ["-n", str(planned.ranks)]
    return ["linkworth", verb, *ranks, *_options(planned), "--", *command]


def _options(planned: PlannedRun) -> list[str]:
    mpi = planned.environment.mpi
    place = place_of(planned)
    if place.kind == "lab":
        # The plan lists them apart, since a lab in use cannot take them.
        place = msgspec.structs.replace(place, options=[])
    return [*(["--mpi", mpi] if mpi else []), *options_of(place)]


def _predict_command(planned: PlannedRun, study: Study) -> list[str]:
    environment = planned.environment
    workload = planned.workload
    target = shlex.quote(workload.recording) if workload.recording else shlex.join(workload.command)
    cpu_factor = environment.cpu_factor * workload.cpu_factor
    fabric = environment.fabric + (f"x{environment.nics}" if (environment.nics or 1) > 1 else "")
    fabric += f"+{environment.isolation}" if environment.isolation in virtual.KINDS else ""
    measured = study.prediction.measured.get(workload.name)
    changed = environment.mtu or environment.aggregation or environment.rate or environment.latency
    changed = changed or takes_transport(environment) or (measured is not None and cpu_factor != 1.0)
    recorded = is_recorded(workload, study)
    later = recorded and not workload.recording  # the study makes the trace
    if is_bench(workload) or later or changed or study.prediction.measured_on:
        # `predict` has no options for these
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
        "--mpi-library": library_of(environment, study, recorded=recorded),
        "--machine": None if recorded else study.prediction.machine,
        "--calibrate-with": None if recorded else study.prediction.calibrate_with,
        "--measured": measured,
        "--cpu-factor": None if cpu_factor == 1.0 else f"{cpu_factor:.15g}",
        "--placement": None if environment.placement == "block" else environment.placement,
    }
    command = ["linkworth", "predict", target]
    for name, value in given.items():
        command += [name, str(value)] if value is not None else []
    for name, value in environment.mpi_settings.items():
        command += ["--mpi-setting", f"{name}={value}"]
    return command
