"""`linkworth study`: run a study file, show its progress, resume it."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import rich_click as click

from linkworth.cli import study_report
from linkworth.cli.group import VerbGroup
from linkworth.cli.output import D, answer, emit_json, json_option
from linkworth.places.kinds import forms, one_of

if TYPE_CHECKING:
    from linkworth.study.store import Store

_FOLDER = click.Path(path_type=Path, file_okay=False)
_TARGET = click.argument("target", type=click.Path(path_type=Path), metavar="FOLDER|FILE")
_SCALE_OF_TARGET = click.option(
    "--scale", default="", metavar="NAME", help="Of a study file: the folder of the study at that scale."
)
_MAX_PARALLEL = click.option(
    "--max-parallel",
    type=click.IntRange(min=1),
    metavar="K",
    help="Batch jobs (submitted as job arrays) or predictions at a time.",
)
_REDO_FAILED = click.option(
    "--redo-failed", is_flag=True, help="Make runs that failed or were not verified once more."
)
_ACCEPT_CHANGES = click.option(
    "--accept-changes", is_flag=True, help="Follow a study file that has changed since the study was begun."
)


@click.group(cls=VerbGroup)
def command() -> None:
    """Run a matrix of programs, environments and repetitions from one file. An interrupted study resumes."""


@command.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--scale", default="", metavar="NAME", help="Run the study as [scale.NAME] of the file has it.")
@click.option(
    "--where",
    default="",
    metavar="PLACE",
    help=f"Run everything there, in place of the file's places: {one_of(forms())}.",
)
@click.option(
    "--folder", type=_FOLDER, help="Folder of the results.  [default: NAME.study or NAME-SCALE.study]"
)
@click.option(
    "--filter",
    "filters",
    multiple=True,
    metavar="EXPR",
    help="Only runs that fit: 'workload=npb:ft.* environment=gbe,fdr repetition=0', or a variable's name. May be repeated.",
)
@_MAX_PARALLEL
@_REDO_FAILED
@_ACCEPT_CHANGES
@click.option(
    "--dry-run", is_flag=True, help="Show the runs in their order and their commands, and run nothing."
)
@json_option("study-status/1 or linkworth.study-plan")
def run(
    file: Path,
    scale: str,
    where: str,
    folder: Path | None,
    filters: tuple[str, ...],
    max_parallel: int | None,
    redo_failed: bool,
    accept_changes: bool,
    dry_run: bool,
    as_json: bool,
) -> int:
    """Run a study file, or only the missing runs if it was begun before.

    FILE may be the name of a study that comes with linkworth (`linkworth study list`), such as `first`.

    Exit code 0: all runs are done. 1: some failed or are not verified. 2: the file or the folder cannot be used. 4: stopped
    before the end; `study resume` goes on.
    """
    from linkworth.study import resume as taking_up
    from linkworth.study.definition.shipped_files import study_file

    file = study_file(file)
    if dry_run:
        from linkworth.cli.study_commands import command_of
        from linkworth.cli.study_screen import plan_table
        from linkworth.study.plan import plan_of

        plan = plan_of(file, folder=folder, scale=scale, where=where, filters=filters, command_of=command_of)
        _show(plan, as_json, plan_table)
        return 0
    store = taking_up.begin(
        file, folder=folder, scale=scale, where=where, filters=filters, accept_changes=accept_changes
    )
    return _run(store, filters, max_parallel, redo_failed=redo_failed, as_json=as_json)


@command.command()
@_TARGET
@_SCALE_OF_TARGET
@_MAX_PARALLEL
@_REDO_FAILED
@_ACCEPT_CHANGES
@json_option("study-status")
def resume(
    target: Path, scale: str, max_parallel: int | None, redo_failed: bool, accept_changes: bool, as_json: bool
) -> int:
    """Make the missing runs of a study. Finished runs stay; a run that was cut off starts again.

    The exit codes are those of `study run`.
    """
    from linkworth.study import resume as taking_up
    from linkworth.study.definition import shipped_files
    from linkworth.study.store import find

    store = taking_up.resume(find(shipped_files.target(target), scale), accept_changes=accept_changes)
    return _run(store, (), max_parallel, redo_failed=redo_failed, as_json=as_json)


@command.command()
@_TARGET
@_SCALE_OF_TARGET
@json_option("study-status")
def status(target: Path, scale: str, as_json: bool) -> int:
    """Show the progress of a study, finished or running.

    Exit code 0: all runs are done. 1: some failed or are not verified. 4: some are not done yet.
    """
    from linkworth.cli.study_screen import status_lines
    from linkworth.study.definition import shipped_files
    from linkworth.study.status import status_of
    from linkworth.study.store import Store, find

    found = status_of(Store(find(shipped_files.target(target), scale)))
    _show(found, as_json, status_lines)
    return found.exit_code


@command.command("list")
def list_them() -> None:
    """List the studies that come with linkworth: name, title and path. `linkworth study run NAME` runs one."""
    from linkworth.study.definition import shipped_files

    paths = shipped_files.files()
    width = max(map(len, paths))
    for name, title in shipped_files.titles().items():
        answer(f"{name:{width}}  {title}\n{'':{width}}  {paths[name]}")


def _show(document: D, as_json: bool, lines: Callable[[D], Iterable[str]]) -> None:
    if as_json:
        emit_json(document)
    else:
        answer("\n".join(lines(document)))


def _run(
    store: "Store", filters: tuple[str, ...], max_parallel: int | None, *, redo_failed: bool, as_json: bool
) -> int:
    from linkworth.cli.study_screen import StudyProgress, status_lines
    from linkworth.study.runner import run_study

    with StudyProgress() as progress:
        found = run_study(
            store, watch=progress, filters=filters, max_parallel=max_parallel, redo_failed=redo_failed
        )
    _show(found, as_json, status_lines)
    return found.exit_code


command.add_command(study_report.command)
