"""`linkworth apps`: the bundled programs."""

import rich_click as click

from linkworth.catalog import apps, documents
from linkworth.cli.catalog_tables import app_details, apps_table
from linkworth.cli.output import console, emit_json


@click.group(invoke_without_command=True)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document (linkworth.apps/1).")
@click.pass_context
def command(ctx: click.Context, as_json: bool) -> None:
    """Bundled programs: list them (the default) or show one."""
    if ctx.invoked_subcommand is None:
        _list(as_json)


@command.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document (linkworth.apps/1).")
def list_command(as_json: bool) -> None:
    """List the bundled programs."""
    _list(as_json)


@command.command("show")
@click.argument("name")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document (linkworth.app/1).")
def show_command(name: str, as_json: bool) -> None:
    """Show the program NAME (npb:ft, stencil): classes or argument, options, rank counts and how to record it."""
    app = apps.get(name)
    if as_json:
        emit_json(documents.AppDocument(app=app))
    else:
        console().print(app_details(app))


def _list(as_json: bool) -> None:
    document = documents.apps_document()
    if as_json:
        emit_json(document)
    else:
        console().print(apps_table(document))
