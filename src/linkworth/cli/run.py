"""`linkworth run`: run a program and measure it."""

from collections.abc import Sequence
from pathlib import Path
from statistics import median

import rich_click as click

from linkworth import units
from linkworth.cli.launching import LaunchCommand, exit_code, launch_options, show_plan, stdin_is_given
from linkworth.cli.output import PROGRAM_TO_STDERR, OutputFolder, console, emit_json, json_option, news, note
from linkworth.cli.place_options import place_options, ranks_in
from linkworth.cli.watch import TerminalWatch
from linkworth.errors import UsageError
from linkworth.model.place import Place


@click.command(cls=LaunchCommand, context_settings={"allow_interspersed_args": False})
@click.option(
    "-o",
    "--output",
    type=OutputFolder(),
    metavar="FOLDER",
    help="Folder for result.json and the raw output.  [default: keep no files]",
)
@click.option(
    "--profile",
    is_flag=True,
    help="Sum the time, count and data of the MPI calls in each rank, and print them. Writes no trace.",
)
@click.option(
    "--figures",
    is_flag=True,
    help="Print the result as lines NAME=VALUE UNIT, for ReFrame, Ramble and the like"
    + PROGRAM_TO_STDERR
    + ".",
)
@click.option(
    "--iterations",
    metavar="REGEX",
    help="Take the seconds of each iteration from the program's lines: a regular expression with one group.  "
    "[default: those of the bundled programs and of WRF]",
)
@place_options
@launch_options
@json_option("run/1, or with --profile linkworth.call-profile", PROGRAM_TO_STDERR)
def command(
    output: Path | None,
    profile: bool,
    figures: bool,
    iterations: str | None,
    place: Place,
    ranks: int | None,
    mpi: str | None,
    timeout: float | None,
    dry_run: bool,
    as_json: bool,
    command: tuple[str, ...],
) -> int:
    """Run an MPI program (after `--`), a bundled one such as `npb:ft.W`, or a whole mpirun/srun command, and measure it.

    Exit code 0: it ran, and any verification was right. 1: it failed. 2: it cannot be run like this. 3: this machine lacks
    something. 4: it was stopped (time limit, signal).
    """
    from linkworth.measure import plan, run
    from linkworth.measure.open_place import open_place

    if figures and as_json:
        raise UsageError("--figures and --json are two forms of one answer; give one of them")
    if figures and profile and output is None:
        raise UsageError(
            "--profile: --figures prints no profile; keep that in a folder with -o, or leave one out"
        )
    with open_place(place, say=news) as opened:
        workload = plan.workload(command, ranks_in(place, ranks), opened)
        if dry_run:
            return show_plan(workload, mpi, opened, as_json, "linkworth.run-plan/1")
        watch = TerminalWatch(f"running {workload.name}", output_to_stderr=as_json or figures)
        decided = plan.plan(workload, mpi, opened)
        calls = None
        if profile:
            from linkworth.measure import call_profile

            calls = call_profile.profile(
                decided, timeout=timeout, folder=output, watcher=watch, inherit_stdin=stdin_is_given(), iterations=iterations
            )  # fmt: skip
            result = calls.run
        else:
            result = run.run(
                decided, timeout=timeout, folder=output, watcher=watch, inherit_stdin=stdin_is_given(), iterations=iterations
            )  # fmt: skip
    watch.clear()
    if as_json:
        emit_json(calls or result)
    elif figures:
        from linkworth.measure.figures import figures as figures_of

        for figure in figures_of(result):
            console().print(figure.line)
    else:
        verdict = {True: ", verified", False: ", NOT VERIFIED", None: ""}[result.verified]
        reported = (
            f" (it reports {result.reported_seconds:.6g} s)" if result.reported_seconds is not None else ""
        )
        ranks_text = f" on {units.plural(result.ranks, 'rank')}" if result.ranks else ""
        console().print(
            f"{result.workload}{ranks_text}: {result.state}, {result.seconds:.3f} s{reported}{verdict}"
        )
        if result.iteration_seconds:
            console().print(iterations_line(result.iteration_seconds))
        if calls:
            from linkworth.cli.call_profile_screen import screen

            console().print(screen(calls))
        if output:
            note(f"result in {output / ('profile.json' if calls else 'result.json')}")
    if result.remark:
        note(f"linkworth: {result.workload}: {result.remark}")
    if result.message:
        note(f"linkworth: {result.workload}: {result.message}")
    return exit_code(result.state, result.verified)


def iterations_line(values: Sequence[float]) -> str:
    """Return a line on the length of iterations: the median, the shortest and the longest."""
    return (
        f"{units.plural(len(values), 'iteration')}: median {units.duration(median(values))}, "
        f"from {units.duration(min(values))} to {units.duration(max(values))}"
    )
