"""`linkworth study report`: tables and figures of a study."""

from pathlib import Path

import rich_click as click
from rich.console import Group, RenderableType
from rich.text import Text

from linkworth.cli.output import OutputFile, OutputFolder, answer, console, emit_json, note
from linkworth.cli.table import Table
from linkworth.report.study.published import PaperBeside
from linkworth.report.study.sections.published import difference, summary, value, verdict


def published_table(paper: PaperBeside) -> RenderableType:
    """Return a line for each number, a line for each conclusion, and a sentence for each miss."""
    parts: list[RenderableType] = [Text(f"\nCompared with the paper: {summary(paper)}", style="bold")]
    numbers = [
        [
            f"{number.what} [{number.unit}]" if number.unit else number.what,
            value(number.paper),
            value(number.ours),
            difference(number),
        ]
        for number in paper.numbers
        if number.ours is not None
    ]
    if numbers:
        parts.append(Table(["number~", "paper>", "ours>", "difference>"], numbers))
    if paper.conclusions:
        conclusions = [[each.what, verdict(each), each.shown] for each in paper.conclusions]
        parts.append(Table(["conclusion~", "reached", "ours~"], conclusions))
    misses = [(number.what, number.miss) for number in paper.numbers if number.miss]
    misses += [(conclusion.what, conclusion.miss) for conclusion in paper.conclusions if conclusion.miss]
    parts += [Text(f"{what}: {miss}") for what, miss in misses]
    return Group(*parts)


_FORMATS = ["csv", "parquet", "latex", "svg", "png", "pdf"]


@click.command("report")
@click.argument("target", type=click.Path(path_type=Path), metavar="FOLDER|FILE")
@click.option(
    "--scale", default="", metavar="NAME", help="Of a study file: the folder of the study at that scale."
)
@click.option(
    "-o",
    "output",
    type=OutputFolder(),
    metavar="DIR",
    help="Folder for tables and figures.  [default: report in the study's folder]",
)
@click.option(
    "--html",
    type=OutputFile(),
    metavar="FILE",
    help="The page.  [default: report.html in the folder of tables and figures]",
)
@click.option(
    "--against",
    type=click.Path(path_type=Path),
    metavar="FOLDER|FILE",
    help="Another study, the baseline of a comparison cell by cell.",
)
@click.option(
    "--format",
    "formats",
    multiple=True,
    type=click.Choice(_FORMATS),
    metavar="FORMAT",
    help=f"Write tables and figures in this format only: {', '.join(_FORMATS)}; repeatable.  [default: all]",
)
@click.option(
    "--no-profiles",
    is_flag=True,
    help="Omit the profiles of the traces, which take minutes for large ones, and with them the groups.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document (linkworth.study-report/1).")
def command(
    target: Path,
    scale: str,
    output: Path | None,
    html: Path | None,
    against: Path | None,
    formats: tuple[str, ...],
    no_profiles: bool,
    as_json: bool,
) -> int:
    """Write the report of a study, complete or not: one HTML page, and a file for each table and figure.

    Tables are CSV, Parquet and LaTeX, figures SVG, PNG and PDF. With --against, rows of the two studies are joined by
    workload and environment. Failed runs are listed, but enter no mean.
    """
    from linkworth.cli.steps import Steps
    from linkworth.report.study.of_folder import report_of

    with Steps() as steps:
        written = report_of(
            target,
            scale=scale,
            folder=output,
            html=html,
            against=against,
            formats=list(formats) or _FORMATS,
            make_profiles=not no_profiles,
            progress=steps,
        )
    if as_json:
        emit_json(written)
    else:
        answer(f"{written.path}: {', '.join(written.sections)}")
        answer(f"{written.folder}: {len(written.files)} files of tables and figures")
        for sentence in written.changes:
            answer(sentence)
        if written.published is not None:
            console().print(published_table(written.published))
    for warning in written.warnings:
        note(f"linkworth: {warning}")
    return 0
