"""`linkworth demo`: record three programs here and choose a network for each."""

from pathlib import Path

import rich_click as click

from linkworth.cli.output import OutputFile, OutputFolder, answer, console, emit_json, json_option, note


@click.command()
@click.option(
    "--ranks",
    type=click.IntRange(min=1),
    default=16,
    show_default=True,
    metavar="N",
    help="Ranks of each program.",
)
@click.option(
    "-o",
    "--output",
    type=OutputFolder(),
    default=Path("linkworth-demo"),
    show_default=True,
    metavar="FOLDER",
    help="Folder of the traces.",
)
@click.option(
    "--report",
    "page",
    type=OutputFile(),
    metavar="FILE",
    help="HTML page to write.  [default: report.html in the folder]",
)
@click.option(
    "--mpi",
    metavar="NAME",
    help="MPI to use, as `linkworth doctor` names it.  [default: the first that works]",
)
@json_option("demo")
def command(ranks: int, output: Path, page: Path | None, mpi: str | None, as_json: bool) -> int:
    """Run and record NPB EP, FT and CG (classes W and A) here, and predict time and cost on two nodes with four networks.

    Prints the results and writes a page with charts and sliders. Exit code 1: a program or its verification failed.
    """
    from linkworth.cli.steps import Steps
    from linkworth.cli.summary_table import summary_table
    from linkworth.demo.run import Recorder, run
    from linkworth.report.summary import summarise

    with Steps(plain_lines=True) as steps:
        demo, items = run(
            output, page or output / "report.html", ranks=ranks, recorder=Recorder(mpi), progress=steps
        )
    if as_json:
        emit_json(demo)
    else:
        if items:
            console().print(summary_table(summarise(items)))
            answer(f"report: {demo.report}\ntraces: {demo.folder}")
    for failure in demo.failures:
        note(f"linkworth: {failure}")
    return 1 if demo.failures else 0
