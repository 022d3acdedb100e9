"""`linkworth convert`: a trace for other tools, and a trace from their output."""

from pathlib import Path
from typing import Literal

import rich_click as click

from linkworth.cli.damage_option import damage_option
from linkworth.cli.given import refuse
from linkworth.cli.number import Number
from linkworth.cli.output import OutputFile, console, emit_json, json_option, note, warn
from linkworth.convert import ALIASES, FORMATS, recognise, targets
from linkworth.model.collectives import CollectiveLibrary
from linkworth.model.conversion import ConversionOptions, ConversionSummary
from linkworth.model.number_range import FLOPS_PER_SECOND
from linkworth.replay.collectives import LIBRARIES
from linkworth.trace.read import Allowance
from linkworth.units import count, plural


@click.command()
@click.argument("trace", metavar="TRACE", type=click.Path(path_type=Path))
@click.option(
    "--to",
    "target",
    metavar="TARGET",
    help="What to write.  " + "  ".join(f"{name}: {what}." for name, what in targets().items()),
)
@click.option(
    "-o",
    "--output",
    type=OutputFile(or_folder=True),
    metavar="PATH",
    help="The folder or file to write.  [default: the name of what is read, ending in the target's]",
)
@click.option("--force", is_flag=True, help="Replace what -o names.")
@click.option(
    "--flops-per-second",
    type=Number(FLOPS_PER_SECOND),
    default=1e9,
    show_default=True,
    metavar="RATE",
    help="ti: a second of computation becomes so many flops; give the hosts of the platform this speed. Read from ti, so "
    "many flops become a second.",
)
@click.option(
    "--whole",
    is_flag=True,
    help="ti: convert the whole run, not only the part that the program marks by MPI_Pcontrol, if it marks one.",
)
@click.option(
    "--collectives",
    type=click.Choice(["calls", "messages"]),
    default="calls",
    show_default=True,
    help="ti: collectives of all ranks by name, so that SimGrid chooses the algorithm, or as the messages that a replay by "
    "linkworth sends.",
)
@click.option(
    "--mpi-library",
    type=click.Choice(LIBRARIES),
    metavar="NAME",
    help=f"ti: library whose algorithms turn collectives into messages: {', '.join(LIBRARIES)}."
    "  [default: the library that recorded the trace]",
)
@click.option(
    "--attributes/--no-attributes",
    default=True,
    show_default=True,
    help="otf2: write attributes for what OTF2 has no record for, so that linkworth reads back the same trace. "
    "--no-attributes leaves them out.",
)
@damage_option("conversion", lambda _: {"path": None})
@json_option("conversion")
def command(
    trace: Path,
    target: str | None,
    output: Path | None,
    force: bool,
    flops_per_second: float,
    whole: bool,
    collectives: Literal["calls", "messages"],
    mpi_library: CollectiveLibrary | None,
    attributes: bool,
    allowed: Allowance | None,
    as_json: bool,
) -> None:
    """Write TRACE in the format of another tool. Without --to, read the trace of another tool.

    If the format has no form of a call, an error names the call and nothing is written.
    """
    from linkworth.cli.steps import running
    from linkworth.convert import convert

    if target is None:
        if recognise(trace) != "ti":
            refuse(("flops_per_second",), f"{trace} is no trace of flops (ti)")
        written = {option for form in FORMATS.values() for option in form.options} - {"flops_per_second"}
        refuse(written, "it is for --to; give that as well")
    else:
        target = ALIASES.get(target, target)
        for name, form in FORMATS.items():
            if name != target:
                refuse(form.options, f"it is for --to {name}, not for --to {target}")
    options = ConversionOptions(
        flops_per_second=flops_per_second,
        whole=whole,
        collectives=collectives,
        mpi_library=mpi_library,
        attributes=attributes,
    )
    with running(f"converting {trace.name}"):
        summary = convert(trace, target, output, options=options, replace=force, allowed=allowed)
    if as_json:
        emit_json(summary)
        return
    unit = FORMATS[summary.target].unit if summary.target in FORMATS else "event"
    part = ", the part marked by MPI_Pcontrol" if summary.marked_region else ""
    console().print(
        f"{summary.entry}: {plural(summary.ranks, 'rank')}, {plural(summary.records, unit)}, "
        f"{plural(summary.bytes, 'byte')}{part}"
    )
    warn(summary.damage)
    for sentence in remarks(summary):
        note(f"linkworth: {summary.path}: {sentence}")


def remarks(summary: ConversionSummary) -> list[str]:
    """Return the differences from the recording, one sentence each."""
    said = []
    if summary.as_messages:
        said.append(f"written as their messages: {_counted(summary.as_messages)}")
    if summary.as_sleep:
        said.append(f"not modelled, written as the time that they took: {_counted(summary.as_sleep)}")
    if summary.fixed_wildcards:
        said.append(
            "receives from any source or with any tag that take what they took when recorded: "
            f"{count(summary.fixed_wildcards)}"
        )
    if summary.unmatched:
        said.append(
            f"messages that are not received, or not sent, between pairs of ranks: {count(summary.unmatched)}; "
            "a replay may not end"
        )
    if summary.unknown:
        said.append(f"left out, because a trace has no place for it: {_counted(summary.unknown)}")
    said.extend(summary.remarks)
    return said


def _counted(calls: dict[str, int]) -> str:
    return ", ".join(f"{name} ({count(number)})" for name, number in sorted(calls.items()))
