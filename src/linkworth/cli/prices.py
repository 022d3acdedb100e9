"""`linkworth prices`: the known prices."""

import rich_click as click

from linkworth.catalog import documents
from linkworth.cli.catalog_tables import price_catalogs
from linkworth.cli.output import console, emit_json


@click.group(invoke_without_command=True)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document (linkworth.prices/1).")
@click.pass_context
def command(ctx: click.Context, as_json: bool) -> None:
    """Known prices: list all catalogs (the default) or show one with its sources."""
    if ctx.invoked_subcommand is None:
        _list(as_json)


@command.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document (linkworth.prices/1).")
def list_command(as_json: bool) -> None:
    """List all catalogs and their prices."""
    _list(as_json)


@command.command("show")
@click.argument("catalog")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document (linkworth.price-catalog/1).")
def show_command(catalog: str, as_json: bool) -> None:
    """Show CATALOG, a name or a file's path, and where its prices come from."""
    found = documents.price_catalog(catalog)
    if as_json:
        emit_json(documents.PriceCatalogDocument(catalog=found))
    else:
        console().print(price_catalogs([found], with_sources=True))


def _list(as_json: bool) -> None:
    document = documents.prices_document()
    if as_json:
        emit_json(document)
    else:
        console().print(price_catalogs(document.catalogs, with_sources=False))
