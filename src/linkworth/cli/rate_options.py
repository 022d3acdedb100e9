"""Options for the speed of computation of a program recorded without running."""

from typing import Any

import rich_click as click

from linkworth.cli.known_name import KnownName
from linkworth.cli.option_group import OptionGroup
from linkworth.cli.output import note
from linkworth.model.rates import RateSource


def _rates(**given: Any) -> object:  # noqa: ANN401 (values of the options)
    from linkworth.skeleton.rates import RateRequest

    return RateRequest(anew=given.pop("calibrate_anew"), **given)


_OPTIONS = [
    click.option("--calibrate-with", metavar="CLASS", help="For a bundled program without a trace: time its computation "
                 "here, in a run of this class on one rank.  [default: a small class; kept for later]"),
    click.option("--calibrate-anew", is_flag=True, help="For a bundled program without a trace: repeat that timed run, for "
                 "instance because the machine was busy then, or has changed since."),
    click.option("--machine", metavar="NAME", type=KnownName("machines"), help="For a bundled program without a trace: "
                 "compute as fast as a core of this machine (of `linkworth machines`, or the file of `linkworth machines "
                 "measure`). The ranks of a node share its cores and memory."),
]  # fmt: skip
_RECORDED_ON = click.option(
    "--recorded-on",
    metavar="NAME",
    type=KnownName("machines"),
    help="Machine on which the trace was recorded: the computation is scaled to the --machine by the bundled programs' times on "
    "both.",
)
rate_options = OptionGroup("rates", _rates, _OPTIONS)
"""Options of a verb that receives a RateRequest for programs that are not run."""
rate_options_of_machines = OptionGroup("rates", _rates, [*_OPTIONS, _RECORDED_ON])
"""The same, and the machine of a trace."""


def say_rates(rates: RateSource | None, between_machines: str = "") -> None:
    """Print the origin of computation times on standard error."""
    if between_machines:
        note(f"linkworth: {between_machines}")
    if rates is not None:
        note(f"linkworth: {rates.description}")
