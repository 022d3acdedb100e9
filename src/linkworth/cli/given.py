"""Options that the user gave: an option that changes nothing is refused, not ignored."""

from collections.abc import Iterable

import rich_click as click
from click.core import ParameterSource

from linkworth.errors import UsageError


def given(parameters: Iterable[str] | None = None) -> list[str]:
    """Return the options (`--noise`) on the command line, of these parameters or of all."""
    context = click.get_current_context()
    assert context is not None
    wanted = None if parameters is None else set(parameters)
    return [
        parameter.opts[0]
        for parameter in context.command.params
        if isinstance(parameter, click.Option)
        and parameter.name is not None
        and (wanted is None or parameter.name in wanted)
        and context.get_parameter_source(parameter.name) == ParameterSource.COMMANDLINE
    ]


def refuse(parameters: Iterable[str], why: str) -> None:
    """Raise UsageError if one of these parameters is on the command line; `why` it has no effect ends the sentence."""
    if useless := given(parameters):
        raise UsageError(f"{', '.join(useless)}: {why}")
