"""`linkworth machines`: the known machines."""

from pathlib import Path

import rich_click as click

from linkworth.catalog import documents, machines
from linkworth.cli.catalog_group import catalog_group
from linkworth.cli.catalog_tables import machine_details, machines_table
from linkworth.cli.known_name import KnownName
from linkworth.cli.output import OutputFile, json_option, note, refuse_loss, show
from linkworth.cli.steps import Steps

command = catalog_group(
    "machines",
    "Known machines: list them (the default) or show one.",
    "List the machines.",
    documents.machines_document,
    machines_table,
)


@command.command("show")
@click.argument("name", type=KnownName("machines"))
@json_option("machine")
def show_command(name: str, as_json: bool) -> None:
    """Show the machine NAME and the sources of its numbers."""
    document = documents.MachineDocument(machine=machines.get(name))
    show(document, as_json, lambda document: machine_details(document.machine))


@command.command("measure")
@click.option(
    "-o", "output", type=OutputFile(), required=True, metavar="FILE", help="The machine file (.toml)."
)
@click.option("--name", metavar="NAME", help="Name of the machine.  [default: this host's]")
@click.option("--mpi", metavar="NAME", help="MPI with which the programs are built (see `linkworth doctor`).")
@json_option("machine")
def measure_command(output: Path, name: str | None, mpi: str | None, as_json: bool) -> None:
    """Measure this machine in about a minute, and write its machine file.

    The bundled programs run on one core, and one copy on each core at once. Memory and copies follow. The file is a machine
    for --machine and --recorded-on. Run it while nothing else runs.
    """
    from linkworth.skeleton.machine import check_output, default_name, measure_machine, write_machine

    check_output(output)
    with Steps(plain_lines=True) as steps:
        machine, warning = measure_machine((name or "").strip() or default_name(), mpi, steps)
    refuse_loss(output)  # another run may have written the file meanwhile
    write_machine(machine, output)
    if warning:
        note(f"linkworth: warning: {warning}")
    document = documents.MachineDocument(machine=machine)
    show(document, as_json, lambda document: machine_details(document.machine))
