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
        _spelled(parameter, context.params.get(parameter.name))
        for parameter in context.command.params
        if isinstance(parameter, click.Option)
        and parameter.name is not None
        and (wanted is None or parameter.name in wanted)
        and context.get_parameter_source(parameter.name) == ParameterSource.COMMANDLINE
    ]


def _spelled(option: click.Option, value: object) -> str:
    """Return the option as the user wrote it: `--contention` or `--no-contention`."""
    return (option.secondary_opts if value is False and option.secondary_opts else option.opts)[0]


def refuse(parameters: Iterable[str], why: str) -> None:
    """Raise UsageError if one of these parameters is on the command line; `why` it has no effect ends the sentence."""
    if useless := given(parameters):
        raise UsageError(f"{', '.join(useless)}: {why}")
