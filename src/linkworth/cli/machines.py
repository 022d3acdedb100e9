"""`linkworth machines`: the known machines."""

import rich_click as click

from linkworth.catalog import documents, machines
from linkworth.cli.catalog_group import catalog_group, json_option, show
from linkworth.cli.catalog_tables import machine_details, machines_table

command = catalog_group(
    "machines",
    "Known machines: list them (the default) or show one.",
    "List the machines.",
    documents.machines_document,
    machines_table,
)


@command.command("show")
@click.argument("name")
@json_option("machine")
def show_command(name: str, as_json: bool) -> None:
    """Show the machine NAME and the sources of its numbers."""
    document = documents.MachineDocument(machine=machines.get(name))
    show(document, as_json, lambda document: machine_details(document.machine))
