"""Word that may be a name of the catalog, as the type of an option or argument: the shell completes it."""

import importlib

import rich_click as click
from click.shell_completion import CompletionItem

from linkworth.cli.value_type import ValueType


class KnownName(ValueType[str]):
    """A name of the catalog or a file. The verb itself refuses any other text, with the nearest names."""

    name = "text"

    def __init__(self, catalog: str, *, mostly_files: bool = False) -> None:
        """Complete the names of a module of `linkworth.catalog`, which is imported when a shell asks for them.

        `mostly_files`: only files are listed before the first letter.
        """
        self._catalog = catalog
        self._mostly_files = mostly_files

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Return the names that begin with `incomplete`, and for the shell to add its files."""
        # Bash forgets the items before that of files, and lists files only without any other.
        files = [CompletionItem(incomplete, type="file")]
        if self._mostly_files and not incomplete:
            return files
        names = importlib.import_module(f"linkworth.catalog.{self._catalog}").names()
        return files + [CompletionItem(name) for name in names if name.startswith(incomplete)]
