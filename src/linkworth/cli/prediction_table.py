"""Predictions as a table for a person."""

from rich.table import Table

from linkworth.cli.units import seconds
from linkworth.model.prediction import PredictionSet


def prediction_table(found: PredictionSet) -> Table:
    """Return one row a fabric: time, gain against the first row, and the shares of the critical path."""
    title = f"{found.workload}: {found.ranks} ranks on {found.nodes} nodes"
    if found.calibration.measured_fabric is not None:
        title += (
            f", computation scaled to {seconds(found.calibration.measured_seconds or 0)} "
            f"on {found.calibration.measured_fabric}"
        )
    elif found.calibration.cpu_factor != 1:
        title += f", cores {found.calibration.cpu_factor:g} x as fast"
    table = Table(title=title, title_justify="left", caption_justify="left")
    table.caption = (
        "Shares of the critical path. " + "Time of the part that the program marks."
        if found.region == "marked"
        else "Shares of the critical path. Time from MPI_Init to MPI_Finalize."
    )
    for heading in ("fabric", "time", "against first", "compute", "overhead", "latency", "bytes", "waiting"):
        table.add_column(heading, justify="left" if heading == "fabric" else "right")
    table.add_column("between nodes", justify="right")
    first = found.predictions[0].seconds
    for each in found.predictions:
        whole = each.seconds or 1.0
        table.add_row(
            each.fabric,
            seconds(each.seconds),
            f"{each.seconds / first:.2f} x" if first > 0 else "",
            *(
                f"{part / whole:.1%}"
                for part in (
                    each.compute_seconds,
                    each.overhead_seconds,
                    each.latency_seconds,
                    each.bandwidth_seconds,
                    each.wait_seconds,
                )
            ),
            f"{each.internode_bytes / 1e6:.3g} MB",
        )
    return table
