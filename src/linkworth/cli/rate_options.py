"""Options for the speed of computation of a program recorded without running."""

from collections.abc import Callable
from typing import Any, TypeVar

import rich_click as click

from linkworth.cli.output import note
from linkworth.model.rates import RateSource

_Command = TypeVar("_Command", bound=Callable[..., Any])


def rate_options(command: _Command) -> _Command:
    """Add --calibrate-with, --calibrate-anew and --machine."""
    for decorator in (
        click.option("--machine", metavar="NAME", help="For a bundled program without a trace: compute as fast as a core of "
                     "this machine (of `linkworth machines`, or the file of `linkworth machines measure`). The ranks of a node "
                     "share its cores."),
        click.option("--calibrate-anew", is_flag=True, help="For a bundled program without a trace: repeat that timed run, for "
                     "instance because the machine was busy then, or has changed since."),
        click.option("--calibrate-with", metavar="CLASS", help="For a bundled program without a trace: time its computation "
                     "here, in a run of this class on one rank.  [default: a class of a few seconds; kept for later]"),
    ):  # fmt: skip
        command = decorator(command)
    return command


def recorded_on_option(command: _Command) -> _Command:
    """Add --recorded-on."""
    return click.option("--recorded-on", metavar="NAME", help="Machine on which the trace was recorded: the computation is "
                        "scaled to the --machine by the bundled programs' times on both.")(command)  # fmt: skip


def say_rates(rates: RateSource | None, between_machines: str = "") -> None:
    """Print the origin of computation times on standard error."""
    if between_machines:
        note(f"linkworth: {between_machines}")
    if rates is not None:
        note(f"linkworth: {rates.description}")
        if rates.warning:
            note(f"linkworth: warning: {rates.warning}")
