"""Options that a verb receives as one argument."""

import functools
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

_Command = TypeVar("_Command", bound=Callable[..., Any])
Option = Callable[[Any], Callable[..., Any]]
"""Decorator that `click.option` returns."""


class OptionGroup:
    """Decorator that adds options to a verb. `make` gets their values and returns the verb's `argument`."""

    def __init__(self, argument: str, make: Callable[..., object], options: Sequence[Option]) -> None:
        self._argument = argument
        self._make = make
        self._options = options
        self.parameters: tuple[str, ...] = tuple(map(_name, options))
        """Names of the options' parameters."""

    def __call__(self, command: _Command) -> _Command:
        """Add the options."""

        @functools.wraps(command)
        def with_argument(**given: object) -> object:
            values = {name: given.pop(name) for name in self.parameters}
            return command(**{self._argument: self._make(**values)}, **given)

        added: Any = with_argument
        for option in reversed(self._options):
            added = option(added)
        found: _Command = added
        return found


def _name(option: Option) -> str:
    parameters = option(lambda: None).__click_params__  # type: ignore[attr-defined]
    return str(parameters[0].name)
