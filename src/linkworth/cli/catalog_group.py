"""Verbs of the catalog: a list of all entries, and one entry with its sources."""

from collections.abc import Callable
from typing import TypeVar

import msgspec
import rich_click as click
from rich.console import RenderableType

from linkworth.cli.given import refuse
from linkworth.cli.group import VerbGroup
from linkworth.cli.output import json_option, show

D = TypeVar("D", bound=msgspec.Struct)


def catalog_group(
    name: str, about: str, of_list: str, document: Callable[[], D], table: Callable[[D], RenderableType]
) -> click.RichGroup:
    """Return a verb that lists all entries, also as `list`. `about` and `of_list` are their help."""

    @click.group(cls=VerbGroup, invoke_without_command=True, help=about)
    @json_option(name)
    @click.pass_context
    def command(ctx: click.Context, as_json: bool) -> None:
        if ctx.invoked_subcommand is None:
            show(document(), as_json, table)
        else:
            refuse(("as_json",), f"give it after `{name} {ctx.invoked_subcommand}`")

    @command.command("list", help=of_list)
    @json_option(name)
    def listing(as_json: bool) -> None:
        show(document(), as_json, table)

    return command
