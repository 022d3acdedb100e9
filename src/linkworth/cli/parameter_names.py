"""Options in place of the parameters that a message names: `nodes` becomes --nodes.

The packages below the command line know no options. Their messages name a parameter in backquotes.
"""

import re
from collections.abc import Iterator

import click

_NAME = re.compile(r"`([a-z_]+)`")
_used: list[click.Command] = []


def use(command: click.Command) -> None:
    """Name the verb whose options appear in messages from now on."""
    _used[:] = [command]


def spelled(text: str) -> str:
    """Return a message with the verb's options. Other words in backquotes stay as they are."""
    options: dict[str, str] = {}
    for command in _used if "`" in text else ():
        for name, option in _options(command, click.Context(command)):
            options.setdefault(name, option)
    return _NAME.sub(lambda found: options.get(found[1], found[0]), text)


def _options(command: click.Command, context: click.Context) -> Iterator[tuple[str, str]]:
    """Yield names and options of a verb and its subcommands. An option's own spelling is a name too."""
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            for word in (parameter.name or "", *parameter.opts):
                yield word.lstrip("-").replace("-", "_"), parameter.opts[0]
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            if (part := command.get_command(context, name)) is not None:
                yield from _options(part, context)
