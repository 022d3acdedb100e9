"""`linkworth bench`: measure a network, or show and draw what was measured."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import rich_click as click

from linkworth import units
from linkworth.cli.bench_options import measuring_options
from linkworth.cli.bench_table import table
from linkworth.cli.given import refuse
from linkworth.cli.number import Number
from linkworth.cli.output import OutputFile, console, emit_json, json_option, news, note
from linkworth.cli.place_options import place_options, ranks_in
from linkworth.cli.steps import Steps
from linkworth.model.bench import BenchResult, BenchRow
from linkworth.model.number_range import TIMEOUT_SECONDS
from linkworth.model.place import Place
from linkworth.mpi import identify

if TYPE_CHECKING:
    from linkworth.bench.run import Prepared
    from linkworth.bench.settings import BenchSettings
    from linkworth.bench.store import ResultFile


@click.command()
@place_options
@click.option(
    "-n",
    "--ranks",
    type=click.IntRange(min=1),
    help="Number of ranks.  [default: 2, or one on each node; for a test of all ranks, the cores]",
)
@click.option(
    "--mpi",
    metavar="NAME",
    help="MPI to use: a name or kind that `linkworth doctor` lists, or its folder.  [default: the first]",
)
@measuring_options
@click.option(
    "--timeout",
    type=Number(TIMEOUT_SECONDS),
    metavar="SECONDS",
    help="Stop a test after this wall time; the sizes measured are kept.",
)
@click.option(
    "-o",
    "--output",
    type=OutputFile(adds=True),
    metavar="FILE",
    help="Add the results to this JSON file, each as soon as its test is done; earlier results stay.",
)
@click.option(
    "--plot", type=OutputFile(), metavar="FILE", help="Draw the results of all FILEs into this .svg or .png."
)
@click.option(
    "--link-rate",
    metavar="RATE",
    help="Rate of a node's link, such as 1gbit: measured rates above it are flagged.  [default: a lab's own]",
)
@click.option("--dry-run", is_flag=True, help="Show what would run, and run nothing.")
@json_option("bench/1 or linkworth.bench-set")
@click.argument("words", nargs=-1, metavar="[TEST|FILE]...")
def command(
    place: Place,
    ranks: int | None,
    mpi: str | None,
    settings: "BenchSettings",
    timeout: float | None,
    output: Path | None,
    plot: Path | None,
    link_rate: str | None,
    dry_run: bool,
    as_json: bool,
    words: tuple[str, ...],
) -> int:
    """Measure the network between ranks, and name the transport that carried the bytes.

    TEST is any of latency, bandwidth, bibandwidth, pingpong, multipair, incast, overlap, beff, hpcc, alltoall, allreduce,
    bcast, allgather, barrier, or `collectives`, or `all`; without one it is latency and bandwidth. A FILE of earlier results, or
    of OSU, IMB, NetPIPE, HPCC or ucx_perftest, is shown, and drawn with --plot.

    The test `init` stands alone. It launches a program that only initialises MPI, five times on each of 1, 2, 4 ... to -n ranks
    and nodes, and fits the seconds as a + b x ranks + c x nodes. `linkworth predict --startup FILE` uses its -o FILE.

    Exit code 0: measured. 1: it failed. 2: it cannot be run like this. 3: this machine lacks something. 4: it was stopped
    (Ctrl-C, time limit), and the results until then are kept.
    """
    from linkworth.bench import request, store
    from linkworth.cli import bench_startup as startup
    from linkworth.lab.spec import parse_rate
    from linkworth.measure.parsers import bench as parsers
    from linkworth.report import plots as drawing
    from linkworth.writing.documents import encode
    from linkworth.writing.files import is_stream, write_output

    if startup.TEST in words:
        if len(words) > 1:
            raise click.UsageError("init stands alone: run it by itself, and other tests in another call")
        refuse((*measuring_options.parameters, "link_rate", "plot"), "init has no message sizes and no chart")
        return startup.run(
            place, ranks=ranks, mpi=mpi, timeout=timeout, output=output, dry_run=dry_run, as_json=as_json
        )
    files, names = request.split(words)
    link = parse_rate(link_rate, "--link-rate") / 8 if link_rate else None
    _refuse_useless(names)
    if plot:
        drawing.check_plot(plot)
    shown = [named for path in files for named in drawing.labelled(path.stem, parsers.read(path))]
    stopped = ""
    if names:
        from linkworth.measure.open_place import open_place

        kept = store.ResultFile(output) if output and not is_stream(output) and not dry_run else None
        with open_place(place, news) as opened:
            prepared = request.prepare(
                names,
                opened=opened,
                mpi=mpi,
                ranks=ranks_in(place, ranks),
                settings=settings,
                planned=dry_run,
            )
            if dry_run:
                return startup.show_plan([test.arguments for test in prepared], as_json)
            if kept:
                for each in prepared:
                    kept.check_mpi(each.plan.mpi.library_version)
            done, stopped = _measure(prepared, timeout, kept)
        if output and is_stream(output) and done:
            write_output(output, encode(store.document(done), indent=2) + b"\n")
        shown += [(f"{result.where}, {identify.shortly(result.mpi)}", result) for result in done]
    if link is not None:
        shown = [(label, _judged(result, link)) for label, result in shown]
    if shown:
        _show([result for _, result in shown], as_json)
    if plot and shown:
        drawing.plot_bench(shown, plot)
        note(f"drawn in {plot}")
    if stopped:
        note(
            f"linkworth: {stopped}"
            + (f"; what was measured is in {output}" if output and names and done else "")
        )
    return 4 if stopped else 0


def _judged(result: BenchResult, link: float) -> BenchResult:
    """Return a result with the warning on rates above those of a link of `link` bytes per second."""
    from linkworth.bench.warnings import above_link, rates_of

    both_ways = "bidirectional" in result.facts
    found = above_link(result.test, rates_of(result.rows), link, both_ways=both_ways)
    new = [found] if found and found not in result.warnings else []
    return msgspec.structs.replace(result, warnings=[*result.warnings, *new])


def _refuse_useless(names: Sequence[str]) -> None:
    """Raise UsageError for options that none of the requested tests has."""
    if not names:
        refuse(
            (
                *place_options.parameters,
                *measuring_options.parameters,
                "ranks",
                "mpi",
                "timeout",
                "output",
                "dry_run",
            ),
            "files of results are shown, and nothing is measured; leave it out, or name a test",
        )
    from linkworth.bench.settings import ONLY_FOR

    for parameters, tests in ONLY_FOR:
        if tests.isdisjoint(names):
            refuse(parameters, f"it is for {', '.join(sorted(tests))}, not for {', '.join(names)}")


def _measure(
    prepared: "Sequence[Prepared]", timeout: float | None, kept: "ResultFile | None"
) -> tuple[list[BenchResult], str]:
    from linkworth.bench import session

    with Steps() as steps:
        steps.plan(sum(map(session.rows_of, prepared)))

        def on_row(running: "Prepared", row: BenchRow) -> None:
            steps.step(f"{running.test.name}: {units.message_size(row.bytes)} measured")

        return session.run_all(prepared, timeout=timeout, output=kept, on_row=on_row)


def _show(results: list[BenchResult], as_json: bool) -> None:
    from linkworth.bench import store

    if as_json:
        emit_json(store.document(results))
        return
    for number, result in enumerate(results):
        console().print(("\n" if number else "") + table(result))
