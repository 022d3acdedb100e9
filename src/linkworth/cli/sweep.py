"""`linkworth sweep`: one program over many networks, nodes and placements."""

from pathlib import Path
from typing import TYPE_CHECKING

import rich_click as click

from linkworth.cli.damage_option import damage_option
from linkworth.cli.given import refuse
from linkworth.cli.number import NumberList
from linkworth.cli.output import OutputFile, json_option, warn
from linkworth.cli.rate_options import rate_options, say_rates
from linkworth.cli.replay_options import (
    cpu_factor_option,
    fabrics_option,
    measured_time_option,
    ppn_option,
    ranks_option,
    replay_options,
    trace_argument,
)

if TYPE_CHECKING:
    from linkworth.model.settings import ReplaySettings
    from linkworth.skeleton.rates import RateRequest
    from linkworth.trace.read import Allowance


@click.command()
@trace_argument
@fabrics_option
@click.option(
    "--vary",
    "axes",
    multiple=True,
    metavar="NAME=VALUES",
    help="A parameter and its values, such as latency=1us..100us:10, bandwidth=1Gbit,10Gbit or overhead=x0.5..x2:5; "
    "latency, bandwidth, overhead, rails, cpu-factor, background-load; repeatable: all combinations.",
)
@click.option(
    "--nodes", type=NumberList("nodes"), metavar="K[,K...]", help="Nodes to lay the ranks on.  [default: 2]"
)
@ppn_option
@measured_time_option
@cpu_factor_option
@ranks_option
@click.option(
    "--workers",
    type=click.IntRange(min=1),
    metavar="N",
    help="Number of parallel replays.  [default: all cores]",
)
@click.option(
    "-o",
    "--output",
    type=OutputFile(),
    metavar="FILE.csv",
    help="Write CSV with one line per point, instead of the table.",
)
@rate_options
@replay_options(several_placements=True, without=("samples", "spread"))
@damage_option("sweep", lambda _: {"points": []})
@json_option("sweep")
def command(
    trace: str,
    fabric_names: tuple[str, ...],
    axes: tuple[str, ...],
    nodes: tuple[int, ...] | None,
    ppn: int | None,
    measured: tuple[str, ...],
    cpu_factor: float,
    ranks: int | None,
    workers: int | None,
    output: Path | None,
    placement: tuple[str, ...],
    settings: "ReplaySettings",
    rates: "RateRequest",
    allowed: "Allowance | None",
    as_json: bool,
) -> None:
    """Replay TRACE at every combination of fabrics, parameters, numbers of nodes and placements, on all cores.

    On many nodes: `mpiexec -n 64 python -m mpi4py.futures -m linkworth sweep ...`, one process a core. The number of
    processes does not change the results.
    """
    from linkworth.catalog import fabrics
    from linkworth.cli.output import console, emit_json, note
    from linkworth.cli.steps import Steps
    from linkworth.cli.sweep_table import as_csv, sweep_table
    from linkworth.predict import axes as parameters
    from linkworth.predict import request
    from linkworth.predict.sweep import arrangements, sweep
    from linkworth.predict.workers import ReplayWorkers
    from linkworth.trace.read import open_trace
    from linkworth.units import plural
    from linkworth.writing.files import require_writable, write_output

    if output is not None:
        require_writable(output)
    chosen = fabrics.get_each(fabric_names)
    varied = [parameters.parse(text) for text in axes]
    for axis in varied:
        refuse((axis.name.replace("-", "_"),), f"--vary {axis.name} sets it; leave one of them out")
    known = request.time_without_layout(measured)
    with (
        Steps() as steps,
        request.traced(trace, ranks, rates, scaled=known is not None, progress=steps) as path,
    ):
        found = sweep(
            open_trace(path, allowed),
            chosen,
            varied,
            arrangements(nodes or (), ppn, placement),
            cpu_factor=cpu_factor,
            measured=known,
            settings=settings,
            workers=ReplayWorkers(threads=workers, shared=not request.is_program(trace), progress=steps),
        )
    warn(found.warnings)
    say_rates(found.rates)
    if output is not None:
        write_output(output, as_csv(found))
        note(f"linkworth: {plural(len(found.points), 'point')} in {output}")
    if as_json:
        emit_json(found)
    elif output is None:
        console().print(sweep_table(found))
