"""`linkworth study report`: tables and figures of a study."""

from pathlib import Path

import rich_click as click

from linkworth.cli.output import OutputFile, OutputFolder, answer, console, emit_json, json_option, note
from linkworth.units import plural

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
@json_option("study-report")
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
    from linkworth.report.study.request import report_of

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
        answer(f"{written.folder}: {plural(len(written.files), 'file')} of tables and figures")
        for sentence in written.changes:
            answer(sentence)
        if written.published is not None:
            from linkworth.cli.published_table import published_table

            console().print(published_table(written.published))
    for warning in written.warnings:
        note(f"linkworth: {warning}")
    return 0
