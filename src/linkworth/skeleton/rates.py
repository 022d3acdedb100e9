"""Chooses where the computation of a skeleton gets its time from."""

import shlex

import msgspec

from linkworth.catalog import apps as app_catalog
from linkworth.catalog import machines
from linkworth.catalog import rates as reference_rates
from linkworth.errors import EnvironmentLacksError, UsageError
from linkworth.model.machine import Machine
from linkworth.model.rates import PhaseTimes, RateSource
from linkworth.mpi import apps
from linkworth.skeleton.calibrate import phase_times
from linkworth.skeleton.program import Program, operations, parse
from linkworth.skeleton.progress import Progress, Silence

REFERENCE_MACHINE = "xeon-e5-2650v3-x2"
"""Its core has cpu_factor 1 by definition, and its core_speed is published."""


class RateRequest(msgspec.Struct, frozen=True, kw_only=True):
    """What the user said of the computation's speed; nothing means a run here."""

    calibrate_with: str | None = None
    """Class of the run to time: `W`."""
    machine: str | None = None
    """A machine of the catalog."""
    mpi: str | None = None
    """The MPI to run with."""


def rates_for(
    program: Program, request: RateRequest, *, scaled: bool = False, progress: Progress | None = None
) -> RateSource:
    """Return the seconds of each phase's operations.

    `scaled`: a measured time will scale the whole, so that the reference core's proportions of the phases do, unless the
    user asks for others. Raises UsageError for what cannot be used, EnvironmentLacksError where no run can be timed here.
    """
    if request.machine is not None and request.calibrate_with is not None:
        raise UsageError("give either --machine or --calibrate-with: each says how fast the computation is")
    if request.machine is not None:
        return _of_machine(program, machines.get(request.machine))
    if request.calibrate_with is None and scaled:
        return _reference(program)
    smaller = parse(
        apps.resized(program.workload, request.calibrate_with)
        if request.calibrate_with is not None
        else shlex.split(app_catalog.get(program.workload).calibration)
    )
    operations(smaller)  # says by itself that there is no such class, before anything is built or run
    times = phase_times(smaller.command, request.mpi, progress or Silence())
    return of_run(smaller, times)


def of_run(timed: Program, times: PhaseTimes) -> RateSource:
    """Return the rates that a timed run gives.

    Together they take its whole timed region without the phases that have no work on one rank (exchanges, which the replay
    times): what lies outside all phases is spread over the others. Where such a phase has work on more ranks (packing of
    messages), an operation takes what it does in the others on the average. Raises EnvironmentLacksError where the
    run's phases are not the skeleton's, as those of another version.
    """
    counted = operations(timed)
    missing = [phase for phase in counted if phase not in times.phases]
    busy = {phase: count for phase, count in counted.items() if count > 0}
    in_phases = sum(times.phases.get(phase, 0.0) for phase in busy)
    if missing or in_phases <= 0:
        raise EnvironmentLacksError(
            f"the timed run of {times.workload} does not tell the time of its phases "
            f"{', '.join(missing or counted)}; choose a larger class with --calibrate-with"
        )
    idle = sum(seconds for phase, seconds in times.phases.items() if phase not in busy)
    computing = max(times.seconds - idle, in_phases)
    stretch = computing / in_phases
    mean = computing / sum(busy.values())
    return RateSource(
        method="run",
        description=(
            f"computation as fast as on this machine, where {times.workload} on 1 rank took {times.seconds:.3g} s "
            f"({times.mpi}, {times.date})"
        ),
        seconds_per_operation={
            phase: times.phases[phase] * stretch / count if count > 0 else mean
            for phase, count in counted.items()
        },
        workload=times.workload,
        seconds=times.seconds,
        date=times.date,
    )


def _reference(program: Program, speed: float = 1.0) -> RateSource:
    table = reference_rates.reference()
    found = reference_rates.of_program(program.name)
    missing = [phase for phase in program.phases if phase not in found.seconds_per_operation]
    if missing:
        raise UsageError(
            f"the reference times of {program.name} lack its phases {', '.join(missing)}; "
            "let a smaller run of it here be timed instead: --calibrate-with CLASS"
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


def _of_machine(program: Program, machine: Machine) -> RateSource:
    speed, how = machine.core_speed, "from a published time"
    if speed is None:
        base = machines.get(REFERENCE_MACHINE)
        speed = (base.core_speed or 1.0) * machine.cpu_factor
        how = (
            f"not measured, but taken as {machine.cpu_factor:g} x that of {REFERENCE_MACHINE}: "
            "measure there and give --measured for better"
        )
    reference = _reference(program, speed)
    processor = reference_rates.reference().processor
    return msgspec.structs.replace(
        reference,
        method="machine",
        machine=machine.name,
        description=(
            f"computation as fast as a core of {machine.name}: {speed:.3g} x one core of {processor} ({how}), "
            f"on which {reference.workload} was timed ({reference.date})"
        ),
    )
