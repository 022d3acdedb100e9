"""`linkworth lab export`: an environment of the lab, as configuration of real hosts and containers."""

from pathlib import Path

import rich_click as click

from linkworth.cli.given import refuse
from linkworth.cli.lab_options import spec_options
from linkworth.cli.output import OutputFolder, console, emit_json, json_option, note
from linkworth.lab.export.write import FORMATS, OWN_CONTAINERS
from linkworth.lab.spec import LabSpec


@click.command("export")
@click.option(
    "--as",
    "format_name",
    type=click.Choice(list(FORMATS)),
    required=True,
    metavar="FORMAT",
    help=f"Format to write: {', '.join(FORMATS)}.",
)
@click.option(
    "-o",
    "--output",
    type=OutputFolder(),
    default=Path("lab-export"),
    show_default=True,
    help="New or empty folder for the files.",
)
@click.option(
    "--interface",
    "interfaces",
    multiple=True,
    metavar="NIC",
    help="A NIC of the real hosts; once for each.  [default: eth0, eth1, ...]",
)
@click.option(
    "--network", default="10.10.0.0/16", show_default=True, metavar="CIDR", help="Addresses to give out."
)
@spec_options
@json_option("lab-export")
@click.argument("name", required=False)
def command(
    name: str | None,
    spec: LabSpec,
    format_name: str,
    output: Path,
    interfaces: tuple[str, ...],
    network: str,
    as_json: bool,
) -> int:
    """Write the network configuration of real hosts: bond or striping, bridge, MTU, container NICs, addresses.

    The environment is that of the running lab NAME. Without a NAME, the options describe it.
    """
    from linkworth.lab import labs
    from linkworth.lab.export import write

    if name is not None:
        refuse(
            spec_options.parameters,
            f"the lab {name} is up and keeps its settings; leave this out, or the NAME",
        )
    elif format_name in OWN_CONTAINERS:
        refuse(("isolation",), f"{format_name} has containers of its own; leave it out")
    wanted = labs.get(name).spec if name is not None else spec
    done = write.export(wanted, format_name, output, interfaces=interfaces, network=network)
    if as_json:
        emit_json(done)
    else:
        out = console()
        for file in done.files:
            out.print(f"{done.folder}/{file}")
        for remark in done.remarks:
            note(remark)
    return 0
