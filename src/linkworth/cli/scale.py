"""`linkworth scale`: recordings at small rank counts become a trace at a large one."""

from pathlib import Path

import rich_click as click

from linkworth import units
from linkworth.cli.number import NumberList
from linkworth.cli.output import OutputFile, console, emit_json, json_option, news, note, require_new
from linkworth.cli.value_type import ValueType
from linkworth.errors import UsageError
from linkworth.model.scaling import LeftOut, ScaleSummary, extents
from linkworth.model.trace import MOST_RANKS


class Extents(ValueType[tuple[int, ...]]):
    """`32x16`: extents of a grid."""

    name = "extents"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, ...]:
        """Return the extents of a text."""
        try:
            return extents(str(value))
        except UsageError as error:
            self.fail(str(error), param, ctx)


@click.command()
@click.argument("traces", metavar="TRACE...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "-n",
    "--ranks",
    type=click.IntRange(min=1, max=MOST_RANKS),
    required=True,
    help="Ranks to scale to, at least as many as the largest recording has.",
)
@click.option("-o", "--output", type=OutputFile(), required=True, metavar="FILE", help="The trace to write.")
@click.option("--force", is_flag=True, help="Replace the trace that -o names.")
@click.option(
    "--weak",
    is_flag=True,
    help="The problem grew with the ranks (weak scaling): of equally good models, take one of such a problem.",
)
@click.option(
    "--size",
    "sizes",
    type=NumberList("a size"),
    metavar="S,...",
    help="Problem size of each recording, such as 100,200,400; with --to-size.",
)
@click.option("--to-size", type=click.IntRange(1, 10**18), metavar="S", help="Problem size to scale to.")
@click.option(
    "--grid",
    type=Extents(),
    metavar="AxB",
    help="Process grid at the new count, such as 32x16.  [default: as MPI_Dims_create chooses]",
)
@json_option("scaling")
def command(
    traces: tuple[Path, ...],
    ranks: int,
    output: Path,
    force: bool,
    weak: bool,
    sizes: tuple[int, ...] | None,
    to_size: int | None,
    grid: tuple[int, ...] | None,
    as_json: bool,
) -> None:
    """Write the trace of a program on more ranks than it was recorded on, from recordings at two or more counts.

    The calls are aligned by site and order, ranks that behave alike are found with their process grid, and peers,
    sizes, counts and computation are fitted. The largest recording is then predicted from the smaller ones, and the
    differences are printed. Exit code 1: the recordings do not align; the call and the reason are named.
    """
    from linkworth.cli.steps import running
    from linkworth.scale import ScaleRequest, scale

    require_new(output, force=force)
    said: list[str] = []

    def say(remark: str) -> None:
        said.append(remark)
        news(remark)

    with running(f"scaling to {units.plural(ranks, 'rank')}"):
        summary = scale(
            ScaleRequest(
                traces=traces,
                ranks=ranks,
                output=output,
                weak=weak,
                sizes=[float(size) for size in sizes or ()],
                to_size=None if to_size is None else float(to_size),
                grid=grid,
                replace=force,
            ),
            say,
        )
    if as_json:
        emit_json(summary)
        return
    _show(summary)
    for remark in summary.scaling.remarks:
        if remark not in said:
            news(remark)


def _show(summary: ScaleSummary) -> None:
    scaling = summary.scaling
    counts = ", ".join(map(str, scaling.ranks))
    screen = console()
    screen.print(
        f"{summary.path}: {summary.workload} on {units.plural(summary.ranks, 'rank')}, scaled from {counts}; "
        f"{units.plural(summary.events, 'event')}, {units.plural(summary.bytes, 'byte')}"
    )
    grid = " x ".join(map(str, scaling.grid))
    screen.print(
        f"Grid {grid}; {scaling.roles} ({scaling.role_count} role{'s' if scaling.role_count != 1 else ''})"
    )
    if scaling.left_out is not None:
        screen.print(trust(scaling.left_out, scaling.ranks))
    if scaling.data_dependent:
        sites = ", ".join(dict.fromkeys(entry.split("@")[0] for entry in scaling.data_dependent))
        note(
            "linkworth: sizes that depend on data, or orders that time decides, only like those of the largest recording: "
            f"{sites}"
        )


def trust(left_out: LeftOut, ranks: list[int]) -> str:
    """Return the differences of the largest recording from what the smaller ones predict."""
    parts = [
        f"{name} {_signed(value)}"
        for name, value in (
            ("calls", left_out.calls),
            ("messages", left_out.messages),
            ("data", left_out.bytes),
            ("computation", left_out.compute),
            *((f"time on {fabric}", value) for fabric, value in left_out.seconds.items()),
        )
    ]
    smaller = ", ".join(map(str, ranks[:-1]))
    own = [f"time on {fabric} {_signed(value)}" for fabric, value in left_out.as_distributions.items()]
    return f"The recording at {left_out.ranks}, predicted from {smaller}: {', '.join(parts)}" + (
        f"; with its own messages as distributions: {', '.join(own)}" if own else ""
    )


def _signed(value: float) -> str:
    return units.change(value) if value else "equal"
