"""`linkworth report`: one HTML page of traces, predictions and prices."""

from pathlib import Path

import rich_click as click

from linkworth import units
from linkworth.advise.request import PriceOptions
from linkworth.cli.damage_option import damage_option
from linkworth.cli.given import refuse
from linkworth.cli.known_name import KnownName
from linkworth.cli.output import OutputFile, answer, emit_json, json_option, note
from linkworth.cli.price_options import limit_options, price_options
from linkworth.cli.rate_options import rate_options_of_machines
from linkworth.cli.replay_options import (
    cpu_factor_option,
    measured_of_each_option,
    nodes_option,
    ppn_option,
    ranks_option,
    replay_options,
)
from linkworth.model.advice import Limits
from linkworth.model.settings import ReplaySettings
from linkworth.skeleton.rates import RateRequest
from linkworth.trace.read import Allowance


@click.command()
@click.argument(
    "paths", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="FOLDER|FILE|PROGRAM..."
)
@click.option(
    "-o",
    "--output",
    type=OutputFile(),
    default=Path("report.html"),
    show_default=True,
    metavar="FILE",
    help="The page to write.",
)
@click.option(
    "--on",
    multiple=True,
    type=KnownName("fabrics"),
    metavar="FABRIC",
    help="A network to show; repeatable.  [default: all priced ones; gbe, 10gbe, ib-fdr and ib-hdr without prices]",
)
@nodes_option
@ppn_option
@measured_of_each_option
@cpu_factor_option
@replay_options(without=("samples", "spread"))
@price_options
@limit_options
@ranks_option
@rate_options_of_machines
@damage_option("report", lambda _: {"path": None, "programs": []})
@json_option("report")
def command(
    paths: tuple[Path, ...],
    output: Path,
    on: tuple[str, ...],
    nodes: int | None,
    ppn: int | None,
    measured: tuple[str, ...],
    cpu_factor: float,
    placement: str,
    settings: ReplaySettings,
    prices: PriceOptions,
    limits: Limits,
    ranks: int | None,
    rates: RateRequest,
    allowed: Allowance | None,
    as_json: bool,
) -> int:
    """Write one HTML page of traces, of those in a folder, or of bundled programs that are not run (npb:lu.D).

    Tables, charts and sliders are in one file that needs no network. Without prices it has times and no costs.

    A trace of the same name in the subfolder `smaller` is taken as the same program on a smaller problem. It makes the
    group of network dependence more certain. Exit code 1: a program's own verification failed; the page names it.
    """
    from linkworth.cli.steps import Steps
    from linkworth.predict.target import TargetMachine
    from linkworth.replay.layout import Arrangement
    from linkworth.report.request import ReportRequest, run

    if not prices.given:
        refuse(
            limit_options.parameters,
            "without prices there is no choice; give them with --price FABRIC=USD_PER_NODE_HOUR or --prices CATALOG",
        )
    request = ReportRequest(
        paths=list(paths),
        output=output,
        on=list(on),
        target=TargetMachine(Arrangement(nodes=nodes, ppn=ppn, placement=placement), cpu_factor, settings),
        measured=measured,
        prices=prices,
        limits=limits,
        ranks=ranks,
        rates=rates,
        allowed=allowed,
    )
    with Steps() as steps:
        written = run(request, steps)
    if as_json:
        emit_json(written)
    else:
        answer(
            f"{written.path}: {units.plural(len(written.programs), 'program')}, {units.plural(written.bytes, 'byte')}"
        )
    for program in written.programs:
        for warning in program.warnings:
            note(f"linkworth: {program.trace}: {warning}")
    return 1 if any(program.verified is False for program in written.programs) else 0
