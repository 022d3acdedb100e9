"""`linkworth trace`: run a program and record it."""

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import rich_click as click

from linkworth.cli.given import refuse
from linkworth.cli.launching import LaunchCommand, exit_code, launch_options, show_plan, stdin_is_given
from linkworth.cli.output import (
    PROGRAM_TO_STDERR,
    OutputFile,
    answer_to_stderr,
    console,
    emit_json,
    json_option,
    news,
    note,
    require_new,
    warn,
)
from linkworth.cli.place_options import place_options, ranks_in
from linkworth.cli.rate_options import rate_options, say_rates
from linkworth.cli.steps import Steps
from linkworth.cli.watch import TerminalWatch
from linkworth.errors import UsageError
from linkworth.model.place import Place
from linkworth.units import plural

if TYPE_CHECKING:
    from linkworth.skeleton.rates import RateRequest

SHOWN_DAMAGE = 3
_OF_A_RUN = (*place_options.parameters, "dry_run", "timeout")
"""Parameters for running a program."""


@click.command(cls=LaunchCommand, context_settings={"allow_interspersed_args": False})
@click.option(
    "-o",
    "--output",
    type=OutputFile(),
    metavar="FILE",
    help="The trace to write.  [default: <program>-<ranks>.lwt in this folder, numbered where that exists]",
)
@click.option("--force", is_flag=True, help="Replace the trace that -o names.")
@click.option(
    "--merge",
    "parts",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    metavar="FOLDER",
    help="Run nothing: merge the parts that an earlier recording had to leave in this folder.",
)
@click.option(
    "--skeleton",
    is_flag=True,
    help="Run nothing: record the communication of a bundled program as it is and count its computation, so that any class on "
    "any number of ranks (-n) takes seconds and the memory of one rank.",
)
@click.option(
    "--exact",
    is_flag=True,
    help="Keep the times as the clock gave them; without it they are rounded to 32 ns, and the trace is a third smaller.",
)
@rate_options
@place_options
@launch_options
@json_option("trace", PROGRAM_TO_STDERR)
def command(
    output: Path | None,
    force: bool,
    parts: Path | None,
    skeleton: bool,
    exact: bool,
    rates: "RateRequest",
    place: Place,
    ranks: int | None,
    mpi: str | None,
    timeout: float | None,
    dry_run: bool,
    as_json: bool,
    command: tuple[str, ...],
) -> int:
    """Run an MPI program (after `--`), a bundled one such as `npb:ft.W`, or a whole mpirun/srun command, and record it.

    The program is neither recompiled nor relinked. The trace is kept however the program ends.

    Exit code 0: it ran, and any verification was right. 1: it failed. 2: it cannot be recorded like this. 3: this machine
    lacks something. 4: it was stopped (time limit, signal), and the trace contains everything until then.
    """
    from linkworth.measure import plan
    from linkworth.measure.open_place import open_place
    from linkworth.skeleton.request import record_on_request
    from linkworth.trace import record

    if output:
        require_new(output, force=force)
    if not skeleton:
        refuse(rate_options.parameters, "it sets the speed of a skeleton's computation; add --skeleton")
    if skeleton:
        refuse((*_OF_A_RUN, "parts", "exact"), "--skeleton runs nothing; leave it out")
    if parts:
        if command:
            raise UsageError(f"{command[0]}: --merge runs nothing; leave the program out")
        refuse((*_OF_A_RUN, "ranks", "mpi"), "--merge runs nothing; leave it out")
    if skeleton:
        rates = msgspec.structs.replace(rates, mpi=mpi)
        with Steps() as steps:
            summary = record_on_request(command, ranks, rates, output, replace=force, progress=steps)
    elif parts:
        summary = record.merge_folder(
            parts, output or Path(parts.name).with_suffix(".lwt"), replace=force, exact=exact
        )
    else:
        with open_place(place, say=news) as opened:
            workload = plan.workload(command, ranks_in(place, ranks), opened)
            if dry_run:
                return show_plan(workload, mpi, opened, as_json, "linkworth.trace-plan/1")
            watch = TerminalWatch(
                f"recording {workload.name}", output_to_stderr=as_json or answer_to_stderr()
            )
            wanted = output or record.default_output(workload)
            summary = record.record(plan.plan(workload, mpi, opened), output=wanted, timeout=timeout, watcher=watch,
                                    inherit_stdin=stdin_is_given(), replace=force, exact=exact)  # fmt: skip
        watch.clear()
        if Path(summary.path) != wanted:
            note(f"linkworth: {wanted} exists, so this trace is {summary.path}")
    say_rates(summary.rates)
    if summary.rates is not None and summary.rates.warning:
        warn([summary.rates.warning])
    if as_json:
        emit_json(summary)
    else:
        verdict = {True: ", verified", False: ", NOT VERIFIED", None: ""}[summary.verified]
        console().print(
            f"{summary.path}: {summary.workload} on {plural(summary.ranks, 'rank')}, {plural(summary.events, 'event')}, "
            f"{plural(summary.bytes, 'byte')}{verdict}"
        )
    for sentence in summary.damage[:SHOWN_DAMAGE]:
        note(f"linkworth: {summary.path}: {sentence}")
    if len(summary.damage) > SHOWN_DAMAGE:
        note(
            f"linkworth: {summary.path}: and {len(summary.damage) - SHOWN_DAMAGE} more like this (all: --json)"
        )
    if summary.state != "complete":
        note(f"linkworth: {summary.workload}: {summary.state}")
    return exit_code(summary.state, summary.verified) or (4 if summary.damage else 0)
