"""Tables of predictions for a person."""

from collections.abc import Iterator

from linkworth import units
from linkworth.cli.table import Table
from linkworth.model.prediction import CRITICAL_PATH, ComputationScale, Prediction, PredictionSet
from linkworth.model.startup import Initialisation
from linkworth.profile.pop import DEFINITIONS, named
from linkworth.replay.collectives import rules_in_words
from linkworth.replay.mpi_settings import in_words

_SHOWN_LINKS = 8


def initialisation_line(found: Initialisation) -> str:
    """Return a sentence on MPI_Init, which is not part of the times."""
    launch = ""
    if found.launch_seconds is not None:
        launch = f", and the launch {units.duration(found.launch_seconds)} in all"
    return f"MPI_Init comes before and takes {units.duration(found.seconds)}{launch} ({found.source})."


def prediction_tables(found: PredictionSet) -> Iterator[Table]:
    """Yield the times on each fabric, and what they consist of."""
    yield _time_table(found)
    yield _path_table(found)
    yield _efficiency_table(found)
    if any(len(each.regions) > 1 for each in found.predictions):
        yield _region_table(found)
    if any(each.loads for each in found.predictions):
        yield _load_table(found)
    if found.tolerances:
        yield _tolerance_table(found)


def computation_in_title(calibration: ComputationScale) -> str:
    """Return how the computation is scaled, as the end of a title; "" if it is as recorded."""
    if calibration.measured_fabric is not None and calibration.measured_seconds:
        seconds = units.plain(calibration.measured_seconds)
        return f", computation scaled to {seconds} s on {calibration.measured_fabric}"
    return f", cores {units.plain(calibration.cpu_factor)} x as fast" if calibration.cpu_factor != 1 else ""


def timed_part(region: str) -> str:
    """Return a sentence on the part of the run that predicted times are of."""
    if region == "marked":
        return "Time and data between nodes: the part that the program marks."
    return "Time: MPI_Init to MPI_Finalize."


def _time_table(found: PredictionSet) -> Table:
    calibration = found.calibration
    title = f"{found.workload}: {units.plural(found.ranks, 'rank')} on {units.plural(found.nodes, 'node')}"
    base, base_seconds = found.predictions[0].fabric, found.predictions[0].seconds
    if calibration.measured_fabric is not None and calibration.measured_seconds:
        base, base_seconds = f"{calibration.measured_fabric} as measured", calibration.measured_seconds
    collectives = "" if found.collectives is None else f" Collectives {rules_in_words(found.collectives)}."
    applied = {each.fabric: in_words(each.mpi_settings) for each in found.predictions if each.mpi_settings}
    settings = "".join(f" With {text} on {fabric}." for fabric, text in applied.items())
    return Table(
        ["fabric", "time>", "90 % interval>", "relative time>", "data between nodes>"],
        [
            [
                each.fabric,
                units.duration(each.seconds),
                _interval(each),
                f"{each.seconds / base_seconds:.2f}" if base_seconds > 0 else "",
                units.data(each.timed_internode_bytes),
            ]
            for each in found.predictions
        ],
        title=title + computation_in_title(calibration),
        note=f"Relative time: 1.00 is {base}. {timed_part(found.region)}{collectives}{settings}",
    )


def _interval(each: Prediction) -> str:
    within = each.interval
    if within is None:
        return ""
    return units.interval(units.duration(within.low_seconds), units.duration(within.high_seconds))


def _path_table(found: PredictionSet) -> Table:
    return Table(
        ["fabric", *(f"{name}>" for name in CRITICAL_PATH.values())],
        [
            [
                each.fabric,
                *(units.percent(part / (each.seconds or 1.0), 1) for part in each.critical_path.values()),
            ]
            for each in found.predictions
        ],
        title="Shares of the critical path",
    )


def _efficiency_table(found: PredictionSet) -> Table:
    return Table(
        ["fabric", *(f"{name}>" for name in DEFINITIONS)],
        [
            [
                each.fabric,
                *("" if part is None else units.percent(part, 1) for part in named(each.efficiency).values()),
            ]
            for each in found.predictions
            if each.efficiency is not None
        ],
        title="POP efficiencies of the predicted run",
        note="Parallel = load balance x communication. Communication = serialisation x transfer.",
    )


def _region_table(found: PredictionSet) -> Table:
    return Table(
        ["fabric", "level>", "on the critical path>", "share of the time>", "sum over ranks>"],
        [
            [
                each.fabric,
                str(region.level),
                units.duration(region.critical_seconds),
                units.percent(region.critical_seconds / (each.seconds or 1.0), 1),
                units.duration(region.rank_seconds),
            ]
            for each in found.predictions
            for region in each.regions
        ],
        title="Computation by region",
        note="Regions are levels of MPI_Pcontrol inside the timed part.",
    )


def _load_table(found: PredictionSet) -> Table:
    return Table(
        ["fabric", "link", "busy>", "peak share>", "interval>"],
        [
            [
                each.fabric,
                load.link,
                units.duration(load.busy_seconds),
                units.percent(max(load.busy_share)),
                units.duration(load.stretch_seconds),
            ]
            for each in found.predictions
            for load in sorted(each.loads, key=lambda load: -load.busy_seconds)[:_SHOWN_LINKS]
        ],
        title="Busiest links",
        note=f"At most {_SHOWN_LINKS} a fabric. Peak: the busiest of the equal intervals that --json lists.",
        keys=2,
    )


def _tolerance_table(found: PredictionSet) -> Table:
    """Return one row for each fabric and share, with the limits of its latency and bandwidth."""
    rows = []
    for each in found.tolerances:
        latency, bandwidth = each.latency_seconds, each.bandwidth_bytes_per_second
        rows.append(
            [
                each.fabric,
                units.percent(each.slower),
                "-" if latency is None else units.duration(latency),
                "-" if bandwidth is None else units.rate(bandwidth),
            ]
        )
    return Table(
        ["fabric", "slower by>", "latency up to>", "bandwidth down to>"],
        rows,
        title="Tolerance of the program",
        note="Each limit alone, the other parameter unchanged. -: not reached up to 1 s, or down to 1 kB/s.",
    )
