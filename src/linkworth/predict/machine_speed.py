"""Speed of one machine's cores relative to another's, from the bundled programs' times on both."""

import math
from statistics import fmean, stdev
from typing import NamedTuple

import msgspec

from linkworth import units
from linkworth.catalog import machines
from linkworth.catalog.model_error import model_errors
from linkworth.errors import UsageError
from linkworth.model.machine import Machine
from linkworth.model.prediction import Layout, PredictionSet
from linkworth.model.settings import ReplaySettings
from linkworth.replay.layout import Arrangement
from linkworth.skeleton.rates import RateRequest, disturbance, reference_seconds
from linkworth.trace.comparable import same_model
from linkworth.trace.read import TraceFile

_LEAST_KERNELS = 2


class MachineSpeed(NamedTuple):
    """Factor of the computation between two machines."""

    cpu_factor: float
    settings: ReplaySettings
    """With the spread of the factor and the cores of the target."""
    description: str
    doubts: list[str]

    def named_in(self, found: PredictionSet) -> PredictionSet:
        """Return predictions with the description and the doubts."""
        calibration = msgspec.structs.replace(found.calibration, between_machines=self.description)
        return msgspec.structs.replace(
            found, calibration=calibration, warnings=[*self.doubts, *found.warnings]
        )


def on_another_machine(
    trace: TraceFile, recorded_on: str, machine: str, layout: Layout, settings: ReplaySettings
) -> MachineSpeed:
    """Return the speed of `machine` relative to the one where a trace was recorded, for its ranks on both.

    The kernels' times on all cores count where the ranks take more than half of a node's cores, those on one core elsewhere.
    The factor is their geometric mean. Raises UsageError if nothing is known about one of the CPUs.
    """
    source, target = machines.get(recorded_on), machines.get(machine)
    there = trace.metadata.ranks_on_a_node()
    logs, error = _ratios(source, _is_full(source, there), target, _is_full(target, layout.ppn))
    factor = math.exp(fmean(logs))
    spread = math.hypot(error, stdev(logs) if len(logs) > 1 else 0.0)
    own = settings.spread.get("computation", 0.0)
    low, high = math.exp(min(logs)), math.exp(max(logs))
    by = f"{low:.2f} to {high:.2f} by kernel" if len(logs) > 1 else "by the catalog's core_speed"
    by = "the same machine" if source == target else by
    return MachineSpeed(
        cpu_factor=factor,
        settings=msgspec.structs.replace(
            settings,
            spread=settings.spread | {"computation": min(1.0, math.hypot(own, spread))},
            cores_per_node=settings.cores_per_node or target.cores_per_node,
            thread_gain=settings.thread_gain if settings.cores_per_node else target.thread_gain,
        ),
        description=f"computation {factor:.3g} x as fast on {target.name} as on {source.name} ({by}), within "
        f"{units.percent(min(1.0, spread))}",
        doubts=[*dict.fromkeys(filter(None, map(disturbance, (source, target))))]
        + [
            f"the trace was recorded on {name}, and {source.name} has {source.processor}, so the computation may be scaled "
            "from another processor than the program's"
            for name in trace.metadata.processors()
            if not same_model(name, source.processor)
        ],
    )


def asked_for(
    trace: TraceFile, rates: RateRequest, place: Arrangement, settings: ReplaySettings, cpu_factor: float
) -> MachineSpeed:
    """Return the speed of the computation by the machines of a request; without any, by the CPU factor."""
    if rates.recorded_on is None:
        return MachineSpeed(cpu_factor, settings, "", [])
    if rates.machine is None:
        raise UsageError(
            f"`recorded_on` {rates.recorded_on}: name the machine to predict for with `machine` as well"
        )
    found = on_another_machine(
        trace, rates.recorded_on, rates.machine, place.layout(trace.engine.ranks), settings
    )
    return found._replace(cpu_factor=found.cpu_factor * cpu_factor)


def _is_full(machine: Machine, ranks: int) -> bool:
    return 2 * ranks > machine.cores_per_node


def _ratios(
    source: Machine, source_full: bool, target: Machine, target_full: bool
) -> tuple[list[float], float]:
    """Return the logarithms of the target's speed over the source's, and the error of what was not timed."""
    if source == target:
        return [0.0], 0.0
    here, there = _seconds(source, source_full), _seconds(target, target_full)
    if here and there:
        common = [math.log(here[each] / there[each]) for each in here if each in there]
        if len(common) < _LEAST_KERNELS:
            raise UsageError(
                f"{source.name} and {target.name} have too few kernels in common; measure both with one version of linkworth"
            )
        return common, 0.0
    error = model_errors().of("computation")[0]
    if here or there:
        speeds = [math.log(reference_seconds(each) / seconds) for each, seconds in (here or there).items()]
        other = math.log(_core_speed(target if here else source))
        return [other - speed if here else speed - other for speed in speeds], error
    return [math.log(_core_speed(target) / _core_speed(source))], error


def _seconds(machine: Machine, full: bool) -> dict[str, float]:
    """Return the time of each kernel by its run."""
    return {each.workload: each.seconds_on_all_cores if full else each.seconds for each in machine.kernels}


def _core_speed(machine: Machine) -> float:
    if machine.core_speed is None:
        raise UsageError(
            f"nothing is known about the speed of {machine.name}'s CPU ({machine.processor}); run "
            "`linkworth machines measure -o FILE.toml` there and give that file, or give `cpu_factor`"
        )
    return machine.core_speed
