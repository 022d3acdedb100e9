"""Statements of an environment or a workload that a study's run does not apply."""

from collections.abc import Iterable, Mapping

from linkworth.catalog import virtual
from linkworth.model.study import Environment, Mode
from linkworth.replay.mpi_settings import in_words
from linkworth.study.matrix import PlannedRun, is_bench
from linkworth.study.prediction.fabric import takes_transport

FACT = "not applied"
"""Fact of a run's record that lists them."""
_LAB_ONLY = ("mtu", "nics", "rate", "latency", "aggregation", "isolation")
_HOW: Mapping[Mode, str] = {"measure": "measured", "predict": "predicted", "trace": "recorded"}


def unapplied(planned: PlannedRun) -> str:
    """Return the keys and values without an effect on a run, separated by commas; "" if there are none."""
    environment = planned.environment
    found = _of_prediction(planned) if planned.mode == "predict" else _of_run(environment)
    return ", ".join(found)


def sentences(runs: Iterable[tuple[str, Mode, str]]) -> list[str]:
    """Return one sentence for each list of keys that are not applied, from the (environment, mode, list) of runs."""
    places: dict[tuple[str, Mode], dict[str, None]] = {}
    for environment, mode, listed in runs:
        if listed:
            places.setdefault((listed, mode), {})[environment] = None
    return [
        f"Not applied where {', '.join(environments)} is {_HOW[mode]}: {listed}."
        for (listed, mode), environments in places.items()
    ]


def _of_prediction(planned: PlannedRun) -> list[str]:
    environment = planned.environment
    found = [
        f"{key} {value}"
        for key, value in (
            ("transport", "" if takes_transport(environment) else environment.transport),
            ("isolation", "" if environment.isolation in virtual.KINDS else environment.isolation),
            ("binding", environment.where.binding),
            ("options", " ".join(environment.where.options)),
        )
        if value
    ]
    if environment.cpu_factor != 1.0 and is_bench(planned.workload):
        found.append(f"cpu_factor {environment.cpu_factor:g} (a micro-benchmark computes nothing)")
    if planned.workload.figures:
        found.append(f"figures {' '.join(planned.workload.figures)} (a prediction has no output)")
    return found


def _of_run(environment: Environment) -> list[str]:
    found = []
    if environment.where.kind != "lab":
        found += [
            f"{key} {value} (set in a lab only)"
            for key in _LAB_ONLY
            if (value := getattr(environment, key)) not in (None, "", *virtual.KINDS)
        ]
        if environment.isolation in virtual.KINDS:
            found.append(f"isolation {environment.isolation} (whether these nodes have it is not checked)")
    if environment.placement != "block":
        found.append(f"placement {environment.placement} (of predictions)")
    if environment.mpi_settings:
        found.append(f"mpi_settings {in_words(environment.mpi_settings)} (of predictions)")
    if environment.cpu_factor != 1.0 and "predict" not in environment.modes:
        found.append(f"cpu_factor {environment.cpu_factor:g} (of predictions)")
    return found
