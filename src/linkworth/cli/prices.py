"""`linkworth prices`: the known prices."""

import rich_click as click

from linkworth.catalog import documents
from linkworth.catalog.update.run import ENDPOINT_VARIABLE, PROVIDERS, update
from linkworth.cli.catalog_group import catalog_group
from linkworth.cli.catalog_tables import price_catalogs, price_changes
from linkworth.cli.known_name import KnownName
from linkworth.cli.output import json_option, show, warn

command = catalog_group(
    "prices",
    "Known prices: list all catalogs (the default) or show one with its sources.",
    "List all catalogs and their prices.",
    documents.prices_document,
    lambda all_of_them: price_catalogs(all_of_them.catalogs, with_sources=False),
)


@command.command("show")
@click.argument("catalog", type=KnownName("prices"))
@json_option("price-catalog")
def show_command(catalog: str, as_json: bool) -> None:
    """Show CATALOG, a name, a file's path or skypilot:FOLDER, and where its prices come from."""
    found = documents.PriceCatalogDocument(catalog=documents.price_catalog(catalog))
    show(found, as_json, lambda document: price_catalogs([document.catalog], with_sources=True))


@command.command("update")
@click.argument("provider", type=click.Choice(PROVIDERS))
@click.option(
    "--region",
    "regions",
    multiple=True,
    metavar="REGION",
    help="Ask for this region too, beside those of the catalog; repeatable.",
)
@click.option(
    "--instance",
    "instances",
    multiple=True,
    metavar="NAME=FABRIC",
    help="Ask for this node type, with this network, too; repeatable.",
)
@click.option(
    "--endpoint",
    envvar=ENDPOINT_VARIABLE,
    metavar="URL",
    help="Another address of the price interface, such as a mirror's.  [default: the provider's]",
)
@click.option("--dry-run", is_flag=True, help="Show what would change, and write nothing.")
@json_option("price-update")
def update_command(
    provider: str,
    regions: tuple[str, ...],
    instances: tuple[str, ...],
    endpoint: str | None,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Ask PROVIDER's public price interface for today's prices of its catalog, and keep them in a catalog of your own.

    That catalog ($XDG_DATA_HOME/linkworth/prices, by default ~/.local/share/linkworth/prices) then replaces the shipped one of
    the same name. No account is needed. Prices that the interface lacks stay as they were, with their dates. These are AWS's
    spot prices, which require an account, and Google's prices, which require a key.
    """
    done = update(provider, endpoint=endpoint, regions=regions, instances=instances, dry_run=dry_run)
    warn(done.warnings)
    show(done, as_json, price_changes)
