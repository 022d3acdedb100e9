"""Recording of a skeleton at a user's request."""

from collections.abc import Sequence
from pathlib import Path

from linkworth.model.trace import TraceSummary
from linkworth.model.workload import Workload
from linkworth.skeleton.program import check, parse
from linkworth.skeleton.progress import SILENT, StepProgress
from linkworth.skeleton.rates import RateRequest, rates_for
from linkworth.skeleton.record import record_skeleton
from linkworth.trace.record import default_output


def record_on_request(
    command: Sequence[str],
    ranks: int | None,
    rates: RateRequest,
    output: Path | None,
    *,
    replace: bool = False,
    progress: StepProgress = SILENT,
) -> TraceSummary:
    """Record the skeleton of a bundled program; without `output`, under its name and rank count in this folder.

    Invalid requests are refused before anything is timed. Raises UsageError, EnvironmentLacksError.
    """
    program = parse(command)
    count = check(program, ranks)
    source = rates_for(program, rates, count, progress=progress)
    target = output or default_output(Workload(name=program.workload, command=program.command, ranks=count))
    return record_skeleton(program, count, source, target, replace=replace, progress=progress)
