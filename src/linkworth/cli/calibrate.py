"""`linkworth calibrate`: a fabric from measured micro-benchmarks."""

from pathlib import Path

import rich_click as click

from linkworth.cli.known_name import KnownName
from linkworth.cli.output import OutputFile, json_option, note, show


@click.command()
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    type=OutputFile(),
    metavar="FILE.toml",
    help="Write the fabric, for --on FILE.toml of every verb.",
)
@click.option("--name", metavar="NAME", help="Name of the fabric.  [default: that of the -o file]")
@click.option(
    "--base",
    type=KnownName("fabrics"),
    metavar="FABRIC",
    help="Fabric that gives the parameters missing in the results (MTU, headers, TCP).  [default: the nearest of the catalog]",
)
@click.option(
    "--intranode",
    type=click.Path(path_type=Path),
    multiple=True,
    metavar="FILE",
    help="Results of ranks on one node, for the path inside a node; repeatable.",
)
@click.option(
    "--rails",
    multiple=True,
    metavar="K=FILE",
    help="Results over K NICs per node, for their joint bandwidth; repeatable.",
)
@click.option(
    "--port-buffer",
    metavar="BYTES",
    help="Bytes that the switch buffers for one node's link (512K), if the results of incast tests lack them.",
)
@click.option(
    "--plot",
    type=OutputFile(),
    metavar="FILE.svg",
    help="Draw the fit against the measurements (.svg or .png).",
)
@json_option("calibration")
def command(
    files: tuple[Path, ...],
    output: Path | None,
    name: str | None,
    base: str | None,
    intranode: tuple[Path, ...],
    rails: tuple[str, ...],
    port_buffer: str | None,
    plot: Path | None,
    as_json: bool,
) -> None:
    """Fit a network to micro-benchmarks: FILEs of `linkworth bench --json`, OSU, IMB, NetPIPE, HPCC or ucx_perftest.

    Latency, bandwidth, overheads by size, message rate and eager limit are fitted so that the replay of the same benchmarks
    gives the measured times. TCP's losses at a switch's full port are fitted to the bursts of `linkworth bench incast`. Every
    number of the written file names the results that it comes from.
    """
    import msgspec

    from linkworth.calibrate.request import CalibrationRequest, port_buffer_of, rails_of
    from linkworth.calibrate.run import calibrate, write
    from linkworth.cli.calibration_table import calibration_table
    from linkworth.report.plots import plot_calibration

    request = CalibrationRequest(
        files=list(files),
        intranode=list(intranode),
        rails=rails_of(rails),
        port_buffer=None if port_buffer is None else port_buffer_of(port_buffer),
        base=base,
        name=name,
    )
    calibration = calibrate(request, output)
    if output is not None:
        write(calibration.fabric, output)
        calibration = msgspec.structs.replace(calibration, written=str(output))
    if plot is not None:
        plot_calibration(calibration, plot)
        note(f"wrote {plot}")
    show(calibration, as_json, calibration_table)
