"""`linkworth lab`: an emulated cluster on this machine."""

import sys
from typing import BinaryIO

import rich_click as click

from linkworth.cli import lab_export
from linkworth.cli.given import refuse
from linkworth.cli.group import VerbGroup
from linkworth.cli.lab_options import spec_options
from linkworth.cli.output import PROGRAM_TO_STDERR, emit_json, json_option, note, show
from linkworth.lab.spec import LabSpec
from linkworth.model.place import Place


@click.group(cls=VerbGroup)
def command() -> None:
    """Start, use and stop an emulated cluster: nodes that are namespaces of this machine, joined by shaped links."""


def _clean() -> None:
    from linkworth.lab import labs

    for sentence in labs.sweep():
        note(f"linkworth: {sentence}")


@command.command("up")
@click.argument("name", default="lab")
@spec_options
@json_option("lab")
def up(name: str, spec: LabSpec, as_json: bool) -> None:
    """Start a lab under a NAME (default: lab). It stays until `linkworth lab down NAME`.

    Exit code: 0 it is up, 2 its settings cannot be used, 3 the kernel or this machine lacks something.
    """
    from linkworth.lab import labs, report

    _clean()
    with labs.up(spec, name) as lab:
        lab.keep()
    made = f"lab {name} is up: {report.sentence(spec)}; use it with --lab {name}"
    show(report.about(lab.state), as_json, lambda _: made)


@command.command("exec")
@click.option(
    "--node", metavar="NODE", help="Run it on this node (node1, node2, ..., or head).  [default: the first]"
)
@click.option(
    "-n",
    "--ranks",
    type=click.IntRange(min=1),
    help="Run it as an MPI program on this many ranks, over the nodes.",
)
@click.option(
    "--mpi", metavar="NAME", help="MPI to start it with, for -n.  [default: the one that it is linked with]"
)
@click.option("--nodes", type=click.IntRange(min=1), help="Nodes to use of the lab, for -n.  [default: all]")
@click.option(
    "--ppn",
    type=click.IntRange(min=1),
    help="Ranks on each node, for -n.  [default: spread evenly, in blocks]",
)
@click.option(
    "--transport",
    metavar="NAME",
    default="",
    help="Transport of the messages, for -n.  [default: the MPI's choice]",
)
@json_option("lab-exec", PROGRAM_TO_STDERR)
@click.argument("name")
@click.argument("words", nargs=-1, required=True, type=click.UNPROCESSED, metavar="-- COMMAND...")
def execute(name: str, words: tuple[str, ...], node: str | None, ranks: int | None, mpi: str | None, nodes: int | None,
            ppn: int | None, transport: str, as_json: bool) -> int:  # fmt: skip
    """Run a command on a node of the lab NAME, or on ranks over its nodes. A preset starts for this command only.

    Exit code: the command's own; 2 or 3 if it could not be started.
    """
    from linkworth.lab import execute as execution
    from linkworth.lab import state
    from linkworth.lab.place import open_lab

    if ranks is None:
        # The number of nodes only applies to a preset.
        useless = (
            "mpi",
            "ppn",
            "transport",
            *(["nodes"] if any(lab.name == name for lab in state.running()) else []),
        )
        refuse(useless, "it is for ranks over the nodes; give -n as well")
    else:
        refuse(("node",), "-n runs the command on ranks over the nodes; leave one of them out")
    output: BinaryIO = sys.stderr.buffer if as_json else sys.stdout.buffer
    where = Place(kind="lab", name=name, nodes=nodes, ranks_per_node=ppn, transport=transport)
    with open_lab(where) as opened:
        for sentence in opened.cleaned:
            note(f"linkworth: {sentence}")
        if ranks is None:
            done = execution.on_node(opened, node, list(words), output)
        else:
            done = execution.on_ranks(opened, ranks, mpi, list(words), output, sys.stderr.buffer)
    if as_json:
        emit_json(done)
    return done.exit_code if done.exit_code >= 0 else 128 - done.exit_code


@command.command("status")
@json_option("labs")
def status(as_json: bool) -> None:
    """List the labs that are up, and what runs in them."""
    from linkworth.cli.lab_tables import labs_table
    from linkworth.lab import report, state

    _clean()
    known = [report.about(one) for one in state.running()]
    table = labs_table(known) if known else "no lab is up; make one: linkworth lab up --like gbe"
    show({"schema": "linkworth.labs/1", "labs": known}, as_json, lambda _: table)


@command.command("check")
@click.argument("name", default="lab")
@json_option("lab-check")
def check(name: str, as_json: bool) -> int:
    """Measure the links of the lab NAME (default: lab; or a preset), and compare them with the settings.

    Limits: 3 % of the rate, 15 us + 10 % of the latency. Exit code: 0 within the limits, 1 not.
    """
    from linkworth.cli.lab_tables import check_table
    from linkworth.lab import check as checking
    from linkworth.lab.place import open_lab

    with open_lab(Place(kind="lab", name=name)) as opened:
        for sentence in opened.cleaned:
            note(f"linkworth: {sentence}")
        found = checking.check(opened.lab)
    show(found, as_json, check_table)
    return 0 if found.passed else 1


@command.command("down")
@click.argument("name", default="lab")
@json_option("lab-down")
def down(name: str, as_json: bool) -> None:
    """Stop the lab NAME (default: lab) and everything that runs in it."""
    from linkworth.lab import labs

    _clean()
    labs.down(name)
    show({"schema": "linkworth.lab-down/1", "name": name}, as_json, lambda _: f"lab {name} is down")


command.add_command(lab_export.command)
