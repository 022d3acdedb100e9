"""`linkworth machines`: the known machines."""

import rich_click as click

from linkworth.catalog import documents, machines
from linkworth.cli.catalog_tables import machine_details, machines_table
from linkworth.cli.output import console, emit_json


@click.group(invoke_without_command=True)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document (linkworth.machines/1).")
@click.pass_context
def command(ctx: click.Context, as_json: bool) -> None:
    """Known machines: list them (the default) or show one."""
    if ctx.invoked_subcommand is None:
        _list(as_json)


@command.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document (linkworth.machines/1).")
def list_command(as_json: bool) -> None:
    """List the machines."""
    _list(as_json)


@command.command("show")
@click.argument("name")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document (linkworth.machine/1).")
def show_command(name: str, as_json: bool) -> None:
    """Show the machine NAME and the sources of its numbers."""
    machine = machines.get(name)
    if as_json:
        emit_json(documents.MachineDocument(machine=machine))
    else:
        console().print(machine_details(machine))


def _list(as_json: bool) -> None:
    document = documents.machines_document()
    if as_json:
        emit_json(document)
    else:
        console().print(machines_table(document))
