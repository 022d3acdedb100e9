"""Option of every verb that reads traces: use the rest of an incomplete one."""

import functools
from collections.abc import Callable, Mapping
from typing import Any, TypeVar, cast

import rich_click as click

_Command = TypeVar("_Command", bound=Callable[..., Any])
INCOMPLETE_INPUT = 4


def damage_option(
    noun: str, unknown: Callable[[Mapping[str, Any]], dict[str, Any]]
) -> Callable[[_Command], _Command]:
    """Add --allow-damaged to a command, which receives an `Allowance` or None as `allowed`.

    The exit code is 4 if an incomplete trace was used, whatever the command returns. If one is refused, --json prints a document
    of this `noun`, whose `unknown` results follow from the command's options.
    """

    def added(command: _Command) -> _Command:
        @functools.wraps(command)
        def with_allowance(*, allow_damaged: bool, **given: Any) -> object:  # noqa: ANN401 (whatever options the command has)
            from linkworth.cli.output import emit_json
            from linkworth.errors import DamagedInputError
            from linkworth.trace.read import Allowance

            allowed = Allowance() if allow_damaged else None
            try:
                code = command(allowed=allowed, **given)
            except DamagedInputError as error:
                if given["as_json"]:
                    emit_json({"schema": f"linkworth.{noun}/1", **unknown(given), "incomplete": str(error)})
                raise
            return INCOMPLETE_INPUT if allowed is not None and allowed.lacks else code

        option = click.option(
            "--allow-damaged",
            is_flag=True,
            help="Use the readable part of a damaged, cut or aborted trace: the results carry a warning, and the exit code is 4.",
        )
        return cast(_Command, option(with_allowance))

    return added
