"""`linkworth advise`: choice of a network."""

from pathlib import Path

import rich_click as click

from linkworth.advise.request import PriceOptions
from linkworth.advise.run import advise_on_request
from linkworth.advise.source import TimesFile, TraceRequest
from linkworth.cli.advice_table import advice_table
from linkworth.cli.damage_option import damage_option
from linkworth.cli.given import refuse
from linkworth.cli.known_name import KnownName
from linkworth.cli.number import NumberList
from linkworth.cli.output import json_option, show, warn
from linkworth.cli.price_options import limit_options, price_options
from linkworth.cli.rate_options import rate_options_of_machines, say_rates
from linkworth.cli.replay_options import (
    PLACEMENT_AND_SETTINGS,
    cpu_factor_option,
    measured_of_each_option,
    ppn_option,
    ranks_option,
    replay_options,
)
from linkworth.cli.steps import Steps
from linkworth.model.advice import Limits
from linkworth.model.number_range import DRAWS
from linkworth.model.settings import ReplaySettings
from linkworth.skeleton.rates import RateRequest
from linkworth.trace.read import Allowance

_OF_A_REPLAY = (
    "ranks",
    "nodes",
    "ppn",
    "cpu_factor",
    "measured",
    "draws",
    *rate_options_of_machines.parameters,
)
"""Parameters for the replay of a trace."""


@click.command()
@click.argument(
    "workloads", nargs=-1, metavar="[TRACE...|PROGRAM]", type=KnownName("apps", mostly_files=True)
)
@click.option(
    "--predictions",
    "predictions_file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Take the times from what 'linkworth predict --json' printed, or from HPCAdvisor's dataset.json, instead of a trace.",
)
@click.option(
    "--input",
    "inputs",
    multiple=True,
    metavar="NAME=VALUE",
    help="Take only the dataset's runs with this input of the program; repeatable.",
)
@ranks_option
@click.option(
    "--nodes",
    type=NumberList("nodes"),
    metavar="K[,K...]",
    help="Nodes to lay the ranks on; several numbers are compared.  [default: 2]",
)
@ppn_option
@click.option(
    "--on",
    multiple=True,
    type=KnownName("fabrics"),
    metavar="FABRIC",
    help="A fabric to consider; repeatable.  [default: all with a price]",
)
@measured_of_each_option
@cpu_factor_option
@replay_options(without=("samples",))
@price_options
@limit_options
@click.option(
    "--draws",
    type=click.IntRange(0, int(DRAWS.most)),
    metavar="N",
    help="Draws of each option's time from all that is uncertain. They give the certainty of the choice; 0: none."
    "  [default: 400]",
)
@rate_options_of_machines
@damage_option("advice", lambda _: {"choice": None, "options": [], "breakeven_price_ratio": None})
@json_option("advice")
def command(
    workloads: tuple[str, ...],
    predictions_file: Path | None,
    inputs: tuple[str, ...],
    ranks: int | None,
    nodes: tuple[int, ...] | None,
    ppn: int | None,
    on: tuple[str, ...],
    measured: tuple[str, ...],
    cpu_factor: float,
    placement: str,
    settings: ReplaySettings,
    prices: PriceOptions,
    limits: Limits,
    draws: int | None,
    rates: RateRequest,
    allowed: Allowance | None,
    as_json: bool,
) -> int:
    """Choose a network, a node type and a number of nodes for a trace, or for a bundled PROGRAM that is not run (npb:lu.D).

    Several traces must be of one program on different numbers of ranks, recorded or scaled. Each is placed on as many nodes
    as it needs with --ppn ranks each. The answer is how many nodes to take, with which network.

    The cost of a run is seconds x nodes x price / 3600. The break-even price ratio is the price of the fastest network's
    node over that of the cheapest node at which a run costs the same on both. All options' times are
    drawn together, and the answer gives the share of draws in which the choice stays the better one. If another option may be
    over 2 % better within the 90 % interval, it is too close to call. Exit code 1 if no option meets the limits.
    """
    if not workloads:
        refuse(
            (*_OF_A_REPLAY, *PLACEMENT_AND_SETTINGS),
            "only a trace is replayed; with --predictions leave it out",
        )
    if predictions_file is None:
        refuse(["inputs"], "it chooses runs of a dataset; give that with --predictions")
    trace = None
    if workloads:
        trace = TraceRequest(
            workloads=workloads,
            ranks=ranks,
            nodes=nodes or (),
            ppn=ppn,
            cpu_factor=cpu_factor,
            measured=measured,
            placement=placement,
            settings=settings,
            allowed=allowed,
            rates=rates,
        )
    with Steps() as steps:
        advice = advise_on_request(
            trace,
            None if predictions_file is None else TimesFile(predictions_file, inputs),
            on=on,
            prices=prices,
            limits=limits,
            draws=draws,
            progress=steps,
            allowed=allowed,
        )
    warn(advice.warnings)
    say_rates(advice.rates, advice.between_machines)
    show(advice, as_json, advice_table)
    return 0 if advice.choice_option is not None else 1
