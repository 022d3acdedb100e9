"""`linkworth fabrics`: the known networks."""

import rich_click as click

from linkworth.catalog import documents, fabric_file, fabrics
from linkworth.cli.catalog_group import catalog_group
from linkworth.cli.catalog_tables import fabric_details, fabrics_table
from linkworth.cli.known_name import KnownName
from linkworth.cli.output import emit_json, json_option, show, warn

command = catalog_group(
    "fabrics",
    "Known networks: list them (the default), show one, or print the JSON Schema of a fabric file.",
    "List the fabrics with their latency and bandwidth between two idle nodes.",
    documents.fabrics_document,
    fabrics_table,
)


@command.command("show")
@click.argument("name", type=KnownName("fabrics"))
@json_option("fabric")
def show_command(name: str, as_json: bool) -> None:
    """Show the parameters, derived figures and sources of NAME: a fabric, NAMExK for K rails, or a file's path."""
    document = documents.fabric_document(name)
    warn(fabrics.bad_fit(document.fabric))
    show(document, as_json, fabric_details)


@command.command("schema")
def schema_command() -> None:
    """Print the JSON Schema of a fabric file."""
    emit_json(fabric_file.schema())
