"""Chooses the source of a skeleton's computation times."""

import math
import shlex

import msgspec

from linkworth import units
from linkworth.catalog import apps as app_catalog
from linkworth.catalog import machines
from linkworth.catalog import rates as reference_rates
from linkworth.errors import EnvironmentLacksError, UsageError
from linkworth.model.machine import KernelTime, Machine
from linkworth.model.rates import PhaseTimes, RateSource
from linkworth.mpi import apps
from linkworth.skeleton.calibrate import phase_times
from linkworth.skeleton.program import Program, operations, parse, work
from linkworth.skeleton.progress import SILENT, StepProgress

REFERENCE_MACHINE = "xeon-e5-2650v3-x2"
"""Machine whose core has cpu_factor 1 by definition and a published core_speed."""

LARGE_SPREAD = 0.1
"""Suspicious spread: repetitions of a run with a core to itself differ by some hundredths."""
IDLE_CORE = 0.15
"""Idle part of a core, of the whole machine, below which a run of one rank may have had to wait for its core."""


class RateRequest(msgspec.Struct, frozen=True, kw_only=True):
    """Options on the computation's speed; without any, a run here is timed."""

    calibrate_with: str | None = None
    """Class of the run to time: `W`."""
    anew: bool = False
    """Time that run again although an earlier result exists."""
    machine: str | None = None
    """A machine of the catalog, or its file."""
    recorded_on: str | None = None
    """The machine of a trace, whose computation is scaled to `machine`."""
    mpi: str | None = None
    """MPI of the run."""

    @property
    def option(self) -> str | None:
        """The first of these options that was given, else None."""
        given = {
            "`machine`": self.machine is not None and self.recorded_on is None,
            "`calibrate_with`": self.calibrate_with is not None,
            "`calibrate_anew`": self.anew,
        }
        return next((name for name, is_given in given.items() if is_given), None)


def rates_for(
    program: Program,
    request: RateRequest,
    ranks: int = 1,
    *,
    scaled: bool = False,
    progress: StepProgress = SILENT,
) -> RateSource:
    """Return the seconds of each phase's operations, and on a known machine what `ranks` ranks demand of its memory.

    `scaled`: a measured time will scale the whole, so only the proportions of the phases matter; the reference core's
    are used by default. Such a time contains what its ranks wait for memory. Raises UsageError for unusable options, and
    EnvironmentLacksError if no run can be timed here.
    """
    if request.recorded_on is not None:
        raise UsageError(
            f"`recorded_on` {request.recorded_on}: {program.workload} is not recorded; leave it out"
        )
    if request.machine is not None and request.calibrate_with is not None:
        raise UsageError("give either `machine` or `calibrate_with`: each sets the speed of the computation")
    if request.anew and request.machine is not None:
        raise UsageError(
            "`calibrate_anew` times a run here, and `machine` takes a speed of the catalog: give one of them"
        )
    if request.machine is not None:
        machine = machines.get(request.machine)
        rates = _of_machine(program, machine)
        demands = [] if scaled else _memory_demands(program, machine, rates, ranks)
        if not demands:
            return rates
        return msgspec.structs.replace(
            rates, memory_demands=demands, description=f"{rates.description}, and its memory"
        )
    if request.calibrate_with is None and not request.anew and scaled:
        return _reference(program)
    smaller = parse(
        apps.resized(program.workload, request.calibrate_with)
        if request.calibrate_with is not None
        else shlex.split(app_catalog.get(program.workload).calibration)
    )
    operations(smaller)  # raises its own error for an unknown class, before anything is built or run
    times = phase_times(smaller.command, request.mpi, progress, anew=request.anew)
    return of_run(smaller, times)


def of_run(timed: Program, times: PhaseTimes) -> RateSource:
    """Return the rates of a timed run.

    Together they take the whole timed region, without the phases that have no work on one rank: exchanges, which the
    replay times. Time outside all phases is spread over the others. If such a phase has work on more ranks (packing
    of messages), its operations take the average of the others. Raises EnvironmentLacksError if the run's phases
    differ from the skeleton's, as in another version.
    """
    counted = operations(timed)
    missing = [phase for phase in counted if phase not in times.phases]
    busy = {phase: count for phase, count in counted.items() if count > 0}
    in_phases = sum(times.phases.get(phase, 0.0) for phase in busy)
    if missing or in_phases <= 0:
        raise EnvironmentLacksError(
            f"the timed run of {times.workload} does not report the time of its phases "
            f"{', '.join(missing or counted)}; choose a larger class with `calibrate_with`"
        )
    idle = sum(seconds for phase, seconds in times.phases.items() if phase not in busy)
    computing = max(times.seconds - idle, in_phases)
    stretch = computing / in_phases
    mean = computing / sum(busy.values())
    return RateSource(
        method="run",
        description=(
            f"computation as fast as on this machine, where {times.workload} on 1 rank took {units.duration(times.seconds)} "
            f"({times.mpi}, {_when_and_how(times)})"
        ),
        seconds_per_operation={
            phase: times.phases[phase] * stretch / count if count > 0 else mean
            for phase, count in counted.items()
        },
        workload=times.workload,
        seconds=times.seconds,
        date=times.date,
        quality=times.quality,
        warning=_doubt(times),
    )


def _when_and_how(times: PhaseTimes) -> str:
    found = times.quality
    if found is None:
        return f"{times.date}; how busy the machine was then is not known"
    when = found.time.replace("T", " ").replace("Z", " UTC")
    busy = (
        f", {found.busy_cores:.1f} of {units.plural(found.cores, 'core')} busy"
        if found.busy_cores is not None
        else ""
    )
    return (
        f"{when}, {units.plural(found.repetitions, 'repetition')} within {units.percent(found.spread)}{busy}"
    )


def _doubt(times: PhaseTimes) -> str:
    """Return why other programs may have slowed a timed run, with advice; "" without any sign."""
    found = times.quality
    if found is None:
        return ""
    causes = []
    if found.spread > LARGE_SPREAD:
        causes.append(f"its repetitions differ by {units.percent(found.spread)}")
    if found.busy_cores is not None and found.cores > 1 and found.busy_cores > found.cores - IDLE_CORE:
        causes.append(
            f"{found.busy_cores:.1f} of the machine's {found.cores} cores were busy meanwhile, where 1 is its own"
        )
    if not causes:
        return ""
    return (
        f"the computation may be predicted too slow: {times.workload} was timed while others used the machine "
        f"({' and '.join(causes)}); time it again when the machine is quiet"
    )


def _reference(program: Program, speed: float = 1.0) -> RateSource:
    table = reference_rates.reference()
    found = reference_rates.of_program(program.name)
    missing = [phase for phase in program.phases if phase not in found.seconds_per_operation]
    if missing:
        raise UsageError(
            f"the reference times of {program.name} lack its phases {', '.join(missing)}; "
            "time a smaller run of it here with `calibrate_with` CLASS"
        )
    return RateSource(
        method="reference",
        description=(
            f"computation of the phases in the proportions of {found.workload} on one core of {table.processor} "
            f"({table.date}), the whole scaled to the measured time"
        ),
        seconds_per_operation={phase: found.seconds_per_operation[phase] / speed for phase in program.phases},
        workload=found.workload,
        seconds=found.seconds,
        date=table.date,
    )


def reference_seconds(workload: str) -> float:
    """Return the time of a bundled program on one rank by the shipped rates."""
    program = parse([workload])
    known = reference_rates.of_program(program.name).seconds_per_operation
    return sum(count * known[phase] for phase, count in operations(program).items())


def _timed_there(program: Program, machine: Machine) -> KernelTime | None:
    """Return the program's time on the machine, if it was measured there with the phases that the program has now."""
    return next(
        (
            each
            for each in machine.kernels
            if each.program == program.name and each.seconds_per_operation.keys() >= set(program.phases)
        ),
        None,
    )


def disturbance(machine: Machine) -> str:
    """Return a sentence if other programs disturbed the measurement of a machine, else ""."""
    if not machine.disturbed:
        return ""
    return (
        f"{machine.name} may be faster than its file: {machine.disturbed}; measure it again when it is quiet"
    )


def _of_machine(program: Program, machine: Machine) -> RateSource:
    known = _timed_there(program, machine)
    if known is not None:
        return RateSource(
            method="run",
            description=f"computation as fast as on a core of {machine.name}, where {known.workload} on 1 rank took "
            f"{units.duration(known.seconds)}; the ranks of a node share its {units.plural(machine.cores_per_node, 'core')}",
            seconds_per_operation={phase: known.seconds_per_operation[phase] for phase in program.phases},
            workload=known.workload,
            seconds=known.seconds,
            machine=machine.name,
            cores_per_node=machine.cores_per_node,
            thread_gain=machine.thread_gain,
            memory_bytes_per_second=machine.memory_bytes_per_second,
            warning=disturbance(machine),
        )
    speed, how = machine.core_speed, "from a published time"
    if speed is None:
        base = machines.get(REFERENCE_MACHINE)
        speed = (base.core_speed or 1.0) * machine.cpu_factor
        how = (
            f"not measured, but taken as {machine.cpu_factor:g} x that of {REFERENCE_MACHINE}; "
            "a measured time gives a better prediction"
        )
    reference = _reference(program, speed)
    processor = reference_rates.reference().processor
    cores = units.plural(machine.cores_per_node, "core")
    gain = f", each with {machine.thread_gain:g} x the speed for two ranks" if machine.thread_gain > 1 else ""
    return msgspec.structs.replace(
        reference,
        method="machine",
        machine=machine.name,
        cores_per_node=machine.cores_per_node,
        thread_gain=machine.thread_gain,
        memory_bytes_per_second=machine.memory_bytes_per_second,
        cores_on_memory=_cores_on_memory(machine),
        description=(
            f"computation as fast as a core of {machine.name}: {units.significant(speed)} x one core of {processor} ({how}), "
            f"on which {reference.workload} was timed ({reference.date}); the ranks of a node share its {cores}{gain}"
        ),
        warning=disturbance(machine),
    )


def _memory_demands(
    program: Program, machine: Machine, rates: RateSource, ranks: int
) -> list[tuple[int, float]]:
    """Return the memory traffic of a rank that computes alone, by the ranks on its node.

    If the machine ran a copy of the program on each core, their slowdown gives it for any number of ranks. Otherwise it is
    counted for every number that even layouts have, with the rank's share of the caches.
    """
    if machine.memory_bytes_per_second is None:
        return []
    known = _timed_there(program, machine)
    if known is not None:
        slowdown = known.seconds_on_all_cores / known.seconds
        demand = machine.memory_bytes_per_second * slowdown / machine.cores_per_node
        return [(1, demand)] if slowdown > 1 else []
    if machine.cache_bytes_per_node is None:
        return []
    found: list[tuple[int, float]] = []
    for on_a_node in sorted({math.ceil(ranks / nodes) for nodes in range(1, ranks + 1)}):
        sharers = max(machine.sockets_per_node, on_a_node)
        counted, moved = work(program, ranks, ranks // 2, machine.cache_bytes_per_node / sharers)
        seconds = sum(count * rates.seconds_per_operation[phase] for phase, count in counted.items())
        demand = moved / seconds if moved > 0 else 0.0
        if not found or demand != found[-1][1]:
            found.append((on_a_node, demand))
    return found if found[-1][1] > 0 else []


def _cores_on_memory(machine: Machine) -> float | None:
    """Return the number of copying cores that take a node's memory bandwidth; each copied byte is read and written."""
    if machine.memory_bytes_per_second is None or machine.copy_bytes_per_second is None:
        return None
    return max(1.0, machine.memory_bytes_per_second / (2 * machine.copy_bytes_per_second))
