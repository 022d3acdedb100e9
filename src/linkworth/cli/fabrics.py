"""`linkworth fabrics`: the known networks."""

import rich_click as click

from linkworth.catalog import documents, fabric_file
from linkworth.cli.catalog_tables import fabric_details, fabrics_table
from linkworth.cli.output import console, emit_json


@click.group(invoke_without_command=True)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document (linkworth.fabrics/1).")
@click.pass_context
def command(ctx: click.Context, as_json: bool) -> None:
    """Known networks: list them (the default), show one, or print the JSON Schema of a fabric file."""
    if ctx.invoked_subcommand is None:
        _list(as_json)


@command.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document (linkworth.fabrics/1).")
def list_command(as_json: bool) -> None:
    """List the fabrics with their latency and bandwidth between two idle nodes."""
    _list(as_json)


@command.command("show")
@click.argument("name")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document (linkworth.fabric/1).")
def show_command(name: str, as_json: bool) -> None:
    """Show the parameters, derived figures and sources of NAME: a fabric, NAMExK for K rails, or a file's path."""
    document = documents.fabric_document(name)
    if as_json:
        emit_json(document)
    else:
        console().print(fabric_details(document))


@command.command("schema")
def schema_command() -> None:
    """Print the JSON Schema of a fabric file."""
    emit_json(fabric_file.schema())


def _list(as_json: bool) -> None:
    document = documents.fabrics_document()
    if as_json:
        emit_json(document)
    else:
        console().print(fabrics_table(document))
