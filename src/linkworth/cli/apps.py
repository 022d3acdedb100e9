"""`linkworth apps`: the bundled programs."""

import rich_click as click

from linkworth.catalog import apps, documents
from linkworth.cli.catalog_group import catalog_group
from linkworth.cli.catalog_tables import app_details, apps_table
from linkworth.cli.known_name import KnownName
from linkworth.cli.output import json_option, show

command = catalog_group(
    "apps",
    "Bundled programs: list them (the default) or show one.",
    "List the bundled programs.",
    documents.apps_document,
    apps_table,
)


@command.command("show")
@click.argument("name", type=KnownName("apps"))
@json_option("app")
def show_command(name: str, as_json: bool) -> None:
    """Show the program NAME (npb:ft, stencil): classes or argument, options, rank counts and how to record it."""
    show(documents.AppDocument(app=apps.get(name)), as_json, lambda document: app_details(document.app))
