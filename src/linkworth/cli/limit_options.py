"""Options for the choice among environments: what is minimised, and within which limits."""

import rich_click as click

from linkworth.cli.number import Number
from linkworth.cli.option_group import OptionGroup
from linkworth.model.advice import Limits
from linkworth.model.number_range import BUDGET_USD, SECONDS

limit_options = OptionGroup(
    "limits",
    Limits,
    [
        click.option(
            "--goal",
            type=click.Choice(["cost", "time"]),
            help="What to minimise.  [default: cost; time if only --budget is given]",
        ),
        click.option(
            "--budget", type=Number(BUDGET_USD), metavar="USD", help="Exclude options whose run costs more."
        ),
        click.option(
            "--deadline", type=Number(SECONDS), metavar="SECONDS", help="Exclude options that take longer."
        ),
    ],
)
"""Options that become Limits."""
