"""`linkworth allocate`: assignment of a queue of programs to nodes."""

from pathlib import Path
from typing import cast

import rich_click as click

from linkworth.advise.allocate.run import allocate
from linkworth.advise.allocate.solve import SLOTS, TIME_LIMIT_SECONDS, Search
from linkworth.advise.allocate.submit import job_submit, sbatch_lines
from linkworth.cli.allocation_table import allocation_table
from linkworth.cli.damage_option import damage_option
from linkworth.cli.number import Number
from linkworth.cli.output import answer, console, emit_json, json_option, note, warn
from linkworth.cli.rate_options import rate_options
from linkworth.cli.steps import Steps
from linkworth.model.allocation import AllocationGoal
from linkworth.model.number_range import BUDGET_USD, NumberRange
from linkworth.skeleton.rates import RateRequest
from linkworth.trace.read import Allowance


@click.command()
@click.argument("queue_file", type=click.Path(path_type=Path), metavar="QUEUE.toml")
@click.option(
    "--goal",
    type=click.Choice(["cost", "makespan"]),
    help="What to minimise.  [default: the file's, else cost]",
)
@click.option(
    "--budget",
    type=Number(BUDGET_USD),
    metavar="USD",
    help="Limit of the cost of all runs.  [default: the file's]",
)
@click.option(
    "--as",
    "form",
    type=click.Choice(["sbatch", "job_submit"]),
    help="Print sbatch lines, or a job_submit.lua for Slurm, instead of the tables.",
)
@click.option(
    "--slots",
    type=click.IntRange(min=10, max=2000),
    default=SLOTS,
    show_default=True,
    metavar="N",
    help="Slots of time: more slots give closer bounds and take longer.",
)
@click.option(
    "--time-limit",
    type=Number(NumberRange(least=0.1, most=1e6)),
    default=TIME_LIMIT_SECONDS,
    show_default=True,
    metavar="SECONDS",
    help="For each integer program; then the best schedule so far counts.",
)
@click.option(
    "--network-state",
    "state",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Measured utilisation of links (.toml or .csv); predictions take the busiest of each kind of nodes.",
)
@rate_options
@damage_option("allocation", lambda _: {"choices": [], "placements": []})
@json_option("allocation")
def command(
    queue_file: Path,
    goal: str | None,
    budget: float | None,
    form: str | None,
    slots: int,
    time_limit: float,
    state: Path | None,
    rates: RateRequest,
    allowed: Allowance | None,
    as_json: bool,
) -> int:
    """Schedule the programs of a queue on a limited number of nodes, for the least cost or the earliest end.

    QUEUE.toml names kinds of nodes ([[nodes]]: fabric, count, cores, price) and programs ([[programs]]: a trace or a bundled
    program, how often it runs, its deadline). Times are predicted, costs follow, and an integer program (HiGHS) finds the
    schedule within budget and deadlines. If there is none, the exit code is 1 and a sentence names the limit.
    """
    if as_json and form is not None:
        raise click.UsageError(f"--json and --as {form}: give one of them")
    with Steps() as steps:
        queue, allocation = allocate(
            queue_file,
            goal=cast(AllocationGoal | None, goal),
            budget=budget,
            search=Search(slots, time_limit),
            state=state,
            rates=rates,
            allowed=allowed,
            progress=steps,
        )
    warn(allocation.warnings)
    for name, source in allocation.rates.items():
        note(f"linkworth: {name}: {source.description}")
    if as_json:
        emit_json(allocation)
    elif form is None or not allocation.choices:
        console().print(allocation_table(allocation))
    elif form == "sbatch":
        answer("\n".join(sbatch_lines(queue, allocation)))
    else:
        answer(job_submit(queue, allocation))
    return 0 if allocation.choices else 1
