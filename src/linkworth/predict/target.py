"""Machine to predict for, apart from its network: the layout, and the speed of its cores relative to the recording's.

The speed is given as a factor, by times of the program, or by the bundled programs' times on both machines.
"""

import math
from collections.abc import Sequence
from statistics import fmean, stdev
from typing import NamedTuple

import msgspec

from linkworth import units
from linkworth.catalog import machines
from linkworth.catalog.model_error import model_errors
from linkworth.errors import UsageError
from linkworth.model.fabric import Fabric
from linkworth.model.machine import Machine
from linkworth.model.prediction import PredictionSet
from linkworth.model.settings import ReplaySettings
from linkworth.predict.calibrate import MeasuredTime
from linkworth.predict.drawn import DrawnTimes
from linkworth.predict.extras import Extras
from linkworth.predict.predict import predict_with_draws
from linkworth.predict.sharing import fitted
from linkworth.replay.layout import Arrangement
from linkworth.skeleton.progress import SILENT, StepProgress
from linkworth.skeleton.rates import RateRequest, disturbance, reference_seconds
from linkworth.trace.comparable import same_model
from linkworth.trace.read import TraceFile

_LEAST_KERNELS = 2


class TargetMachine(NamedTuple):
    """Machine on which a trace is replayed, apart from its fabric."""

    arrangement: Arrangement = Arrangement()
    cpu_factor: float = 1.0
    settings: ReplaySettings = ReplaySettings()
    measured: MeasuredTime | None = None
    """A time that scales the computation in place of the CPU factor."""
    between_machines: str = ""
    """Origin of the CPU factor if it is between two machines."""
    doubts: Sequence[str] = ()

    def predict(
        self,
        trace: TraceFile,
        fabrics: Sequence[Fabric],
        *,
        extras: Extras = Extras(),
        progress: StepProgress = SILENT,
    ) -> tuple[PredictionSet, DrawnTimes]:
        """Replay a trace on each of `fabrics`, as `predict_with_draws` does."""
        found, drawn = predict_with_draws(
            trace,
            fabrics,
            self.arrangement,
            cpu_factor=self.cpu_factor,
            measured=self.measured,
            settings=self.settings,
            extras=extras,
            progress=progress,
        )
        calibration = msgspec.structs.replace(found.calibration, between_machines=self.between_machines)
        warnings = [*self.doubts, *found.warnings]
        return msgspec.structs.replace(found, calibration=calibration, warnings=warnings), drawn


def targets(
    trace: TraceFile,
    arrangements: Sequence[Arrangement],
    measured: Sequence[MeasuredTime],
    rates: RateRequest,
    settings: ReplaySettings,
    cpu_factor: float,
) -> list[TargetMachine]:
    """Return the machine that a user asks for in each arrangement, with the speed and the sharing of its cores settled.

    Raises UsageError for times and machines from which no speed follows.
    """
    for option, is_given in (
        ("cpu_factor", cpu_factor != 1.0),
        ("recorded_on", rates.recorded_on is not None),
    ):
        if measured and is_given:
            raise UsageError(f"`{option}`: `measured` sets the CPU factor; leave one of them out")
    known, settings = fitted(trace, measured, settings)
    found = [TargetMachine(each, cpu_factor, settings, known) for each in arrangements]
    if rates.recorded_on is None:
        return found
    if rates.machine is None:
        raise UsageError(
            f"`recorded_on` {rates.recorded_on}: name the machine to predict for with `machine` as well"
        )
    if trace.metadata.rates is not None:
        raise UsageError(
            f"`recorded_on` {rates.recorded_on}: the computation of {trace.path} was counted, not recorded; leave it out, and "
            f"predict the program itself ({trace.metadata.workload}) with `machine`"
        )
    source, target = machines.get(rates.recorded_on), machines.get(rates.machine)
    return [_between(trace, source, target, each) for each in found]


def _between(trace: TraceFile, source: Machine, target: Machine, asked: TargetMachine) -> TargetMachine:
    """Return what is asked for on `target`, for a trace that was recorded on `source`.

    The kernels' times on all cores count where the ranks take more than half of a node's cores, those on one core elsewhere.
    The factor is their geometric mean. Raises UsageError if nothing is known about one of the CPUs.
    """
    there = trace.metadata.ranks_on_a_node()
    here = asked.arrangement.layout(trace.engine.ranks).ppn
    logs, error = _ratios(source, _is_full(source, there), target, _is_full(target, here))
    factor = math.exp(fmean(logs))
    spread = math.hypot(error, stdev(logs) if len(logs) > 1 else 0.0)
    settings = asked.settings
    own = settings.spread.get("computation", 0.0)
    low, high = math.exp(min(logs)), math.exp(max(logs))
    by = f"{low:.2f} to {high:.2f} by kernel" if len(logs) > 1 else "by the catalog's core_speed"
    by = "the same machine" if source == target else by
    return asked._replace(
        cpu_factor=factor * asked.cpu_factor,
        settings=msgspec.structs.replace(
            settings,
            spread=settings.spread | {"computation": min(1.0, math.hypot(own, spread))},
            cores_per_node=settings.cores_per_node or target.cores_per_node,
            thread_gain=settings.thread_gain if settings.cores_per_node else target.thread_gain,
        ),
        between_machines=f"computation {factor:.3g} x as fast on {target.name} as on {source.name} ({by}), within "
        f"{units.percent(min(1.0, spread))}",
        doubts=[*dict.fromkeys(filter(None, map(disturbance, (source, target))))]
        + [
            f"the trace was recorded on {name}, and {source.name} has {source.processor}, so the computation may be scaled "
            "from another processor than the program's"
            for name in trace.metadata.processors()
            if not same_model(name, source.processor)
        ],
    )


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
