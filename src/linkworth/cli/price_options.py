"""Options for the choice of a network: the prices of nodes, what is minimised, and within which limits."""

import rich_click as click

from linkworth.advise.request import PriceOptions
from linkworth.cli.known_name import KnownName
from linkworth.cli.number import Number
from linkworth.cli.option_group import OptionGroup
from linkworth.model.advice import Limits
from linkworth.model.number_range import BUDGET_USD, SECONDS

price_options = OptionGroup(
    "prices",
    PriceOptions,
    [
        click.option(
            "--price",
            "assignments",
            multiple=True,
            metavar="FABRIC=USD_PER_NODE_HOUR",
            help="Price of a node with that fabric; repeatable.",
        ),
        click.option(
            "--core-hour",
            "core_hours",
            multiple=True,
            metavar="FABRIC=USD[,cores=N]",
            help="Price of a core for an hour: of all N cores of a node, or of those that have a rank; repeatable.",
        ),
        click.option(
            "--on-premises",
            "on_premises",
            multiple=True,
            metavar="FABRIC=USD,...",
            help="A machine of your own by the purchase price of a node: FABRIC=USD,years=Y,utilisation=U, and also yearly_usd, "
            "power_watts, idle_watts, usd_per_kwh, pue; repeatable.",
        ),
        click.option(
            "--prices",
            "catalog",
            type=KnownName("prices"),
            metavar="CATALOG",
            help="A catalog of prices: its name, a .toml file, or skypilot:FOLDER.",
        ),
        click.option("--region", metavar="REGION", help="Take only the catalog's prices of this region."),
        click.option(
            "--instance",
            "instances",
            multiple=True,
            metavar="NAME",
            help="Take only this node type of the catalog; repeatable.",
        ),
        click.option(
            "--market",
            type=click.Choice(["on-demand", "spot", "own"]),
            help="Take only the catalog's prices of this market.  [default: all but spot]",
        ),
    ],
)
"""Options that become PriceOptions."""
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
