"""Table of predictions for a person."""

from collections.abc import Iterator

from rich.table import Table

from linkworth.cli.units import seconds, volume
from linkworth.model.prediction import Prediction, PredictionSet
from linkworth.model.startup import Initialisation
from linkworth.replay.collectives import rules_in_words

_SHOWN_LINKS = 8


def _time(prediction: Prediction) -> str:
    within = prediction.interval
    if within is None:
        return seconds(prediction.seconds)
    return f"{seconds(prediction.seconds)} ({seconds(within.low_seconds)} to {seconds(within.high_seconds)})"


def initialisation_line(found: Initialisation) -> str:
    """Return a sentence on MPI_Init, which is not part of the times."""
    launch = (
        "" if found.launch_seconds is None else f", and launching it {seconds(found.launch_seconds)} in all"
    )
    return f"MPI_Init comes before: {seconds(found.seconds)}{launch} ({found.source})."


def further_tables(found: PredictionSet) -> Iterator[Table]:
    """Yield the other tables: efficiencies, computation by region, loads of links, tolerances."""
    yield _efficiency_table(found)
    if any(len(each.regions) > 1 for each in found.predictions):
        yield _region_table(found)
    if any(each.loads for each in found.predictions):
        yield _load_table(found)
    if found.tolerances:
        yield _tolerance_table(found)


def _efficiency_table(found: PredictionSet) -> Table:
    table = Table(title="Efficiency of the predicted run (POP)", title_justify="left", caption_justify="left")
    table.caption = "parallel = load balance x communication; communication = serialisation x transfer"
    for heading in ("fabric", "parallel", "load balance", "communication", "serialisation", "transfer"):
        table.add_column(heading, justify="left" if heading == "fabric" else "right")
    for each in found.predictions:
        pop = each.efficiency
        if pop is not None:
            parts = (
                pop.parallel_efficiency,
                pop.load_balance,
                pop.communication_efficiency,
                pop.serialisation_efficiency,
                pop.transfer_efficiency,
            )
            table.add_row(each.fabric, *(f"{part:.1%}" for part in parts))
    return table


def _region_table(found: PredictionSet) -> Table:
    table = Table(title="Computation by region", title_justify="left", caption_justify="left")
    table.caption = "Regions are levels of MPI_Pcontrol inside the timed part."
    for heading in ("fabric", "level", "on the critical path", "share of the time", "of all ranks"):
        table.add_column(heading, justify="left" if heading == "fabric" else "right")
    for each in found.predictions:
        for region in each.regions:
            share = region.critical_seconds / (each.seconds or 1.0)
            table.add_row(
                each.fabric,
                str(region.level),
                seconds(region.critical_seconds),
                f"{share:.1%}",
                seconds(region.rank_seconds),
            )
    return table


def _load_table(found: PredictionSet) -> Table:
    table = Table(title="Busiest links", title_justify="left", caption_justify="left")
    table.caption = f"At most {_SHOWN_LINKS} a fabric. Peak: the busiest of the equal stretches of time that --json lists."
    for heading in ("fabric", "link", "busy", "peak share", "stretch"):
        table.add_column(heading, justify="left" if heading in ("fabric", "link") else "right")
    for each in found.predictions:
        for load in sorted(each.loads, key=lambda load: -load.busy_seconds)[:_SHOWN_LINKS]:
            table.add_row(
                each.fabric,
                load.link,
                seconds(load.busy_seconds),
                f"{max(load.busy_share):.0%}",
                seconds(load.stretch_seconds),
            )
    return table


def _tolerance_table(found: PredictionSet) -> Table:
    """Return one row for each fabric and share, with the limits of its latency and bandwidth."""
    table = Table(title="What the program bears", title_justify="left", caption_justify="left")
    table.caption = "Each alone, the other as it is. -: not reached up to 1 s, or down to 1 kB/s."
    table.add_column("fabric")
    for heading in ("slower by", "latency up to", "bandwidth down to"):
        table.add_column(heading, justify="right")
    for each in found.tolerances:
        bandwidth = each.bandwidth_bytes_per_second
        table.add_row(
            each.fabric,
            f"{each.slower:.0%}",
            "-" if each.latency_seconds is None else seconds(each.latency_seconds),
            "-" if bandwidth is None else f"{bandwidth / 1e6:.4g} MB/s",
        )
    return table


def _base(found: PredictionSet) -> tuple[str, float]:
    """Return the name and the seconds of the base of comparisons: the measured time, else the first row."""
    calibration = found.calibration
    if calibration.measured_fabric is not None and calibration.measured_seconds:
        return calibration.measured_fabric, calibration.measured_seconds
    return "first", found.predictions[0].seconds


def prediction_table(found: PredictionSet) -> Table:
    """Return one row for each fabric: time, its ratio to the base, and the shares of the critical path."""
    title = f"{found.workload}: {found.ranks} ranks on {found.nodes} nodes"
    if found.calibration.measured_fabric is not None:
        title += (
            f", computation scaled to {seconds(found.calibration.measured_seconds or 0)} "
            f"on {found.calibration.measured_fabric}"
        )
    elif found.calibration.cpu_factor != 1:
        title += f", cores {found.calibration.cpu_factor:g} x as fast"
    table = Table(title=title, title_justify="left", caption_justify="left")
    timed = (
        "Time, and bytes between nodes, of the part that the program marks."
        if found.region == "marked"
        else "Time from MPI_Init to MPI_Finalize."
    )
    table.caption = f"Shares of the critical path. {timed}"
    if found.collectives is not None:
        table.caption += f" Collectives {rules_in_words(found.collectives)}."
    base, base_seconds = _base(found)
    for heading in (
        "fabric",
        "time",
        f"against {base}",
        "compute",
        "overhead",
        "latency",
        "bytes",
        "waiting",
    ):
        table.add_column(heading, justify="left" if heading == "fabric" else "right")
    table.add_column("between nodes", justify="right")
    for each in found.predictions:
        whole = each.seconds or 1.0
        table.add_row(
            each.fabric,
            _time(each),
            f"{each.seconds / base_seconds:.2f} x" if base_seconds > 0 else "",
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
            volume(each.timed_internode_bytes),
        )
    return table
