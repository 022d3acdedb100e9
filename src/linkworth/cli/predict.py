"""`linkworth predict`: time on other networks."""

from pathlib import Path
from typing import TYPE_CHECKING

import rich_click as click

from linkworth.cli.damage_option import damage_option
from linkworth.cli.output import OutputFile, json_option, warn
from linkworth.cli.rate_options import rate_options_of_machines, say_rates
from linkworth.cli.replay_options import (
    cpu_factor_option,
    fabrics_option,
    measured_option,
    nodes_option,
    ppn_option,
    ranks_option,
    replay_options,
    trace_argument,
)
from linkworth.predict.extras import Extras
from linkworth.replay.layout import Arrangement

if TYPE_CHECKING:
    from linkworth.model.settings import ReplaySettings
    from linkworth.skeleton.rates import RateRequest
    from linkworth.trace.read import Allowance


@click.command()
@trace_argument
@fabrics_option
@nodes_option
@ppn_option
@measured_option
@cpu_factor_option
@ranks_option
@click.option(
    "--tolerance",
    "with_tolerances",
    is_flag=True,
    help="Find the latency and the bandwidth at which the program is 1, 2 and 5 % slower.",
)
@click.option(
    "--loads",
    "with_loads",
    is_flag=True,
    help="Print the load of the busiest NICs and links between switches; with --json of all, over time.",
)
@click.option(
    "--beside",
    multiple=True,
    metavar="TRACE[@HOW]",
    help="A program that runs at the same time on the same nodes, and its placement (block, cyclic, 0,0,1,1); repeatable.",
)
@click.option(
    "--startup",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Take MPI_Init from this file of `linkworth bench init -o`.  [default: as recorded]",
)
@click.option(
    "--timeline",
    type=OutputFile(),
    metavar="FILE",
    help="Write the replay on the (one) fabric as a timeline for ui.perfetto.dev: .json, or .json.gz.",
)
@click.option(
    "--timeline-window",
    "timeline_window",
    metavar="FROM:TO",
    help="Keep what begins between these seconds of the replay.  [default: all]",
)
@rate_options_of_machines
@replay_options()
@damage_option(
    "prediction",
    lambda given: {"predictions": [{"fabric": name, "seconds": None} for name in given["fabric_names"]]},
)
@json_option("prediction")
def command(
    trace: str,
    fabric_names: tuple[str, ...],
    nodes: int | None,
    ppn: int | None,
    measured: tuple[str, ...],
    cpu_factor: float,
    ranks: int | None,
    with_tolerances: bool,
    with_loads: bool,
    beside: tuple[str, ...],
    startup: Path | None,
    timeline: Path | None,
    timeline_window: str | None,
    placement: str,
    settings: "ReplaySettings",
    rates: "RateRequest",
    allowed: "Allowance | None",
    as_json: bool,
) -> None:
    """Predict the time of TRACE on each FABRIC, and the parts of that time.

    A program that marks its timed part by MPI_Pcontrol(1) and MPI_Pcontrol(0) is predicted for that part, any other from
    MPI_Init to MPI_Finalize.

    A bundled program such as `npb:lu.D` is not run. It may have options, in quotes: `"stencil:default --iterations 100"`. Its
    communication is recorded for any number of ranks, and its computation is counted. The speed of computation comes from a
    small run here, --machine or --measured; the answer names it.
    """
    from linkworth import units
    from linkworth.catalog import fabrics
    from linkworth.catalog.startup import load as load_startup
    from linkworth.cli.output import console, emit_json
    from linkworth.cli.prediction_table import initialisation_line, prediction_tables
    from linkworth.cli.steps import Steps
    from linkworth.predict import request
    from linkworth.predict.target import targets
    from linkworth.trace.read import open_trace

    chosen = fabrics.get_each(fabric_names)
    times = request.measured_times(measured)
    started = None if startup is None else load_startup(startup)
    shown = request.timeline(timeline, timeline_window, chosen)
    with Steps() as steps, request.traced(trace, ranks, rates, scaled=bool(times), progress=steps) as path:
        opened = open_trace(path, allowed)
        place = Arrangement(nodes=nodes, ppn=ppn, placement=placement)
        [target] = targets(opened, [place], times, rates, settings, cpu_factor)
        predictions, _ = target.predict(
            opened,
            chosen,
            extras=Extras(
                tolerances=with_tolerances,
                loads=with_loads,
                timeline=shown,
                startup=started,
                beside=[(open_trace(other, allowed), how) for other, how in request.neighbours(beside)],
            ),
            progress=steps,
        )
    warn(predictions.warnings)
    say_rates(predictions.calibration.rates, predictions.calibration.between_machines)
    if as_json:
        emit_json(predictions)
    else:
        for number, table in enumerate(prediction_tables(predictions)):
            console().print(*([""] if number else []), table, sep="\n")
        if predictions.initialisation is not None:
            console().print(initialisation_line(predictions.initialisation))
        for other in predictions.beside:
            console().print(f"beside it on {other.fabric}: {other.workload}, {units.duration(other.seconds)}")
        for fabric, lacks in predictions.without_tolerances.items():
            console().print(f"no tolerances on {fabric}: {lacks}")
